/**
 * Group commit of writes that are mostly one statement: such a statement is its own transaction, and needs one trip to
 * the database instead of three.
 * @module
 */
import type { Database, Sql } from '../db/database.ts'
import { createGroupWriter, type GroupWriter } from '../db/group-writer.ts'

/**
 * A group writer whose `flush` writes all items by one statement on `sql`. Groups with an item that `needsMore`
 * statements are written in a transaction, whose handle `flush` gets instead.
 */
export function createStatementGroup<T>(
  database: Database,
  needsMore: (item: T) => boolean,
  flush: (sql: Sql, items: T[]) => Promise<void>,
): GroupWriter<T> {
  const perStatement = {
    transaction: <R>(fn: (sql: Sql) => Promise<R>): Promise<R> => fn(database.sql),
    assertOutsideTransaction: () => database.assertOutsideTransaction(),
  }
  return createGroupWriter<T>(perStatement, (sql, items) =>
    items.some(needsMore) ? database.transaction((tx) => flush(tx, items)) : flush(sql, items),
  )
}
