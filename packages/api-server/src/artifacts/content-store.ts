/**
 * Bytes by their SHA-256 digest in a directory.
 *
 *     tmp/<uuid>             an upload on its way
 *     sha256/ab/abcdef…      bytes under their digest, never changed
 *
 * - C1 a file below `sha256/` is complete: it is linked there after its bytes were flushed to the disk.
 * - C2 once `publish` has resolved, the bytes survive a loss of power.
 * - C3 no byte that differs from what was stored is handed out: files are hashed before they are read, and again
 *   whenever the file system says that they changed, or after {@link TRUST_MS}.
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { ByteRange } from './byte-range.ts'

/** How long a file counts as verified, in milliseconds. */
const TRUST_MS = 600_000
const MAX_TRUSTED = 10_000
const HASH_CHUNK = 1024 * 1024
const DAY_MS = 86_400_000

/** An upload whose bytes are on the disk, not yet under their digest. */
export interface Staged {
  readonly path: string
  /** 64 hexadecimal digits. */
  readonly hex: string
  /** In bytes. */
  readonly size: number
}

/** What reading a file found; `corrupt` bytes are set aside, so that storing them again heals the digest. */
export type Lookup = { readonly kind: 'found'; readonly size: number } | { readonly kind: 'missing' | 'corrupt' }

/** More bytes came than are accepted. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/**
 * Opens the store in `directory`. Uploads that a crash left behind are removed; with `shared` (other engines use the
 * directory too) only those older than a day.
 */
export async function openContentStore(directory: string, options: { shared?: boolean } = {}): Promise<ContentStore> {
  const temp = join(directory, 'tmp')
  await mkdir(temp, { recursive: true, mode: 0o700 })
  await mkdir(join(directory, 'sha256'), { recursive: true, mode: 0o700 })
  await sweep(temp, options.shared ? DAY_MS : null)
  return new ContentStore(directory)
}

/** A store of bytes. Digests are 64 lower-case hexadecimal digits; the caller has checked them. */
export class ContentStore {
  readonly #directory: string
  /** What the file system said about a file when it was hashed last. */
  readonly #trusted = new Map<string, { stamp: string; atMs: number }>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Writes a stream to the disk. Throws {@link TooManyBytes}; leaves nothing behind when it throws. */
  async stage(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Staged> {
    const path = this.#tempFile()
    try {
      return { path, ...(await write(path, source, maxBytes)) }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  /** Puts staged bytes under their digest. The caller holds the lock of the digest. */
  async publish(staged: Staged): Promise<void> {
    const path = this.#fileOf(staged.hex)
    const folder = dirname(path)
    if (await mkdir(folder, { recursive: true, mode: 0o700 })) await syncFolder(dirname(folder))
    await link(staged.path, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
    await syncFolder(folder)
  }

  /** Removes the staged file, published or not. */
  async discard(staged: Staged): Promise<void> {
    await rm(staged.path, { force: true })
  }

  /** Whether the bytes are there and still what they were. */
  async verify(hex: string): Promise<Lookup> {
    const path = this.#fileOf(hex)
    const facts = await stat(path, { bigint: true }).catch(missingAsNull)
    if (facts === null) return { kind: 'missing' }
    const stamp = `${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs}`
    const known = this.#trusted.get(hex)
    if (known?.stamp === stamp && Date.now() - known.atMs < TRUST_MS) return { kind: 'found', size: Number(facts.size) }
    this.#trusted.delete(hex)
    if ((await hashOf(path)) !== hex) {
      await rename(path, this.#tempFile()).catch(missingAsNull)
      return { kind: 'corrupt' }
    }
    this.#trust(hex, stamp)
    return { kind: 'found', size: Number(facts.size) }
  }

  /** Streams bytes that were verified. */
  read(hex: string, range: ByteRange | null): AsyncIterable<Uint8Array> {
    return createReadStream(this.#fileOf(hex), range ? { start: range.first, end: range.last } : {})
  }

  #trust(hex: string, stamp: string): void {
    this.#trusted.set(hex, { stamp, atMs: Date.now() })
    const [oldest] = this.#trusted.keys()
    if (this.#trusted.size > MAX_TRUSTED && oldest !== undefined) this.#trusted.delete(oldest)
  }

  #tempFile(): string {
    return join(this.#directory, 'tmp', randomUUID())
  }

  #fileOf(hex: string): string {
    return join(this.#directory, 'sha256', hex.slice(0, 2), hex)
  }
}

/** Removes uploads; with an age only those that are older, for the clocks of file systems run ahead of the machine's. */
async function sweep(temp: string, minAgeMs: number | null): Promise<void> {
  for (const name of await readdir(temp)) {
    const path = join(temp, name)
    const isLeft = minAgeMs === null || (await ageOf(path)) >= minAgeMs
    if (isLeft) await rm(path, { recursive: true, force: true })
  }
}

/** In milliseconds; nothing has no age. */
async function ageOf(path: string): Promise<number> {
  const facts = await stat(path).catch(missingAsNull)
  return facts ? Date.now() - facts.mtimeMs : 0
}

async function write(
  path: string,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<{ hex: string; size: number }> {
  const digest = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes) throw new TooManyBytes(maxBytes)
      digest.update(chunk)
      await writeAll(file, chunk)
    }
    await file.datasync()
  } finally {
    await file.close()
  }
  return { hex: digest.digest('hex'), size }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0
  while (written < chunk.length) written += (await file.write(chunk, written)).bytesWritten
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function hashOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: HASH_CHUNK })) digest.update(chunk as Buffer)
  return digest.digest('hex')
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

function missingAsNull(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}
