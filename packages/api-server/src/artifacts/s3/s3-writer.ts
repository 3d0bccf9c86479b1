/**
 * Writes files to an S3-compatible store: small ones by one request, others in parts.
 *
 * - s3-writer.W1 nothing large is in memory: a request has at most 8 MiB (more for a file of over 80 GB), and four of them are
 *   under way in one engine. Files that are written at the same time share these places.
 * @module
 */
import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

import type { S3mini, UploadPart } from 's3mini'

import type { Addressed } from '../content-store.ts'
import { S3Refusal } from './s3-fault.ts'

/** Bytes of one request. */
const PART_BYTES = 8 * 1024 * 1024
/** Of S3. */
const MAX_PARTS = 10_000
const PARTS_AT_ONCE = 4
/** What objects are, by what the store knows: the media type stands in the row. */
export const OCTETS = 'application/octet-stream'

/** How requests are tried, and what becomes of an error that stays. */
interface Patience {
  tried<T>(work: () => Promise<T>): Promise<T>
  failed(error: unknown): Error
}

/** Writes whole files. */
export class S3Writer {
  readonly #client: S3mini
  readonly #patience: Patience
  #free = PARTS_AT_ONCE
  readonly #waiting: (() => void)[] = []

  constructor(client: S3mini, patience: Patience) {
    this.#client = client
    this.#patience = patience
  }

  /** Writes a file of this many bytes and this digest; gives the version of the object. */
  async put(key: string, path: string, bytes: Addressed): Promise<string> {
    const file = await open(path)
    try {
      return bytes.size <= PART_BYTES ? await this.#putWhole(key, file, bytes) : await this.#putParts(key, file, bytes)
    } finally {
      await file.close()
    }
  }

  #putWhole(key: string, file: FileHandle, { hex, size }: Addressed): Promise<string> {
    return this.#within(async () => {
      const bytes = await partOf(file, 0, size)
      const headers = { ...sealOf(bytes), 'x-amz-checksum-sha256': base64Of(hex) }
      const put = () => this.#client.putObject(key, bytes, OCTETS, undefined, headers)
      return (await this.#patience.tried(put)).headers.get('etag') ?? ''
    })
  }

  async #putParts(key: string, file: FileHandle, { size }: Addressed): Promise<string> {
    const patience = this.#patience
    const length = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS))
    const id = await patience.tried(() => this.#client.getMultipartUploadId(key, OCTETS))
    try {
      const parts = await this.#sent(Math.ceil(size / length), async (at) => {
        const bytes = await partOf(file, at * length, Math.min(length, size - at * length))
        return patience.tried(() => this.#client.uploadPart(key, id, bytes, at + 1, {}, undefined, sealOf(bytes)))
      })
      // a store may find that it cannot after it has answered 200 (S3 API, CompleteMultipartUpload)
      const done: { readonly etag?: string } = await this.#client.completeMultipartUpload(key, id, parts)
      if (done.etag === undefined) throw new S3Refusal(500, JSON.stringify(done))
      return quoted(done.etag)
    } catch (error) {
      await this.#client.abortMultipartUpload(key, id).catch(() => undefined)
      throw patience.failed(error)
    }
  }

  /** All parts in their order; once one has failed no other is begun, and those under way are waited for. */
  async #sent(count: number, send: (at: number) => Promise<UploadPart>): Promise<UploadPart[]> {
    let isFailed = false
    const sendNext = (at: number) =>
      this.#within(async () => {
        if (isFailed) return []
        try {
          return [await send(at)]
        } catch (error) {
          isFailed = true
          throw error
        }
      })
    const sent = await Promise.allSettled(Array.from({ length: count }, (_, at) => sendNext(at)))
    return sent.flatMap((part) => {
      if (part.status === 'rejected') throw part.reason
      return part.value
    })
  }

  /** Works when a place is free, in the order of who asks. */
  async #within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}

/** By which a store knows that a body has arrived as it was sent (RFC 1864, which all of them know). */
const sealOf = (bytes: Uint8Array) =>
  ({ 'content-md5': hash('md5', bytes, 'base64') }) as Record<`x-amz-${string}`, string>

/** A digest as S3 writes it. */
export const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

/** A version as conditions have it; the client takes the quotes off. */
export const quoted = (etag: string): string => (etag.startsWith('"') ? etag : `"${etag}"`)

async function partOf(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new Error('a staged upload is shorter than it was')
    filled += bytesRead
  }
  return bytes
}
