/**
 * Bytes by their SHA-256 digest in a directory: what an engine has unless its settings name a store elsewhere.
 *
 *     tmp/<uuid>             an upload on its way, or a file that was moved out of sight
 *     sha256/ab/abcdef…      bytes under their digest, never changed
 *
 * DESIGN.md beside this file has the invariants (content-store.C1-C4).
 * @module
 */
import { type BigIntStats, constants, createReadStream } from 'node:fs'
import { access, link, mkdir, open, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Check } from '@flow-service/protocol'

import { hasCode, missingAsNull } from '../process/system-error.ts'
import type { ByteRange } from './byte-range.ts'
import {
  ChangedBytes,
  type ContentStore,
  drained,
  FolderGone,
  type Kept,
  type Lookup,
  type Removed,
  type Staged,
  unchanged,
  type WithoutRows,
  type WithRow,
} from './content-store.ts'
import { ageOf, DAY_MS, Staging } from './staging.ts'

/** How long a file counts as verified, in milliseconds. */
const TRUST_MS = 600_000
const MAX_TRUSTED = 10_000
const READ_CHUNK = 256 * 1024
/** Largest file that is hashed before its first byte is given, in bytes; the others are hashed on their way out. */
export const HASHED_FIRST_BYTES = 8 * 1024 * 1024
/** An engine whose disk has less room is degraded, in bytes. */
const MIN_FREE_BYTES = 64 * 1024 * 1024

/** A file that was moved out of sight. */
export interface Hidden extends Removed {
  readonly path: string
}

/**
 * Opens the store in `directory`. Uploads that a crash left behind are removed; with `shared` (other engines use the
 * directory too) only those older than a day.
 */
export async function openFolderStore(directory: string, options: { shared?: boolean } = {}): Promise<FolderStore> {
  const staging = await Staging.open(join(directory, 'tmp'), options.shared === true)
  await mkdir(join(directory, 'sha256'), { recursive: true, mode: 0o700 })
  return new FolderStore(directory, staging, await stat(staging.directory, { bigint: true }))
}

/** Bytes in a folder. Staged ones, and files that were moved out of sight, lie beside them in the same file system. */
export class FolderStore implements ContentStore {
  /** Nobody reaches a folder but the engine. */
  readonly direct = null
  readonly #directory: string
  readonly #staging: Staging
  /** The folder of uploads, as it was when the store was opened. */
  readonly #temp: BigIntStats
  /** What the file system said about a file when it was hashed last. */
  readonly #trusted = new Map<string, { stamp: string; atMs: number }>()

  /** Staged files that are the bytes of their digest now. */
  readonly #published = new Set<string>()

  constructor(directory: string, staging: Staging, temp: BigIntStats) {
    this.#directory = directory
    this.#staging = staging
    this.#temp = temp
  }

  /** Throws {@link FolderGone} too, when the directory is no longer the one that was opened. */
  async stage(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Staged> {
    await this.#assertThere()
    return this.#staging.write(source, maxBytes)
  }

  /** While its row is locked (removal.A1). Throws {@link FolderGone}. */
  publish(staged: Staged, row: WithRow): Promise<boolean> {
    return row(() => this.place(staged))
  }

  /** Puts staged bytes under their digest; throws {@link FolderGone}. The caller holds the lock of the digest. */
  async place(staged: Staged): Promise<void> {
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

  async discard({ path, hex }: Staged): Promise<void> {
    await rm(path, { force: true })
    // not before its second name is gone, which counts in what the file system says of the file
    if (this.#published.delete(path)) this.#trust(hex, await factsOf(this.#fileOf(hex)))
  }

  /** Small files are hashed now, unless they were a moment ago; large ones as they are read. */
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

  async has(hex: string): Promise<boolean> {
    return (await factsOf(this.#fileOf(hex))) !== null
  }

  /** Moves a file out of sight; null when there is none. The caller holds the lock of the digest. */
  async hide(hex: string): Promise<Hidden | null> {
    this.#trusted.delete(hex)
    const path = this.#staging.fresh()
    const facts = await movedTo(this.#fileOf(hex), path)
    return facts && { hex, path, size: Number(facts.size) }
  }

  /** Puts a hidden file back, unless there is one again. */
  async restore({ hex, path }: Hidden): Promise<void> {
    await linked(path, this.#fileOf(hex))
    await rm(path, { force: true })
  }

  /** Hides the files while no row can come, and removes them after that (removal.A3, removal.A4). */
  async remove(free: WithoutRows): Promise<readonly Removed[]> {
    const hidden: Hidden[] = []
    try {
      await free(async (_tx, hexes) => {
        for (const hex of hexes) {
          // oxlint-disable-next-line no-await-in-loop -- what is hidden must be known when a later one fails
          const file = await this.hide(hex)
          if (file) hidden.push(file)
        }
      })
    } catch (error) {
      // the lock may have been lost before, and somebody may count on the bytes
      await Promise.all(hidden.map((file) => this.restore(file)))
      throw error
    }
    await Promise.all(hidden.map(({ path }) => rm(path, { force: true })))
    return hidden
  }

  async *all(): AsyncGenerator<readonly Kept[]> {
    const root = join(this.#directory, 'sha256')
    for (const folder of (await readdir(root)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
      const names = await readdir(join(root, folder)).catch(missingAsNull)
      yield (names ?? [])
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .map((hex) => ({ hex, isOld: async () => (await ageOf(this.#fileOf(hex))) >= DAY_MS }))
    }
  }

  dropDeadUploads(): Promise<number> {
    return this.#staging.dropDead()
  }

  async check(): Promise<Check> {
    await access(this.#directory, constants.R_OK | constants.W_OK)
    const { bavail, bsize } = await statfs(this.#directory)
    if (bavail * bsize >= MIN_FREE_BYTES) return { status: 'ok', detail: null }
    return { status: 'degraded', detail: `less than ${MIN_FREE_BYTES / 2 ** 20} MiB are free for artifacts` }
  }

  async close(): Promise<void> {}

  #checked(hex: string, facts: BigIntStats): AsyncGenerator<Uint8Array> {
    return unchanged(createReadStream(this.#fileOf(hex), { highWaterMark: READ_CHUNK }), hex, {
      same: () => this.#trust(hex, facts),
      changed: async () => void (await this.#spoiled(hex, facts)),
    })
  }

  /** Sets a file aside that is not what it should be. */
  async #spoiled(hex: string, { ino }: BigIntStats): Promise<Lookup> {
    this.#trusted.delete(hex)
    const aside = this.#staging.fresh()
    const moved = await movedTo(this.#fileOf(hex), aside)
    // an upload was faster, and what was moved is whole
    if (moved && moved.ino !== ino) await this.restore({ hex, path: aside, size: Number(moved.size) })
    return { kind: 'corrupt' }
  }

  /** Puts staged bytes in the place of a file; the staged one stays, for the transaction may be tried again. */
  async #replace(path: string, staged: Staged): Promise<void> {
    const second = this.#staging.fresh()
    await link(staged.path, second)
    await rename(second, path)
  }

  async #assertThere(): Promise<void> {
    const temp = await factsOf(this.#staging.directory)
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

  #fileOf(hex: string): string {
    return join(this.#directory, 'sha256', hex.slice(0, 2), hex)
  }
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

/** A stream that begins when something else has come to its end. */
async function* after(first: () => Promise<void>, open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  await first()
  yield* open()
}
