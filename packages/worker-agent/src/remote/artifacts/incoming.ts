/**
 * Bytes of one artifact on their way in, in a file or in memory: what has arrived stays when a connection breaks, and is
 * hashed as it comes. A file is written beside the arrival of the next bytes, so that neither waits for the other.
 * @module
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'

/** Bytes that are written at a time, unless no more come. */
const WRITE_BYTES = 1024 * 1024
/** Bytes that may wait for the disk before the sender has to. */
const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024

/** What of bytes in memory is hashed or handed on at a time: everything else on this thread waits meanwhile. */
export const SLICE_BYTES = 1024 * 1024

/** Where arriving bytes go. */
export interface Incoming {
  /** Bytes that have arrived. */
  readonly bytes: number
  /** Takes the next bytes, which nobody changes any more. A promise asks the sender to wait. */
  push(chunk: Buffer): void | Promise<void>
  /** The digest of everything that has arrived. Nothing more may come. */
  end(): Promise<string>
  /** Gives up; never rejects. */
  discard(): Promise<void>
}

/** The disk does not take what has arrived. */
export class NotWritten extends Error {}

/** Bytes in a new file. */
export class IncomingFile implements Incoming {
  readonly path: string
  #bytes = 0
  readonly #hash = createHash('sha256')
  #queue: Buffer[] = []
  #queued = 0
  #writing: Promise<void> | null = null
  #failure: NotWritten | null = null
  readonly #file: FileHandle

  /** The room that it takes is told elsewhere from now on, or free. */
  readonly release: () => void

  private constructor(path: string, file: FileHandle, release: () => void) {
    this.path = path
    this.#file = file
    this.release = release
  }

  /** `onOver` is called once, when the file has another name or is gone. */
  static async create(path: string, onOver: () => void): Promise<IncomingFile> {
    return new IncomingFile(path, await open(path, 'wx', 0o600), once(onOver))
  }

  get bytes(): number {
    return this.#bytes
  }

  push(chunk: Buffer): void | Promise<void> {
    if (this.#failure) throw this.#failure
    this.#queue.push(chunk)
    this.#queued += chunk.length
    this.#bytes += chunk.length
    if (this.#queued < WRITE_BYTES) return
    if (!this.#writing) this.#write()
    else if (this.#queued > MAX_UNWRITTEN_BYTES) return this.#writing
  }

  async end(): Promise<string> {
    while (!this.#failure && (this.#writing || this.#queued > 0)) {
      if (!this.#writing) this.#write()
      // oxlint-disable-next-line no-await-in-loop -- one write after the other
      await this.#writing
    }
    if (this.#failure) throw this.#failure
    await this.#settle(this.#file.close())
    return `sha256:${this.#hash.digest('hex')}`
  }

  async discard(): Promise<void> {
    this.#queue = []
    this.#queued = 0
    await this.#writing
    await this.#file.close().catch(() => undefined)
    await rm(this.path, { force: true }).catch(() => undefined)
    this.release()
  }

  #write(): void {
    const [batch, size, at] = [this.#queue, this.#queued, this.#bytes - this.#queued]
    this.#queue = []
    this.#queued = 0
    const written = this.#file.writev(batch, at)
    // on this thread, while another one writes
    for (const chunk of batch) this.#hash.update(chunk)
    this.#writing = this.#settle(written.then(({ bytesWritten }) => this.#writeRest(batch, size, bytesWritten, at)))
      .catch(() => undefined)
      .then(() => {
        this.#writing = null
        if (this.#queued >= WRITE_BYTES && !this.#failure) this.#write()
      })
  }

  /** A write may stop early: most often because the disk is full, which the next one tells. */
  async #writeRest(batch: Buffer[], size: number, written: number, at: number): Promise<void> {
    if (written === size) return
    const rest = Buffer.concat(batch).subarray(written)
    let done = 0
    while (done < rest.length) {
      // oxlint-disable-next-line no-await-in-loop -- one write after the other
      done += (await this.#file.write(rest, done, rest.length - done, at + written + done)).bytesWritten
    }
  }

  async #settle(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#failure ??= new NotWritten((error as Error).message)
      throw this.#failure
    }
  }
}

/** Bytes in memory, where they are few or no file may hold them. */
export class IncomingBytes implements Incoming {
  /** They are gone soon, and nobody is to keep them. */
  readonly isVolatile: boolean
  /** All bytes, where their number is known before they come; else they are held as they came, and then put together. */
  readonly #whole: Buffer | null
  #chunks: Buffer[] = []
  readonly #hash = createHash('sha256')
  #bytes = 0

  /** `size` is null where nobody has told it. */
  constructor(size: number | null, isVolatile: boolean) {
    this.isVolatile = isVolatile
    this.#whole = size === null ? null : Buffer.allocUnsafeSlow(size)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** What has arrived, once everything has. */
  get data(): Buffer {
    return this.#whole ?? Buffer.concat(this.#chunks)
  }

  push(chunk: Buffer): void {
    this.#hash.update(chunk)
    if (this.#whole) chunk.copy(this.#whole, this.#bytes)
    else this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }

  async end(): Promise<string> {
    return `sha256:${this.#hash.digest('hex')}`
  }

  async discard(): Promise<void> {
    this.#chunks = []
  }
}

/** Views of bytes, one after the other. */
export function* slicesOf(data: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < data.byteLength; at += SLICE_BYTES) {
    yield Buffer.from(data.buffer, data.byteOffset + at, Math.min(SLICE_BYTES, data.byteLength - at))
  }
}

function once(callback: () => void): () => void {
  let isOver = false
  return () => {
    if (!isOver) callback()
    isOver = true
  }
}
