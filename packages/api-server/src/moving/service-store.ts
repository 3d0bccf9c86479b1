/**
 * SQL of the few rows of the service that moving knows one by one: what tells a database from others, which version it is of,
 * and whether an engine has it open.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'
import type { PinName } from '../db/pins.ts'

/** Statements on these rows. */
export const createServiceStore = (sql: Sql) => ({
  /** Notes when a migration was applied at the source. */
  async dateMigration(id: string, appliedAt: string): Promise<void> {
    affected(await sql`update migration set applied_at = ${appliedAt} where id = ${id}`, 1)
  },

  /** Forgets what engines of the database must have alike, of this name. */
  async forgetPin(name: PinName): Promise<void> {
    await sql`delete from pin where name = ${name}`
  },

  /** When which migration was applied; what else stands in the table is among them. */
  async migrations(): Promise<{ id: string; digest: string; appliedAt: string }[]> {
    return sql<{ id: string; digest: string; appliedAt: string }[]>`
      select id, digest, applied_at as "appliedAt" from migration order by id collate "C"`
  },

  /** The engine in contact that comes first; null when there is none. */
  async engineInContact(): Promise<string | null> {
    const [row] = await sql<{ name: string }[]>`
      select name from engine where engine_in_contact(id) order by name limit 1`
    return row?.name ?? null
  },

  /** What tells a database from others: the key of its secrets, and when it got that. */
  async identity(): Promise<string | null> {
    const [row] = await sql<{ id: string }[]>`select id || ' ' || created_at::text as id from secret_key`
    return row?.id ?? null
  },
})
