/**
 * SQL of tracked runs (table `run_track`): what is stored of one, and what its requests add, many in one statement.
 * @module
 */
import type { RunInput, RunStatus } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'
import { chunkItem, chunkRows } from '../curves/chunk-columns.ts'
import { flowName } from '../curves/run-filter.ts'
import type { FactColumns } from '../run-facts.ts'
import type { SummaryRow } from '../run-record.ts'
import { summary } from '../store.ts'
import type { Change } from './change.ts'
import { TRACK_NODE, type TrackedState } from './tracked-state.ts'

/** A run that begins. */
export interface NewTrackedRun extends FactColumns {
  readonly id: string
  readonly owner: string
  readonly flow: string
  readonly flow_name: string
  readonly created_at: string
  readonly started_at: string
  readonly seed: number | null
  readonly commit: string | null
  readonly note: string
  readonly tags: readonly string[]
  readonly submitted_by: string | null
  readonly inputs: readonly RunInput[]
}

/** The next request of a run on its way into the database. */
export interface TrackWrite {
  readonly run: string
  readonly seq: number
  readonly change: Change
  readonly facts: FactColumns | null
  readonly finishedAt: string | null
}

/** A run that a write was stored for; `before` is the state that it had. */
export interface WrittenRow extends SummaryRow {
  readonly before: RunStatus
  readonly lease_until: string | null
}

/** The statements of tracked runs. */
export type TrackStore = ReturnType<typeof createTrackStore>

/** The statements of tracked runs; a lease lasts `leaseS` seconds. */
export const createTrackStore = (sql: Sql, leaseS: number) => ({
  /** Begins a run that is running from then on; null when its id is taken. */
  async begin(run: NewTrackedRun): Promise<SummaryRow | null> {
    const [row] = await sql<SummaryRow[]>`
      with item as materialized (
        select * from json_to_recordset(${JSON.stringify([run])}::json) as item(
          id uuid, owner uuid, flow uuid, flow_name text, created_at timestamptz, started_at timestamptz, seed int8,
          commit text, note text, tags text[], submitted_by text, inputs json, shape int, numbers float8[],
          texts text[], flags boolean[], nested jsonb, cut text[])
      ), named as (
        insert into run_flow (id, name) select flow, flow_name from item on conflict (id) do nothing
      ), begun as (
        insert into run (id, flow, origin, status, created_at, started_at, lease_token, lease_until, draft, no_cache,
          seed, commit, note, tags, submitted_by, shape, numbers, texts, flags, nested, cut)
        select id, flow, 'track', 'running', created_at, started_at, gen_random_uuid(),
          now() + make_interval(secs => ${leaseS}), false, false, seed, commit, note, tags, submitted_by, shape,
          numbers, texts, flags, nested, cut
        from item on conflict (id) do nothing returning *
      ), content as (
        insert into run_content (run, inputs) select id, item.inputs from begun join item using (id)
      ), tracked as (
        insert into run_track (run, owner) select id, item.owner from begun join item using (id)
      ), noted as (
        insert into run_node (run, node, status, started_at)
        select id, ${TRACK_NODE}, 'running', started_at from begun
      )
      select ${summary(sql)} from begun as run`
    // what it was inserted with the statement itself cannot see
    return row ? { ...row, flow: run.flow_name } : null
  },

  /** Who began a tracked run; null of another run, or none. */
  async ownerOf(run: string): Promise<string | null> {
    const [row] = await sql<{ owner: string }[]>`select owner from run_track where run = ${run}`
    return row?.owner ?? null
  },

  /** What is stored of these runs; logs and artifacts of those alone that are named for it. */
  async states(
    runs: readonly string[],
    { logs, artifacts }: { readonly logs: readonly string[]; readonly artifacts: readonly string[] },
  ): Promise<TrackedState[]> {
    return sql<TrackedState[]>`
      select run.id as run, ${flowName(sql)} as flow, track.owner, run.status, run.lease_until,
        coalesce(track.seq, 0)::float8 as seq, coalesce(track.curves, '{}') as curves,
        coalesce(node.log_bytes, octet_length(node.logs), 0)::float8 as log_bytes, coalesce(node.logs, '') as logs,
        coalesce(node.logs_truncated, false) as logs_truncated, content.inputs, content.result,
        case when run.id = any(${artifacts as string[]}::uuid[]) then content.artifacts else '[]'::json end as artifacts
      from run
      join run_content content on content.run = run.id
      left join run_track track on track.run = run.id
      left join run_node node
        on node.run = run.id and node.node = ${TRACK_NODE} and run.id = any(${logs as string[]}::uuid[])
      where run.id = any(${runs as string[]}::uuid[])`
  },

  write: (tx: Sql, writes: readonly TrackWrite[]): Promise<WrittenRow[]> => write(tx, writes, leaseS),

  ...leasesOf(sql, leaseS),
})

/**
 * Stores the next requests of runs, at most one of each; gives those that were stored. Left out are those that are not
 * the next any more, and runs that have ended (tracking.K1, tracking.K2).
 */
async function write(tx: Sql, writes: readonly TrackWrite[], leaseS: number): Promise<WrittenRow[]> {
  const chunks = writes.flatMap(({ run, change }) =>
    change.chunks.map(({ metric, ...chunk }) => chunkItem(run, metric, chunk)),
  )
  return tx<WrittenRow[]>`
    with held as materialized (
      select run.id, run.status as before, item.*
      from json_to_recordset(${JSON.stringify(writes.map(itemOf))}::json) as item(
        run uuid, seq int8, status text, finished_at timestamptz, error json, inputs text, result text,
        artifacts text, curves json, logs text, logs_truncated boolean, log_bytes int8, shape int, numbers float8[],
        texts text[], flags boolean[], nested jsonb, cut text[])
      join run on run.id = item.run and run.origin = 'track' and run.status in ('running', 'abandoned')
      join run_track on run_track.run = item.run and run_track.seq = item.seq - 1
      where run.id = any(${writes.map(({ run }) => run)}::uuid[])
      order by run.id for no key update of run, run_track
    ), moved as (
      update run set status = coalesce(held.status, 'running'),
        finished_at = greatest(held.finished_at, case when held.status is not null then run.started_at end),
        error = held.error,
        lease_token = case when held.status is null then coalesce(run.lease_token, gen_random_uuid()) end,
        lease_until = case when held.status is null then now() + make_interval(secs => ${leaseS}) end,
        shape = coalesce(held.shape, run.shape),
        numbers = case when held.shape is null then run.numbers else held.numbers end,
        texts = case when held.shape is null then run.texts else held.texts end,
        flags = case when held.shape is null then run.flags else held.flags end,
        nested = case when held.shape is null then run.nested else held.nested end,
        cut = case when held.shape is null then run.cut else held.cut end
      from held where run.id = held.id
      returning ${summary(tx)}, held.before, run.lease_until
    ), counted as (
      update run_track set seq = held.seq, curves = coalesce(held.curves, run_track.curves)
      from held where run_track.run = held.id
    )
    ${writes.some(({ change }) => hasContent(change)) ? storeContent(tx) : tx``}
    ${writes.some(({ change: { logs, end } }) => logs !== null || end !== null) ? noteNode(tx) : tx``}
    ${chunks.length > 0 ? drawPoints(tx, chunks) : tx``}
    select * from moved`
}

/** What becomes of runs whose programs are not heard. */
const leasesOf = (sql: Sql, leaseS: number) => ({
  /** Gives up the runs of which nothing was heard for so long as their lease lasts; gives them. */
  async abandon(finishedAt: string): Promise<SummaryRow[]> {
    const error = { node: null, type: 'abandoned', message: 'nothing was heard of the program that was tracked' }
    return sql<SummaryRow[]>`
      update run set status = 'abandoned', finished_at = greatest(${finishedAt}::timestamptz, run.started_at),
        error = ${JSON.stringify(error)}::json, lease_token = null, lease_until = null
      where id in (
        select id from run where origin = 'track' and status = 'running' and lease_until <= now()
        order by id for no key update
      ) and status = 'running' and lease_until <= now()
      returning ${summary(sql)}`
  },

  /** Lets the programs of running runs be heard again first: no engine may have listened. */
  async extend(): Promise<void> {
    await sql`
      update run set lease_until = greatest(lease_until, now() + make_interval(secs => ${leaseS}))
      where id in (
        select id from run where origin = 'track' and status = 'running' order by id for no key update
      ) and status = 'running'`
  },

  /** Cancels a run that was given up, so that it does not go on; null when there is none. */
  async cancelAbandoned(id: string): Promise<SummaryRow | null> {
    const [row] = await sql<SummaryRow[]>`
      update run set status = 'cancelled', error = null
      where id = ${id} and origin = 'track' and status = 'abandoned' returning ${summary(sql)}`
    return row ?? null
  },
})

const hasContent = ({ inputs, result, artifacts }: Change): boolean =>
  inputs !== null || result !== null || artifacts !== null

// Values of programs are JSON text inside the JSON, as in `execution-store.ts`.
const itemOf = ({ run, seq, change, facts, finishedAt }: TrackWrite) => ({
  run,
  seq,
  status: change.end?.status,
  finished_at: finishedAt,
  error: change.end?.error && { node: null, ...change.end.error },
  inputs: change.inputs && JSON.stringify(change.inputs),
  result: change.result && JSON.stringify(change.result),
  artifacts: change.artifacts && JSON.stringify(change.artifacts),
  curves: change.chunks.length > 0 ? change.curves : null,
  logs: change.logs?.text,
  logs_truncated: change.logs?.truncated,
  log_bytes: change.logs?.bytes,
  ...facts,
})

// Parts of `write`, which follow its `held`.

const storeContent = (tx: Sql) => tx`, stored as (
  update run_content set inputs = coalesce(held.inputs::json, run_content.inputs),
    result = coalesce(held.result::json, run_content.result),
    artifacts = coalesce(held.artifacts::json, run_content.artifacts)
  from held where run_content.run = held.id
)`

const noteNode = (tx: Sql) => tx`, noted as (
  update run_node set logs = coalesce(held.logs, run_node.logs),
    logs_truncated = coalesce(held.logs_truncated, run_node.logs_truncated),
    log_bytes = coalesce(held.log_bytes, run_node.log_bytes),
    status = coalesce(held.status, run_node.status),
    finished_at = case when held.status is not null then greatest(held.finished_at, run_node.started_at) end,
    error = case when held.error is not null then json_build_object(
      'type', held.error ->> 'type', 'message', held.error ->> 'message') end
  from held where run_node.run = held.id and run_node.node = ${TRACK_NODE}
)`

/** New chunks, and further points of the last one. */
const drawPoints = (tx: Sql, items: readonly ReturnType<typeof chunkItem>[]) => tx`, drawn as (
  insert into metric_chunk as known (run, metric, seq, count, first_step, last_step, last_value, low, high, steps, ts, vals)
  select item.* from ${chunkRows(tx, items)} as item join held on held.id = item.run
  on conflict (run, metric, seq) do update set count = known.count + excluded.count, last_step = excluded.last_step,
    last_value = excluded.last_value, low = least(known.low, excluded.low), high = greatest(known.high, excluded.high),
    steps = known.steps || excluded.steps, ts = known.ts || excluded.ts, vals = known.vals || excluded.vals
)`
