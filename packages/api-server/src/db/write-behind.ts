/**
 * Rows that nobody waits for: they are written soon, many in one commit. A flood beyond what may wait is dropped, and
 * counted once the database has caught up.
 * @module
 */
import type { Database } from './backend.ts'
import { createGroupWriter } from './group-writer.ts'
import type { Sql } from './values.ts'

/** Rows that may wait to be written, and characters of what they hold. */
const MAX_WAITING = 10_000
const MAX_WAITING_SIZE = 32 * 1024 * 1024

/** What writing behind takes. */
export interface WriteBehindDeps<T> {
  readonly database: Pick<Database, 'sql' | 'transaction' | 'assertOutsideTransaction'>
  readonly insert: (tx: Sql, rows: readonly T[]) => Promise<void>
  /** How many characters a row holds, as far as they may be many. */
  readonly sizeOf: (row: T) => number
  /** A row could not be written. */
  readonly onFailed: (error: unknown, row: T) => void
  /** So many rows were dropped. */
  readonly onLost: (count: number) => void
}

/** Writes rows behind. */
export interface WriteBehind<T> {
  /** Writes the row that `make` makes, which is not called when too much waits. Never rejects, never blocks. */
  add(make: () => T): void
  /** Resolves, when all that was added is committed or given up, to how much of it was waiting. */
  flush(): Promise<number>
}

/** A writer behind on a database. */
export function createWriteBehind<T>(deps: WriteBehindDeps<T>): WriteBehind<T> {
  const writer = createGroupWriter<T>(deps.database, deps.insert)
  const waiting = new Set<Promise<void>>()
  let waitingSize = 0
  let lost = 0

  const write = async (row: T): Promise<void> => {
    try {
      await writer.write(row)
    } catch (error) {
      deps.onFailed(error, row)
    }
  }
  const written = (writing: Promise<void>, size: number): void => {
    waiting.delete(writing)
    waitingSize -= size
    if (waiting.size > 0 || lost === 0) return
    deps.onLost(lost)
    lost = 0
  }
  return {
    add(make) {
      if (waiting.size >= MAX_WAITING || waitingSize >= MAX_WAITING_SIZE) {
        lost += 1
        return
      }
      const row = make()
      const size = deps.sizeOf(row)
      const writing = write(row)
      waiting.add(writing)
      waitingSize += size
      void writing.then(() => written(writing, size))
    },
    async flush() {
      const { size } = waiting
      await Promise.all(waiting)
      return size
    },
  }
}
