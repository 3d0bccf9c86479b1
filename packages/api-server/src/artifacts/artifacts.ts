/**
 * Artifacts: bytes that messages, runs and flows refer to by digest (wire decision G40). Stored ones are files with a
 * row in the database, volatile ones frames in the memory of this engine. DESIGN.md beside this file has the invariants.
 * @module
 */
import { hash } from 'node:crypto'

import { type ArtifactRef, type Check, MAX_BINARY_FRAME_BYTES } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import { hasCode } from '../process/system-error.ts'
import type { ByteRange } from './byte-range.ts'
import { ChangedBytes, type ContentStore, FolderGone, GoneBytes, TooManyBytes } from './content-store.ts'
import { checkNames } from './naming.ts'
import { createRemoval, type Swept } from './removal.ts'
import { type Blob, createArtifactStore, type OwnedDigests, refOf, type RefKind, rowOf } from './store.ts'
import { createVolatileRing, type Frame, RING_BYTES } from './volatile-ring.ts'

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
  /** Nobody writes to the bytes any more, so volatile ones are kept without a copy; not so unless given. */
  readonly owned?: boolean
  /** Digest that the bytes must have; any unless given. */
  readonly digest?: string
}

/** Bytes whole or as they come. */
type ByteSource = Uint8Array | AsyncIterable<Uint8Array>

/** An artifact whose bytes are there and intact. */
export interface OpenArtifact {
  readonly ref: ArtifactRef
  /** A URL at which whoever has it gets the bytes from where they are, for 300 s; null when the engine alone has them. */
  readonly directUrl: (() => Promise<string>) | null
  /** Streams the bytes, or a part of them; fails with `not_found` when they turn out to be changed, before the last. */
  read(range: ByteRange | null): AsyncIterable<Uint8Array>
}

/** Keeps bytes and what refers to them. */
export interface Artifacts {
  /**
   * Keeps bytes; resolves when stored ones are on the disk and committed. `created` tells whether they are new here.
   * Refuses with `payload_too_large`, with `validation_failed` what cannot be a name or a media type, and with
   * `unavailable` when the disk is full, or the folder of artifacts gone.
   */
  put(source: ByteSource, options: PutOptions): Promise<{ ref: ArtifactRef; created: boolean }>
  /** The artifact of a digest (`sha256:…`), or null when its bytes are not here or no longer what they were. */
  open(digest: string): Promise<OpenArtifact | null>
  /** The volatile bytes of a digest, which nobody writes to, if they are still here. */
  frame(digest: string): Frame | undefined
  /** All bytes of a digest; refuses with `not_found`. */
  read(digest: string): Promise<Uint8Array>
  /** Those of the digests whose bytes are known here. */
  known(digests: readonly string[]): Promise<Set<string>>
  /** Those of the digests that are not stored; the others stay until the caller's transaction ends, if it has one. */
  missing(digests: readonly string[], tx?: Sql): Promise<string[]>
  /** Keeps stored bytes from being swept on behalf of `owner`, in the caller's transaction; others are left out. */
  addRefs(tx: Sql, kind: RefKind, owner: string, digests: readonly string[]): Promise<void>
  /** The same for many owners in one statement. */
  addRefsOf(tx: Sql, kind: RefKind, owners: readonly OwnedDigests[]): Promise<void>
  /** Hands references to the owners with other beginnings of their ids, in the caller's transaction. */
  moveRefs(tx: Sql, kind: RefKind, names: { readonly from: string; readonly to: string }): Promise<void>
  /** Ends all references of these owners, in the caller's transaction. */
  dropRefs(tx: Sql, kind: RefKind, owners: readonly string[]): Promise<void>
  /**
   * Deletes the bytes of a digest, stored or volatile. `note` runs in the transaction that deletes stored ones. Refuses
   * with `not_found`, and with `in_use` while a run, a last value, a flow, a dashboard or registered code refers to them.
   */
  delete(digest: string, note: (tx: Sql) => Promise<void>): Promise<void>
  /** Takes away what nothing refers to; stops early when told so. */
  sweep(signal: AbortSignal): Promise<Swept>
  /** Whether bytes can be stored; rejects, or takes long, when what they are stored on does. */
  check(): Promise<Check>
}

/** Which bytes are for devices; both refuse with `forbidden`. */
export interface DeviceBytes {
  assertStores(device: string, named: { readonly name: string; readonly volatile: boolean }): void
  assertReads(device: string, digest: string): void
}

/** Artifacts on a database and a content store. */
export function createArtifacts(deps: ArtifactsDeps): Artifacts {
  const store = createArtifactStore(deps.database.sql)
  const ringBytes = deps.ringBytes ?? RING_BYTES
  const ring = createVolatileRing(ringBytes)
  const maxBytes = deps.maxBytes ?? MAX_ARTIFACT_BYTES
  const removal = createRemoval({ ...deps, known: (digests) => store.known(digests) })

  const putVolatile = async (source: ByteSource, { name, mediaType, owned = false, digest: wanted }: PutOptions) => {
    const bytes = await collect(source, Math.min(MAX_BINARY_FRAME_BYTES, ringBytes))
    const isOwn = owned || !(source instanceof Uint8Array)
    const data = isOwn && fillsItsBuffer(bytes) ? bytes : new Uint8Array(bytes)
    const digest = `sha256:${hash('sha256', data)}`
    assertSame(digest, wanted)
    return {
      ref: refOf({ digest, size: data.length, name, mediaType }, true),
      created: ring.put(digest, { data, name, mediaType }),
    }
  }

  const putStored = async (source: ByteSource, { name, mediaType, digest: wanted }: PutOptions) => {
    const staged = await deps.content.stage(chunksOf(source), maxBytes)
    try {
      const blob = { digest: `sha256:${staged.hex}`, size: staged.size, name, mediaType }
      assertSame(blob.digest, wanted)
      // the row's lock keeps a sweep from removing the bytes between the two
      const created = await deps.content.publish(staged, rowOf(deps.database, blob))
      return { ref: refOf(blob, false), created }
    } finally {
      await deps.content.discard(staged)
    }
  }

  const open = async (digest: string): Promise<OpenArtifact | null> => {
    const frame = ring.get(digest)
    if (frame) return openFrame(digest, frame)
    const blob = await store.find(digest)
    return blob ? openBlob(blob, deps) : null
  }

  return {
    async put(source, options) {
      checkNames(options)
      return refuseUnstorable((options.volatile ? putVolatile : putStored)(source, options))
    },
    open,
    frame: (digest) => ring.get(digest),
    async read(digest) {
      const artifact = await open(digest)
      if (!artifact) throw noArtifact(digest)
      return collect(artifact.read(null), artifact.ref.size)
    },
    async known(digests) {
      const stored = await store.known(digests)
      const isHere = async (digest: string): Promise<boolean> =>
        ring.get(digest) !== undefined || (stored.has(digest) && (await deps.content.has(hexOf(digest))))
      const here = await Promise.all(digests.map(isHere))
      return new Set(digests.filter((_, at) => here[at]))
    },
    missing: (digests, tx) => store.missing(digests, tx),
    addRefs: (tx, kind, owner, digests) => store.addRefs(tx, kind, owner, digests),
    addRefsOf: (tx, kind, owners) => store.addRefsOf(tx, kind, owners),
    moveRefs: (tx, kind, names) => store.moveRefs(tx, kind, names),
    dropRefs: (tx, kind, owners) => store.dropRefs(tx, kind, owners),
    async delete(digest, note) {
      const wasStored = await removal.remove(digest, note)
      const wasVolatile = ring.drop(digest)
      if (!wasStored && !wasVolatile) throw noArtifact(digest)
    },
    sweep: (signal) => removal.sweep(signal),
    check: () => deps.content.check(),
  }
}

/** `not_found` for a digest. */
export const noArtifact = (digest: string): ProblemError =>
  new ProblemError('not_found', `no bytes with the digest ${digest} are stored here; upload them again`)

function openFrame(digest: string, { data, ...names }: Frame): OpenArtifact {
  const read = (range: ByteRange | null) => once(range ? data.subarray(range.first, range.last + 1) : data)
  return { ref: refOf({ digest, size: data.length, ...names }, true), read, directUrl: null }
}

/** Null when the bytes are missing, or no longer what they were. */
async function openBlob(blob: Blob, { content, onCorrupt }: ArtifactsDeps): Promise<OpenArtifact | null> {
  const { digest, size } = blob
  const { direct } = content
  const found = await content.find(hexOf(digest), size)
  if (found.kind === 'corrupt') onCorrupt(digest)
  if (found.kind !== 'found') return null
  return {
    ref: refOf(blob, false),
    read: (range) => intact(digest, () => found.read(range), onCorrupt),
    directUrl: direct && (() => direct.downloadUrl(hexOf(digest), blob)),
  }
}

const chunksOf = (source: ByteSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> =>
  source instanceof Uint8Array ? [source] : source

/** The stream as it is; what is changed or gone is told as `not_found`. */
async function* intact(
  digest: string,
  read: () => AsyncIterable<Uint8Array>,
  onCorrupt: ArtifactsDeps['onCorrupt'],
): AsyncGenerator<Uint8Array> {
  try {
    yield* read()
  } catch (error) {
    if (error instanceof ChangedBytes) onCorrupt(digest)
    else if (!(error instanceof GoneBytes || hasCode(error, 'ENOENT'))) throw error
    throw noArtifact(digest)
  }
}

async function* once(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield data
}

/** What comes from a connection is often a small part of a larger buffer, which it would keep alive. */
const fillsItsBuffer = ({ length, buffer }: Uint8Array): boolean => length * 2 >= buffer.byteLength

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

async function refuseUnstorable<T>(storing: Promise<T>): Promise<T> {
  try {
    return await storing
  } catch (error) {
    if (error instanceof TooManyBytes) throw tooLarge(error.maxBytes)
    if (hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT')) throw noSpace()
    if (hasCode(error, 'EIO')) throw notConfirmed()
    if (error instanceof FolderGone || hasCode(error, 'ENOENT')) throw noFolder()
    throw error
  }
}

function assertSame(digest: string, wanted: string | undefined): void {
  if (wanted === undefined || wanted === digest) return
  const message = `the bytes that arrived have the digest ${digest}, not ${wanted}: send them again`
  throw invalid([{ path: 'header.content-digest', code: 'digest_mismatch', message }])
}

const hexOf = (digest: string): string => digest.slice('sha256:'.length)

const noSpace = (): ProblemError =>
  new ProblemError('unavailable', 'the disk of the artifacts is full: delete runs or files, then upload again', {
    retry_after_s: 60,
  })

const noFolder = (): ProblemError =>
  new ProblemError(
    'unavailable',
    'the folder of artifacts was removed, moved or replaced: put it back, then start the engine again',
  )

const notConfirmed = (): ProblemError =>
  new ProblemError('unavailable', 'the disk of the artifacts does not confirm what is written; nothing was stored', {
    retry_after_s: 60,
  })

const tooLarge = (maxBytes: number): ProblemError =>
  new ProblemError('payload_too_large', `at most ${maxBytes} bytes are accepted here`, { max_bytes: maxBytes })
