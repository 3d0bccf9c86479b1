/**
 * Bytes of an artifact on their way to an engine: through it, or past it to its store (wire decision U24). An engine that
 * has no such store says so at the first large artifact; one whose store does not take the bytes takes them itself.
 * @module
 */
import type { IncomingMessage } from 'node:http'

import { type ArtifactRef, artifactRefSchema, type ArtifactUpload, artifactUploadSchema } from '@flow-service/protocol'

import type { DirectStore } from './direct-store.ts'
import { Attempts, exchange, failureOf, reasonOf, Refused, type Request, textOf } from './exchange.ts'

/** From so many bytes on a request more is worth the way past the engine. */
const MIN_DIRECT_BYTES = 1024 * 1024
/** Answers of an engine that has no uploads past it: older ones, and those that keep artifacts in a folder. */
const UNSUPPORTED = [400, 404, 405, 501]
/** An address may be too old by the time that the bytes come. */
const DIRECT_ATTEMPTS = 2
/** What a signed request may not say: it belongs to the connection, or would be somebody's credential. */
const OWN_HEADERS = /^(?:authorization|cookie|connection|content-length|expect|host|transfer-encoding|proxy-.*)$/i

/** Bytes to be stored. */
export interface Outgoing {
  readonly data: Uint8Array
  readonly digest: string
  readonly name: string
  readonly mediaType: string
  readonly volatile: boolean
}

/** What uploads to an engine need. */
export interface UploadsDeps {
  /** Collection of the engine's artifacts, without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly store: DirectStore
  readonly retryMs: number
  readonly idleMs: number
  /** Milliseconds in which a connection to a store has to stand. */
  readonly storeAnswerMs: number
}

/** Uploads to one engine. */
export class Uploads {
  readonly #deps: UploadsDeps
  #isSupported = true

  constructor(deps: UploadsDeps) {
    this.#deps = deps
  }

  /** Resolves with the engine's reference when the bytes are stored. */
  async send(outgoing: Outgoing): Promise<ArtifactRef> {
    const isWorth = !outgoing.volatile && outgoing.data.byteLength >= MIN_DIRECT_BYTES
    const ref = isWorth && this.#isSupported && this.#deps.store.isOpen ? await this.#sendDirect(outgoing) : null
    return ref ?? (await this.#sendThrough(outgoing))
  }

  async #sendThrough({ data, digest, name, mediaType, volatile }: Outgoing): Promise<ArtifactRef> {
    const query = new URLSearchParams({ name, volatile: String(volatile) }).toString()
    const base64 = Buffer.from(digest.slice('sha256:'.length), 'hex').toString('base64')
    const headers = { 'content-type': mediaType, 'content-digest': `sha-256=:${base64}:` }
    const { text } = await this.#ask(`?${query}`, { method: 'PUT', headers, body: data }, [200, 201])
    return referenceIn(text, digest)
  }

  /** Null when the engine has to take the bytes itself. */
  async #sendDirect(outgoing: Outgoing): Promise<ArtifactRef | null> {
    for (let attempt = 0; attempt < DIRECT_ATTEMPTS; attempt += 1) {
      // oxlint-disable-next-line no-await-in-loop -- an address may be too old by the time that the bytes come
      const begun = await this.#begin(outgoing)
      if (begun === null || 'digest' in begun) return begun
      // oxlint-disable-next-line no-await-in-loop -- see above
      const end = await this.#bring(outgoing, begun)
      if (end !== 'again') return end
    }
    this.#deps.store.avoid('the store refuses the addresses that the engine signs')
    return null
  }

  /** The reference of bytes that the engine has, where others may be brought, or null when that is to the engine. */
  async #begin({ data, digest, name, mediaType }: Outgoing): Promise<ArtifactRef | ArtifactUpload | null> {
    const body = Buffer.from(JSON.stringify({ digest, size: data.byteLength, name, media_type: mediaType }))
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body } as const
    const { status, text } = await this.#ask('/uploads', request, [200, 201, ...UNSUPPORTED])
    if (status === 200) return referenceIn(text, digest)
    if (status === 201) return artifactUploadSchema.parse(JSON.parse(text))
    this.#isSupported = false
    return null
  }

  /** The reference when the store has the bytes, null when it does not take them. */
  async #bring({ data, digest }: Outgoing, { upload, url, headers }: ArtifactUpload) {
    const { store } = this.#deps
    const target = store.target(url)
    if (!target) return null
    const status = await this.#put(target, headers, data)
    if (typeof status === 'string') {
      store.avoid(status)
      return null
    }
    if (status === 403) return 'again'
    const path = `/uploads/${encodeURIComponent(upload)}/complete`
    const answer = await this.#ask(path, { method: 'POST', headers: {}, body: Buffer.alloc(0) }, [201, 404, 422])
    // 404: an earlier answer may have been lost; 422: other bytes have arrived
    if (answer.status === 404) return 'again'
    return answer.status === 422 ? null : referenceIn(answer.text, digest)
  }

  /** The status of a store that has answered sensibly, or why it does not take the bytes. */
  async #put(target: URL, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<number | string> {
    const { storeAnswerMs: answerMs, idleMs } = this.#deps
    const signed = Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name)))
    try {
      const response = await exchange(target, { method: 'PUT', headers: signed, body, answerMs, idleMs })
      await textOf(response)
      const { statusCode: status = 0 } = response
      // 412: somebody else has brought them meanwhile, which the engine checks
      if ((status >= 200 && status < 300) || status === 403 || status === 412) return status
      return `the store at ${target.origin} answers ${status} to bytes`
    } catch (error) {
      return `the store at ${target.origin} does not take bytes (${reasonOf(error)})`
    }
  }

  /** An answer of the engine that has one of these statuses. */
  async #ask(path: string, request: Pick<Request, 'method' | 'headers' | 'body'>, expected: readonly number[]) {
    const { url, token, idleMs, retryMs } = this.#deps
    const attempts = new Attempts('save an artifact', retryMs)
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    for (;;) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
        return await answerOf(await exchange(new URL(`${url}${path}`), { ...request, headers, idleMs }), expected)
      } catch (error) {
        // oxlint-disable-next-line no-await-in-loop -- see above
        await attempts.after(error)
      }
    }
  }
}

async function answerOf(response: IncomingMessage, expected: readonly number[]) {
  const { statusCode: status = 0 } = response
  if (!expected.includes(status)) throw await failureOf(response, 'such artifact')
  return { status, text: await textOf(response) }
}

function referenceIn(text: string, digest: string): ArtifactRef {
  const ref = artifactRefSchema.parse(JSON.parse(text))
  if (ref.digest !== digest) throw new Refused('the engine has stored other bytes than were sent')
  return ref
}
