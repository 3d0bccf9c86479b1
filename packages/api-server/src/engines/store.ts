/**
 * SQL of the table `engine`.
 * @module
 */
import { affected } from '../db/affected.ts'
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

/** An engine that has not ended, as far as anybody has heard within an hour. */
export interface KnownEngine extends Omit<EngineRow, 'protocol'> {
  /** Whether its lease is not over. One whose lease is may have lost its database alone, and come back. */
  readonly lives: boolean
}

/**
 * A living engine as people see it. Times in the engine's spelling; seconds left are those of its lease, by the clock of the
 * database.
 */
export interface ListedEngine extends Pick<EngineRow, 'id' | 'name' | 'address' | 'version'> {
  readonly startedAt: string
  readonly leftS: number
  /** How many live flows it has. */
  readonly flows: number
}

/** The live flows that are to run, and those of them that nobody runs. */
export interface WishedFlows {
  readonly wished: number
  readonly nowhere: number
  /** The first of those, by name. */
  readonly names: readonly string[]
}

/** Statements on engines. */
export type EngineStore = ReturnType<typeof createEngineStore>

/** Statements on engines. A lease is some milliseconds from the moment of its statement on, by the clock of the database. */
export const createEngineStore = (sql: Sql) => ({
  /**
   * Gives an engine a lease: a new one, or one that has had no others than these, so that a statement of an earlier lease
   * which comes late takes none back.
   */
  async begin(row: EngineRow, leaseMs: number, earlier: readonly string[] = []): Promise<void> {
    const { id, lease, name, address, linkUrl, attachUrl, version, protocol } = row
    const begun = await sql`
      insert into engine (id, lease, name, address, link_url, attach_url, version, protocol, lease_until)
      values (${id}, ${lease}, ${name}, ${address}, ${linkUrl}, ${attachUrl}, ${version}, ${protocol},
        ${until(sql, leaseMs)})
      on conflict (id) do update set lease = excluded.lease, lease_until = excluded.lease_until
      where engine.lease = any(${[...earlier]}::uuid[])`
    affected(begun, 1)
  },

  /** Tells where an engine is reached; its lease stays as it is. */
  async locate({ id, address, linkUrl }: Pick<EngineRow, 'id' | 'address' | 'linkUrl'>): Promise<void> {
    await sql`update engine set address = ${address}, link_url = ${linkUrl} where id = ${id}`
  },

  /** Renews the lease of an engine unless it is over: then false. */
  async renew({ id, lease }: EngineRow, leaseMs: number): Promise<boolean> {
    const { count } = await sql`
      update engine set lease_until = ${until(sql, leaseMs)}
      where id = ${id} and lease = ${lease} and lease_until > clock_timestamp()`
    return count > 0
  },

  /** The engines that live, or may come back, in the order of their ids. */
  known: (): Promise<KnownEngine[]> =>
    sql<KnownEngine[]>`
      select id, lease, name, address, link_url as "linkUrl", attach_url as "attachUrl", version, lease_until > now() as lives
      from engine where lease_until > now() - interval '1 hour' order by id`,

  /** The living engines with what each has, the oldest first. */
  listed: (): Promise<ListedEngine[]> =>
    sql<ListedEngine[]>`
      select id, name, address, version, started_at as "startedAt",
        greatest(extract(epoch from lease_until - clock_timestamp()), 0)::float8 as "leftS",
        (select count(*)::int from placement where placement.lease = engine.lease) as flows
      from engine where lease_until > now() order by started_at, id`,

  /**
   * The live flows that are to run, with up to so many names of those that nobody runs: who does is told by leases, or, by
   * the one engine of an embedded database, by name.
   */
  async wished(most: number, running: readonly string[] | null): Promise<WishedFlows> {
    const isNowhere =
      running === null
        ? sql`not exists (
            select from placement join engine using (lease) where placement.flow = flow.id and lease_until > now())`
        : sql`name <> all(${[...running]}::text[])`
    const [row] = await sql<WishedFlows[]>`
      with live as materialized (
        select name, ${isNowhere} as nowhere from flow where wished <> 'stopped' and published_mode = 'live'
      )
      select count(*)::int as wished, count(*) filter (where nowhere)::int as nowhere, array(
        select name from live where nowhere order by name collate "C" limit ${most}
      ) as names from live`
    return row ?? { wished: 0, nowhere: 0, names: [] }
  },

  /** Removes an engine that has ended, and those that nobody has heard of for a day. */
  async remove(id: string | null): Promise<void> {
    await sql`delete from engine where id = ${id}::uuid or lease_until < now() - interval '1 day'`
  },
})

const until = (sql: Sql, leaseMs: number) => sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'`
