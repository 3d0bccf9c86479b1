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
  /** Of runs only these; all unless given. What is about no run comes in any case. */
  readonly runs?: readonly string[]
  /** Milliseconds, 10 to 1000, for which the engine gathers events before it sends them together; at once unless given. */
  readonly batch?: number
  /** `newest` has the engine leave out values of a live message that has a newer one within the window, 100 ms unless `batch` says. */
  readonly values?: 'newest'
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/** Opens a stream of a client. */
export type EventStream = (options: EventOptions) => AsyncGenerator<EventFrame, void, undefined>

/** Where the stream connects to. */
export interface EventSource {
  /** Of the API, ends in `/api/v1`. */
  readonly baseUrl: string
  /** Gets a new ticket. */
  readonly ticket: (signal: AbortSignal) => Promise<string>
}

/** What a connection hears, until its reader takes it. */
export interface Inbox<F> {
  /** Takes text or an `ArrayBuffer`; what it throws ends the stream. */
  hear(data: unknown): void
  /** Takes the oldest out. */
  shift(): F | undefined
}

/** What is followed. */
interface Wish<F> extends Omit<EventOptions, 'signal'> {
  /** What each connection says first. */
  readonly request?: object
  /** Where each connection keeps what it hears. */
  readonly inbox: () => Inbox<F>
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
): AsyncGenerator<EventFrame, void, undefined> => follow(source, { ...wish, inbox: () => new EventQueue() }, signal)

/** What the inboxes of its connections give, as {@link eventStream} does. */
export const follow = <F>(
  source: EventSource,
  wish: Wish<F>,
  signal: AbortSignal | undefined,
): AsyncGenerator<F, void, undefined> => endedByReturn(signal, (ended) => connections(source, wish, ended))

async function* connections<F>(
  { baseUrl, ticket }: EventSource,
  wish: Wish<F>,
  signal: AbortSignal,
): AsyncGenerator<F, void, undefined> {
  let pauseMs = FIRST_PAUSE_MS
  let reached = false
  while (!signal.aborted) {
    const pass = await ticket(signal).catch((error: unknown) => {
      if (signal.aborted || (reached && !isRefused(error))) return null
      throw error
    })
    reached = true
    if (pass !== null) {
      for await (const frame of new Connection(socketUrl(baseUrl, pass, wish), wish, signal)) {
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

function socketUrl(baseUrl: string, ticket: string, { flows, kinds, runs, batch, values }: EventOptions): string {
  const url = new URL(`${baseUrl.replace(/^http/, 'ws')}/flows/ws`)
  url.searchParams.set('ticket', ticket)
  if (flows) url.searchParams.set('flows', flows.join(','))
  if (kinds) url.searchParams.set('kinds', kinds.join(','))
  if (runs) url.searchParams.set('runs', runs.join(','))
  if (batch !== undefined) url.searchParams.set('batch', String(batch))
  if (values) url.searchParams.set('values', values)
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

/** One socket: ends when the socket closes or the signal aborts; rejects with what its inbox throws. */
class Connection<F> implements AsyncIterable<F> {
  readonly #inbox: Inbox<F>
  readonly #signal: AbortSignal
  #wake: () => void = () => {}
  #closed = false
  #fault: Error | null = null
  readonly #socket: WebSocket

  constructor(url: string, { inbox, request }: Wish<F>, signal: AbortSignal) {
    this.#inbox = inbox()
    this.#signal = signal
    this.#socket = new WebSocket(url)
    this.#socket.binaryType = 'arraybuffer'
    if (request) this.#socket.addEventListener('open', () => this.#socket.send(JSON.stringify(request)))
    this.#socket.addEventListener('message', ({ data }) => {
      if (!this.#closed) this.#hear(data)
    })
    this.#socket.addEventListener('close', this.#close)
    this.#socket.addEventListener('error', this.#close)
    signal.addEventListener('abort', this.#close, { once: true })
    if (signal.aborted) this.#close()
  }

  #hear(data: unknown): void {
    try {
      this.#inbox.hear(data)
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

  async *[Symbol.asyncIterator](): AsyncGenerator<F, void, undefined> {
    try {
      while (!this.#signal.aborted) {
        if (this.#fault !== null) throw this.#fault
        const frame = this.#inbox.shift()
        if (frame) yield frame
        else if (this.#closed) return
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#close()
    }
  }
}
