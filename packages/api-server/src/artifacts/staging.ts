/**
 * Uploads on their way, as files of a folder of their own: each is hashed while it is written, for its name is its digest.
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { hasCode } from '../process/system-error.ts'
import { type Staged, TooManyBytes } from './content-store.ts'
import { FileWriter } from './file-writer.ts'

export const DAY_MS = 86_400_000

/** A folder of uploads. */
export class Staging {
  readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
  }

  /**
   * Opens the folder. Uploads that a crash left behind are removed; with `shared` (other engines use the folder too) only
   * those older than a day.
   */
  static async open(directory: string, shared: boolean): Promise<Staging> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const staging = new Staging(directory)
    await staging.#sweep(shared ? DAY_MS : null)
    return staging
  }

  /** A path that nothing has. */
  fresh(): string {
    return join(this.directory, randomUUID())
  }

  /** Writes a stream to the disk. Throws {@link TooManyBytes}; leaves nothing behind when it throws. */
  async write(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Staged> {
    const path = this.fresh()
    try {
      return { path, ...(await write(path, source, maxBytes)) }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  /** Ends an upload. */
  remove(path: string): Promise<void> {
    return rm(path, { force: true })
  }

  /** Removes uploads that nobody has written to for a day; tells how many. */
  dropDead(): Promise<number> {
    return this.#sweep(DAY_MS)
  }

  /** With an age only those that are older, for the clocks of file systems run ahead of the machine's. */
  async #sweep(minAgeMs: number | null): Promise<number> {
    let count = 0
    for (const name of await readdir(this.directory)) {
      const path = join(this.directory, name)
      const isLeft = minAgeMs === null || (await ageOf(path)) >= minAgeMs
      if (!isLeft) continue
      await rm(path, { recursive: true, force: true })
      count += 1
    }
    return count
  }
}

/** In milliseconds; nothing has no age. */
export async function ageOf(path: string): Promise<number> {
  try {
    return Date.now() - (await stat(path)).mtimeMs
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
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
