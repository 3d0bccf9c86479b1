/**
 * Group commit: writes of the same moment share one transaction, and so one sync to disk.
 * @module
 */
import type { Database } from './backend.ts'
import { createGathering, type Waiting } from './gathering.ts'
import type { Sql } from './values.ts'

/** Writes items, many in one commit. */
export interface GroupWriter<T> {
  /** Resolves after the commit that holds the item; rejects when the item could not be written. */
  write(item: T): Promise<void>
}

/**
 * A writer whose `flush` puts items into the database in one transaction, in groups (see {@link createGathering}) of at
 * most `limit` items (default 1,000). When a group fails, its items are written one by one, so that a bad one fails
 * alone.
 */
export function createGroupWriter<T>(
  database: Pick<Database, 'transaction' | 'assertOutsideTransaction'>,
  flush: (tx: Sql, items: T[]) => Promise<void>,
  limit = 1_000,
): GroupWriter<T> {
  const commit = (group: readonly Waiting<T>[]): Promise<void> =>
    database.transaction((tx) =>
      flush(
        tx,
        group.map(({ item }) => item),
      ),
    )

  const settle = async (group: readonly Waiting<T>[]): Promise<void> => {
    try {
      await commit(group)
      for (const { resolve } of group) resolve()
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error)
      // oxlint-disable-next-line no-await-in-loop -- one after the other, in the order of arrival
      else for (const waiting of group) await settle([waiting])
    }
  }

  const write = createGathering(limit, settle)
  return {
    write(item) {
      database.assertOutsideTransaction()
      return write(item)
    },
  }
}
