/**
 * Bytes that clients send to the store of this engine directly, by a signed URL, so that none of them pass through the
 * engine (wire decision U24). A folder takes none: clients that are refused send them to `PUT /artifacts`.
 *
 * - uploads.D1 a client writes to a key of its upload alone. What it has sent gets the key of its digest by a copy, once it is
 *   known to be what was announced, and in the version that was looked at: no URL reaches the bytes of an artifact.
 * @module
 */
import type { ArtifactRef, ArtifactUpload } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import { newId } from '../process/new-id.ts'
import type { DirectAccess } from './content-store.ts'
import { checkNames } from './naming.ts'
import { type Blob, createArtifactStore, refOf, rowOf } from './store.ts'
import { createUploadStore } from './upload-store.ts'

/** How long a URL for bytes is good for, in seconds: an upload that has begun may take longer. */
const UPLOAD_S = 3600

/** Uploads past the engine. Both refuse with `bad_request` where the store takes none. */
export interface Uploads {
  /**
   * Where the bytes go; the reference when they are here already. Refuses with `payload_too_large`, with `validation_failed`
   * names that are none, and another size than that of bytes that are here, and with `unavailable`.
   */
  begin(announced: Blob): Promise<ArtifactRef | ArtifactUpload>
  /**
   * Stores what has arrived. Refuses with `not_found`, with `unavailable`, and with `validation_failed` what is not what was
   * announced, which is removed.
   */
  complete(upload: string): Promise<ArtifactRef>
}

/** Of an engine that keeps its artifacts in a folder. */
export const noUploads: Uploads = {
  begin: () => Promise.reject(onlyFolder()),
  complete: () => Promise.reject(onlyFolder()),
}

/** What uploads work on. */
export interface UploadsDeps {
  readonly database: Database
  readonly direct: DirectAccess
  /** Largest artifact, in bytes. */
  readonly maxBytes: number
}

/** Uploads to a store that gives access to clients. */
export function createUploads({ database, direct, maxBytes }: UploadsDeps): Uploads {
  const blobs = createArtifactStore(database.sql)
  const store = createUploadStore(database.sql)

  /** Whether the bytes are here already, under the new name from now on. */
  const isKept = async (blob: Blob): Promise<boolean> => {
    const known = await blobs.find(blob.digest)
    if (!known) return false
    if (known.size !== blob.size) throw differs('/size', `the bytes of ${blob.digest} are ${known.size}`)
    return (await direct.keep(addressed(blob), rowOf(database, blob))) !== null
  }

  return {
    async begin(blob) {
      checkNames(blob)
      if (blob.size > maxBytes)
        throw new ProblemError('payload_too_large', `at most ${maxBytes} bytes are accepted here`, {
          max_bytes: maxBytes,
        })
      if (blob.size > direct.maxBytes) throw tooLargeForOne(direct.maxBytes)
      if (await isKept(blob)) return refOf(blob, false)
      const upload = newId()
      await store.expire()
      await store.add(upload, blob)
      const expiresMs = Date.now() + UPLOAD_S * 1000
      const to = await direct.uploadUrl(upload, addressed(blob), UPLOAD_S)
      return { upload, url: to.url, headers: { ...to.headers }, expires_at: new Date(expiresMs).toISOString() }
    },

    async complete(upload) {
      const blob = await store.find(upload)
      if (!blob) throw noUpload(upload)
      const { hex, size } = addressed(blob)
      const arrived = await direct.arrived(upload)
      if (arrived === null) throw differs('/upload', 'nothing has arrived at its URL: send the bytes, then complete it')
      const isSame = arrived.hex === hex && arrived.size === size
      if (!isSame) {
        await direct.drop(upload)
        await store.remove(upload)
        throw differs(
          arrived.size === size ? '/digest' : '/size',
          `what has arrived is ${arrived.size} bytes with the digest sha256:${arrived.hex}, not ${size} bytes with ${blob.digest}: begin anew`,
        )
      }
      if ((await direct.publish(upload, arrived, rowOf(database, blob))) === null) throw noUpload(upload)
      await store.remove(upload)
      await direct.drop(upload)
      return refOf(blob, false)
    },
  }
}

const addressed = ({ digest, size }: Blob) => ({ hex: digest.slice('sha256:'.length), size })

const differs = (path: string, message: string): ProblemError => invalid([{ path, code: 'digest_mismatch', message }])

const noUpload = (upload: string): ProblemError =>
  new ProblemError('not_found', `there is no upload ${upload}, or not any more: begin anew`)

const tooLargeForOne = (maxBytes: number): ProblemError =>
  new ProblemError('bad_request', `the store takes at most ${maxBytes} bytes at once: send these to PUT /artifacts`)

const onlyFolder = (): ProblemError =>
  new ProblemError('bad_request', 'this engine keeps artifacts in a folder: send the bytes to PUT /artifacts instead')
