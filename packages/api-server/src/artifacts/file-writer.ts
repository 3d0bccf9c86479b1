/**
 * Writes a stream to a file behind its source: one write is under way while the next is gathered, and what is written
 * goes to the disk meanwhile, so that the end of a large file has little left to wait for.
 * @module
 */
import type { FileHandle } from 'node:fs/promises'

/** Bytes of one write. Two of them are in memory at most, and what the source is ahead. */
const WRITE_BYTES = 512 * 1024
const SYNC_BYTES = 32 * 1024 * 1024

/** Writes to a file that nobody else writes to. */
export class FileWriter {
  readonly #file: FileHandle
  #gathered: Uint8Array[] = []
  #size = 0
  #unsynced = 0
  #writing: Promise<void> = Promise.resolve()
  #syncing: Promise<void> = Promise.resolve()

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Takes bytes, which must not change any more. Resolves when there is room for more; fails as the file does. */
  async add(chunk: Uint8Array): Promise<void> {
    this.#gathered.push(chunk)
    this.#size += chunk.length
    if (this.#size >= WRITE_BYTES) await this.#pass()
  }

  /** Resolves when everything is on the disk. */
  async end(): Promise<void> {
    await this.#pass()
    await this.#writing
    await this.#syncing
    await this.#file.datasync()
  }

  /** Resolves when nothing is under way: the file can be closed. Never fails. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing])
  }

  async #pass(): Promise<void> {
    await this.#writing
    const chunks = this.#gathered
    this.#unsynced += this.#size
    this.#gathered = []
    this.#size = 0
    this.#writing = writeAll(this.#file, chunks)
    // its failure is that of the next call
    this.#writing.catch(() => undefined)
    if (this.#unsynced >= SYNC_BYTES) await this.#sync()
  }

  async #sync(): Promise<void> {
    this.#unsynced = 0
    await this.#syncing
    this.#syncing = this.#writing.then(() => this.#file.datasync())
    this.#syncing.catch(() => undefined)
  }
}

/** A file system may write less than it was given. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let rest = chunks
  while (rest.length > 0) {
    // oxlint-disable-next-line no-await-in-loop -- the next write follows what this one has left
    const { bytesWritten } = await file.writev(rest)
    rest = after(rest, bytesWritten)
  }
}

/** What is left of chunks behind this many bytes. */
function after(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = bytes
  const rest: Uint8Array[] = []
  for (const chunk of chunks) {
    if (skipped < chunk.length) rest.push(chunk.subarray(skipped))
    skipped = Math.max(0, skipped - chunk.length)
  }
  return rest
}
