/**
 * Which engine executes a run: the claim of a queued one, the lease while it runs, and its end when nobody renews it.
 * @module
 */
import type { FlowDocument, RunInput } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import { hasRoomFor, type RunNumbers } from './admission.ts'
import { flowName } from './curves/run-filter.ts'
import type { SummaryRow } from './run-record.ts'
import { summary } from './store.ts'

/** A run that waits. */
export interface QueuedRun {
  readonly id: string
  readonly flow: string
  readonly created_at: string
}

/** A run that this engine has taken; it alone knows the token, which is that of the claim. */
export interface ClaimedRun extends SummaryRow {
  readonly flow_id: string
  readonly token: string
  readonly no_cache: boolean
  readonly heavy: boolean
  readonly inputs: RunInput[]
  /** Null of a draft whose flow has not been read yet; and where the engine has it, until `claimed-documents.ts` gives it. */
  document: FlowDocument | null
}

/** What an engine has room for. */
export interface Claim {
  /** Chosen before the claim is sent: whoever does not hear its answer finds by it what was taken. */
  readonly token: string
  readonly room: RunNumbers
  /** Seconds that the lease lasts without being renewed. */
  readonly leaseS: number
  readonly startedAt: string
  /** Whether runs outlive the engine that claims them. */
  readonly isKeeping: boolean
  /** Digests of documents that the engine has: they do not come with their runs. */
  readonly known: readonly string[]
}

/** A row of {@link claimed}. */
export type ClaimRow = { readonly is_limited: boolean } & (ClaimedRun | { readonly id: null })

/** Names the lock under which the runs of flows with limits are counted and taken. */
const CLAIM_LOCK = 7_201_001

/**
 * The columns of a {@link ClaimedRun}, of `run` and the `run_content` and `run_document` that are joined to it; null in place
 * of documents whose digests are `known`.
 */
export const claimColumns = (sql: Sql, known: readonly string[]) => sql`
  ${summary(sql)}, run.flow as flow_id, run.lease_token as token, run.no_cache, run.heavy, content.inputs,
  case when (run.digest = any(${known as string[]}::text[])) is not true then run_document.document end as document`

/** Takes the runs that a `next` before it names. */
const claimOf = (sql: Sql, { token, startedAt, leaseS, known }: Claim, more: ReturnType<Sql>) => sql`
  update run set status = 'running', started_at = greatest(${startedAt}::timestamptz, run.created_at),
    lease_token = ${token}, lease_until = now() + make_interval(secs => ${leaseS})
  from next join run_content content on content.run = next.id
  left join run_document on run_document.flow = next.flow and run_document.digest = next.digest
  where run.id = next.id ${more}
  returning ${claimColumns(sql, known)}`

/**
 * Parts of a statement: the most urgent of the queued runs, then the oldest, are taken, of each class where each has its
 * room. Where the flow of one of them has a limit, none is, which one statement finds out.
 */
export const claimParts = (sql: Sql, claim: Claim) => sql`
  ${nextOf(sql, claim.room)}, rule as materialized (
    select exists(select from next join flow on flow.id = next.flow where flow.concurrency is not null) as is_limited
  ), claimed as (${claimOf(sql, claim, sql`and not (select is_limited from rule)`)})
  ${claim.isKeeping ? keepClaims(sql) : sql``}`

/** Runs that are first in line, as `next`. */
const nextOf = (sql: Sql, room: RunNumbers) => {
  const first = (limit: number, more: ReturnType<Sql>) => sql`
    select id, flow, digest from run where status = 'queued' ${more}
    order by priority desc, created_at limit ${limit} for update skip locked`
  if ('all' in room) return sql`next as (${first(room.all, sql``)})`
  const heavy = first(room.heavy, sql`and heavy`)
  const light = first(room.light, sql`and not heavy`)
  return sql`
    next_heavy as (${heavy}), next_light as (${light}), next as (select * from next_heavy union all select * from next_light)`
}

/** Notes that of the runs `claimed` nothing has begun, of those that can go on without this engine (runs.I20). */
const keepClaims = (sql: Sql) => sql`, kept_claims as (
  insert into kept_run (run) select run.id from run join claimed on claimed.id = run.id where run.elsewhere
  on conflict (run) do update set read = null
)`

/** What a statement with {@link claimParts} selects from. */
export const claimed = (sql: Sql) => sql`rule left join claimed on true`

/** The runs that were taken; null where flows have limits. */
export const claimedOf = (rows: readonly ClaimRow[]): ClaimedRun[] | null =>
  rows[0]?.is_limited ? null : rows.filter((row) => row.id !== null)

/** A run that goes on without its engine: nothing of it executes but what workers have (runs.I20). */
export const goesOn = (sql: Sql) => sql`(
  exists (select from kept_run where kept_run.run = run.id)
  and not exists (select from worker_call where worker_call.run = run.id and worker_call.session is null)
)`

/** Which running runs are given up. */
export interface GivenUp {
  /** Those whose lease is over, or all. */
  readonly which: 'expired' | 'all'
  /** How many seconds runs wait for their workers after their lease is over; null when none does. */
  readonly waitS: number | null
  /** Runs that are none of those. */
  readonly except: readonly string[]
}

/** The oldest queued run that there is room for, and whose flow may have one more execute; null for none. */
export async function firstClaimable(sql: Sql, room: RunNumbers): Promise<QueuedRun | null> {
  const [row] = await sql<QueuedRun[]>`
    select run.id, ${flowName(sql)} as flow, run.created_at from run left join flow on flow.id = run.flow
    where run.status = 'queued'
      and case when run.heavy then ${hasRoomFor(room, true)}::boolean else ${hasRoomFor(room, false)}::boolean end
      and (flow.concurrency is null or flow.concurrency > (
      select count(*) from run as other where other.flow = run.flow and other.status = 'running'))
    order by run.created_at limit 1`
  return row ?? null
}

/** The statements of leases. */
export type LeaseStore = ReturnType<typeof createLeaseStore>

/**
 * The statements of leases. Those that wait for rows of several runs, and the writes of executions
 * (`execution-store.ts`), lock them in the order of their ids: no two wait for each other.
 */
export const createLeaseStore = (sql: Sql) => ({
  /** Takes queued runs; see {@link claimParts}. Null where flows have limits: then it is {@link claimWithinLimits}. */
  async claim(tx: Sql, claim: Claim): Promise<ClaimedRun[] | null> {
    return claimedOf(
      await tx<ClaimRow[]>`
      with ${claimParts(tx, claim)} select rule.is_limited, claimed.* from ${claimed(tx)}`,
    )
  },

  /**
   * Takes as many queued runs as there is room for, of no flow more than may execute at once in all engines. The lock lets
   * one engine at a time count and take until its transaction ends, and the statement behind it sees what the engine
   * before has taken.
   */
  async claimWithinLimits(tx: Sql, claim: Claim): Promise<ClaimedRun[]> {
    const { room } = claim
    const [heavy, light] = 'all' in room ? [room.all, room.all] : [room.heavy, room.light]
    const first = (most: number, which: ReturnType<Sql>) =>
      tx`(select id from head where ${which} order by priority desc, created_at limit ${most})`
    await tx`select pg_advisory_xact_lock(${CLAIM_LOCK})`
    return tx<ClaimedRun[]>`
      with room as materialized (
        select run_flow.id, flow.concurrency - (
          select count(*) from run where run.flow = run_flow.id and run.status = 'running' and flow.concurrency > 0
        ) as free
        from run_flow left join flow on flow.id = run_flow.id
      ), head as materialized (
        select id, priority, created_at, heavy from (
          select line.*, room.free,
            row_number() over (partition by room.id order by line.priority desc, line.created_at) as place
          from room cross join (values (true, ${heavy}::int), (false, ${light}::int)) as class (heavy, most)
          cross join lateral (
            select id, priority, created_at, heavy from run
            where flow = room.id and status = 'queued' and run.heavy = class.heavy
            order by priority desc, created_at limit greatest(least(room.free, class.most), 0)
          ) line
        ) placed where free is null or place <= free
      ), next as (
        select id, flow, digest from run
        where status = 'queued' and id in (
          ${'all' in room ? first(room.all, tx`true`) : tx`${first(heavy, tx`heavy`)} union all ${first(light, tx`not heavy`)}`}
        )
        for update skip locked
      ), claimed as (${claimOf(tx, claim, tx``)}) ${claim.isKeeping ? keepClaims(tx) : tx``}
      select * from claimed`
  },

  /** Extends the leases of these runs that are still held to so many seconds from now; gives the ids of these. */
  async renew(runs: readonly Pick<ClaimedRun, 'id' | 'token'>[], leaseS: number): Promise<Set<string>> {
    const rows = await sql<{ id: string }[]>`
      update run set lease_until = now() + make_interval(secs => ${leaseS})
      where id in (
        select id from run
        where status = 'running' and id = any(${runs.map(({ id }) => id)}::uuid[])
          and lease_token = any(${[...new Set(runs.map(({ token }) => token))]}::uuid[])
        order by id for no key update
      )
      returning id`
    return new Set(rows.map((row) => row.id))
  },

  /** Queues the runs of these claims again, but those that were begun; gives the claims that had taken any. */
  async release(tokens: readonly string[], begun: readonly string[]): Promise<Set<string>> {
    const rows = await sql<{ token: string }[]>`
      update run set status = 'queued', started_at = null, lease_token = null, lease_until = null
      from (
        select id, lease_token from run
        where status = 'running' and lease_token = any(${tokens as string[]}::uuid[])
          and not (id = any(${begun as string[]}::uuid[]))
        order by id for no key update
      ) as taken
      where run.id = taken.id and run.status = 'running' and run.lease_token = taken.lease_token
      returning taken.lease_token as token`
    return new Set(rows.map((row) => row.token))
  },

  /** Gives up running runs; gives them. */
  async abandon({ which, waitS, except }: GivenUp, finishedAt: string): Promise<SummaryRow[]> {
    const over = which === 'expired' ? sql`and lease_until <= now()` : sql``
    const patient =
      waitS === null
        ? sql``
        : sql`and not (run.id = any(${except as string[]}::uuid[]))
            and (lease_until < now() - make_interval(secs => ${waitS}) or not ${goesOn(sql)})`
    const error = { node: null, type: 'abandoned', message: 'the engine that executed the run stopped before its end' }
    return sql<SummaryRow[]>`
      update run set status = 'abandoned', finished_at = greatest(${finishedAt}::timestamptz, run.started_at),
        error = ${JSON.stringify(error)}::json, lease_token = null, lease_until = null
      where id in (select id from run
        where status = 'running' and origin = 'engine' ${over} ${patient} order by id for no key update)
      returning ${summary(sql)}`
  },
})
