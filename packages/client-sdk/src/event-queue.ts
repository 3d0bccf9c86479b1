/**
 * Frames that wait for their reader. A WebSocket cannot be told to slow down, so what waits is bounded here, as the
 * engine bounds what waits for a socket (wire decision G46).
 *
 * - event-queue.Q1 frames leave in their order, except that above {@link COALESCE_LENGTH} a value takes the place of the
 *   newest one of its message that waits, and comes last.
 * - event-queue.Q2 only values are left out; node, run, health and flow events never are.
 * - event-queue.Q3 above {@link MAX_LENGTH} the queue is over: all that waits is given up. A snapshot, which may be
 *   larger than that, does not count.
 * @module
 */
import type { EventFrame } from '@flow-service/protocol'

/** Characters of waiting frames from which on values are coalesced. */
const COALESCE_LENGTH = 1024 * 1024
/** Characters of waiting frames that are too many. */
const MAX_LENGTH = 16 * 1024 * 1024

/** The iteration of events was so slow that more than 16 MiB of them waited: the connection is given up. */
export class SlowReader extends Error {
  override readonly name = 'SlowReader'
  constructor() {
    super('events are read too slowly: more than 16 MiB of them wait. Do less for each, or follow fewer flows')
  }
}

interface Waiting {
  readonly frame: EventFrame
  readonly length: number
}

/** A queue of frames. */
export class EventQueue {
  /** By a number that grows; a map takes out of the middle. */
  readonly #waiting = new Map<number, Waiting>()
  /** The newest waiting value of each message. */
  readonly #newest = new Map<string, number>()
  #length = 0
  #count = 0

  /** Takes a frame, or a window of them, as it was sent, and no bytes, for which nobody here asks. Throws a {@link SlowReader}. */
  hear(text: unknown): void {
    if (typeof text !== 'string') return
    const heard = JSON.parse(text) as EventFrame | EventFrame[]
    const frames = Array.isArray(heard) ? heard : [heard]
    for (const frame of frames) this.#take(frame, text.length / frames.length)
  }

  #take(frame: EventFrame, share: number): void {
    const length = frame.type === 'snapshot' ? 0 : share
    const message = messageOf(frame)
    const older = message === null ? undefined : this.#newest.get(message)
    if (older !== undefined && this.#length > COALESCE_LENGTH) this.#drop(older)
    if (message !== null) this.#newest.set(message, this.#count)
    this.#waiting.set(this.#count++, { frame, length })
    this.#length += length
    if (this.#length <= MAX_LENGTH) return
    this.#waiting.clear()
    this.#newest.clear()
    throw new SlowReader()
  }

  /** Takes the oldest frame out. */
  shift(): EventFrame | undefined {
    for (const [place, { frame }] of this.#waiting) {
      this.#drop(place)
      const message = messageOf(frame)
      if (message !== null && this.#newest.get(message) === place) this.#newest.delete(message)
      return frame
    }
    return undefined
  }

  #drop(place: number): void {
    this.#length -= this.#waiting.get(place)?.length ?? 0
    this.#waiting.delete(place)
  }
}

/** What a frame is coalesced by; null for what is never left out. */
function messageOf(frame: EventFrame): string | null {
  if (frame.type !== 'value') return null
  return frame.run === null ? frame.message : `${frame.message} ${frame.run}`
}
