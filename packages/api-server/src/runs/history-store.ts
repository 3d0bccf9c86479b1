/**
 * The rows of finished runs: what their nodes returned, all runs in numbers, deletion.
 * @module
 */
import type { NodeRunStatus, RunStatus } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { flowName } from './curves/run-filter.ts'
import type { SummaryRow } from './run-record.ts'
import { summary } from './store.ts'

/** What a node of a run returned. */
export interface StoredOutputs {
  readonly cached: boolean
  readonly outputs: Record<string, unknown>
}

/** What a node of a run has printed, and whether it has ended. */
export interface StoredLog {
  readonly flow: string
  readonly status: NodeRunStatus
  readonly runStatus: RunStatus
  readonly text: string
  readonly bytes: number
}

/** The runs of a flow in numbers, with the columns of the newest one, all null when there is none. */
export type OverviewRow = {
  readonly name: string
  readonly exists: boolean
  readonly counts: Partial<Record<RunStatus, number>>
  readonly avg_duration_s: number | null
} & (SummaryRow | { readonly id: null })

/** Flows by the name that they have, or had when they were deleted; `id` is that of their runs. */
const named = (sql: Sql) => sql`
  select coalesce(flow.id, run_flow.id) as id, coalesce(flow.name, run_flow.name) as name, flow.id is not null as exists
  from run_flow full join flow on flow.id = run_flow.id
  where run_flow.id is not null or coalesce(flow.published, flow.draft) ->> 'mode' = 'batch'`

/** Statements over finished runs. */
export type HistoryStore = ReturnType<typeof createHistoryStore>

/** Statements over finished runs. */
export const createHistoryStore = (sql: Sql) => ({
  ...changes,

  /** What a node returned that succeeded and may be cached; null for every other one. */
  async outputs(run: string, node: string): Promise<StoredOutputs | null> {
    const [row] = await sql<StoredOutputs[]>`
      with source as (
        select cached, coalesce(cached_from, run) as run, coalesce(cached_node, node) as node
        from run_node where run = ${run} and node = ${node} and status = 'ok'
      )
      select source.cached, kept.outputs from source cross join lateral (
        select outputs from run_output where run = source.run and node = source.node
        union all
        select outputs from stage_cache where run = source.run and node = source.node and outputs is not null
      ) kept limit 1`
    return row ?? null
  },

  /** What a node has printed; null when nothing has happened to it. */
  async log(run: string, node: string): Promise<StoredLog | null> {
    const [row] = await sql<StoredLog[]>`
      select ${flowName(sql)} as flow, run_node.status, run.status as "runStatus", run_node.logs as text,
        coalesce(run_node.log_bytes, octet_length(run_node.logs))::float8 as bytes
      from run_node join run on run.id = run_node.run where run_node.run = ${run} and run_node.node = ${node}`
    return row ?? null
  },

  /** Batch flows and flows that have runs, by name. */
  async overview(): Promise<OverviewRow[]> {
    return sql<OverviewRow[]>`
      with named as materialized (${named(sql)}), counted as (
        select flow, status, count(*)::int as number,
          sum(extract(epoch from finished_at - started_at)) filter (where status = 'ok') as seconds
        from run group by flow, status
      ), summed as (
        select name, status, sum(number)::int as number, sum(seconds) as seconds
        from named join counted on counted.flow = named.id group by name, status
      ), listed as (
        select name, bool_or(exists) as exists, array_agg(id) as ids from named group by name
      )
      select listed.name, listed.exists, coalesce(total.counts, '{}') as counts, total.avg_duration_s, newest.*
      from listed
      left join lateral (
        select json_object_agg(status, number) as counts,
          (sum(seconds) / sum(number) filter (where status = 'ok'))::float8 as avg_duration_s
        from summed where summed.name = listed.name
      ) total on true
      left join lateral (
        select ${summary(sql)} from unnest(listed.ids) as owner(id) cross join lateral (
          select * from run where run.flow = owner.id order by run.created_at desc limit 1
        ) run
        order by run.created_at desc limit 1
      ) newest on true
      order by listed.name collate "C"`
  },

  /**
   * Deletes the documents of flows that no run executed any more. The lock waits for submissions under way and holds up
   * the next ones: each of them keeps its document in the statement that makes the run. Most deletions need none.
   */
  async dropDocuments(database: Pick<Database, 'transaction'>, flows: readonly string[]): Promise<void> {
    const idle = (handle: Sql) => handle`
      flow = any(${flows as string[]}::uuid[]) and not exists (
        select from run where run.digest = run_document.digest and run.flow = run_document.flow)`
    const rows = await sql`select from run_document where ${idle(sql)} limit 1`
    if (rows.length === 0) return
    await database.transaction(async (tx) => {
      await tx`lock table run_document in share row exclusive mode`
      await tx`delete from run_document where ${idle(tx)}`
    })
  },

  /** When the newest run of each flow that has some ended, began or was made, whichever was last; by the flow's id. */
  newest: (): Promise<{ flow: string; at: string }[]> =>
    sql<{ flow: string; at: string }[]>`
      select run_flow.id as flow, newest.at from run_flow cross join lateral (
        select coalesce(finished_at, started_at, created_at) as at from run where run.flow = run_flow.id
        order by created_at desc limit 1
      ) as newest`,

  /** Ids of the active runs of a flow by its name, newest first; and the time of its newest run, null without runs. */
  async bounds(flow: string): Promise<{ active: string[]; newest: string | null }> {
    const [row] = await sql<{ active: string[]; newest: string | null }[]>`
      with chosen as (select id from (${named(sql)}) named where name = ${flow})
      select (
        select coalesce(array_agg(id order by created_at desc), '{}') from (
          select id, created_at from run
          where flow in (select id from chosen) and status in ('queued', 'running')
          order by created_at desc limit 100
        ) active
      ) as active, (select max(created_at) from run where flow in (select id from chosen)) as newest`
    return row ?? { active: [], newest: null }
  },
})

/** Statements of transactions. */
const changes = {
  /** Deletes a run that is finished; gives its flow with the name of it, null when there was none. */
  async delete(tx: Sql, id: string): Promise<{ flow: string; name: string } | null> {
    const [row] = await tx<{ flow: string; name: string }[]>`
      delete from run where id = ${id} and status not in ('queued', 'running')
      returning flow, (select name from (${named(tx)}) named where named.id = run.flow) as name`
    return row ?? null
  },

  /** Deletes up to `limit` finished runs of a flow by its name, up to a time of creation; gives these. */
  async deletePortion(
    tx: Sql,
    { flow, until, limit }: { flow: string; until: string; limit: number },
  ): Promise<{ id: string; flow: string }[]> {
    return tx<{ id: string; flow: string }[]>`
      delete from run where id in (
        select id from run
        where flow in (select id from (${named(tx)}) named where name = ${flow})
          and created_at <= ${until}::timestamptz and status not in ('queued', 'running')
        order by created_at limit ${limit} for update
      ) returning id, flow`
  },
}
