/**
 * Following the event socket until Ctrl-C, which is how a stream is meant to end: exit code 0.
 * @module
 */
import type { Client } from '@flow-service/client-sdk'
import type { EventFrame, FrameKind } from '@flow-service/protocol'

/** What to follow. */
export interface Following {
  /** Only events of these flows; all unless given. */
  readonly flows?: readonly string[] | undefined
  /** Only events of these kinds; all but what nodes print unless given. */
  readonly kinds?: readonly FrameKind[] | undefined
  /** Ends after so many lines of `show`; none unless given. */
  readonly count?: number | undefined
  /** Shows a frame if it is wanted, in at most so many lines; tells how many that were. */
  readonly show: (frame: EventFrame, most: number) => number
}

/** Resolves when enough is shown, or at Ctrl-C; an engine that goes away is waited for. */
export async function follow(client: Client, { flows, kinds, count = Infinity, show }: Following): Promise<void> {
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  let shown = 0
  try {
    for await (const frame of client.events({
      signal: stop.signal,
      ...(flows && { flows }),
      ...(kinds && { kinds }),
    })) {
      shown += show(frame, count - shown)
      if (shown >= count) return
    }
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}
