/**
 * Rows that nobody waits for: they are written soon, many in one commit, and again and again while the database is away: an
 * insert that was committed may come once more. A flood beyond what may wait is dropped, and counted once the database has
 * caught up.
 * @module
 */
import type { Database } from './backend.ts'
import { createGroupWriter, type GroupWriter } from './group-writer.ts'
import { isOutage } from './outage.ts'
import type { Sql } from './values.ts'

/** Rows that may wait to be written, and characters of what they hold. */
const MAX_WAITING = 10_000
const MAX_WAITING_SIZE = 32 * 1024 * 1024
/** Between two attempts while the database is away. */
const AGAIN_MS = 500

/** What writing behind takes. */
export interface WriteBehindDeps<T> {
  readonly database: Pick<Database, 'sql' | 'transaction' | 'assertOutsideTransaction'>
  readonly insert: (tx: Sql, rows: readonly T[]) => Promise<void>
  /** How many characters a row holds, as far as they may be many. */
  readonly sizeOf: (row: T) => number
  /** A row could not be written, and is not tried again. */
  readonly onFailed: (error: unknown, row: T) => void
  /** So many rows were dropped. */
  readonly onLost: (count: number) => void
}

/** Writes rows behind. */
export interface WriteBehind<T> {
  /** Writes the row that `make` makes, which is not called when too much waits. Never rejects, never blocks. */
  add(make: () => T): void
  /** Resolves, when all that was added is committed or given up, to how much of it was waiting. Rejects while the database is away. */
  flush(): Promise<number>
  /** As `flush`, however long the database is away. */
  written(): Promise<void>
  /** As `flush`, and gives up what the database does not take now. */
  close(): Promise<void>
}

/** A writer behind on a database. */
export const createWriteBehind = <T>(deps: WriteBehindDeps<T>): WriteBehind<T> => new Writer(deps)

class Writer<T> implements WriteBehind<T> {
  readonly #deps: WriteBehindDeps<T>
  readonly #writer: GroupWriter<T>
  readonly #waiting = new Set<Promise<void>>()
  #waitingSize = 0
  #lost = 0
  /** Rejects when the database turns out to be away. */
  #outage = outage()
  /** Ends the pause before the next attempt; null while there is none. */
  #pause: PromiseWithResolvers<void> | null = null
  #isClosed = false

  constructor(deps: WriteBehindDeps<T>) {
    this.#deps = deps
    this.#writer = createGroupWriter(deps.database, deps.insert, { failsAll: isOutage })
  }

  add(make: () => T): void {
    if (this.#waiting.size >= MAX_WAITING || this.#waitingSize >= MAX_WAITING_SIZE) {
      this.#lost += 1
      return
    }
    const row = make()
    const size = this.#deps.sizeOf(row)
    const writing = this.#write(row)
    this.#waiting.add(writing)
    this.#waitingSize += size
    void writing.then(() => this.#settled(writing, size))
  }

  async flush(): Promise<number> {
    const { size } = this.#waiting
    await Promise.race([this.written(), this.#outage.promise])
    return size
  }

  async written(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#pause?.resolve()
    await this.written()
  }

  async #write(row: T): Promise<void> {
    for (;;) {
      // oxlint-disable no-await-in-loop -- the next attempt follows the failure of this one
      try {
        return await this.#writer.write(row)
      } catch (error) {
        if (this.#isClosed || !isOutage(error)) return this.#deps.onFailed(error, row)
        await this.#pauseAfter(error)
      }
      // oxlint-enable no-await-in-loop
    }
  }

  /** All rows of one attempt wait for the next one together, which keeps their order. */
  #pauseAfter(error: unknown): Promise<void> {
    if (this.#pause === null) {
      this.#outage.reject(error)
      this.#outage = outage()
      this.#pause = Promise.withResolvers()
      const again = setTimeout(() => this.#pause?.resolve(), AGAIN_MS)
      void this.#pause.promise.then(() => {
        clearTimeout(again)
        this.#pause = null
      })
    }
    return this.#pause.promise
  }

  #settled(writing: Promise<void>, size: number): void {
    this.#waiting.delete(writing)
    this.#waitingSize -= size
    if (this.#waiting.size > 0 || this.#lost === 0) return
    this.#deps.onLost(this.#lost)
    this.#lost = 0
  }
}

function outage(): PromiseWithResolvers<never> {
  const made = Promise.withResolvers<never>()
  // nobody may be waiting
  made.promise.catch(() => {})
  return made
}
