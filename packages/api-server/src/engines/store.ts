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
  /** Where workers attach to it; null when it says no address. */
  readonly attachUrl: string | null
  readonly version: string
}

/** Statements on engines. */
export const createEngineStore = (sql: Sql) => ({
  /** Says that an engine lives; whether it was in contact until now. */
  async contact({ id, name, address, attachUrl, version }: EngineRow): Promise<boolean> {
    const [row] = await sql<{ held: boolean }[]>`
      with before as (select engine_in_contact(${id}) as held)
      insert into engine (id, name, address, attach_url, version)
      values (${id}, ${name}, ${address}, ${attachUrl}, ${version})
      on conflict (id) do update set address = excluded.address, contact_at = now()
      returning (select held from before) as held`
    return row?.held ?? false
  },

  /** Where workers attach to the engines in contact, each address once. */
  async attachUrls(): Promise<string[]> {
    const rows = await sql<{ url: string }[]>`
      select distinct attach_url as url from engine where attach_url is not null and engine_in_contact(id) order by 1`
    return rows.map(({ url }) => url)
  },

  /** Removes an engine that has ended, and those that nobody has heard of for a day. */
  async remove(id: string | null): Promise<void> {
    await sql`delete from engine where id = ${id}::uuid or contact_at < now() - interval '1 day'`
  },
})
