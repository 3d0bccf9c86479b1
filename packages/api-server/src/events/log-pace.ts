/**
 * The pace at which sockets are told what nodes print: at once, then ten times a second at most for each node, and at most
 * {@link MAX_TEXT_BYTES} a time (wire decision V21). More than that is joined, and of what is still too much the end is told: the
 * `offset` shows how much is left out.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { EngineEvent } from '@flow-service/protocol'

type LogEvent = Extract<EngineEvent, { type: 'log' }>

const PAUSE_MS = 100
/** Bytes of text in one frame. */
export const MAX_TEXT_BYTES = 8192

interface Pause {
  /** What the node has printed since. */
  waiting: LogEvent | null
  readonly cancel: () => void
}

/** Texts of all nodes on their way to sockets. */
export class LogPace {
  readonly #clock: Clock
  readonly #tell: (event: LogEvent, atMs: number) => void
  readonly #pauses = new Map<string, Pause>()

  constructor(clock: Clock, tell: (event: LogEvent, atMs: number) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  add(event: LogEvent): void {
    const key = `${event.run ?? event.flow} ${event.node}`
    const pause = this.#pauses.get(key)
    if (pause === undefined) this.#begin(key, endOf(event))
    else pause.waiting = endOf(pause.waiting === null ? event : joined(pause.waiting, event))
  }

  /** Nobody listens any more. */
  close(): void {
    for (const { cancel } of this.#pauses.values()) cancel()
    this.#pauses.clear()
  }

  #begin(key: string, event: LogEvent): void {
    const cancel = this.#clock.setTimer(PAUSE_MS, () => {
      const waiting = this.#pauses.get(key)?.waiting ?? null
      this.#pauses.delete(key)
      if (waiting !== null) this.#begin(key, waiting)
    })
    this.#pauses.set(key, { waiting: null, cancel })
    this.#tell(event, this.#clock.now())
  }
}

/** One event of both; where the second does not follow the first, what is between is lost already. */
const joined = (first: LogEvent, second: LogEvent): LogEvent =>
  first.offset + Buffer.byteLength(first.text) === second.offset ? { ...first, text: first.text + second.text } : second

/** The event with as much of its end as a frame may have. */
function endOf(event: LogEvent): LogEvent {
  if (event.text.length <= MAX_TEXT_BYTES / 3) return event
  const bytes = Buffer.from(event.text)
  if (bytes.length <= MAX_TEXT_BYTES) return event
  let start = bytes.length - MAX_TEXT_BYTES
  // never begin inside a character: continuation bytes of UTF-8 are 10xxxxxx
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return { ...event, offset: event.offset + start, text: bytes.toString('utf8', start) }
}
