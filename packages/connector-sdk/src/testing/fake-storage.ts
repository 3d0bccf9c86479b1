/**
 * What a node stores in a test: artifacts, and files of the engine's directory.
 * @module
 */
import { createHash } from 'node:crypto'

import type { ArtifactRef } from '@flow-service/protocol'

import type { SaveOptions } from '../context.ts'
import { FileError, filePathFault, type Files } from '../files.ts'

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

/** One object a context. */
export class FakeFiles implements Files {
  readonly #stored = new Map<string, Uint8Array>()

  async read(path: string): Promise<Uint8Array> {
    check(path)
    const data = this.#stored.get(path)
    if (data === undefined) throw new FileError('missing', `there is no file "${path}"`)
    return data.slice()
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    check(path)
    this.#stored.set(path, data.slice())
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    check(path)
    this.#stored.set(path, new Uint8Array([...(this.#stored.get(path) ?? []), ...data]))
  }
}

function check(path: string): void {
  const fault = filePathFault(path)
  if (fault !== null) throw new FileError('refused', `the path "${path}" ${fault}`)
}
