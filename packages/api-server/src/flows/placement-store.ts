/**
 * SQL of the table `placement`: which engine runs a live flow, by the lease that it has, and in which epoch. Only a flow that
 * nobody has, or whose engine's lease is over, is taken; every change of hands is a new epoch.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** A flow that an engine has taken. */
export interface Taken {
  readonly flow: string
  readonly epoch: number
}

/** What an engine asks for. */
interface Claim {
  readonly lease: string
  /** Flows that it runs already, or cannot run. */
  readonly except: readonly string[]
  readonly most: number
}

/** Statements on places of flows. */
export const createPlacementStore = (sql: Sql) => ({
  ...transactional,

  /** The engine runs these flows no more. */
  async release(lease: string, flows: readonly string[]): Promise<void> {
    await sql`
      update placement set lease = null, epoch = epoch + 1 where lease = ${lease} and flow = any(${[...flows]}::uuid[])`
  },

  /** Has a lease take over what the earlier ones of the same engine still have; what that is. */
  renew: (lease: string, earlier: readonly string[]): Promise<Taken[]> =>
    sql<Taken[]>`
      update placement set lease = ${lease}, epoch = epoch + 1 where lease = any(${[...earlier]}::uuid[])
      returning flow, epoch`,

  /** Flows that are not to run, and that nobody has, whose values an engine has left unwritten that was killed. */
  owed: (): Promise<{ id: string; name: string }[]> =>
    sql<{ id: string; name: string }[]>`
      select flow.id, flow.name from flow left join placement on placement.flow = flow.id
      where wished = 'stopped' and ${isFree(sql)} and flow.id in (select flow from published_value)`,

  /** How many live flows are wished, over all engines, and how many of them are nobody's. */
  async count(): Promise<{ wished: number; free: number }> {
    const [row] = await sql<{ wished: number; free: number }[]>`
      select count(*)::int as wished, count(*) filter (where ${isFree(sql)})::int as free
      from flow left join placement on placement.flow = flow.id where ${isWished(sql)}`
    return row ?? { wished: 0, free: 0 }
  },
})

/** Statements of transactions. */
const transactional = {
  /** Has an engine run these flows, as far as they are nobody's or its own. */
  take: (tx: Sql, { lease, flows }: { readonly lease: string; readonly flows: readonly string[] }): Promise<Taken[]> =>
    tx<Taken[]>`
      insert into placement (flow, lease) select id, ${lease}::uuid from flow where id = any(${[...flows]}::uuid[]) order by id
      on conflict (flow) do update set lease = excluded.lease, epoch = placement.epoch + 1
      where ${isFree(tx)} or placement.lease = excluded.lease
      returning flow, epoch`,

  /** Has an engine run some of the wished flows that are nobody's, or that it has taken before and not begun. */
  claim: (tx: Sql, { lease, except, most }: Claim): Promise<Taken[]> =>
    tx<Taken[]>`
      insert into placement (flow, lease)
      select id, ${lease}::uuid from (
        select flow.id from flow left join placement on placement.flow = flow.id
        where ${isWished(tx)} and flow.id <> all(${[...except]}::uuid[])
          and (${isFree(tx)} or placement.lease = ${lease}::uuid)
        order by flow.id limit ${most}
      ) as free order by id
      on conflict (flow) do update set lease = excluded.lease, epoch = placement.epoch + 1
      where ${isFree(tx)} or placement.lease = excluded.lease
      returning flow, epoch`,
}

const isWished = (sql: Sql) => sql`flow.wished <> 'stopped' and flow.published_mode = 'live'`

/** Nobody has it, or somebody whose lease is over. */
const isFree = (sql: Sql) => sql`(
  placement.lease is null
  or not exists (select from engine where engine.lease = placement.lease and engine.lease_until > now()))`
