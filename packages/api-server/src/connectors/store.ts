/**
 * SQL of the table `connector_state`.
 * @module
 */
import { MAX_STORE_KEYS } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'

/** Statements on what packages keep, on the database or in a transaction. */
export const createConnectorStateStore = (sql: Sql) => ({
  async keys(namespace: string): Promise<string[]> {
    const rows = await sql<{ key: string }[]>`
      select key from connector_state where package = ${namespace} order by key collate "C"`
    return rows.map(({ key }) => key)
  },

  /** The sealed text of a key; null when there is none. */
  async read(namespace: string, key: string): Promise<string | null> {
    const [row] = await sql<{ sealed: string }[]>`
      select sealed from connector_state where package = ${namespace} and key = ${key}`
    return row?.sealed ?? null
  },

  /** Stores a text unless it is one too many for its package; in a transaction, as it counts. Whether it is stored. */
  async put(namespace: string, key: string, sealed: string): Promise<boolean> {
    // who counts at the same time waits
    await sql`select pg_advisory_xact_lock(hashtextextended(${`connector_state ${namespace}`}, 0))`
    const { count } = await sql`
      insert into connector_state (package, key, sealed)
      select ${namespace}, ${key}, ${sealed}
      where (select count(*) from connector_state where package = ${namespace} and key <> ${key}) < ${MAX_STORE_KEYS}
      on conflict (package, key) do update set sealed = excluded.sealed, updated_at = now()`
    return count === 1
  },

  /** Whether the key was there. */
  async remove(namespace: string, key: string): Promise<boolean> {
    const { count } = await sql`delete from connector_state where package = ${namespace} and key = ${key}`
    return count === 1
  },

  /** How many keys there were. */
  async clear(namespace: string): Promise<number> {
    const { count } = await sql`delete from connector_state where package = ${namespace}`
    return count
  },
})
