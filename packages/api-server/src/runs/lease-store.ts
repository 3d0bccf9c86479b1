/**
 * Which engine executes a run: the claim of a queued one, the lease while it runs, and its end when nobody renews it.
 * @module
 */
import type { FlowDocument, RunInput } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import type { SummaryRow } from './run-record.ts'
import { summary } from './store.ts'

/** A run that this engine has taken; it alone knows the token. */
export interface ClaimedRun extends SummaryRow {
  readonly flow_id: string
  readonly token: string
  readonly no_cache: boolean
  readonly inputs: RunInput[]
  readonly document: FlowDocument | null
}

/** What an engine has room for. */
export interface Claim {
  readonly limit: number
  readonly startedAt: string
}

/** A row of {@link claimed}. */
export type ClaimRow = { readonly is_limited: boolean } & (ClaimedRun | { readonly id: null })

/** Seconds that a lease lasts without being renewed. */
const LEASE_S = 30

/** Names the lock under which the runs of flows with limits are counted and taken. */
const CLAIM_LOCK = 7_201_001

/** Takes the runs that a `next` before it names. */
const claimOf = (sql: Sql, startedAt: string, more: ReturnType<Sql>) => sql`
  update run set status = 'running', started_at = greatest(${startedAt}::timestamptz, run.created_at),
    lease_token = gen_random_uuid(), lease_until = now() + make_interval(secs => ${LEASE_S})
  from next left join run_document on run_document.flow = next.flow and run_document.digest = next.digest
  where run.id = next.id ${more}
  returning ${summary(sql)}, run.flow as flow_id, run.lease_token as token, run.no_cache, run.inputs,
    run_document.document`

/**
 * Parts of a statement: the most urgent of the queued runs, then the oldest, are taken. Where the flow of one of them
 * has a limit, none is, which one statement finds out.
 */
export const claimParts = (sql: Sql, { limit, startedAt }: Claim) => sql`
  next as (
    select id, flow, digest from run where status = 'queued'
    order by priority desc, created_at limit ${limit} for update skip locked
  ), rule as materialized (
    select exists(select from next join flow on flow.id = next.flow where flow.concurrency is not null) as is_limited
  ), claimed as (${claimOf(sql, startedAt, sql`and not (select is_limited from rule)`)})`

/** What a statement with {@link claimParts} selects from. */
export const claimed = (sql: Sql) => sql`rule left join claimed on true`

/** The runs that were taken; null where flows have limits. */
export function claimedOf(rows: readonly ClaimRow[]): ClaimedRun[] | null {
  if (rows[0]?.is_limited) return null
  return rows.flatMap(({ is_limited: _isLimited, ...run }) => (run.id === null ? [] : [run as ClaimedRun]))
}

/** The statements of leases over one database. */
export class LeaseStore {
  readonly #sql: Sql
  readonly #transaction: Database['transaction']

  constructor({ sql, transaction }: Pick<Database, 'sql' | 'transaction'>) {
    this.#sql = sql
    this.#transaction = transaction
  }

  /** Takes queued runs; see {@link claimParts}. Null where flows have limits: then it is {@link claimWithinLimits}. */
  async claim(tx: Sql, claim: Claim): Promise<ClaimedRun[] | null> {
    return claimedOf(
      await tx<ClaimRow[]>`
      with ${claimParts(tx, claim)} select rule.is_limited, claimed.* from ${claimed(tx)}`,
    )
  }

  /**
   * Takes up to `limit` queued runs, of no flow more than may execute at once in all engines. The lock lets one engine
   * at a time count and take, and the statement behind it sees what the engine before has taken.
   */
  async claimWithinLimits({ limit, startedAt }: Claim): Promise<ClaimedRun[]> {
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

  /** Gives up running runs: those whose lease is over, all, or all but those of some tokens. Gives the runs. */
  async abandon(
    which: 'expired' | 'all' | { readonly but: readonly string[] },
    finishedAt: string,
  ): Promise<SummaryRow[]> {
    const meant =
      which === 'expired'
        ? this.#sql`and lease_until < now()`
        : this.#sql`and not (lease_token = any(${(which === 'all' ? [] : which.but) as string[]}::uuid[]))`
    const error = { node: null, type: 'abandoned', message: 'the engine that executed the run stopped before its end' }
    return this.#sql<SummaryRow[]>`
      update run set status = 'abandoned', finished_at = greatest(${finishedAt}::timestamptz, run.started_at),
        error = ${JSON.stringify(error)}::json, lease_token = null, lease_until = null
      where status = 'running' ${meant}
      returning ${summary(this.#sql)}`
  }
}
