/**
 * Objects of an S3-compatible store by their keys: what its store of bytes asks for, tried again where that helps. Whatever
 * fails for good is the refusal `unavailable`, which names no place; the log tells the operator once that the store has failed,
 * and once that it works again.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

import { S3mini } from 's3mini'

import type { Log } from '../../process/log.ts'
import type { ByteRange } from '../byte-range.ts'
import type { Addressed } from '../content-store.ts'
import { isPassing, refusalIn, S3Refusal, unavailable, wordsOf } from './s3-fault.ts'
import type { S3Place } from './s3-place.ts'
import { letGo, type S3Answer, type S3Transport, textOf } from './s3-transport.ts'
import { OCTETS, quoted, S3Writer } from './s3-writer.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 100
/** How long a URL of the engine's own requests is good for, in seconds. */
const OWN_URL_S = 300

/** What objects are made of. */
export interface S3ObjectsDeps {
  readonly place: S3Place
  readonly transport: S3Transport
  readonly log: Pick<Log, 'error' | 'info'>
}

/** An object, or a part of it, that the store is sending. */
export interface Sent {
  /** Of what is sent, in bytes; null when the store does not say. */
  readonly size: number | null
  /** Tells versions of an object apart: its `ETag`. */
  readonly version: string
  /** SHA-256 of the whole object by what the store says, 64 hexadecimal digits; null when it says none. */
  readonly hex: string | null
  readonly body: S3Answer['body']
}

/** An object of a listing. */
export interface Listed {
  readonly key: string
  readonly size: number
  /** By the clock of the store. */
  readonly atMs: number
}

/** Which part, and of which version; all of it, and any, unless given. */
export interface Asked {
  readonly range?: ByteRange
  readonly version?: string
}

/** Objects of one bucket below one prefix, which no key of here has. */
export class S3Objects {
  readonly #deps: S3ObjectsDeps
  readonly #client: S3mini
  readonly #writer: S3Writer
  #isFailing = false

  constructor(deps: S3ObjectsDeps) {
    const { endpoint, region, accessKeyId, secretAccessKey } = deps.place
    this.#deps = deps
    this.#client = new S3mini({ endpoint, region, accessKeyId, secretAccessKey, fetch: deps.transport.fetch })
    this.#writer = new S3Writer(this.#client, this)
  }

  /** In bytes; null when there is none. */
  size(key: string): Promise<number | null> {
    return this.tried(async () => {
      try {
        return await this.#client.getContentLength(this.#named(key))
      } catch (error) {
        if (refusalIn(error)?.status === 404) return null
        throw error
      }
    })
  }

  /** Begins to get an object; null when there is none, `'changed'` when it is another version than was asked for. */
  get(key: string, { range, version }: Asked = {}): Promise<Sent | 'changed' | null> {
    return this.tried(async () => {
      const url = await this.#client.getPresignedUrl('GET', this.#named(key), OWN_URL_S, {}, checksums)
      const answer = await this.#deps.transport.send(url, {
        method: 'GET',
        headers: {
          ...checksums,
          ...(range ? { range: `bytes=${range.first}-${range.last}` } : {}),
          ...(version === undefined ? {} : { 'if-match': version }),
        },
      })
      if (answer.status === (range ? 206 : 200)) return sentOf(answer)
      if (answer.status === 412) {
        letGo(answer.body)
        return 'changed'
      }
      const refusal = new S3Refusal(answer.status, await textOf(answer.body))
      if (refusal.status === 404 && refusal.code !== 'NoSuchBucket') return null
      throw refusal
    })
  }

  /** A small object as text; null when there is none. */
  async text(key: string): Promise<string | null> {
    const sent = await this.get(key)
    if (sent === null || sent === 'changed') return null
    return this.tried(() => textOf(sent.body))
  }

  /** Writes a small object, unless there is one already; a store that knows no conditions writes it in any case. */
  async putNew(key: string, text: string): Promise<void> {
    const condition = { 'if-none-match': '*' } as Record<`x-amz-${string}`, string>
    try {
      await this.#client.putObject(this.#named(key), Buffer.from(text), OCTETS, undefined, condition)
    } catch (error) {
      if (![409, 412].includes(refusalIn(error)?.status ?? 0)) throw this.failed(error)
    }
  }

  /** Writes a file of this many bytes and this digest; gives its version. */
  putFile(key: string, path: string, bytes: Addressed): Promise<string> {
    return this.#writer.put(this.#named(key), path, bytes)
  }

  /** Copies a version of an object within the store; its new version, or null when it is not there any more. */
  copy(from: string, to: string, version: string): Promise<string | null> {
    return this.tried(async () => {
      const additionalHeaders = {
        // with slashes: not every store takes the codes of them that the client writes
        'x-amz-copy-source': `/${this.#deps.place.bucket}/${this.#named(from)}`,
        'x-amz-copy-source-if-match': version,
      }
      try {
        return quoted((await this.#client.copyObject(this.#named(from), this.#named(to), { additionalHeaders })).etag)
      } catch (error) {
        const refusal = refusalIn(error)
        if (refusal?.status === 412 || refusal?.code === 'NoSuchKey') return null
        throw error
      }
    })
  }

  /** Whether there was one is not told. */
  async delete(key: string): Promise<void> {
    await this.tried(() => this.#client.deleteObject(this.#named(key)))
  }

  /** All objects whose keys begin so, up to 1,000 at a time. */
  async *list(prefix: string): AsyncGenerator<readonly Listed[]> {
    const { prefix: root } = this.#deps.place
    let token: string | undefined
    do {
      const from = token
      // oxlint-disable-next-line no-loop-func -- page after page
      const page = await this.tried(() => this.#client.listObjectsPaged('/', root + prefix, 1000, from))
      if (!page?.objects) throw this.failed(new S3Refusal(404, '<Code>NoSuchBucket</Code>'))
      yield page.objects.map(({ Key, Size, LastModified }) => ({
        key: Key.slice(root.length),
        size: Size,
        atMs: LastModified.getTime(),
      }))
      token = page.nextContinuationToken
    } while (token !== undefined)
  }

  /** Ends uploads in parts that began before; tells how many. Stores that do not list them count none. */
  async abortParts(beforeMs: number): Promise<number> {
    const { prefix } = this.#deps.place
    const answer: object = await this.#client
      .listMultipartUploads('/', '', 'GET', { prefix })
      .catch((error: unknown) => {
        if (refusalIn(error)) return {}
        throw this.failed(error)
      })
    const { ListMultipartUploadsResult: found } = answer as { ListMultipartUploadsResult?: { Upload?: unknown } }
    const dead = [found?.Upload ?? []].flat().flatMap((upload) => {
      const { Key, UploadId, Initiated } = upload as Readonly<Record<string, unknown>>
      const isOurs = typeof Key === 'string' && Key.startsWith(prefix) && typeof UploadId === 'string'
      return isOurs && Date.parse(String(Initiated)) < beforeMs ? [{ key: Key, id: UploadId }] : []
    })
    for (const { key, id } of dead) await this.#client.abortMultipartUpload(key, id).catch(() => undefined)
    return dead.length
  }

  /** A URL by which whoever has it gets an object, or puts one with these headers. */
  sign(
    method: 'GET' | 'PUT',
    key: string,
    expiresS: number,
    { query = {}, headers = {} }: { query?: Record<string, string>; headers?: Record<string, string> },
  ): Promise<string> {
    return this.#client.getPresignedUrl(method, this.#named(key), expiresS, query, headers)
  }

  /** Works up to three times, as long as that can help. */
  async tried<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const done = await work()
        this.#works()
        return done
      } catch (error) {
        if (attempt === TRIES || !isPassing(error)) throw this.failed(error)
        await pause(FIRST_PAUSE_MS * 4 ** (attempt - 1))
      }
    }
  }

  #named(key: string): string {
    return this.#deps.place.prefix + key
  }

  #works(): void {
    if (!this.#isFailing) return
    this.#isFailing = false
    this.#deps.log.info({ bucket: this.#deps.place.bucket }, 'the store of artifacts works again')
  }

  /** What is thrown for an error that stays. */
  failed(error: unknown): Error {
    const { bucket, endpoint } = this.#deps.place
    if (!this.#isFailing) {
      const where = { bucket, host: new URL(endpoint).host, fault: wordsOf(error) }
      this.#deps.log.error(where, 'the store of artifacts cannot be used')
    }
    this.#isFailing = true
    return unavailable(error)
  }
}

/** The key of bytes. */
export const keyOf = (hex: string): string => `sha256/${hex.slice(0, 2)}/${hex}`

/** Has the store say what it knows of the digest. */
const checksums = { 'x-amz-checksum-mode': 'ENABLED' }

function sentOf({ header, body }: S3Answer): Sent {
  const size = header('content-length')
  // one of an object in parts is that of the digests of the parts, and says so
  const sum = header('x-amz-checksum-sha256')
  const isWhole = sum !== null && /^[A-Za-z0-9+/]{43}=$/.test(sum) && header('x-amz-checksum-type') !== 'COMPOSITE'
  return {
    size: size === null ? null : Number(size),
    version: header('etag') ?? '',
    hex: isWhole ? Buffer.from(sum, 'base64').toString('hex') : null,
    body,
  }
}
