/**
 * Bytes that clients send to the store of this engine directly, by a signed URL, so that none of them pass through the
 * engine (wire decision U24). A folder takes none: clients that are refused send them to `PUT /artifacts`.
 * @module
 */
import type { ArtifactRef, ArtifactUpload } from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'

/** What a client says of bytes before it sends them. */
export interface Announced {
  readonly digest: string
  /** In bytes. */
  readonly size: number
  readonly name: string
  readonly mediaType: string
}

/** Uploads past the engine. Both refuse with `bad_request` where the store takes none. */
export interface Uploads {
  /** Where the bytes go; the reference when they are here already. */
  begin(announced: Announced): Promise<ArtifactRef | ArtifactUpload>
  /** Stores what has arrived, once it is what was announced. */
  complete(upload: string): Promise<ArtifactRef>
}

/** Of an engine that keeps its artifacts in a folder. */
export const noUploads: Uploads = {
  begin: () => Promise.reject(onlyFolder()),
  complete: () => Promise.reject(onlyFolder()),
}

const onlyFolder = (): ProblemError =>
  new ProblemError('bad_request', 'this engine keeps artifacts in a folder: send the bytes to PUT /artifacts instead')
