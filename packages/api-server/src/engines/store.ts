/**
 * SQL of the table `engine`.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** One life of an engine. */
export interface EngineRow {
  readonly id: string
  /** The machine and the process, as messages name it. */
  readonly name: string
  /** URL of its API; null until it listens. */
  readonly address: string | null
  readonly version: string
}

/** Statements on engines. */
export const createEngineStore = (sql: Sql) => ({
  /** Says that an engine lives; whether it was in contact until now. */
  async contact({ id, name, address, version }: EngineRow): Promise<boolean> {
    const [row] = await sql<{ held: boolean }[]>`
      with before as (select engine_in_contact(${id}) as held)
      insert into engine (id, name, address, version) values (${id}, ${name}, ${address}, ${version})
      on conflict (id) do update set address = excluded.address, contact_at = now()
      returning (select held from before) as held`
    return row?.held ?? false
  },

  /** Removes an engine that has ended, and those that nobody has heard of for a day. */
  async remove(id: string | null): Promise<void> {
    await sql`delete from engine where id = ${id}::uuid or contact_at < now() - interval '1 day'`
  },
})
