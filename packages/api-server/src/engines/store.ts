/**
 * SQL of the table `engine`.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** One life of an engine. */
export interface EngineRow {
  readonly id: string
  /** Another one when the one before was over. */
  readonly lease: string
  /** The machine and the process, as messages name it. */
  readonly name: string
  /** URL of its API; null until it listens. */
  readonly address: string | null
  /** Origin at which other engines reach it; null for one that they cannot reach. */
  readonly linkUrl: string | null
  /** Where workers attach to it; null when it says no address. */
  readonly attachUrl: string | null
  readonly version: string
  /** Which frames it speaks on links to other engines. */
  readonly protocol: number
}

/** An engine whose lease is not over. Times in the engine's spelling. */
export interface LivingEngine extends EngineRow {
  readonly startedAt: string
}

/** Statements on engines. A lease is some milliseconds from the moment of its statement on, by the clock of the database. */
export const createEngineStore = (sql: Sql) => ({
  /** Gives an engine a lease, whether it had one before or not. */
  async begin(row: EngineRow, leaseMs: number): Promise<void> {
    const { id, lease, name, address, linkUrl, attachUrl, version, protocol } = row
    await sql`
      insert into engine (id, lease, name, address, link_url, attach_url, version, protocol, lease_until)
      values (${id}, ${lease}, ${name}, ${address}, ${linkUrl}, ${attachUrl}, ${version}, ${protocol},
        ${until(sql, leaseMs)})
      on conflict (id) do update
        set address = excluded.address, link_url = excluded.link_url, lease = excluded.lease, lease_until = excluded.lease_until`
  },

  /** Renews the lease of an engine unless it is over: then false. */
  async renew({ id, lease }: EngineRow, leaseMs: number): Promise<boolean> {
    const { count } = await sql`
      update engine set lease_until = ${until(sql, leaseMs)}
      where id = ${id} and lease = ${lease} and lease_until > clock_timestamp()`
    return count > 0
  },

  /** The engines whose lease is not over, in the order of their ids. */
  living: (): Promise<LivingEngine[]> =>
    sql<LivingEngine[]>`
      select id, lease, name, address, link_url as "linkUrl", attach_url as "attachUrl", version, protocol, started_at as "startedAt"
      from engine where lease_until > now() order by id`,

  /** Removes an engine that has ended, and those that nobody has heard of for a day. */
  async remove(id: string | null): Promise<void> {
    await sql`delete from engine where id = ${id}::uuid or lease_until < now() - interval '1 day'`
  },
})

const until = (sql: Sql, leaseMs: number) => sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'`
