/**
 * The answer to one HTTP request, as it comes from the connection.
 * @module
 */
import { Readable } from 'node:stream'

import type { Dispatcher } from 'undici'

import { decoded } from './content-coding.ts'
import { type ResponseHead, responseOf, WholeResponse } from './whole-response.ts'

/** An answer that says it is no longer than this is read whole; a longer one is a stream. */
const SMALL_BYTES = 64 * 1024
/** What has no body (Fetch standard, section 2.2.3, "null body status"). */
const bodiless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

type Fields = ResponseHead['fields']
type Controller = Dispatcher.DispatchController

/** What was asked. */
interface Asked {
  readonly url: string
  /** In capitals. */
  readonly method: string
  readonly signal: AbortSignal | null
}

/** Hears of one exchange, and ends it when its signal says so: also one that still waits for its connection. */
export class HttpAnswer implements Dispatcher.DispatchHandler {
  /** Rejects with the signal's reason, or with what has failed. */
  readonly response: Promise<Response>
  readonly #asked: Asked
  readonly #resolve: (response: Response) => void
  readonly #reject: (error: unknown) => void
  #controller: Controller | null = null
  /** Until it is known whether the answer is given whole; what has come of it is in `#chunks`. */
  #head: ResponseHead | null = null
  #chunks: Buffer<ArrayBuffer>[] = []
  /** Of an answer that is a stream. */
  #body: Readable | null = null

  constructor(asked: Asked) {
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    this.response = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#asked = asked
    asked.signal?.addEventListener('abort', this.#abort)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#asked.signal?.aborted) this.#abort()
  }

  onResponseStart(controller: Controller, status: number, fields: Fields, statusText = ''): void {
    if (status < 200) return
    const { url, method } = this.#asked
    const head = { url, status, statusText, fields }
    if (method === 'HEAD' || bodiless.has(status)) return this.#resolve(responseOf(head, null))
    this.#head = head
    const length = fields['content-length']
    const isPlain = !fields['content-encoding'] && status < 600
    // one that does not tell its length may be over with this packet, which is read to its end first
    if (isPlain && length === undefined) queueMicrotask(() => this.#stream(controller))
    else if (!isPlain || !(Number(length) <= SMALL_BYTES)) this.#stream(controller)
  }

  onResponseData(controller: Controller, chunk: Buffer<ArrayBuffer>): void {
    if (this.#head !== null) this.#chunks.push(chunk)
    else if (this.#body === null) controller.abort(new Error('an answer without a body had one'))
    else if (!this.#body.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    const head = this.#over()
    this.#body?.push(null)
    if (head === null) return
    const [first] = this.#chunks
    const content = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    this.#resolve(new WholeResponse(head, content))
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.#over()
    this.#reject(error)
    this.#body?.destroy(error)
  }

  readonly #abort = (): void => {
    const reason = this.#asked.signal?.reason as Error
    this.#controller?.abort(reason)
    this.#reject(reason)
  }

  /** Gives the answer as a stream, unless it is over. */
  #stream(controller: Controller): void {
    const head = this.#head
    if (head === null) return
    this.#head = null
    try {
      const body = readable(controller)
      const content = streamOf(decoded(body, String(head.fields['content-encoding'] ?? '')))
      this.#body = body
      for (const chunk of this.#chunks.splice(0)) body.push(chunk)
      this.#resolve(responseOf(head, content))
    } catch (error) {
      controller.abort(error as Error)
    }
  }

  #over(): ResponseHead | null {
    this.#asked.signal?.removeEventListener('abort', this.#abort)
    const head = this.#head
    this.#head = null
    return head
  }
}

/** The body of an answer; who destroys it ends the exchange. */
const readable = (controller: Controller): Readable =>
  new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      controller.abort(error ?? new Error('the rest of the answer is not wanted'))
      done(error)
    },
  })

/** Ends the exchange when it is cancelled: an iterator that has not begun would leave its connection open for ever. */
function streamOf(body: Readable): ReadableStream {
  body.on('error', () => {})
  const chunks = body[Symbol.asyncIterator]()
  return ReadableStream.from({
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      async return() {
        body.destroy()
        return { done: true, value: undefined }
      },
    }),
  })
}
