/**
 * The event socket as an async iterable. It signs in with single-use tickets, so that it works in browsers too, and
 * reconnects with growing pauses: every (re)connection begins with a fresh snapshot frame.
 * @module
 */
import type { EventFrame, FrameKind } from '@flow-service/protocol'

import { ApiError } from './api-error.ts'
import { endedByReturn } from './ended-by-return.ts'
import { EventQueue } from './event-queue.ts'

/** How to follow events. */
export interface EventOptions {
  /** Only events of these flows; all unless given. */
  readonly flows?: readonly string[]
  /** Only these kinds of frames; all but `log` unless given. The first frame, and refusals, come in any case. */
  readonly kinds?: readonly FrameKind[]
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/** Where the stream connects to. */
export interface EventSource {
  /** Of the API, ends in `/api/v1`. */
  readonly baseUrl: string
  /** Gets a new ticket. */
  readonly ticket: (signal: AbortSignal) => Promise<string>
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * Frames of the event socket, until `signal` aborts or `return()` is called. Rejects when nothing answers at first, and
 * when a ticket is refused; an engine that is gone later is waited for. A reader for whom more than 1 MiB waits misses
 * values, but never the newest of a message; above 16 MiB the iteration rejects with a `SlowReader`.
 */
export const eventStream = (
  source: EventSource,
  { signal, ...wish }: EventOptions,
): AsyncGenerator<EventFrame, void, undefined> => endedByReturn(signal, (ended) => connections(source, wish, ended))

type Wish = Omit<EventOptions, 'signal'>

async function* connections(
  { baseUrl, ticket }: EventSource,
  wish: Wish,
  signal: AbortSignal,
): AsyncGenerator<EventFrame, void, undefined> {
  let pauseMs = FIRST_PAUSE_MS
  let reached = false
  while (!signal.aborted) {
    const pass = await ticket(signal).catch((error: unknown) => {
      if (signal.aborted || (reached && !isRefused(error))) return null
      throw error
    })
    reached = true
    if (pass !== null) {
      for await (const frame of new Connection(socketUrl(baseUrl, pass, wish), signal)) {
        pauseMs = FIRST_PAUSE_MS
        yield frame
      }
    }
    await pause(jittered(pauseMs), signal)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** While the engine is away there is no ticket; what it refuses stays refused. */
const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 408 && error.status !== 429

function socketUrl(baseUrl: string, ticket: string, { flows, kinds }: Wish): string {
  const url = new URL(`${baseUrl.replace(/^http/, 'ws')}/flows/ws`)
  url.searchParams.set('ticket', ticket)
  if (flows) url.searchParams.set('flows', flows.join(','))
  if (kinds) url.searchParams.set('kinds', kinds.join(','))
  return url.href
}

/** Clients that lost the same engine do not come back at the same moment. */
const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })

/** One socket: ends when the socket closes or the signal aborts; rejects when its reader is too slow. */
class Connection implements AsyncIterable<EventFrame> {
  readonly #frames = new EventQueue()
  readonly #signal: AbortSignal
  #wake: () => void = () => {}
  #closed = false
  #fault: Error | null = null
  readonly #socket: WebSocket

  constructor(url: string, signal: AbortSignal) {
    this.#signal = signal
    this.#socket = new WebSocket(url)
    this.#socket.addEventListener('message', ({ data }) => {
      // media, which nobody here asks for, would come as bytes
      if (typeof data === 'string' && !this.#closed) this.#take(data)
    })
    this.#socket.addEventListener('close', this.#close)
    this.#socket.addEventListener('error', this.#close)
    signal.addEventListener('abort', this.#close, { once: true })
    if (signal.aborted) this.#close()
  }

  #take(text: string): void {
    try {
      this.#frames.push(text)
      this.#wake()
    } catch (error) {
      this.#fault = error as Error
      this.#close()
    }
  }

  readonly #close = (): void => {
    this.#closed = true
    this.#signal.removeEventListener('abort', this.#close)
    this.#socket.close()
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EventFrame, void, undefined> {
    try {
      while (!this.#signal.aborted) {
        if (this.#fault !== null) throw this.#fault
        const frame = this.#frames.shift()
        if (frame) yield frame
        else if (this.#closed) return
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#close()
    }
  }
}
