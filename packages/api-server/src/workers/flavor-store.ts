/**
 * SQL of the table `flavor`.
 * @module
 */
import type { Flavor, FlavorUpdate } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'

/** A flow whose draft or published form names a flavor. */
export interface FlavorUser {
  readonly flow: string
  readonly draft: boolean
  readonly published: boolean
}

const columns = (sql: Sql) => sql`name, cpus, gpus, ram_mb, description`

/** Statements on flavors. */
export type FlavorStore = ReturnType<typeof createFlavorStore>

/** Statements on flavors, on the database or in a transaction. */
export const createFlavorStore = (sql: Sql) => ({
  list: (): Promise<Flavor[]> => sql<Flavor[]>`select ${columns(sql)} from flavor order by name collate "C"`,

  /** Whether there was none of the name. */
  async add({ name, cpus, gpus, ram_mb: ramMb, description }: Flavor): Promise<boolean> {
    const { count } = await sql`
      insert into flavor (name, cpus, gpus, ram_mb, description)
      values (${name}, ${cpus}, ${gpus}, ${ramMb}, ${description})
      on conflict (name) do nothing`
    return count === 1
  },

  /** The flavor as it is then; null when there is none. */
  async update(name: string, { cpus, gpus, ram_mb: ramMb, description }: FlavorUpdate): Promise<Flavor | null> {
    const [row] = await sql<Flavor[]>`
      update flavor set
        cpus = coalesce(${cpus ?? null}::double precision, cpus),
        gpus = coalesce(${gpus ?? null}::integer, gpus),
        ram_mb = coalesce(${ramMb ?? null}::integer, ram_mb),
        description = coalesce(${description ?? null}::text, description)
      where name = ${name} returning ${columns(sql)}`
    return row ?? null
  },

  /** Whether there was one. */
  async remove(name: string): Promise<boolean> {
    const { count } = await sql`delete from flavor where name = ${name}`
    return count === 1
  },

  /** The flows that name it, by name. */
  users: (name: string): Promise<FlavorUser[]> =>
    sql<FlavorUser[]>`
      select flow, draft, published from (
        select name as flow,
          coalesce(draft #>> '{resources,flavor}' = ${name}, false) as draft,
          coalesce(published #>> '{resources,flavor}' = ${name}, false) as published
        from flow
      ) as forms
      where draft or published
      order by flow collate "C"`,
})
