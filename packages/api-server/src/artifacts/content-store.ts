/**
 * Bytes by their SHA-256 digest in a directory.
 *
 *     tmp/<uuid>             an upload on its way, or a file that was moved out of sight
 *     sha256/ab/abcdef…      bytes under their digest, never changed
 *
 * DESIGN.md beside this file has the invariants (content-store.C1-C4).
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import { type BigIntStats, constants, createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { ByteRange } from './byte-range.ts'
import { FileWriter } from './file-writer.ts'

/** How long a file counts as verified, in milliseconds. */
const TRUST_MS = 600_000
const MAX_TRUSTED = 10_000
const READ_CHUNK = 256 * 1024
/** Largest file that is hashed before its first byte is given, in bytes; the others are hashed on their way out. */
export const HASHED_FIRST_BYTES = 8 * 1024 * 1024
const DAY_MS = 86_400_000

/** An upload whose bytes are on the disk, not yet under their digest. */
export interface Staged {
  readonly path: string
  /** 64 hexadecimal digits. */
  readonly hex: string
  /** In bytes. */
  readonly size: number
}

/** What looking for a file found; `corrupt` bytes are set aside, so that storing them again heals the digest. */
export type Lookup =
  | {
      readonly kind: 'found'
      /** Streams the bytes or a part of them. Fails with {@link ChangedBytes} before the last one of changed bytes. */
      read(range: ByteRange | null): AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'missing' | 'corrupt' }

/** A file that was moved out of sight. */
export interface Hidden {
  readonly hex: string
  readonly path: string
  /** In bytes. */
  readonly size: number
}

/** Bytes are not what they were when they were stored; they are set aside now. */
export class ChangedBytes extends Error {
  override readonly name = 'ChangedBytes'
}

/** The directory was removed, moved or replaced since it was opened: it is not made anew. */
export class FolderGone extends Error {
  override readonly name = 'FolderGone'
  constructor(directory: string) {
    super(`the folder of artifacts ${directory} is not the one that the engine has opened`)
  }
}

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
  return new ContentStore(directory, await stat(temp, { bigint: true }))
}

/** A store of bytes. Digests are 64 lower-case hexadecimal digits; the caller has checked them. */
export class ContentStore {
  readonly #directory: string
  /** The folder of uploads, as it was when the store was opened. */
  readonly #temp: BigIntStats
  /** What the file system said about a file when it was hashed last. */
  readonly #trusted = new Map<string, { stamp: string; atMs: number }>()

  /** Staged files that are the bytes of their digest now. */
  readonly #published = new Set<string>()

  constructor(directory: string, temp: BigIntStats) {
    this.#directory = directory
    this.#temp = temp
  }

  /**
   * Writes a stream to the disk. Throws {@link TooManyBytes}, and {@link FolderGone} when the directory is no longer the one
   * that was opened; leaves nothing behind when it throws.
   */
  async stage(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Staged> {
    await this.#assertThere()
    const path = this.#tempFile()
    try {
      return { path, ...(await write(path, source, maxBytes)) }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  /** Puts staged bytes under their digest; throws {@link FolderGone}. The caller holds the lock of the digest. */
  async publish(staged: Staged): Promise<void> {
    await this.#assertThere()
    const { hex } = staged
    const path = this.#fileOf(hex)
    const folder = dirname(path)
    if (await made(folder)) await syncFolder(dirname(folder))
    const isNew = await linked(staged.path, path)
    const facts = isNew ? null : await factsOf(path)
    // nobody has hashed what is there for a while: whole bytes take its place
    const replaces = !isNew && !(facts && this.#isTrusted(hex, facts))
    if (replaces) await this.#replace(path, staged)
    if (isNew || replaces) this.#published.add(staged.path)
    await syncFolder(folder)
  }

  /** Ends the staging, published or not. */
  async discard({ path, hex }: Staged): Promise<void> {
    await rm(path, { force: true })
    // not before its second name is gone, which counts in what the file system says of the file
    if (this.#published.delete(path)) this.#trust(hex, await factsOf(this.#fileOf(hex)))
  }

  /** Looks for bytes of this many. Small files are hashed now, unless they were a moment ago; large ones as they are read. */
  async find(hex: string, size: number): Promise<Lookup> {
    const path = this.#fileOf(hex)
    const facts = await factsOf(path)
    if (facts === null) return { kind: 'missing' }
    const open = (range: ByteRange | null) =>
      createReadStream(path, {
        highWaterMark: READ_CHUNK,
        ...(range ? { start: range.first, end: range.last } : {}),
      })
    if (this.#isTrusted(hex, facts)) return { kind: 'found', read: open }
    const check = () => drained(this.#checked(hex, facts))
    if (Number(facts.size) !== size) return this.#spoiled(hex, facts)
    if (size > HASHED_FIRST_BYTES) {
      return { kind: 'found', read: (range) => (range ? after(check, () => open(range)) : this.#checked(hex, facts)) }
    }
    try {
      await check()
    } catch (error) {
      if (error instanceof ChangedBytes) return { kind: 'corrupt' }
      throw error
    }
    return { kind: 'found', read: open }
  }

  /** Whether there is a file of the digest, whatever is in it. */
  async has(hex: string): Promise<boolean> {
    return (await factsOf(this.#fileOf(hex))) !== null
  }

  /** Moves a file out of sight; null when there is none. The caller holds the lock of the digest. */
  async hide(hex: string): Promise<Hidden | null> {
    this.#trusted.delete(hex)
    const path = this.#tempFile()
    const facts = await movedTo(this.#fileOf(hex), path)
    return facts && { hex, path, size: Number(facts.size) }
  }

  /** Puts a hidden file back, unless there is one again. */
  async restore({ hex, path }: Hidden): Promise<void> {
    await linked(path, this.#fileOf(hex))
    await rm(path, { force: true })
  }

  /** Removes a hidden file. */
  async drop({ path }: Hidden): Promise<void> {
    await rm(path, { force: true })
  }

  /** Digests of all files, some at a time. */
  async *files(): AsyncGenerator<string[]> {
    const root = join(this.#directory, 'sha256')
    for (const folder of (await readdir(root)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
      const names = await readdir(join(root, folder)).catch(missingAsNull)
      yield (names ?? []).filter((name) => /^[0-9a-f]{64}$/.test(name))
    }
  }

  /** Whether the bytes came here more than a day ago. */
  async isOld(hex: string): Promise<boolean> {
    return (await ageOf(this.#fileOf(hex))) >= DAY_MS
  }

  /** Removes what nobody has written to for a day: uploads of dead engines; tells how many. */
  async dropDeadUploads(): Promise<number> {
    return sweep(join(this.#directory, 'tmp'), DAY_MS)
  }

  /** Gives all bytes but the last piece, which follows once the hash of all was right. */
  async *#checked(hex: string, facts: BigIntStats): AsyncGenerator<Uint8Array> {
    const digest = createHash('sha256')
    let held: Buffer | null = null
    for await (const chunk of createReadStream(this.#fileOf(hex), { highWaterMark: READ_CHUNK })) {
      digest.update(chunk as Buffer)
      if (held) yield held
      held = chunk as Buffer
    }
    if (digest.digest('hex') !== hex) {
      await this.#spoiled(hex, facts)
      throw new ChangedBytes(`the bytes of ${hex} are not what was stored`)
    }
    this.#trust(hex, facts)
    if (held) yield held
  }

  /** Sets a file aside that is not what it should be. */
  async #spoiled(hex: string, { ino }: BigIntStats): Promise<Lookup> {
    this.#trusted.delete(hex)
    const aside = this.#tempFile()
    const moved = await movedTo(this.#fileOf(hex), aside)
    // an upload was faster, and what was moved is whole
    if (moved && moved.ino !== ino) await this.restore({ hex, path: aside, size: Number(moved.size) })
    return { kind: 'corrupt' }
  }

  /** Puts staged bytes in the place of a file; the staged one stays, for the transaction may be tried again. */
  async #replace(path: string, staged: Staged): Promise<void> {
    const second = this.#tempFile()
    await link(staged.path, second)
    await rename(second, path)
  }

  async #assertThere(): Promise<void> {
    const temp = await factsOf(join(this.#directory, 'tmp'))
    if (temp?.ino !== this.#temp.ino || temp.dev !== this.#temp.dev) throw new FolderGone(this.#directory)
  }

  #isTrusted(hex: string, facts: BigIntStats): boolean {
    const known = this.#trusted.get(hex)
    return known?.stamp === stampOf(facts) && Date.now() - known.atMs < TRUST_MS
  }

  #trust(hex: string, facts: BigIntStats | null): void {
    this.#trusted.delete(hex)
    if (facts) this.#trusted.set(hex, { stamp: stampOf(facts), atMs: Date.now() })
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
async function sweep(temp: string, minAgeMs: number | null): Promise<number> {
  let count = 0
  for (const name of await readdir(temp)) {
    const path = join(temp, name)
    const isLeft = minAgeMs === null || (await ageOf(path)) >= minAgeMs
    if (!isLeft) continue
    await rm(path, { recursive: true, force: true })
    count += 1
  }
  return count
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
  const writer = new FileWriter(file)
  try {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes) throw new TooManyBytes(maxBytes)
      digest.update(chunk)
      await writer.add(chunk)
    }
    await writer.end()
  } finally {
    await writer.settled()
    await file.close()
  }
  return { hex: digest.digest('hex'), size }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const stampOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`

const factsOf = (path: string): Promise<BigIntStats | null> => stat(path, { bigint: true }).catch(missingAsNull)

/** Makes a folder in one that is there; whether it was missing. */
async function made(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Gives a file a second name; whether that was free. */
async function linked(path: string, name: string): Promise<boolean> {
  try {
    await link(path, name)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Moves a file that may not be there, and makes it young: nobody shall sweep it now. */
async function movedTo(path: string, aside: string): Promise<BigIntStats | null> {
  const gone = (await rename(path, aside).catch(missingAsNull)) === null
  if (gone) return null
  await utimes(aside, new Date(), new Date())
  return factsOf(aside)
}

async function drained(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

async function* after(check: () => Promise<void>, open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  await check()
  yield* open()
}

/** Whether it is an error of the system with this code. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

function missingAsNull(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}
