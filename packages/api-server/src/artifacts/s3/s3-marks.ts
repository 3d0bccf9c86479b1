/**
 * SQL of the table `blob_removal`: which bytes are being removed from a store that is reached over a network. Without it a
 * deletion that is under way could take bytes that somebody has put there meanwhile, for no transaction is open so long.
 * @module
 */
import type { Sql } from '../../db/database.ts'

/** A removal that has not ended after this long has died, and what it asked of the store is over, in seconds. */
const REMOVAL_S = 120

/** Marks of removals. */
export const createMarks = (sql: Sql) => ({
  /** The time of the database, from which on bytes are put; null while they are being removed. */
  async start(hex: string): Promise<string | null> {
    const [row] = await sql<{ now: string; busy: boolean }[]>`
      select clock_timestamp()::text as now, exists (
        select from blob_removal where digest = ${hex} and ended_at is null
          and begun_at > clock_timestamp() - make_interval(secs => ${REMOVAL_S})
      ) as busy`
    return row && !row.busy ? row.now : null
  },

  /** Says that bytes are being removed, in a transaction in which none of them has a row. */
  async begin(tx: Sql, hexes: readonly string[]): Promise<void> {
    await tx`
      insert into blob_removal (digest) select unnest(${hexes as string[]}::text[])
      on conflict (digest) do update set begun_at = clock_timestamp(), ended_at = null`
  },

  /** Says that nothing is on its way to the store any more that would remove these bytes. */
  async end(hex: string): Promise<void> {
    await sql`update blob_removal set ended_at = clock_timestamp() where digest = ${hex}`
  },

  /**
   * Whether bytes that were put from `since` on may have been removed meanwhile, asked by who holds the lock of their row: a
   * removal takes that lock before it begins.
   */
  async hasRemoved(tx: Sql, hex: string, since: string): Promise<boolean> {
    const rows = await tx`
      select from blob_removal
      where digest = ${hex} and case when ended_at is null
        then begun_at > clock_timestamp() - make_interval(secs => ${REMOVAL_S})
        else ended_at >= ${since}::timestamptz end`
    return rows.length > 0
  },

  /** Forgets removals of which nobody needs to know any more. */
  async forget(): Promise<void> {
    await sql`delete from blob_removal where begun_at < now() - interval '1 day'`
  },
})

/** Marks of removals. */
export type Marks = ReturnType<typeof createMarks>
