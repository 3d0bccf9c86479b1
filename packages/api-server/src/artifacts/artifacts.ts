/**
 * Artifacts: bytes that messages, runs and flows refer to by digest (wire decision G40). Stored ones are files with a
 * row in the database, volatile ones frames in the memory of this engine.
 * @module
 */
import { createHash } from 'node:crypto'

import type { ArtifactRef } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { ByteRange } from './byte-range.ts'
import { type ContentStore, TooManyBytes } from './content-store.ts'
import { type Blob, createArtifactStore, type RefKind } from './store.ts'
import { createVolatileRing, MAX_FRAME_BYTES, RING_BYTES } from './volatile-ring.ts'

/** Largest stored artifact unless the configuration says otherwise, in bytes. */
const MAX_ARTIFACT_BYTES = 1024 * 1024 * 1024

/** What artifacts are made of. */
export interface ArtifactsDeps {
  readonly database: Database
  readonly content: ContentStore
  /** Largest stored artifact, in bytes; 1 GiB unless given. */
  readonly maxBytes?: number
  /** Bytes of all volatile frames together; 64 MiB unless given. */
  readonly ringBytes?: number
  /** Stored bytes were found changed; they are set aside and count as missing. */
  readonly onCorrupt: (digest: string) => void
}

/** How bytes are stored. */
interface PutOptions {
  readonly name: string
  readonly mediaType: string
  readonly volatile: boolean
}

/** Bytes whole or as they come. */
type ByteSource = Uint8Array | AsyncIterable<Uint8Array>

/** An artifact whose bytes are there and intact. */
export interface OpenArtifact {
  readonly ref: ArtifactRef
  /** Streams the bytes, or a part of them. */
  read(range: ByteRange | null): AsyncIterable<Uint8Array>
}

/** Keeps bytes and what refers to them. */
export interface Artifacts {
  /**
   * Keeps bytes; resolves when stored ones are on the disk and committed. `created` tells whether they are new here.
   * Refuses with `payload_too_large`.
   */
  put(source: ByteSource, options: PutOptions): Promise<{ ref: ArtifactRef; created: boolean }>
  /** The artifact of a digest (`sha256:…`), or null when its bytes are not here or no longer what they were. */
  open(digest: string): Promise<OpenArtifact | null>
  /** All bytes of a digest; refuses with `not_found`. */
  read(digest: string): Promise<Uint8Array>
  /** Those of the digests whose bytes are known here. */
  known(digests: readonly string[]): Promise<Set<string>>
  /** Keeps stored bytes from being swept on behalf of `owner`, in the caller's transaction; others are left out. */
  addRefs(tx: Sql, kind: RefKind, owner: string, digests: readonly string[]): Promise<void>
  /** Hands references to the owners with other beginnings of their ids, in the caller's transaction. */
  moveRefs(tx: Sql, kind: RefKind, names: { readonly from: string; readonly to: string }): Promise<void>
  /** Ends all references of these owners, in the caller's transaction. */
  dropRefs(tx: Sql, kind: RefKind, owners: readonly string[]): Promise<void>
}

/** Artifacts on a database and a content store. */
export function createArtifacts(deps: ArtifactsDeps): Artifacts {
  const store = createArtifactStore(deps.database)
  const ringBytes = deps.ringBytes ?? RING_BYTES
  const ring = createVolatileRing(ringBytes)
  const maxBytes = deps.maxBytes ?? MAX_ARTIFACT_BYTES

  const putVolatile = async (source: ByteSource, { name, mediaType }: PutOptions) => {
    // a copy: what comes from a connection is often a small part of a larger buffer, which it would keep alive
    const data = new Uint8Array(await collect(source, Math.min(MAX_FRAME_BYTES, ringBytes)))
    const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`
    return {
      ref: refOf({ digest, size: data.length, name, mediaType }, true),
      created: ring.put(digest, { data, name, mediaType }),
    }
  }

  const putStored = async (source: ByteSource, { name, mediaType }: PutOptions) => {
    const staged = await refuseTooMany(deps.content.stage(chunksOf(source), maxBytes))
    try {
      const blob = { digest: `sha256:${staged.hex}`, size: staged.size, name, mediaType }
      // the row's lock keeps a sweep from unlinking the file between the two
      const created = await deps.database.transaction(async (tx) => {
        const isNew = await store.upload(tx, blob)
        await deps.content.publish(staged)
        return isNew
      })
      return { ref: refOf(blob, false), created }
    } finally {
      await deps.content.discard(staged)
    }
  }

  const open = async (digest: string): Promise<OpenArtifact | null> => {
    const frame = ring.get(digest)
    if (frame) {
      const { data, ...names } = frame
      const read = (range: ByteRange | null) => once(range ? data.subarray(range.first, range.last + 1) : data)
      return { ref: refOf({ digest, size: data.length, ...names }, true), read }
    }
    const blob = await store.find(digest)
    if (!blob) return null
    const hex = digest.slice('sha256:'.length)
    const found = await deps.content.verify(hex)
    if (found.kind === 'corrupt') deps.onCorrupt(digest)
    return found.kind === 'found' ? { ref: refOf(blob, false), read: (range) => deps.content.read(hex, range) } : null
  }

  return {
    put: (source, options) => (options.volatile ? putVolatile : putStored)(source, options),
    open,
    async read(digest) {
      const artifact = await open(digest)
      if (!artifact) throw noArtifact(digest)
      return collect(artifact.read(null), artifact.ref.size)
    },
    async known(digests) {
      const stored = await store.known(digests)
      return new Set(digests.filter((digest) => stored.has(digest) || ring.get(digest) !== undefined))
    },
    addRefs: (tx, kind, owner, digests) => store.addRefs(tx, kind, owner, digests),
    moveRefs: (tx, kind, names) => store.moveRefs(tx, kind, names),
    dropRefs: (tx, kind, owners) => store.dropRefs(tx, kind, owners),
  }
}

/** `not_found` for a digest. */
export const noArtifact = (digest: string): ProblemError =>
  new ProblemError('not_found', `no bytes with the digest ${digest} are stored here; upload them again`)

const refOf = (blob: Blob, volatile: boolean): ArtifactRef => ({
  digest: blob.digest,
  name: blob.name,
  media_type: blob.mediaType,
  size: blob.size,
  volatile,
})

const chunksOf = (source: ByteSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> =>
  source instanceof Uint8Array ? [source] : source

async function* once(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield data
}

async function collect(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunksOf(source)) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)
}

async function refuseTooMany<T>(staging: Promise<T>): Promise<T> {
  try {
    return await staging
  } catch (error) {
    if (error instanceof TooManyBytes) throw tooLarge(error.maxBytes)
    throw error
  }
}

const tooLarge = (maxBytes: number): ProblemError =>
  new ProblemError('payload_too_large', `at most ${maxBytes} bytes are accepted here`, { max_bytes: maxBytes })
