/**
 * Clients at an S3-compatible store: URLs by which they get and send bytes without the engine, and what has arrived by them.
 * @module
 */
import { createHash } from 'node:crypto'

import type { Addressed, Arrived, DirectAccess, WithRow } from '../content-store.ts'
import { keyOf, type S3Objects } from './s3-objects.ts'
import { letGo } from './s3-transport.ts'
import type { Versions } from './s3-versions.ts'
import { base64Of, OCTETS } from './s3-writer.ts'

const DOWNLOAD_S = 300
/** What S3 takes by one `PUT`, and copies by one request. */
const MAX_BYTES = 5 * 1024 ** 3

/** Makes the row of bytes that are put, or are there; null when they are not. */
type Place = (bytes: Addressed, put: () => Promise<string | null>, row: WithRow) => Promise<boolean | null>

/** Access to a bucket by signed URLs. */
export class S3Direct implements DirectAccess {
  readonly maxBytes = MAX_BYTES
  readonly #objects: S3Objects
  readonly #versions: Versions
  readonly #place: Place

  constructor(objects: S3Objects, versions: Versions, place: Place) {
    this.#objects = objects
    this.#versions = versions
    this.#place = place
  }

  downloadUrl(
    hex: string,
    { name, mediaType }: { readonly name: string; readonly mediaType: string },
  ): Promise<string> {
    const query = {
      // never in place: the pages of whoever else is at this host are none of the engine's
      'response-content-disposition': name === '' ? 'attachment' : `attachment; filename="${plain(name)}"`,
      'response-content-type': unsigned.test(mediaType) ? OCTETS : mediaType,
    }
    return this.#objects.sign('GET', keyOf(hex), DOWNLOAD_S, { query })
  }

  /** The store compares length and digest, as far as it can: all of it is looked at when the upload is completed. */
  async uploadUrl(upload: string, { hex, size }: Addressed, expiresS: number) {
    const headers = {
      'content-length': String(size),
      'content-type': OCTETS,
      'x-amz-checksum-sha256': base64Of(hex),
    }
    return { url: await this.#objects.sign('PUT', stagedKey(upload), expiresS, { headers }), headers }
  }

  /** By the digest that the store has computed, else by reading what it has. */
  async arrived(upload: string): Promise<Arrived | null> {
    return this.#objects.tried(async () => {
      const sent = await this.#objects.get(stagedKey(upload))
      if (sent === null || sent === 'changed') return null
      const { body, hex, size, version } = sent
      if (hex !== null && size !== null) {
        letGo(body)
        return { hex, size, version }
      }
      const digest = createHash('sha256')
      let read = 0
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        digest.update(piece)
        read += piece.length
      }
      return { hex: digest.digest('hex'), size: read, version }
    })
  }

  publish(upload: string, { hex, size, version }: Arrived, row: WithRow): Promise<boolean | null> {
    return this.#place({ hex, size }, () => this.#objects.copy(stagedKey(upload), keyOf(hex), version), row)
  }

  /** Bytes that this engine has hashed, or whose length is right: it has not the bytes to heal others with. */
  keep({ hex, size }: Addressed, row: WithRow): Promise<boolean | null> {
    if (this.#versions.isSpoiled(hex)) return Promise.resolve(null)
    const look = async () => ((await this.#objects.size(keyOf(hex))) === size ? (this.#versions.of(hex) ?? '') : null)
    return this.#place({ hex, size }, look, row)
  }

  drop(upload: string): Promise<void> {
    return this.#objects.delete(stagedKey(upload))
  }
}

const stagedKey = (upload: string): string => `tmp/${upload}`

/** What the client library signs otherwise than a store that keeps to RFC 3986. */
const unsigned = /[!'()*]/

/** A file name in the characters that every client reads alike. */
const plain = (name: string): string => name.replaceAll(/[^\w .,;=@#$%&{}~+-]/g, '_')
