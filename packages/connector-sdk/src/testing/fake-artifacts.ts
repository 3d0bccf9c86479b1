/**
 * Bytes that a node stores in a test.
 * @module
 */
import { createHash } from 'node:crypto'

import type { ArtifactRef } from '@flow-service/protocol'

import type { SaveOptions } from '../context.ts'

/** One object a context. */
export class FakeArtifacts {
  /** What was stored, by digest. */
  readonly stored = new Map<string, Uint8Array>()

  async save(data: Uint8Array, options: SaveOptions = {}): Promise<ArtifactRef> {
    const { name = '', mediaType = 'application/octet-stream', volatile = false } = options
    const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`
    this.stored.set(digest, data.slice())
    return { digest, name, media_type: mediaType, size: data.byteLength, volatile }
  }

  load(digest: string): Uint8Array {
    const data = this.stored.get(digest)
    if (data === undefined) throw new Error(`there are no bytes ${digest}`)
    return data
  }
}
