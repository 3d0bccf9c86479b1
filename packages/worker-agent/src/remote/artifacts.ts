/**
 * Artifacts over HTTP, next to the worker's socket (wire decisions G40, G58): what a node stores goes to the engine, what
 * it loads comes from there or from the cache.
 * @module
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { type ArtifactRef, artifactRefSchema, digestSchema } from '@flow-service/protocol'

import { type ArtifactAccess, Unreachable } from '../transport.ts'
import type { ArtifactCache } from './artifact-cache.ts'

const ATTEMPTS = 4
const FIRST_RETRY_MS = 250

/** What access to artifacts needs. */
export interface HttpArtifactsOptions {
  /** Collection of the engine's artifacts, without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly cache: ArtifactCache
  /** Milliseconds before the second attempt; each further wait is twice as long. */
  readonly retryMs?: number
}

/** An answer that another attempt would not change. */
class Refused extends Error {
  readonly code: 'not_found' | 'refused'

  constructor(message: string, code: Refused['code'] = 'refused') {
    super(message)
    this.code = code
  }
}

/** Artifacts of an engine. Bytes that are asked for twice at a time are fetched once. */
export class HttpArtifacts implements ArtifactAccess {
  readonly #options: Required<HttpArtifactsOptions>
  readonly #fetching = new Map<string, Promise<Uint8Array>>()

  constructor(options: HttpArtifactsOptions) {
    this.#options = { retryMs: FIRST_RETRY_MS, ...options }
  }

  async get(digest: string): Promise<Uint8Array> {
    // node code chooses it, and it becomes part of an address that gets the worker's token
    if (!digestSchema.safeParse(digest).success) {
      throw new Refused(
        `there is no artifact ${JSON.stringify(digest)}: a digest is "sha256:" and 64 digits`,
        'not_found',
      )
    }
    const kept = await this.#options.cache.get(digest)
    if (kept) return kept
    const running = this.#fetching.get(digest)
    if (running) return await running
    const fetching = this.#fetch(digest).finally(() => this.#fetching.delete(digest))
    this.#fetching.set(digest, fetching)
    return await fetching
  }

  async put(data: Uint8Array, options: { name: string; mediaType: string; volatile: boolean }): Promise<ArtifactRef> {
    const { name, mediaType, volatile } = options
    const hash = createHash('sha256').update(data).digest()
    const headers = headersOf({ 'content-type': mediaType, 'content-digest': `sha-256=:${hash.toString('base64')}:` })
    const query = new URLSearchParams({ name, volatile: String(volatile) }).toString()
    const body = data as Uint8Array<ArrayBuffer>
    const answer = await this.#attempt('save an artifact', `?${query}`, { method: 'PUT', headers, body })
    const ref = artifactRefSchema.parse(JSON.parse(answer.data.toString()))
    if (ref.digest !== `sha256:${hash.toString('hex')}`)
      throw new Error('the engine has stored other bytes than were sent')
    if (!ref.volatile) await this.#options.cache.put(ref.digest, data)
    return ref
  }

  async #fetch(digest: string): Promise<Uint8Array> {
    const { data, isVolatile } = await this.#attempt(`load artifact ${digest}`, `/${digest}`, {}, digest)
    // frames of a camera would push out everything else
    if (!isVolatile) await this.#options.cache.put(digest, data)
    return data
  }

  async #attempt(what: string, path: string, init: RequestInit, digest?: string): Promise<Answer> {
    const { url, token, retryMs } = this.#options
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    let waitMs = retryMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        // a redirect would carry the token elsewhere
        return await answerOf(await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' }), digest)
      } catch (error) {
        if (error instanceof Refused) throw error
        if (attempt === ATTEMPTS) throw new Unreachable(`cannot ${what}: ${reasonOf(error)}`, { cause: error })
      }
      await pause(waitMs)
      waitMs *= 2
    }
  }
}

interface Answer {
  readonly data: Buffer
  readonly isVolatile: boolean
}

/** Throws a {@link Refused} where another attempt is of no use, else another error. */
async function answerOf(response: Response, digest: string | undefined): Promise<Answer> {
  const { status, headers } = response
  const data = Buffer.from(await response.arrayBuffer())
  if (status === 200 || status === 201) {
    const isWhole = digest === undefined || digest === `sha256:${createHash('sha256').update(data).digest('hex')}`
    if (!isWhole) throw new Error('other bytes came than were asked for')
    return { data, isVolatile: (headers.get('cache-control') ?? '').includes('no-store') }
  }
  const said = detailOf(data)
  if (status >= 500 || status === 429) throw new Error(`the engine answers ${status} ${said}`.trimEnd())
  if (status === 404) throw new Refused(said || `there is no artifact ${digest ?? ''}`.trimEnd(), 'not_found')
  if (status === 401 || status === 403) {
    throw new Refused(`the engine does not take the worker's token for artifacts (${status}) ${said}`.trimEnd())
  }
  throw new Refused(`the engine answers ${status} to a request for artifacts ${said}`.trimEnd())
}

/** `detail` of a problem (RFC 9457); empty where the body is none. */
export function detailOf(body: Buffer): string {
  const text = body.toString('utf8', 0, 64 * 1024)
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
  } catch {
    // a proxy's page
  }
  return ''
}

function headersOf(values: Record<string, string>): Headers {
  try {
    return new Headers(values)
  } catch {
    throw new Refused(`${JSON.stringify(values['content-type'])} is no media type`)
  }
}

/** `fetch` tells in the cause what happened. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  const inner = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined
  return inner ?? message
}
