/**
 * The rows of cached stages, and of the stages that engines of one server execute now.
 * @module
 */
import {
  STAGE_KEY_SHAPE,
  type StageEnvironment,
  stageEntry,
  type StageParts,
  storedKinds,
  withStored,
} from '@flow-service/core'
import type { StoredKind } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'

/** Why outputs of a known stage are not there. */
export type StageLoss = 'expired' | 'secret' | 'too_large' | 'volatile'

/** A stage's outputs in one environment for later runs; without them, why there are none. */
export interface CacheEntry {
  /** Of the stage. */
  readonly key: string
  /** Under which others wait for it. */
  readonly flight: string
  readonly node: string
  readonly parts: StageParts
  readonly outputs: Record<string, unknown> | null
  readonly loss: StageLoss | null
}

/** A stage that is looked for: its key, and the node whose earlier stages it is compared with. */
export interface AskedStage {
  readonly key: string
  /** Id of the flow. */
  readonly flow: string
  readonly node: string
  /** Names of the entries of where it would execute; null when any will do. */
  readonly here: readonly string[] | null
}

/** A cached result and who computed it. */
export interface StageRow {
  /** Names it among those of all stages. */
  readonly entry: string
  /** Null without a loss in an entry of elsewhere. */
  readonly outputs: Record<string, unknown> | null
  readonly loss: StageLoss | null
  readonly run: string
  readonly node: string
  /** What the executed source had found; null where that was not noted. */
  readonly environment: StageEnvironment | null
  /** Made under another format of keys. */
  readonly alien: boolean
  /** Not noted as used within the last hour. */
  readonly stale: boolean
}

/**
 * What is stored about a stage: a row for each environment, the one used last first; without any, what other stages of its
 * node are made of, newest first.
 */
export interface StoredStage {
  readonly rows: readonly StageRow[]
  readonly near: readonly StageParts[]
}

/** Who executes a stage. */
export interface Leader {
  readonly run: string
  /** The lease of the run. */
  readonly token: string
}

/** A stage that is executed now. */
export interface Flight extends Leader {
  readonly key: string
}

/** A stage that is executed now, or has failed just now. */
export interface FlightRow extends Flight {
  readonly failed: boolean
}

const DAYS_UNUSED = 30
/** That something was there is remembered as long again. */
const DAYS_KNOWN = 60
const NEAR = 10
/** Entries among which those are looked for: a stage may have several. */
const NEAR_ENTRIES = 50
/** Entries of a stage that are looked at. */
const ENTRIES = 20
/** Of a flow, where executions of its nodes are looked for; what is cached tells of older ones. */
const LATEST_RUNS = 200
const EXECUTIONS = 20

/** Whether the run of a flight still executes. */
const alive = (sql: Sql) => sql`exists (
  select from run
  where run.id = stage_flight.run and run.status = 'running' and run.lease_token = stage_flight.token
    and run.lease_until > now()
)`

/** The statements of stages. */
export type StageStore = ReturnType<typeof createStageStore>

/** The statements of stages. */
export const createStageStore = (sql: Sql) => ({
  ...stages(sql),
  ...uses(sql),
  ...flights(sql),

  /** Drops entries of another key shape, and the outputs of those unused for 30 days; gives their names. */
  async expire(tx: Sql): Promise<string[]> {
    const rows = await tx<{ key: string }[]>`
      with old as (
        select key, shape <> ${STAGE_KEY_SHAPE} or used_at < now() - make_interval(days => ${DAYS_KNOWN}) as forgotten
        from stage_cache
        where shape <> ${STAGE_KEY_SHAPE} or used_at < now() - make_interval(days => ${DAYS_KNOWN})
          or outputs is not null and used_at < now() - make_interval(days => ${DAYS_UNUSED})
        order by key for update
      ), deleted as (
        delete from stage_cache using old where stage_cache.key = old.key and old.forgotten
      ), emptied as (
        update stage_cache set outputs = null, loss = 'expired' from old
        where stage_cache.key = old.key and not old.forgotten
      )
      select key from old`
    await tx`delete from stage_flight where not ${alive(tx)}`
    return rows.map((row) => row.key)
  },
})

interface FoundRow extends StageRow {
  readonly at: number
  readonly parts: StageParts | null
  readonly stored: Readonly<Record<string, StoredKind>> | null
}

/** Statements on cached stages. */
const stages = (sql: Sql) => ({
  /** What is stored about each, in the order of asking. */
  async find(asked: readonly AskedStage[]): Promise<StoredStage[]> {
    const items = asked.map((stage, at) => ({ ...stage, at }))
    const rows = await sql<FoundRow[]>`
      with asked as materialized (
        select * from json_to_recordset(${JSON.stringify(items)}::json) as item(
          at int, key text, flow uuid, node text, here text[])
      )
      select asked.at, stage.entry, stage.outputs,
        stage.stored, coalesce(stage.loss, case when stage.unused then 'expired' end) as loss, stage.run, stage.node, stage.environment,
        stage.alien, stage.stale, stage.parts
      from asked cross join lateral (
        select key as entry, stored, loss, run, node, parts -> 'environment' as environment,
          case when asked.here is null or key = any(asked.here) or stage is null or parts -> 'environment' is null
            then outputs end as outputs,
          shape <> ${STAGE_KEY_SHAPE} as alien, null::json as parts, used_at < now() - interval '1 hour' as stale,
          used_at < now() - make_interval(days => ${DAYS_UNUSED}) as unused
        from stage_cache where coalesce(stage, key) = asked.key
        order by key = any(asked.here) desc nulls last, used_at desc limit ${ENTRIES}
      ) stage
      union all
      select asked.at, null, null, null, null, null, null, null, false, false, near.parts
      from asked cross join lateral (
        select parts from (
          select distinct on (stage) stage, parts, used_at from (
            select coalesce(stage, key) as stage, parts, used_at from stage_cache
            where flow = asked.flow and node = asked.node and shape = ${STAGE_KEY_SHAPE}
            order by used_at desc limit ${NEAR_ENTRIES}
          ) latest order by stage, used_at desc
        ) each order by used_at desc limit ${NEAR}
      ) near
      where not exists (select from stage_cache where coalesce(stage, key) = asked.key)`
    const found = asked.map(() => ({ rows: [] as StageRow[], near: [] as StageParts[] }))
    for (const { at, parts, stored, ...row } of rows) {
      if (parts === null) found[at]!.rows.push({ ...row, outputs: row.outputs && withStored(row.outputs, stored) })
      else found[at]!.near.push(parts)
    }
    return found
  },

  /** Median seconds of the last executions of nodes that ended `ok`; a node without any is left out. */
  async medians(flow: string, nodes: readonly string[]): Promise<Map<string, number>> {
    const rows = await sql<{ node: string; seconds: number }[]>`
      with asked as materialized (
        select unnest(${nodes as string[]}::text[]) as node
      ), latest as materialized (
        select id from run where flow = ${flow} order by created_at desc limit ${LATEST_RUNS}
      )
      select asked.node, percentile_cont(0.5) within group (order by recent.seconds) as seconds
      from asked cross join lateral (
        select extract(epoch from run_node.finished_at - run_node.started_at)::float8 as seconds
        from (
          select id from latest
          union
          (select run from stage_cache where flow = ${flow} and node = asked.node
          order by used_at desc limit ${EXECUTIONS})
        ) source (run)
        join run_node on run_node.run = source.run and run_node.node = asked.node
        where run_node.status = 'ok' and not run_node.cached and run_node.started_at is not null
        order by run_node.finished_at desc limit ${EXECUTIONS}
      ) recent
      group by asked.node`
    return new Map(rows.map(({ node, seconds }) => [node, seconds]))
  },
})

/** Statements on the use of cached results. */
const uses = (sql: Sql) => ({
  /** Makes a run refer to stored bytes as long as it has its lease; gives those of the digests that are stored. */
  async hold({ run, token }: Leader, digests: readonly string[]): Promise<Set<string>> {
    const rows = await sql<{ digest: string }[]>`
      with mine as materialized (
        select id from run where id = ${run} and status = 'running' and lease_token = ${token} for key share
      ), there as materialized (
        select blob.digest from blob
        where blob.digest = any(${digests as string[]}::text[]) and exists (select from mine)
        order by blob.digest for key share
      ), held as (
        insert into blob_ref (digest, kind, owner) select digest, 'run', ${run} from there on conflict do nothing
      )
      select digest from there`
    return new Set(rows.map(({ digest }) => digest))
  },

  /** Notes that entries were used. */
  async touch(entries: readonly string[]): Promise<void> {
    await sql`
      update stage_cache set used_at = now()
      where key in (select key from stage_cache where key = any(${entries as string[]}::text[]) order by key for update)`
  },
})

/** Statements on stages that are executed now. */
const flights = (sql: Sql) => ({
  /**
   * Begins to execute stages, except those that a living run executes; gives who executes each now. Of two askers for
   * one stage the earlier has given up meanwhile: within an engine only one leads.
   */
  lead: (flights: readonly Flight[]): Promise<Leader[]> => leadersOf(sql, flights),

  /** Ends the execution of stages; a failed one says so to those who wait for it. */
  async land(flights: readonly FlightRow[]): Promise<void> {
    await sql`
      with item as materialized (
        select stage_flight.key, item.failed
        from json_to_recordset(${JSON.stringify(flights)}::json) as item(
          key text, run uuid, token uuid, failed boolean)
        join stage_flight on stage_flight.key = item.key and stage_flight.run = item.run
          and stage_flight.token = item.token
        order by stage_flight.key for update of stage_flight
      ), failed as (
        update stage_flight set failed = true from item where item.failed and stage_flight.key = item.key
      )
      delete from stage_flight using item where not item.failed and stage_flight.key = item.key`
  },

  /** Those of the stages that are executed now, or have failed just now. */
  async flights(keys: readonly string[]): Promise<FlightRow[]> {
    return sql<FlightRow[]>`
      select key, run, token, failed from stage_flight
      where key = any(${keys as string[]}::text[]) and (failed or ${alive(sql)})`
  },
})

async function leadersOf(sql: Sql, flights: readonly Flight[]): Promise<Leader[]> {
  const latest = [...new Map(flights.map((flight) => [flight.key, flight])).values()]
  const rows = await sql<Flight[]>`
    insert into stage_flight (key, run, token)
    select key, run, token
    from json_to_recordset(${JSON.stringify(latest)}::json) as item(key text, run uuid, token uuid)
    order by key
    on conflict (key) do update set run = excluded.run, token = excluded.token, failed = false
    where stage_flight.failed or not ${alive(sql)}
    returning key, run, token`
  const leaders = new Map(rows.map((row) => [row.key, row]))
  const others = latest.filter(({ key }) => !leaders.has(key))
  if (others.length > 0) for (const row of await othersOf(sql, others)) leaders.set(row.key, row)
  return flights.map(({ key }) => leaders.get(key)!)
}

/** Who executes stages that others have begun. */
async function othersOf(sql: Sql, flights: readonly Flight[]): Promise<Flight[]> {
  const keys = flights.map(({ key }) => key)
  const rows = await sql<Flight[]>`select key, run, token from stage_flight where key = any(${keys}::text[])`
  const known = new Set(rows.map(({ key }) => key))
  const over = flights.filter(({ key }) => !known.has(key))
  if (over.length === 0) return rows
  // they have ended in between: the same again
  const leaders = await leadersOf(sql, over)
  return [...rows, ...leaders.map((leader, at) => ({ ...leader, key: over[at]!.key }))]
}

/** Part of the statement that writes executions: keeps stages of the runs in its `held`. */
export const keepStages = (tx: Sql, items: readonly object[]) => tx`, cached as (
  insert into stage_cache (key, stage, shape, flow, node, parts, outputs, stored, loss, run)
  select distinct on (item.entry) item.entry, item.key, ${STAGE_KEY_SHAPE}, held.flow, item.node, item.parts::json,
    item.outputs::json, item.stored, item.loss, item.run
  from json_to_recordset(${JSON.stringify(items)}::json) as item(
    entry text, key text, node text, parts text, outputs text, stored json, loss text, run uuid)
  join held on held.id = item.run
  order by item.entry
  on conflict (key) do update set shape = excluded.shape, flow = excluded.flow, node = excluded.node,
    parts = excluded.parts, outputs = excluded.outputs, stored = excluded.stored, loss = excluded.loss, run = excluded.run, used_at = now()
)`

/** The name of an entry. */
export const entryOf = ({ key, parts }: Pick<CacheEntry, 'key' | 'parts'>): string =>
  stageEntry(key, parts.environment ?? null)

/** What {@link keepStages} takes for a stage. Values of node code travel as JSON text inside the JSON. */
export const stageItem = (run: string, { key, node, parts, outputs, loss }: CacheEntry) => ({
  run,
  entry: entryOf({ key, parts }),
  key,
  node,
  parts: JSON.stringify(parts),
  outputs: outputs && JSON.stringify(outputs),
  stored: outputs && storedKinds(outputs),
  loss,
})
