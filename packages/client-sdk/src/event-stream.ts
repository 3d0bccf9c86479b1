/**
 * The event socket as an async iterable. It signs in with single-use tickets, so that it works in browsers too, and
 * reconnects with growing pauses: every (re)connection begins with a fresh snapshot frame.
 * @module
 */
import type { EventFrame } from '@flow-service/protocol'

import { ApiError } from './api-error.ts'

/** How to follow events. */
export interface EventOptions {
  /** Only events of these flows; all unless given. */
  readonly flows?: readonly string[]
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/**
 * Frames of the event socket, until `signal` aborts. Rejects when nothing answers at first, and when a ticket is refused;
 * an engine that is gone later is waited for.
 */
export async function* eventStream(
  baseUrl: string,
  ticket: () => Promise<string>,
  options: EventOptions,
): AsyncGenerator<EventFrame, void, undefined> {
  let pauseMs = FIRST_PAUSE_MS
  let reached = false
  while (!options.signal?.aborted) {
    const pass = await (reached ? ticket().catch(unlessRefused) : ticket())
    reached = true
    if (pass !== null) {
      for await (const frame of new Connection(socketUrl(baseUrl, pass, options.flows), options.signal)) {
        pauseMs = FIRST_PAUSE_MS
        yield frame
      }
    }
    if (options.signal?.aborted) return
    await pause(pauseMs, options.signal)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** No ticket while the engine is away; what it refuses stays refused. */
function unlessRefused(error: unknown): null {
  if (error instanceof ApiError && error.status < 500) throw error
  return null
}

function socketUrl(baseUrl: string, ticket: string, flows: readonly string[] | undefined): string {
  const url = new URL(`${baseUrl.replace(/^http/, 'ws')}/flows/ws`)
  url.searchParams.set('ticket', ticket)
  if (flows) url.searchParams.set('flows', flows.join(','))
  return url.href
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })

/** One socket: ends when the socket closes or the signal aborts. */
class Connection implements AsyncIterable<EventFrame> {
  readonly #frames: EventFrame[] = []
  #wake: () => void = () => {}
  #closed = false
  readonly #socket: WebSocket

  constructor(url: string, signal: AbortSignal | undefined) {
    this.#socket = new WebSocket(url)
    this.#socket.addEventListener('message', ({ data }) => {
      this.#frames.push(JSON.parse(String(data)) as EventFrame)
      this.#wake()
    })
    const close = () => {
      this.#closed = true
      signal?.removeEventListener('abort', close)
      this.#socket.close()
      this.#wake()
    }
    this.#socket.addEventListener('close', close)
    this.#socket.addEventListener('error', close)
    signal?.addEventListener('abort', close, { once: true })
    if (signal?.aborted) close()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EventFrame, void, undefined> {
    try {
      for (;;) {
        const frame = this.#frames.shift()
        if (frame) yield frame
        else if (this.#closed) return
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#socket.close()
    }
  }
}
