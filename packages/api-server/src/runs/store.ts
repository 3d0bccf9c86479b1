/**
 * The rows of runs: submission, lists, admission, lease and cancellation. What an execution writes is in
 * `execution-store.ts`.
 * @module
 */
import type { FlowDocument, RunInput } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { flowName, matching, type RunFilter } from './run-filter.ts'
import type { DetailRow, SummaryRow } from './run-record.ts'

/** A run to be queued. */
export interface NewRun {
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
}

/** A run that this engine has taken; it alone knows the token. */
export interface ClaimedRun extends SummaryRow {
  readonly flow_id: string
  readonly token: string
  readonly no_cache: boolean
  readonly inputs: RunInput[]
  readonly document: FlowDocument | null
}

/** Seconds that a lease lasts without being renewed. */
const LEASE_S = 30

/** Names the lock under which the runs of flows with limits are counted and taken. */
const CLAIM_LOCK = 7_201_001

/** The columns of a {@link SummaryRow}. */
export const summary = (sql: Sql) => sql`
  run.id, ${flowName(sql)} as flow, run.status, run.draft, run.seed, run.group_id, run.parent, run.idempotency_key,
  run.external_id, run.flow_version, run.digest, run.commit, run.created_at, run.started_at, run.finished_at,
  extract(epoch from run.finished_at - run.started_at)::float8 as duration_s, run.error, run.submitted_by`

/** Takes the runs that a `next` before it names. */
const claimOf = (sql: Sql, startedAt: string, more: ReturnType<Sql>) => sql`
  update run set status = 'running', started_at = greatest(${startedAt}::timestamptz, run.created_at),
    lease_token = gen_random_uuid(), lease_until = now() + make_interval(secs => ${LEASE_S})
  from next left join run_document on run_document.flow = next.flow and run_document.digest = next.digest
  where run.id = next.id ${more}
  returning ${summary(sql)}, run.flow as flow_id, run.lease_token as token, run.no_cache, run.inputs,
    run_document.document`

/** The statements of runs over one database. */
export class RunsStore {
  readonly #sql: Sql
  readonly #transaction: Database['transaction']

  constructor({ sql, transaction }: Pick<Database, 'sql' | 'transaction'>) {
    this.#sql = sql
    this.#transaction = transaction
  }

  /**
   * Queues runs, all or none; gives the ids. Left out are runs whose idempotency key is taken, and those of a flow that
   * is gone: whoever deletes it waits, and finds the runs, or has been faster.
   */
  async insert(tx: Sql, runs: readonly NewRun[]): Promise<Set<string>> {
    const rows = await tx<{ id: string }[]>`
      with item as materialized (
        select item.* from json_to_recordset(${JSON.stringify(withDocumentsOnce(runs))}::json) as item(
          id uuid, flow uuid, flow_name text, created_at timestamptz, draft boolean, no_cache boolean, priority int,
          flow_version int, digest text, document json, commit text, seed int8, inputs json, group_id uuid,
          parent uuid, idempotency_key text, submitted_by text)
        join flow on flow.id = item.flow for key share of flow
      ), named as (
        insert into run_flow (id, name) select distinct on (flow) flow, flow_name from item order by flow
        on conflict (id) do update set name = excluded.name where run_flow.name <> excluded.name
      ), kept as (
        insert into run_document (flow, digest, document)
        select flow, digest, document from item where document is not null order by flow, digest
        on conflict do nothing
      )
      insert into run (id, flow, created_at, draft, no_cache, priority, flow_version, digest, commit, seed, inputs,
        group_id, parent, idempotency_key, submitted_by)
      select id, flow, created_at, draft, no_cache, priority, flow_version, digest, commit, seed, inputs, group_id,
        parent, idempotency_key, submitted_by
      from item
      on conflict (flow, idempotency_key) where idempotency_key is not null do nothing
      returning id`
    return new Set(rows.map((row) => row.id))
  }

  /** Keeps the name of a flow for its runs. */
  async rename(tx: Sql, flow: string, name: string): Promise<void> {
    await tx`update run_flow set name = ${name} where id = ${flow}`
  }

  /** Time of creation of the newest run that was submitted here; imported ones may come from another time. */
  async newest(): Promise<string | null> {
    const [row] = await this.#sql<{ created_at: string }[]>`
      select created_at from run where external_id is null order by created_at desc limit 1`
    return row?.created_at ?? null
  }

  /** The run that was first submitted under a key. */
  async idOfKey(flow: string, key: string): Promise<string | null> {
    const [row] = await this.#sql<
      { id: string }[]
    >`select id from run where flow = ${flow} and idempotency_key = ${key}`
    return row?.id ?? null
  }

  /** A run with everything but its nodes and curves. */
  async detail(id: string): Promise<DetailRow | null> {
    const [row] = await this.#sql<DetailRow[]>`
      select ${summary(this.#sql)}, run.inputs, run.no_cache, run.priority, run.result, run.artifacts,
        run_document.document
      from run left join run_document on run_document.flow = run.flow and run_document.digest = run.digest
      where run.id = ${id}`
    return row ?? null
  }

  /** The runs of these ids that exist, in any order. */
  async summaries(ids: readonly string[]): Promise<SummaryRow[]> {
    return this.#sql<SummaryRow[]>`select ${summary(this.#sql)} from run where run.id = any(${ids as string[]}::uuid[])`
  }

  /** Newest first. */
  async list(filter: RunFilter, page: { limit: number; offset: number }): Promise<SummaryRow[]> {
    return this.#sql<SummaryRow[]>`
      select ${summary(this.#sql)} from run where ${matching(this.#sql, filter)}
      order by run.created_at desc limit ${page.limit} offset ${page.offset}`
  }

  /**
   * Takes up to `limit` queued runs: the most urgent, then the oldest, and of no flow more than may execute at once in
   * all engines. Where no such flow is among the next ones, which one statement finds out, that statement is all.
   */
  async claim(limit: number, startedAt: string): Promise<ClaimedRun[]> {
    const rows = await this.#sql<({ is_limited: boolean } & (ClaimedRun | { id: null }))[]>`
      with next as (
        select id, flow, digest from run where status = 'queued'
        order by priority desc, created_at limit ${limit} for update skip locked
      ), rule as materialized (
        select exists(select from next join flow on flow.id = next.flow where flow.concurrency is not null) as is_limited
      ), claimed as (${claimOf(this.#sql, startedAt, this.#sql`and not (select is_limited from rule)`)})
      select rule.is_limited, claimed.* from rule left join claimed on true`
    if (rows[0]?.is_limited) return this.#claimWithinLimits(limit, startedAt)
    return rows.flatMap(({ is_limited: _isLimited, ...run }) => (run.id === null ? [] : [run as ClaimedRun]))
  }

  /**
   * The same where flows have limits. The lock lets one engine at a time count and take, and the statement behind it
   * sees what the engine before has taken.
   */
  async #claimWithinLimits(limit: number, startedAt: string): Promise<ClaimedRun[]> {
    return this.#transaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(${CLAIM_LOCK})`
      return tx<ClaimedRun[]>`
        with room as materialized (
          select run_flow.id, least(${limit}, flow.concurrency - (
            select count(*) from run where run.flow = run_flow.id and run.status = 'running' and flow.concurrency > 0
          )) as free
          from run_flow left join flow on flow.id = run_flow.id
        ), next as (
          select id, flow, digest from run
          where status = 'queued' and id in (
            select head.id from room cross join lateral (
              select id, priority, created_at from run where flow = room.id and status = 'queued'
              order by priority desc, created_at limit greatest(room.free, 0)
            ) head
            order by head.priority desc, head.created_at limit ${limit}
          )
          for update skip locked
        ) ${claimOf(tx, startedAt, tx``)}`
    })
  }

  /** Extends the leases that are still held; gives the tokens of these. */
  async renew(tokens: readonly string[]): Promise<Set<string>> {
    const rows = await this.#sql<{ lease_token: string }[]>`
      update run set lease_until = now() + make_interval(secs => ${LEASE_S})
      where status = 'running' and lease_token = any(${tokens as string[]}::uuid[]) returning lease_token`
    return new Set(rows.map((row) => row.lease_token))
  }

  /** Gives up running runs whose lease is over, or all of them; gives the runs. */
  async abandon(which: 'expired' | 'all', finishedAt: string): Promise<SummaryRow[]> {
    const error = { node: null, type: 'abandoned', message: 'the engine that executed the run stopped before its end' }
    return this.#sql<SummaryRow[]>`
      update run set status = 'abandoned', finished_at = greatest(${finishedAt}::timestamptz, run.started_at),
        error = ${JSON.stringify(error)}::json, lease_token = null, lease_until = null
      where status = 'running' ${which === 'expired' ? this.#sql`and lease_until < now()` : this.#sql``}
      returning ${summary(this.#sql)}`
  }

  /** Cancels a run that is in this state; null when it is not. */
  async cancel(id: string, from: 'queued' | 'running', finishedAt: string): Promise<SummaryRow | null> {
    const [row] = await this.#sql<SummaryRow[]>`
      update run set status = 'cancelled', lease_token = null, lease_until = null,
        finished_at = greatest(${finishedAt}::timestamptz, run.created_at, run.started_at)
      where id = ${id} and status = ${from} returning ${summary(this.#sql)}`
    return row ?? null
  }

  /** Queued and running runs, newest first. */
  async active(limit: number): Promise<SummaryRow[]> {
    return this.#sql<SummaryRow[]>`
      select ${summary(this.#sql)} from run where run.status in ('queued', 'running')
      order by run.created_at desc limit ${limit}`
  }

  /** Ids of the queued and running runs of a flow, newest first. */
  async activeOf(tx: Sql, flow: string): Promise<string[]> {
    const rows = await tx<{ id: string }[]>`
      select id from run where flow = ${flow} and status in ('queued', 'running') order by created_at desc`
    return rows.map((row) => row.id)
  }
}

/** A document stands only in the first run that has it: a sweep would carry it ten thousand times. */
function withDocumentsOnce(runs: readonly NewRun[]): NewRun[] {
  const seen = new Set<string>()
  return runs.map((run) => {
    const key = `${run.flow} ${run.digest}`
    if (seen.has(key)) return { ...run, document: null }
    seen.add(key)
    return run
  })
}
