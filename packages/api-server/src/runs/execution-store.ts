/**
 * What executions write and what is read of it: node records, curves, ends of runs; stages are written with them.
 * @module
 */
import type { FlowDocument, RunStatus } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import { chunkItem, chunkRows, type PackedPoints, withPoints } from './curves/chunk-columns.ts'
import type { Chunk, ChunkPoints, Curve, CurveSummary } from './curves/points.ts'
import type { ChunkSize } from './curves/thinning.ts'
import { keepRuns, type KeptWrite } from './kept-store.ts'
import { type Claim, claimed, type ClaimedRun, claimedOf, claimParts, type ClaimRow } from './lease-store.ts'
import type { FactColumns, Facts } from './run-facts.ts'
import type { Failure, MetricSummary, NodeRow, RunArtifact } from './run-record.ts'
import { type CacheEntry, keepStages, stageItem } from './stages/store.ts'

/** The end of a run. */
export interface RunEnd {
  readonly status: Exclude<RunStatus, 'queued' | 'running' | 'abandoned'>
  readonly finished_at: string
  readonly result: Record<string, unknown> | null
  readonly error: (Failure & { readonly node: string | null }) | null
}

/** What has gathered about one executing run since the last write. Takes effect only while the token holds the lease. */
export interface RunWrite {
  readonly run: string
  readonly token: string
  /** The draft that the run executes, once it has been read. */
  readonly draft: { readonly digest: string; readonly document: FlowDocument } | null
  readonly nodes: readonly NodeRow[]
  readonly chunks: readonly Chunk[]
  /** What lists know of the run, where that has changed. */
  readonly facts: Facts | null
  readonly cache: readonly CacheEntry[]
  /** All references so far, when there are new ones. */
  readonly artifacts: readonly RunArtifact[] | null
  /** Of a run that outlives its engine, as far as there is any. */
  readonly kept: KeptWrite | null
  readonly end: RunEnd | null
}

/** A write of nothing. */
export const emptyWrite: Omit<RunWrite, 'run' | 'token'> = {
  draft: null,
  nodes: [],
  chunks: [],
  facts: null,
  cache: [],
  artifacts: null,
  kept: null,
  end: null,
}

/** What shares one statement. */
export interface Round {
  /** At most one write of a run. */
  readonly writes: readonly RunWrite[]
  /** The id of a curve by its place. */
  readonly metricId: (curve: Curve) => number
  /** Facts as the columns of a row. */
  readonly columnsOf: (facts: Facts) => FactColumns | null
  /** Queued runs to be taken. */
  readonly claim: Claim | null
}

/** What became of a {@link Round}. */
interface RoundResult {
  /** The ids of the runs that were written. */
  readonly held: ReadonlySet<string>
  /** Null without a claim, and where flows have limits. */
  readonly claimed: ClaimedRun[] | null
}

/** A curve that a run shows; `run` executed it, `metric` is the id of its place there. */
export interface StoredCurve extends Curve {
  readonly run: string
  readonly metric: number
  readonly chunks: readonly ChunkSize[]
}

/** What tells a chunk. */
export interface ChunkKey {
  readonly run: string
  readonly metric: number
  readonly seq: number
}

/** The statements of executions. */
export type ExecutionStore = ReturnType<typeof createExecutionStore>

/** The statements of executions. */
export const createExecutionStore = (sql: Sql) => ({
  /** Ids of curves by their place, made where they are new; the rows are locked in one order. */
  async metricIds(curves: readonly Curve[]): Promise<(Curve & { id: number })[]> {
    return sql<(Curve & { id: number })[]>`
      insert into metric (node, port, message)
      select distinct node, port, message
      from json_to_recordset(${JSON.stringify(curves)}::json) as curve(node text, port text, message text)
      order by node, port, message
      on conflict (node, port, message) do update set message = excluded.message
      returning id, node, port, message`
  },

  write,

  /** After a write that met no lease: whether it is held, or was until the end of this write, which is stored then. */
  async leaseOf({ run, token, end }: RunWrite): Promise<'held' | 'ended' | 'lost'> {
    const rows = await sql<{ lease: 'held' | 'ended' }[]>`
      select case when status = 'running' then 'held' else 'ended' end as lease from run
      where id = ${run} and (
        (status = 'running' and lease_token = ${token})
        or (status = ${end?.status ?? ''} and finished_at = greatest(${end?.finished_at ?? null}::timestamptz, started_at)))`
    return rows[0]?.lease ?? 'lost'
  },

  /** The node records of a run. */
  async nodes(run: string): Promise<NodeRow[]> {
    return sql<NodeRow[]>`
      select node, status, cached, cached_from, cached_node, worker, queued_at, started_at, finished_at, waiting_for,
        logs, logs_truncated, coalesce(log_bytes, octet_length(logs))::float8 as log_bytes, traceback, error, cache,
        attempts
      from run_node where run = ${run}`
  },

  /** One line for each curve that a run shows; those of cached nodes belong to the run that computed them. */
  async metricSummaries(run: string): Promise<(Curve & { run: string } & Omit<MetricSummary, 'name'>)[]> {
    return sql<(Curve & { run: string } & Omit<MetricSummary, 'name'>)[]>`
      select source.run, source.shown as node, metric.port, metric.message, sum(chunk.count)::int as count,
        to_json((array_agg(chunk.last_value order by chunk.seq desc))[1]) as last,
        (array_agg(chunk.last_step order by chunk.seq desc))[1] as step
      from ${sourcesOf(sql, run)} as source
      join metric_chunk chunk on chunk.run = source.run
      join metric on metric.id = chunk.metric and metric.node = source.node
      group by source.run, source.shown, metric.id order by metric.id`
  },

  /** The curves of a node in the run that executed it, in short, by port. */
  async curvesOf(run: string, node: string): Promise<{ port: string; summary: CurveSummary }[]> {
    return sql<{ port: string; summary: CurveSummary }[]>`
      select metric.port, to_json(array[sum(chunk.count)::float8, max(chunk.last_step)::float8,
        (array_agg(chunk.last_value order by chunk.seq desc))[1], min(chunk.low), max(chunk.high)]) as summary
      from metric_chunk chunk join metric on metric.id = chunk.metric
      where chunk.run = ${run} and metric.node = ${node} group by metric.id`
  },

  /** The curves that a run shows, with what their chunks have; see {@link metricSummaries}. */
  async curves(run: string): Promise<StoredCurve[]> {
    return sql<StoredCurve[]>`
      select source.run, source.shown as node, metric.port, metric.message, metric.id as metric,
        json_agg(json_build_array(chunk.seq, chunk.count) order by chunk.seq) as chunks
      from ${sourcesOf(sql, run)} as source
      join metric_chunk chunk on chunk.run = source.run
      join metric on metric.id = chunk.metric and metric.node = source.node
      group by source.run, source.shown, metric.id order by metric.id`
  },

  /** The points of these chunks, in any order; `at` is the place of each among those asked for. */
  async points(chunks: readonly ChunkKey[]): Promise<(ChunkPoints & { readonly at: number })[]> {
    const asked = chunks.map(({ run, metric, seq }, at) => ({ at, run, metric, seq }))
    const rows = await sql<(PackedPoints & { at: number })[]>`
      select asked.at, chunk.steps, chunk.ts, chunk.vals
      from json_to_recordset(${JSON.stringify(asked)}::json) as asked(at int, run uuid, metric int, seq int)
      join metric_chunk chunk using (run, metric, seq)`
    return rows.map(withPoints)
  },
})

/**
 * Writes for several runs in one statement, and a claim that goes with them; gives the runs whose lease was held. The
 * rest is dropped. Only what there is to write becomes a part of the statement: most writes have no draft, no points
 * and no stages, and each part costs a short run a tenth of its time. The lock is one that `keep_run_output` does not
 * wait for: it may take the outputs of a run whose engine replaces a stage of ours at the same time.
 */
async function write(tx: Sql, { writes, metricId, columnsOf, claim }: Round): Promise<RoundResult> {
  const hasFacts = writes.some(({ facts }) => facts !== null)
  const isStoring = writes.some(({ artifacts, end }) => artifacts !== null || end?.result)
  const chunks = writes.flatMap((write) => chunkItems(write, metricId))
  const kept = writes.flatMap(({ run, kept: part }) => (part === null ? [] : [{ run, ...part }]))
  const rows = await tx<({ held: string[] | null } & ClaimRow)[]>`
    with held as materialized (
      select run.id, run.flow, item.digest, item.document, item.status, item.finished_at, item.result::json as result,
        item.error, item.artifacts::json as artifacts
        ${hasFacts ? tx`, ${factColumns(tx)}` : tx``}
      from json_to_recordset(${JSON.stringify(writes.map((write) => runItem(write, columnsOf)))}::json) as item(
        run uuid, token uuid, digest text, document json, status text, finished_at timestamptz, result text,
        error json, artifacts text ${hasFacts ? tx`, ${factTypes(tx)}` : tx``})
      join run on run.id = item.run and run.status = 'running' and run.lease_token = item.token
      where run.id = any(${writes.map(({ run }) => run)}::uuid[])
      order by run.id for no key update of run
    )
    , moved as (
      update run set digest = coalesce(held.digest, run.digest), status = coalesce(held.status, run.status),
        finished_at = greatest(held.finished_at, case when held.status is not null then run.started_at end),
        error = held.error, ${hasFacts ? setFacts(tx) : tx``}
        lease_token = case when held.status is null then run.lease_token end,
        lease_until = case when held.status is null then run.lease_until end
      from held
      where run.id = held.id and (
        held.digest is not null or held.status is not null ${hasFacts ? tx`or held.shape is not null` : tx``})
    )
    ${isStoring ? storeContent(tx) : tx``}
    ${writes.some(({ draft }) => draft !== null) ? keepDrafts(tx) : tx``}
    ${noteNodes(tx, writes.flatMap(nodeItems))}
    ${chunks.length > 0 ? drawPoints(tx, chunks) : tx``}
    ${writes.some(({ cache }) => cache.length > 0) ? keepStages(tx, writes.flatMap(stageItems)) : tx``}
    ${kept.length > 0 ? keepRuns(tx, kept) : tx``}
    ${claim ? tx`, ${claimParts(tx, claim)}` : tx``}
    select ${
      claim
        ? tx`case when row_number() over () = 1 then (select json_agg(id) from held) end as held,
            rule.is_limited, claimed.* from ${claimed(tx)}`
        : tx`(select json_agg(id) from held) as held`
    }`
  // once, and not with each of the runs that were taken
  const held = rows.find((row) => row.held !== null)?.held
  return { held: new Set(held), claimed: claim && claimedOf(rows) }
}

/** Who executed the nodes of a run: `shown` is the node's id there, `run` and `node` the execution. */
const sourcesOf = (sql: Sql, run: string) => sql`(
  select node as shown, coalesce(cached_from, run) as run, coalesce(cached_node, node) as node
  from run_node where run = ${run}
)`

// Parts of `write`, which follow its `held`.

const factColumns = (tx: Sql) => tx`item.shape, item.numbers, item.texts, item.flags, item.nested, item.cut`

const factTypes = (tx: Sql) => tx`shape int, numbers float8[], texts text[], flags boolean[], nested jsonb, cut text[]`

const setFacts = (tx: Sql) => tx`
  shape = coalesce(held.shape, run.shape),
  numbers = case when held.shape is null then run.numbers else held.numbers end,
  texts = case when held.shape is null then run.texts else held.texts end,
  flags = case when held.shape is null then run.flags else held.flags end,
  nested = case when held.shape is null then run.nested else held.nested end,
  cut = case when held.shape is null then run.cut else held.cut end,`

/** What only the record of a run shows. */
const storeContent = (tx: Sql) => tx`, stored as (
  update run_content set result = coalesce(held.result, run_content.result),
    artifacts = coalesce(held.artifacts, run_content.artifacts)
  from held where run_content.run = held.id and (held.result is not null or held.artifacts is not null)
)`

const keepDrafts = (tx: Sql) => tx`, kept as (
  insert into run_document (flow, digest, document)
  select distinct on (flow, digest) flow, digest, document from held where digest is not null
  order by flow, digest
  on conflict do nothing
)`

const noteNodes = (tx: Sql, items: readonly object[]) => tx`, noted as (
  insert into run_node (run, node, status, cached, cached_from, cached_node, worker, queued_at, started_at,
    finished_at, waiting_for, logs, logs_truncated, log_bytes, traceback, error, cache, attempts)
  select item.run, node, item.status, cached, cached_from, cached_node, worker, queued_at, started_at,
    item.finished_at, waiting_for, logs, logs_truncated, log_bytes, traceback, item.error, item.cache::json,
    item.attempts::json
  from json_to_recordset(${JSON.stringify(items)}::json) as item(
    run uuid, node text, status text, cached boolean, cached_from uuid, cached_node text, worker text,
    queued_at timestamptz, started_at timestamptz, finished_at timestamptz, waiting_for text, logs text,
    logs_truncated boolean, log_bytes int8, traceback text, error json, cache text, attempts text)
  join held on held.id = item.run
  on conflict (run, node) do update set status = excluded.status, cached = excluded.cached,
    cached_from = excluded.cached_from, cached_node = excluded.cached_node, worker = excluded.worker,
    queued_at = excluded.queued_at, started_at = excluded.started_at, finished_at = excluded.finished_at,
    waiting_for = excluded.waiting_for, logs = excluded.logs, logs_truncated = excluded.logs_truncated,
    log_bytes = excluded.log_bytes,
    traceback = excluded.traceback, error = excluded.error, cache = excluded.cache,
    attempts = excluded.attempts
)`

const drawPoints = (tx: Sql, items: readonly ReturnType<typeof chunkItem>[]) => tx`, drawn as (
  insert into metric_chunk (run, metric, seq, count, first_step, last_step, last_value, low, high, steps, ts, vals)
  select item.* from ${chunkRows(tx, items)} as item join held on held.id = item.run
  -- stored before, when nobody heard of it
  on conflict (run, metric, seq) do nothing
)`

// Values of node code are JSON text inside the JSON: `json_to_recordset` refuses U+0000 and lone surrogates, a cast of
// their escaped spelling to `json` does not.
const runItem = ({ run, token, draft, artifacts, facts, end }: RunWrite, columnsOf: Round['columnsOf']) => ({
  run,
  token,
  ...draft,
  ...end,
  result: end?.result && JSON.stringify(end.result),
  ...(facts && columnsOf(facts)),
  artifacts: artifacts && JSON.stringify(artifacts),
})

const nodeItems = ({ run, nodes }: RunWrite) =>
  nodes.map(({ cache, attempts, ...node }) => ({
    run,
    ...node,
    cache: cache && JSON.stringify(cache),
    attempts: attempts && JSON.stringify(attempts),
  }))

const stageItems = ({ run, cache }: RunWrite) => cache.map((entry) => stageItem(run, entry))

const chunkItems = ({ run, chunks }: RunWrite, metricId: (curve: Curve) => number) =>
  chunks.map((chunk) => chunkItem(run, metricId(chunk), chunk))
