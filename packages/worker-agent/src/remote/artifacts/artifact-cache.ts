/**
 * Bytes that a worker has fetched, kept in files named after their digests. Several agents of one user may share a folder:
 * files appear by renaming and are never changed, and one that another agent has removed is fetched again. What a file
 * holds is checked whenever it is read. Nothing here fails a call: without a folder of its own, or on a full disk, the
 * worker just keeps nothing. It removes no files but those that it has named.
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { IncomingFile, slicesOf } from './incoming.ts'

/** Part of the cap that may be written before the folder is looked at again: a look costs a call for each file. */
const LOOK_SHARE = 1 / 64
/** A temporary file of this age was left behind by an agent that was killed. */
const ABANDONED_MS = 3_600_000
/** For so long what was hashed, and has not changed by what the file system says, is not hashed again. */
const TRUSTED_MS = 600_000
const READ_BYTES = 1024 * 1024
/** Files of which it is remembered when they were hashed. */
const MOST_TRUSTED = 10_000

/** What a cache is told. */
export interface ArtifactCacheOptions {
  /** Made with mode 0700 where it does not exist. */
  readonly directory: string
  /** The least recently used files leave when all of them are larger than this together. */
  readonly maxBytes: number
  /** Hears once why nothing can be kept. */
  readonly onProblem: (text: string) => void
}

/** A file that holds the bytes of a digest. */
export interface KeptFile {
  readonly path: string
  readonly size: number
}

interface Entry {
  readonly digest: string | null
  readonly path: string
  readonly bytes: number
  readonly usedMs: number
}

/** A folder of bytes by digest. */
export class ArtifactCache {
  readonly #options: ArtifactCacheOptions
  #ready: Promise<boolean> | null = null
  #writtenSinceLook = Number.POSITIVE_INFINITY
  #freeAtLook = 0
  #complained = false
  /** Nothing is kept, and it is known. */
  #isUseless = false
  /** Bytes that files being written may take. */
  #incoming = 0
  /** Digests in use, and how often. */
  readonly #held = new Map<string, number>()
  /** Files as they were when they were hashed last. */
  readonly #hashed = new Map<string, { readonly state: string; readonly atMs: number }>()
  readonly #checks = new Map<string, Promise<KeptFile | null>>()

  constructor(options: ArtifactCacheOptions) {
    this.#options = options
  }

  /** Whether so many bytes may have room here, as far as is known. */
  takes(size: number): boolean {
    return !this.#isUseless && size <= this.#options.maxBytes && this.#options.maxBytes > 0
  }

  /** The file of a digest, null when it is not here. Another agent may remove it at any time, this one not while it is held. */
  find(digest: string): Promise<KeptFile | null> {
    const running = this.#checks.get(digest)
    if (running) return running
    const check = this.#check(digest).finally(() => this.#checks.delete(digest))
    this.#checks.set(digest, check)
    return check
  }

  /** A file for so many bytes; null when there is no room, or nothing is kept. Ends by `keep` or `discard`. */
  async begin(size: number): Promise<IncomingFile | null> {
    const { directory, maxBytes } = this.#options
    if (size > maxBytes || !(await this.#usable())) return null
    this.#incoming += size
    const leave = (): void => void (this.#incoming -= size)
    try {
      if (await this.#makeRoom(size)) return await IncomingFile.create(join(directory, `.${randomUUID()}.tmp`), leave)
    } catch (error) {
      this.complain((error as Error).message)
    }
    leave()
    return null
  }

  /** Gives a file that has ended its name. Never rejects; null when that failed, and the file is gone. */
  async keep(digest: string, file: IncomingFile): Promise<KeptFile | null> {
    const path = this.#pathOf(digest)
    try {
      await rename(file.path, path)
      await this.#trust(digest, path)
      file.release()
      return { path, size: file.bytes }
    } catch (error) {
      this.complain((error as Error).message)
      await file.discard()
      return null
    }
  }

  /** Writes bytes to a file and keeps it, as far as there is room. Never rejects. */
  async put(digest: string, data: Uint8Array): Promise<void> {
    const file = await this.begin(data.byteLength)
    if (file && (await this.write(data, file)) !== null) await this.keep(digest, file)
  }

  /** The digest of bytes that a file has taken whole; null when the disk has not, and the file is gone. */
  async write(data: Uint8Array, file: IncomingFile): Promise<string | null> {
    try {
      // oxlint-disable-next-line no-await-in-loop -- no faster than the disk
      for (const slice of slicesOf(data)) await file.push(slice)
      return await file.end()
    } catch (error) {
      this.complain((error as Error).message)
      await file.discard()
      return null
    }
  }

  /** Keeps the file of a digest, here or to come, from making room for others until the result is called. */
  hold(digest: string): () => void {
    this.#held.set(digest, (this.#held.get(digest) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#held.get(digest) ?? 1) - 1
      if (left === 0) this.#held.delete(digest)
      else this.#held.set(digest, left)
    }
  }

  /** Says once why nothing can be kept. */
  complain(why: string): void {
    if (this.#complained) return
    this.#complained = true
    const { directory, onProblem } = this.#options
    onProblem(`no artifacts are kept in ${directory} (${why}); set SERVICE_ARTIFACT_CACHE to a folder of your own`)
  }

  async #check(digest: string): Promise<KeptFile | null> {
    if (!(await this.#usable())) return null
    const path = this.#pathOf(digest)
    try {
      const { state, size } = await stateOf(path)
      const known = this.#hashed.get(digest)
      const isTrusted = known?.state === state && performance.now() - known.atMs < TRUSTED_MS
      if (isTrusted || (await digestOf(path)) === digest) {
        // the file system may not note when a file was read
        await utimes(path, new Date(), (await stat(path)).mtime).catch(() => undefined)
        await this.#trust(digest, path, isTrusted ? known.atMs : undefined)
        return { path, size }
      }
      await rm(path, { force: true })
    } catch {
      // absent, or taken away meanwhile
    }
    this.#hashed.delete(digest)
    return null
  }

  async #trust(digest: string, path: string, atMs = performance.now()): Promise<void> {
    const { state } = await stateOf(path)
    this.#hashed.delete(digest)
    this.#hashed.set(digest, { state, atMs })
    for (const oldest of this.#hashed.keys()) {
      if (this.#hashed.size <= MOST_TRUSTED) break
      this.#hashed.delete(oldest)
    }
  }

  /** Removes what was not used for longest, until there is room for all that is being written; false when there is none. */
  async #makeRoom(size: number): Promise<boolean> {
    const { maxBytes } = this.#options
    this.#writtenSinceLook += size
    if (this.#writtenSinceLook <= Math.min(this.#freeAtLook, maxBytes * LOOK_SHARE)) return true
    const entries = (await this.#look()).toSorted((a, b) => a.usedMs - b.usedMs)
    let total = entries.reduce((sum, { bytes }) => sum + bytes, this.#incoming)
    for (const { digest, path, bytes } of entries) {
      if (total <= maxBytes) break
      if (digest !== null && this.#held.has(digest)) continue
      // oxlint-disable-next-line no-await-in-loop -- no more than has to
      await rm(path, { force: true })
      total -= bytes
    }
    this.#writtenSinceLook = 0
    this.#freeAtLook = maxBytes - total
    return total <= maxBytes
  }

  /** Files of ours. One that is being written now is none yet; one that nobody will finish counts as the oldest. */
  async #look(): Promise<Entry[]> {
    const { directory } = this.#options
    const names = (await readdir(directory)).filter((name) => /^(?:[0-9a-f]{64}|\.[0-9a-f-]{36}\.tmp)$/.test(name))
    const entries = names.map(async (name): Promise<Entry[]> => {
      const path = join(directory, name)
      const facts = await stat(path).catch(() => null)
      if (!facts) return []
      if (!name.startsWith('.')) return [{ digest: `sha256:${name}`, path, bytes: facts.size, usedMs: facts.atimeMs }]
      return Date.now() - facts.mtimeMs > ABANDONED_MS ? [{ digest: null, path, bytes: facts.size, usedMs: 0 }] : []
    })
    return (await Promise.all(entries)).flat()
  }

  #usable(): Promise<boolean> {
    this.#ready ??= this.#prepare()
    return this.#ready
  }

  async #prepare(): Promise<boolean> {
    const { directory, maxBytes } = this.#options
    if (maxBytes <= 0) return false
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const facts = await lstat(directory)
      if (!facts.isDirectory()) throw new Error('it is no directory')
      // whoever owns a folder can put other files, or links, in the place of ours
      if (process.getuid && facts.uid !== process.getuid()) throw new Error('it belongs to another user')
      return true
    } catch (error) {
      this.#isUseless = true
      this.complain((error as Error).message)
      return false
    }
  }

  #pathOf(digest: string): string {
    return join(this.#options.directory, digest.replace('sha256:', ''))
  }
}

/** What changes whenever somebody writes to a file, or puts another one in its place. */
async function stateOf(path: string): Promise<{ state: string; size: number }> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
  return { state: [ino, size, mtimeNs, ctimeNs].join(' '), size: Number(size) }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) hash.update(chunk as Buffer)
  return `sha256:${hash.digest('hex')}`
}
