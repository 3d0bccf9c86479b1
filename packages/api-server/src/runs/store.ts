/**
 * The rows of runs: submission, lists, admission, lease and cancellation. What an execution writes is in
 * `execution-store.ts`.
 * @module
 */
import type { FlowDocument, RunInput, RunStatus } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
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

/** Which runs a list shows. Times are engine timestamps or ISO 8601 with an offset. */
export interface RunFilter {
  readonly flows?: readonly string[] | undefined
  readonly statuses?: readonly RunStatus[] | undefined
  readonly group?: string | undefined
  readonly digest?: string | undefined
  /** Inclusive. */
  readonly since?: string | undefined
  /** Exclusive. */
  readonly before?: string | undefined
}

/** Seconds that a lease lasts without being renewed. */
const LEASE_S = 30

/** The present name of a run's flow, or the last one of a flow that is gone. */
const flowName = (sql: Sql) => sql`(
  select coalesce(flow.name, run_flow.name) from run_flow left join flow on flow.id = run_flow.id
  where run_flow.id = run.flow
)`

const summary = (sql: Sql) => sql`
  run.id, ${flowName(sql)} as flow, run.status, run.draft, run.seed, run.group_id, run.parent, run.idempotency_key,
  run.external_id, run.flow_version, run.digest, run.commit, run.created_at, run.started_at, run.finished_at,
  extract(epoch from run.finished_at - run.started_at)::float8 as duration_s, run.error, run.submitted_by`

/** The statements of runs over one database. */
export class RunsStore {
  readonly #sql: Sql

  constructor({ sql }: Pick<Database, 'sql'>) {
    this.#sql = sql
  }

  /**
   * Queues runs, all or none; gives the ids. Left out are runs whose idempotency key is taken, and those of a flow that
   * is gone: whoever deletes it waits, and finds the runs, or has been faster.
   */
  async insert(tx: Sql, runs: readonly NewRun[]): Promise<Set<string>> {
    const rows = await tx<{ id: string }[]>`
      with item as materialized (
        select item.* from json_to_recordset(${JSON.stringify(runs)}::json) as item(
          id uuid, flow uuid, flow_name text, created_at timestamptz, draft boolean, no_cache boolean,
          flow_version int, digest text, document json, commit text, seed int8, inputs json,
          idempotency_key text, submitted_by text)
        join flow on flow.id = item.flow for key share of flow
      ), named as (
        insert into run_flow (id, name) select distinct on (flow) flow, flow_name from item order by flow
        on conflict (id) do update set name = excluded.name where run_flow.name <> excluded.name
      ), kept as (
        insert into run_document (flow, digest, document)
        select distinct on (flow, digest) flow, digest, document from item where digest is not null
        order by flow, digest
        on conflict do nothing
      )
      insert into run (id, flow, created_at, draft, no_cache, flow_version, digest, commit, seed, inputs,
        idempotency_key, submitted_by)
      select id, flow, created_at, draft, no_cache, flow_version, digest, commit, seed, inputs, idempotency_key,
        submitted_by
      from item
      on conflict (flow, idempotency_key) where idempotency_key is not null do nothing
      returning id`
    return new Set(rows.map((row) => row.id))
  }

  /** Keeps the name of a flow for its runs. */
  async rename(tx: Sql, flow: string, name: string): Promise<void> {
    await tx`update run_flow set name = ${name} where id = ${flow}`
  }

  /** Time of creation of the newest run. */
  async newest(): Promise<string | null> {
    const [row] = await this.#sql<{ created_at: string }[]>`select created_at from run order by created_at desc limit 1`
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
      select ${summary(this.#sql)}, run.inputs, run.no_cache, run.result, run.artifacts, run_document.document
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
    const { flows, statuses, group, digest, since, before } = filter
    return this.#sql<SummaryRow[]>`
      select ${summary(this.#sql)} from run where true
      ${
        flows
          ? this.#sql`and run.flow in (
              select run_flow.id from run_flow left join flow on flow.id = run_flow.id
              where coalesce(flow.name, run_flow.name) = any(${flows as string[]}::text[]))`
          : this.#sql``
      }
      ${statuses ? this.#sql`and run.status = any(${statuses as string[]}::text[])` : this.#sql``}
      ${group === undefined ? this.#sql`` : this.#sql`and run.group_id = ${group}::uuid`}
      ${digest === undefined ? this.#sql`` : this.#sql`and run.digest = ${digest}`}
      ${since === undefined ? this.#sql`` : this.#sql`and run.created_at >= ${since}::timestamptz`}
      ${before === undefined ? this.#sql`` : this.#sql`and run.created_at < ${before}::timestamptz`}
      order by run.created_at desc limit ${page.limit} offset ${page.offset}`
  }

  /** Takes up to `limit` queued runs: the most urgent, then the oldest. */
  async claim(limit: number, startedAt: string): Promise<ClaimedRun[]> {
    return this.#sql<ClaimedRun[]>`
      with next as (
        select id, flow, digest from run where status = 'queued'
        order by priority desc, created_at limit ${limit} for update skip locked
      )
      update run set status = 'running', started_at = greatest(${startedAt}::timestamptz, run.created_at),
        lease_token = gen_random_uuid(), lease_until = now() + make_interval(secs => ${LEASE_S})
      from next left join run_document on run_document.flow = next.flow and run_document.digest = next.digest
      where run.id = next.id
      returning ${summary(this.#sql)}, run.flow as flow_id, run.lease_token as token, run.no_cache, run.inputs,
        run_document.document`
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
