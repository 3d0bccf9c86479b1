/**
 * Bytes that are kept back on the disk of the embedded database. PostgreSQL ends itself when its log cannot grow, and
 * does not open again before it can. So the log gets the reserve when the disk is full, and the database takes no more
 * writes until there is a reserve again. Other writers can fill the disk at any time: a look at the free space alone
 * would come too late.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

/** Two files of the log, 16 MiB each. */
const RESERVE_BYTES = 32 * 2 ** 20
/** A disk with more space than this needs no reserve yet. */
const AMPLE_BYTES = 512 * 2 ** 20
/** How often the disk is looked at, at most; a look takes some 5 µs. */
const LOOK_EVERY_MS = 250

/** The reserve of one database directory, in `<directory>.reserve` beside it. */
export class DiskReserve {
  readonly #directory: string
  readonly #file: string
  #isKept: boolean
  #isFull = false
  #lookedAt = -Infinity

  constructor(directory: string) {
    this.#directory = path.dirname(directory)
    this.#file = `${directory}.reserve`
    this.#isKept = sizeOf(this.#file) === RESERVE_BYTES
  }

  /** Whether the disk has neither space nor a reserve. Looks again when the last look is a while ago. */
  isFull(): boolean {
    const now = performance.now()
    if (!this.#isKept && now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now
      const { bavail, bsize } = fs.statfsSync(this.#directory)
      const free = bavail * bsize
      if (free < AMPLE_BYTES) this.#make(free)
      this.#isFull = free < AMPLE_BYTES && !this.#isKept
    }
    return this.#isFull
  }

  /** Gives the reserve to whoever could not write; false when there is none. */
  spend(): boolean {
    if (!this.#isKept) return false
    fs.rmSync(this.#file, { force: true })
    this.#isKept = false
    this.#lookedAt = -Infinity
    return true
  }

  #make(free: number): void {
    // what is written next needs space as well
    if (free < 2 * RESERVE_BYTES) return
    try {
      fs.writeFileSync(this.#file, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 })
      this.#isKept = true
    } catch {
      fs.rmSync(this.#file, { force: true })
    }
  }
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
