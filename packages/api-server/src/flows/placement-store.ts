/**
 * SQL of the table `placement`: which engine runs a live flow, by the lease that it has, and in which epoch. Only a flow that
 * nobody has, or whose engine's lease is over, is taken; every change of hands is a new epoch.
 * @module
 */
import type { Database, Sql } from '../db/database.ts'
import { createFlowStore, type Wished } from './store.ts'

/** A flow that an engine has taken. */
export interface Taken {
  readonly flow: string
  readonly epoch: number
}

/** A flow that an engine lets go, in the epoch in which it took it. */
export interface Held extends Taken {
  /** Whether others are to run it. */
  readonly isLeft: boolean
}

/** What an engine asks for. */
export interface Claim {
  readonly lease: string
  /** Flows that it runs already, or cannot run. */
  readonly except: readonly string[]
  readonly most: number
}

/** Statements on places of flows. */
export type PlacementStore = ReturnType<typeof createPlacementStore>

/** Statements on places of flows. */
export const createPlacementStore = ({ sql, transaction }: Pick<Database, 'sql' | 'transaction'>) => ({
  /** Has an engine run these flows, as far as they are nobody's or its own, and wish them so unless that is null. */
  take: (lease: string, flows: readonly string[], wished: Wished | null): Promise<Taken[]> =>
    transaction(async (tx) => {
      const taken = await takeIn(tx, lease, flows)
      const ids = taken.map(({ flow }) => flow)
      if (wished !== null) await createFlowStore(tx).wishAll(ids, wished)
      return taken
    }),

  /** Has an engine run some of the wished flows that are nobody's, or that it has taken before and not begun. */
  claim: (claim: Claim): Promise<Taken[]> => transaction((tx) => claimIn(tx, claim)),

  /** The engine runs these flows no more, but what it has taken again since. */
  async release(lease: string, flows: readonly Held[]): Promise<void> {
    await sql`
      update placement set lease = null, epoch = placement.epoch + 1, left_at = case when held."isLeft" then now() end
      from json_to_recordset(${JSON.stringify(flows)}::json) as held (flow uuid, epoch bigint, "isLeft" boolean)
      where placement.lease = ${lease} and placement.flow = held.flow and placement.epoch = held.epoch`
  },

  /** Has a lease take over what the earlier ones of the same engine still have; what that is. */
  renew: (lease: string, earlier: readonly string[]): Promise<Taken[]> =>
    sql<Taken[]>`
      update placement set lease = ${lease}, epoch = epoch + 1 where lease = any(${[...earlier]}::uuid[])
      returning flow, epoch`,

  /** Flows that are not to run, and that nobody has, whose values an engine has left unwritten that was killed. */
  owed: (): Promise<{ id: string; name: string }[]> =>
    sql<{ id: string; name: string }[]>`
      select flow.id, flow.name from ${places(sql)}
      where wished = 'stopped' and ${isFree(sql)} and flow.id in (select flow from published_value)`,

  /** The engine is about to end: it has no share any more. */
  async leave(lease: string): Promise<void> {
    await sql`update engine set is_leaving = true where lease = ${lease}`
  },

  /** How many live flows are wished, over all engines, how many an engine could claim, and how many engines share them. */
  async count({ lease, except }: Omit<Claim, 'most'>): Promise<{ wished: number; free: number; engines: number }> {
    const [row] = await sql<{ wished: number; free: number; engines: number }[]>`
      select count(*)::int as wished, count(*) filter (
        where flow.id <> all(${[...except]}::uuid[]) and (${isFree(sql)} or placement.lease = ${lease}::uuid)
      )::int as free,
      (select count(*)::int from engine where lease_until > now() and not is_leaving) as engines
      from ${places(sql)} where ${isWished(sql)}`
    return row ?? { wished: 0, free: 0, engines: 1 }
  },
})

const takeIn = (tx: Sql, lease: string, flows: readonly string[]): Promise<Taken[]> =>
  given(
    tx,
    lease,
    tx`
    select flow.id, placement.epoch from ${places(tx)}
    where flow.id = any(${[...flows]}::uuid[]) and (${isFree(tx)} or placement.lease = ${lease}::uuid)`,
  )

const claimIn = (tx: Sql, { lease, except, most }: Claim): Promise<Taken[]> =>
  given(
    tx,
    lease,
    tx`
    select flow.id, placement.epoch from ${places(tx)}
    where ${isWished(tx)} and flow.id <> all(${[...except]}::uuid[])
      and (${isFree(tx)} or placement.lease = ${lease}::uuid)
    order by flow.id limit ${most}`,
  )

/**
 * Gives the flows of a selection to a lease, each in the epoch after the one that was selected: who has changed hands since
 * stays where it is. That the lease of its engine is over could not be asked again there, as leases that have begun
 * meanwhile are not seen.
 */
const given = (tx: Sql, lease: string, free: ReturnType<Sql>): Promise<Taken[]> =>
  tx<Taken[]>`
    insert into placement (flow, lease, epoch)
    select id, ${lease}::uuid, coalesce(epoch, 0) + 1 from (${free}) as free order by id
    on conflict (flow) do update set lease = excluded.lease, epoch = excluded.epoch
    where placement.epoch = excluded.epoch - 1
    returning flow, epoch`

const isWished = (sql: Sql) => sql`flow.wished <> 'stopped' and flow.published_mode = 'live'`

/** Flows with their places, and the living engines that have them. */
const places = (sql: Sql) => sql`
  flow left join placement on placement.flow = flow.id
    left join engine on engine.lease = placement.lease and engine.lease_until > now()`

/** Nobody has it, or somebody whose lease is over. */
const isFree = (sql: Sql) => sql`engine.id is null`
