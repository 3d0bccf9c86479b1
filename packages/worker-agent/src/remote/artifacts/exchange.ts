/**
 * One HTTP request and the head of its answer. `node:http` and not `fetch`: its bodies arrive without a second copy and a
 * web stream around them, no redirect is followed and nothing is decoded by itself.
 * @module
 */
import type * as http from 'node:http'
import * as https from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'

import { request as requestByHttp } from '../../node-http.ts'
import { Unreachable } from '../../transport.ts'

/** Bytes of a body that are handed to a socket at a time. */
const SLICE_BYTES = 1024 * 1024
const MAX_TEXT_BYTES = 64 * 1024
const ATTEMPTS = 6
const LONGEST_WAIT_MS = 60_000

/** A request. */
export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  /** Sent as it is, without a copy. */
  readonly body?: Uint8Array
  readonly signal?: AbortSignal | undefined
  /** Milliseconds in which a connection has to stand, and the answer to begin where there is no body to send. */
  readonly answerMs?: number
  /** Milliseconds without a byte in either direction that end it. */
  readonly idleMs: number
}

/** An answer that another attempt would not change. */
export class Refused extends Error {
  readonly code: 'not_found' | 'refused'

  constructor(message: string, code: Refused['code'] = 'refused') {
    super(message)
    this.code = code
  }
}

/** An answer that may be another one later, after a time that the server may have named. */
export class Unavailable extends Error {
  readonly afterMs: number | null

  constructor(message: string, afterMs: number | null) {
    super(message)
    this.afterMs = afterMs
  }
}

/** Resolves with the head of the answer, whose body nobody reads yet; rejects when there is none. */
export function exchange(url: URL, request: Request): Promise<http.IncomingMessage> {
  const { method = 'GET', headers, body, signal, answerMs, idleMs } = request
  const length = body === undefined ? {} : { 'content-length': String(body.byteLength) }
  return new Promise((resolve, reject) => {
    const begin = url.protocol === 'https:' ? https.request : requestByHttp
    const sent = begin(url, { method, headers: { ...headers, ...length }, signal })
    const late = (): void => void sent.destroy(new Error('no answer came in time'))
    const timer = answerMs === undefined ? undefined : setTimeout(late, answerMs)
    const stop = (): void => clearTimeout(timer)
    sent.setTimeout(idleMs, () => sent.destroy(new Error(`nothing came for ${idleMs / 1000} seconds`)))
    sent.once('response', (response) => {
      stop()
      // what breaks later is told by the body; without a reader nobody has to hear of it
      response.on('error', () => undefined)
      resolve(response)
    })
    sent.on('error', (error) => {
      stop()
      reject(error)
    })
    if (body === undefined) sent.end()
    else {
      sent.once('socket', (socket) => (socket.connecting ? socket.once('connect', stop) : stop()))
      send(sent, body)
    }
  })
}

/** Hands a body to a socket no faster than it takes it: what is queued there is a view of it. */
function send(request: http.ClientRequest, body: Uint8Array): void {
  let at = 0
  const more = (): void => {
    while (at < body.byteLength && !request.destroyed) {
      const slice = body.subarray(at, at + SLICE_BYTES)
      at += slice.byteLength
      if (!request.write(slice)) {
        request.once('drain', more)
        return
      }
    }
    request.end()
  }
  more()
}

/** The body of an answer as text, as far as it is of interest. Rejects when the connection breaks on the way. */
export async function textOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_TEXT_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_TEXT_BYTES)
}

/** `detail` of a problem (RFC 9457); empty where the body is none. */
export function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
  } catch {
    // a proxy's page
  }
  return ''
}

/** What an engine's answer means that is none of those that were hoped for. Its body is read. */
export async function failureOf(response: http.IncomingMessage, what: string): Promise<Refused | Unavailable> {
  const status = response.statusCode ?? 0
  const said = detailOf(await textOf(response).catch(() => ''))
  if (status >= 500 || status === 429) {
    return new Unavailable(`the engine answers ${status} ${said}`.trimEnd(), retryAfterOf(response))
  }
  if (status === 404) return new Refused(said || `there is no ${what}`, 'not_found')
  if (status === 401 || status === 403) {
    return new Refused(`the engine does not take the worker's token for artifacts (${status}) ${said}`.trimEnd())
  }
  return new Refused(`the engine answers ${status} to a request for artifacts ${said}`.trimEnd())
}

/** Milliseconds of a `Retry-After` (RFC 9110), of a minute at most; null where there is none that makes sense. */
export function retryAfterOf({ headers }: http.IncomingMessage): number | null {
  const text = headers['retry-after'] ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS)
}

/** The error of a name with several addresses has no text of its own. */
export function reasonOf(error: unknown): string {
  const { message, code, name } = error as NodeJS.ErrnoException
  const inner = error instanceof AggregateError ? (error.errors as Error[]).map((one) => one.message).join(', ') : ''
  return message || inner || (code ?? name)
}

/** Attempts at one thing: how many there have been in vain, and the waits between them. */
export class Attempts {
  readonly #what: string
  readonly #retryMs: number
  #vain = 0

  /** `what` follows "cannot"; the second attempt is made after `retryMs`, and each further wait is twice as long. */
  constructor(what: string, retryMs: number) {
    this.#what = what
    this.#retryMs = retryMs
  }

  /** Something has come of the last one. */
  progress(): void {
    this.#vain = 0
  }

  /** Waits for the time of the next one; throws when it would be of no use, or too many have been made. */
  async after(error: unknown, signal?: AbortSignal): Promise<void> {
    if (error instanceof Refused) throw error
    signal?.throwIfAborted()
    this.#vain += 1
    if (this.#vain >= ATTEMPTS) throw new Unreachable(`cannot ${this.#what}: ${reasonOf(error)}`, { cause: error })
    const backoffMs = this.#retryMs * 2 ** (this.#vain - 1)
    const waitMs = error instanceof Unavailable ? (error.afterMs ?? backoffMs) : backoffMs
    await pause(waitMs, undefined, { signal })
  }
}
