/**
 * Group commit: writes of the same moment share one transaction, and so one sync to disk.
 * @module
 */
import { setImmediate } from 'node:timers/promises'

import type { Database } from './backend.ts'
import type { Sql } from './values.ts'

/** Writes items, many in one commit. */
export interface GroupWriter<T> {
  /** Resolves after the commit that holds the item; rejects when the item could not be written. */
  write(item: T): Promise<void>
}

interface Waiting<T> {
  item: T
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * A writer whose `flush` puts items into the database in one transaction. One flush runs at a time, and takes all that
 * gathered during the one before, or in the same turn of the event loop: an item alone is written at once. When a batch fails, its items are written one by
 * one, so that a bad one fails alone. At most `limit` items (default 1,000) share a commit.
 */
export function createGroupWriter<T>(
  database: Pick<Database, 'transaction' | 'assertOutsideTransaction'>,
  flush: (tx: Sql, items: T[]) => Promise<void>,
  limit = 1_000,
): GroupWriter<T> {
  let gathered: Waiting<T>[] = []
  let flushing = false

  const commit = (batch: Waiting<T>[]): Promise<void> =>
    database.transaction((tx) =>
      flush(
        tx,
        batch.map(({ item }) => item),
      ),
    )

  const settle = async (batch: Waiting<T>[]): Promise<void> => {
    try {
      await commit(batch)
      for (const { resolve } of batch) resolve()
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      // oxlint-disable-next-line no-await-in-loop -- one after the other, in the order of arrival
      else for (const waiting of batch) await settle([waiting])
    }
  }

  const drain = async (): Promise<void> => {
    flushing = true
    await setImmediate()
    while (gathered.length > 0) {
      const batch = gathered.splice(0, limit)
      // oxlint-disable-next-line no-await-in-loop -- one flush at a time is the point
      await settle(batch)
    }
    flushing = false
  }

  return {
    write(item) {
      database.assertOutsideTransaction()
      return new Promise((resolve, reject) => {
        gathered.push({ item, resolve, reject })
        if (!flushing) void drain()
      })
    },
  }
}
