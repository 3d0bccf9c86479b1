/**
 * Requests of a device: pairing, its report, and pictures through the portal.
 * @module
 */
import type { Clock } from './clock.ts'
import { DeviceError } from './device-error.ts'

/** A request is given up after so long. */
const TIMEOUT_MS = 60_000
/** No longer than this is waited because an answer says so. */
const LONGEST_WAIT_MS = 300_000
const MAX_DETAIL = 500

/** An answer with the value of its JSON; undefined when it has none. */
export interface Answer {
  readonly status: number
  readonly value: unknown
  /** How long the engine asks to wait. */
  readonly retryAfterMs: number
}

/** A request. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Below the base of the API. */
  readonly path: string
  /** The bearer token. */
  readonly token?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly mediaType?: string
  readonly signal?: AbortSignal
}

/** What requests need. */
export interface HttpApiDeps {
  readonly base: string
  readonly fetch: typeof fetch
  readonly clock: Clock
}

/** The API, over HTTP. */
export class HttpApi {
  readonly #deps: HttpApiDeps

  constructor(deps: HttpApiDeps) {
    this.#deps = deps
  }

  /** Null when nothing has answered. Rejects with the reason of the signal. */
  async ask(request: ApiRequest): Promise<Answer | null> {
    const { base, fetch, clock } = this.#deps
    const { method, path, token, body, mediaType = 'application/json', signal } = request
    signal?.throwIfAborted()
    const end = new AbortController()
    const abort = (): void => end.abort()
    const cancel = clock.setTimer(TIMEOUT_MS, abort)
    signal?.addEventListener('abort', abort)
    try {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': mediaType }),
        },
        body: body ?? null,
        signal: end.signal,
        redirect: 'error',
      })
      const value = parsed(await answer.text())
      return { status: answer.status, value, retryAfterMs: retryAfterOf(answer.headers.get('retry-after')) }
    } catch {
      signal?.throwIfAborted()
      return null
    } finally {
      cancel()
      signal?.removeEventListener('abort', abort)
    }
  }
}

/** Whether the same request will be refused again; all else is worth another attempt. */
export const isRefused = ({ status }: Answer): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429

/** The error of an answer that is no success. */
export function errorOf(answer: Answer | null): DeviceError {
  if (answer === null) return new DeviceError('unreachable', 'the engine does not answer')
  const { status, value } = answer
  const { code, detail } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return new DeviceError(
    typeof code === 'string' ? code : status >= 500 ? 'unavailable' : 'bad_request',
    typeof detail === 'string' ? detail.slice(0, MAX_DETAIL) : `the engine answers with HTTP status ${status}`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function retryAfterOf(header: string | null): number {
  const seconds = Number(header ?? 0)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1000, LONGEST_WAIT_MS) : 0
}
