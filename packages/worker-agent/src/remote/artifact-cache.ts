/**
 * Bytes that a worker has fetched, kept in files named after their digests. Several agents of one user may share a folder:
 * files appear by renaming and are never changed, and one that another agent has removed is fetched again. What a file
 * holds is checked whenever it is read. Nothing here fails a call: without a folder of its own, or on a full disk, the
 * worker just keeps nothing. It removes no files but those that it has named.
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Part of the cap that may be written before the folder is looked at again: a look costs a call for each file. */
const LOOK_SHARE = 1 / 64
/** A temporary file of this age was left behind by an agent that was killed. */
const ABANDONED_MS = 3_600_000

/** What a cache is told. */
export interface ArtifactCacheOptions {
  /** Made with mode 0700 where it does not exist. */
  readonly directory: string
  /** The least recently used files leave when all of them are larger than this together. */
  readonly maxBytes: number
  /** Hears once why nothing can be kept. */
  readonly onProblem: (text: string) => void
}

interface Entry {
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

  constructor(options: ArtifactCacheOptions) {
    this.#options = options
  }

  /** The bytes of a digest, null when they are not here. */
  async get(digest: string): Promise<Uint8Array | null> {
    if (!(await this.#usable())) return null
    const path = this.#pathOf(digest)
    try {
      const data = await readFile(path)
      if (digestOf(data) === digest) {
        // the file system may not note when a file was read
        await utimes(path, new Date(), (await stat(path)).mtime).catch(() => undefined)
        return data
      }
      await rm(path, { force: true })
    } catch {
      // absent, or taken away meanwhile
    }
    return null
  }

  /** Keeps bytes, as far as there is room. Never rejects. */
  async put(digest: string, data: Uint8Array): Promise<void> {
    const { directory, maxBytes } = this.#options
    if (data.byteLength > maxBytes || !(await this.#usable())) return
    const temporary = join(directory, `.${randomUUID()}.tmp`)
    try {
      await writeFile(temporary, data, { mode: 0o600, flag: 'wx' })
      await rename(temporary, this.#pathOf(digest))
      await this.#trim(data.byteLength)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined)
      this.#complain((error as Error).message)
    }
  }

  async #trim(added: number): Promise<void> {
    const { maxBytes } = this.#options
    this.#writtenSinceLook += added
    if (this.#writtenSinceLook <= Math.min(this.#freeAtLook, maxBytes * LOOK_SHARE)) return
    const entries = (await this.#look()).toSorted((a, b) => a.usedMs - b.usedMs)
    let total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { path, bytes } of entries) {
      if (total <= maxBytes) break
      await rm(path, { force: true })
      total -= bytes
    }
    this.#writtenSinceLook = 0
    this.#freeAtLook = maxBytes - total
  }

  /** Files of ours. One that is being written now is none yet; one that nobody will finish counts as the oldest. */
  async #look(): Promise<Entry[]> {
    const { directory } = this.#options
    const names = (await readdir(directory)).filter((name) => /^(?:[0-9a-f]{64}|\.[0-9a-f-]{36}\.tmp)$/.test(name))
    const entries = names.map(async (name): Promise<Entry[]> => {
      const path = join(directory, name)
      const facts = await stat(path).catch(() => null)
      if (!facts) return []
      if (!name.startsWith('.')) return [{ path, bytes: facts.size, usedMs: facts.atimeMs }]
      return Date.now() - facts.mtimeMs > ABANDONED_MS ? [{ path, bytes: facts.size, usedMs: 0 }] : []
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
      this.#complain((error as Error).message)
      return false
    }
  }

  #complain(why: string): void {
    if (this.#complained) return
    this.#complained = true
    const { directory, onProblem } = this.#options
    onProblem(`no artifacts are kept in ${directory} (${why}); set SERVICE_ARTIFACT_CACHE to a folder of your own`)
  }

  #pathOf(digest: string): string {
    return join(this.#options.directory, digest.replace('sha256:', ''))
  }
}

const digestOf = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`
