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

/** How groups are written. */
export interface GroupOptions<T> {
  /**
   * Whether an item takes more than one statement; unless given, every item does. A group without such an item is one
   * statement, its own transaction: it needs one trip to the database instead of three.
   */
  readonly needsMore?: (item: T) => boolean
  /** Whether an error fails all items of a group, as none of them is to blame for it; unless given, none does. */
  readonly failsAll?: (error: unknown) => boolean
}

const LIMIT = 1_000

/**
 * A writer whose `flush` puts items into the database in one transaction, in groups (see {@link createGathering}) of at
 * most 1,000 items. When a group fails, its items are written one by one, so that a bad one fails alone.
 */
export function createGroupWriter<T>(
  database: Pick<Database, 'sql' | 'transaction' | 'assertOutsideTransaction'>,
  flush: (sql: Sql, items: T[]) => Promise<void>,
  { needsMore = () => true, failsAll = () => false }: GroupOptions<T> = {},
): GroupWriter<T> {
  const commit = (group: readonly Waiting<T>[]): Promise<void> => {
    const items = group.map(({ item }) => item)
    return items.some(needsMore) ? database.transaction((tx) => flush(tx, items)) : flush(database.sql, items)
  }

  const settle = async (group: readonly Waiting<T>[]): Promise<void> => {
    try {
      await commit(group)
      for (const { resolve } of group) resolve()
    } catch (error) {
      if (group.length === 1 || failsAll(error)) for (const { reject } of group) reject(error)
      // oxlint-disable-next-line no-await-in-loop -- one after the other, in the order of arrival
      else for (const waiting of group) await settle([waiting])
    }
  }

  const write = createGathering(LIMIT, settle)
  return {
    write(item) {
      database.assertOutsideTransaction()
      return write(item)
    },
  }
}
