/**
 * The rows of runs: submission, lists and cancellation. Admission is in `lease-store.ts`, what an execution writes in
 * `execution-store.ts`.
 * @module
 */
import type { FlowDocument, RunInput } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import { flowName } from './curves/run-filter.ts'
import type { FactColumns } from './run-facts.ts'
import type { DetailRow, SummaryRow } from './run-record.ts'

/** With what the statement that queues a run claims it for its engine. */
export interface SubmissionClaim {
  readonly token: string
  readonly started_at: string
  /** Seconds that the lease lasts without being renewed. */
  readonly lease_s: number
}

/** A run to be queued. */
export interface NewRun extends FactColumns {
  readonly id: string
  readonly flow: string
  readonly flow_name: string
  readonly created_at: string
  readonly draft: boolean
  readonly no_cache: boolean
  readonly flow_version: number | null
  /** Null for a draft, which is read when the run starts. */
  readonly digest: string | null
  readonly document: FlowDocument | null
  readonly commit: string | null
  readonly seed: number | null
  readonly inputs: readonly RunInput[]
  readonly priority: number
  readonly group_id: string | null
  readonly parent: string | null
  readonly idempotency_key: string | null
  readonly submitted_by: string | null
  /** Whether the pinned document has nodes that only attached workers execute. */
  readonly elsewhere: boolean
  /** Whether the pinned document has nodes whose code takes a process; null for a draft, whose flow says it. */
  readonly heavy: boolean | null
  /** Which writing of its flow it is made of, where that may not be the last one. */
  readonly written?: string | null
  /** Claims the run for the engine that queues it, unless its flow has a limit. */
  readonly claim?: SubmissionClaim | null
}

/** The columns that every form of a run has. */
export const head = (sql: Sql) => sql`
  run.id, ${flowName(sql)} as flow, run.status, run.draft, run.seed, run.group_id, run.parent, run.idempotency_key,
  run.external_id, run.flow_version, run.digest, run.commit, run.created_at, run.started_at, run.finished_at,
  extract(epoch from run.finished_at - run.started_at)::float8 as duration_s, run.error, run.submitted_by,
  run.origin, run.note, run.tags, run.pinned, run.archived`

/** The columns of a {@link SummaryRow}, without what is to be asked for. */
export const summary = (sql: Sql) => sql`
  ${head(sql)}, null as params, null as params_cut, null as results, null as metrics, null as progress`

/**
 * Queues runs, all or none; gives by their ids whether they are claimed. Left out are runs whose idempotency key is taken,
 * those of a flow that was written since, and those of one that is gone: whoever deletes it waits, and finds the runs, or
 * has been faster.
 */
async function insertRuns(tx: Sql, runs: readonly NewRun[]): Promise<Map<string, boolean>> {
  const rows = await tx<{ id: string; is_claimed: boolean }[]>`
    with item as materialized (
      select item.*, coalesce(item.heavy, flow.draft_heavy) as is_heavy,
        item.claim is not null and flow.concurrency is null as is_claimed
      from json_to_recordset(${JSON.stringify(withDocumentsOnce(runs))}::json) as item(
        id uuid, flow uuid, flow_name text, created_at timestamptz, draft boolean, no_cache boolean, priority int,
        flow_version int, digest text, document json, commit text, seed int8, inputs json, group_id uuid,
        parent uuid, idempotency_key text, submitted_by text, elsewhere boolean, heavy boolean, shape int,
        numbers float8[], texts text[], flags boolean[], nested jsonb, cut text[], written text, claim json)
      -- a bare comparison would have the planner expect one run, and a sweep of 10,000 take a minute
      join flow on flow.id = item.flow and coalesce(flow.xmin::text = item.written, true)
      for key share of flow
    ), named as (
      insert into run_flow (id, name) select distinct on (flow) flow, flow_name from item order by flow
      on conflict (id) do update set name = excluded.name where run_flow.name <> excluded.name
    ), kept as (
      insert into run_document (flow, digest, document)
      select flow, digest, document from item where document is not null order by flow, digest
      on conflict do nothing
    ), queued as (
      insert into run (id, flow, created_at, draft, no_cache, priority, flow_version, digest, commit, seed, group_id,
        parent, idempotency_key, submitted_by, elsewhere, heavy, shape, numbers, texts, flags, nested, cut, status,
        started_at, lease_token, lease_until)
      select id, flow, created_at, draft, no_cache, priority, flow_version, digest, commit, seed, group_id, parent,
        idempotency_key, submitted_by, elsewhere, is_heavy, shape, numbers, texts, flags, nested, cut,
        case when is_claimed then 'running' else 'queued' end,
        case when is_claimed then (claim ->> 'started_at')::timestamptz end,
        case when is_claimed then (claim ->> 'token')::uuid end,
        case when is_claimed then now() + make_interval(secs => (claim ->> 'lease_s')::float8) end
      from item
      on conflict (flow, idempotency_key) where idempotency_key is not null do nothing
      returning id, status = 'running' as is_claimed
    ), filled as (
      insert into run_content (run, inputs) select id, item.inputs from queued join item using (id)
    )
    select id, is_claimed from queued`
  return new Map(rows.map((row) => [row.id, row.is_claimed]))
}

/** The statements of runs. */
export type RunsStore = ReturnType<typeof createRunsStore>

/** The statements of runs. */
export const createRunsStore = (sql: Sql) => ({
  insert: insertRuns,

  /** Keeps the name of a flow for its runs. */
  async rename(tx: Sql, flow: string, name: string): Promise<void> {
    await tx`update run_flow set name = ${name} where id = ${flow}`
  },

  /** Time of creation of the newest run that was submitted here; imported ones may come from another time. */
  async newest(): Promise<string | null> {
    const [row] = await sql<{ created_at: string }[]>`
      select created_at from run where external_id is null order by created_at desc limit 1`
    return row?.created_at ?? null
  },

  /** The run that was first submitted under a key. */
  async idOfKey(flow: string, key: string): Promise<string | null> {
    const [row] = await sql<{ id: string }[]>`select id from run where flow = ${flow} and idempotency_key = ${key}`
    return row?.id ?? null
  },

  /** A run with everything but its nodes and curves. */
  async detail(id: string): Promise<DetailRow | null> {
    const [row] = await sql<DetailRow[]>`
      select ${head(sql)}, run.no_cache, run.priority, content.inputs, content.result, content.artifacts,
        run_document.document
      from run join run_content content on content.run = run.id
      left join run_document on run_document.flow = run.flow and run_document.digest = run.digest
      where run.id = ${id}`
    return row ?? null
  },

  /** The runs of these ids that exist, in any order. */
  async summaries(ids: readonly string[]): Promise<SummaryRow[]> {
    return sql<SummaryRow[]>`select ${summary(sql)} from run where run.id = any(${ids as string[]}::uuid[])`
  },

  /** Cancels a run that is in this state; null when it is not. */
  async cancel(id: string, from: 'queued' | 'running', finishedAt: string): Promise<SummaryRow | null> {
    const [row] = await sql<SummaryRow[]>`
      update run set status = 'cancelled', lease_token = null, lease_until = null,
        finished_at = greatest(${finishedAt}::timestamptz, run.created_at, run.started_at)
      where id = ${id} and status = ${from} returning ${summary(sql)}`
    return row ?? null
  },

  /** Queued and running runs, newest first. */
  async active(limit: number): Promise<SummaryRow[]> {
    return sql<SummaryRow[]>`
      select ${summary(sql)} from run where run.status in ('queued', 'running')
      order by run.created_at desc limit ${limit}`
  },

  /** Ids of the queued and running runs of a flow, newest first. */
  async activeOf(tx: Sql, flow: string): Promise<string[]> {
    const rows = await tx<{ id: string }[]>`
      select id from run where flow = ${flow} and status in ('queued', 'running') order by created_at desc`
    return rows.map((row) => row.id)
  },
})

/** A document stands only in the first run that has it: a sweep would carry it ten thousand times. */
function withDocumentsOnce(runs: readonly NewRun[]): NewRun[] {
  const seen = new Set<string>()
  return runs.map((run) => {
    // one of another writing may be left out, with its document
    const key = `${run.flow} ${run.digest} ${run.written ?? ''}`
    if (seen.has(key)) return { ...run, document: null }
    seen.add(key)
    return run
  })
}
