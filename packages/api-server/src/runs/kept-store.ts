/**
 * The rows of runs that outlive their engine: what goes with the writes of an execution, and what another one reads of it.
 * DESIGN.md has the rules (runs.I20-I24).
 * @module
 */
import { storedKinds, withStored } from '@flow-service/core'
import type { StoredKind } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import type { CallPlace } from '../workers/run-calls.ts'
import type { CurveEnd } from './curves/points.ts'
import { flowName } from './curves/run-filter.ts'
import { type ClaimedRun, claimColumns, goesOn } from './lease-store.ts'
import type { RunArtifact } from './run-record.ts'

/** What is known of a call beside the record of its node. */
export interface CallState {
  /** The last value of each streaming port. */
  readonly emitted: Record<string, unknown>
  /** When its worker has begun with it. */
  readonly startMs: number | null
}

/** A call as far as what it did is stored. */
export interface CallPosition {
  /** The last frame that is stored as a whole. */
  readonly seq: number
  /** Emissions of the next frame that are stored. */
  readonly part: number
}

/** A call that begins. */
interface BegunCall {
  readonly call: string
  readonly node: string
  readonly attempt: number
  /** Null for what ends with its engine. */
  readonly place: CallPlace | null
  readonly state: CallState
}

/** What goes with a write of a kept run. */
export interface KeptWrite {
  /** With the first write: what the run has read of other flows. */
  readonly read: Record<string, unknown> | null
  readonly begun: readonly BegunCall[]
  readonly moved: readonly (CallPosition & { readonly call: string; readonly state: CallState })[]
  /** Calls whose end is in this write. */
  readonly over: readonly string[]
  readonly ended: readonly {
    readonly node: string
    readonly place: number
    readonly outputs: Record<string, unknown> | null
  }[]
  /** The run is kept no more: it has ended, or has something that may not be kept. */
  readonly dropped: boolean
}

/** A kept write of nothing but that the run is kept no more. */
export const droppedWrite: KeptWrite = { read: null, begun: [], moved: [], over: [], ended: [], dropped: true }

/** A call that a worker may have. */
export interface KeptCallRow extends CallPosition {
  readonly call: string
  readonly run: string
  readonly node: string
  readonly attempt: number
  readonly place: CallPlace
  readonly state: CallState
}

/** A run that waits for its workers, or for an engine. */
export interface KeptRunRow {
  readonly run: string
  readonly flow: string
  /** Names of the workers that have calls of it; none when it waits for an engine alone. */
  readonly workers: readonly string[]
  /** Seconds until it is given up. */
  readonly left_s: number
}

type StoredKinds = Readonly<Record<string, StoredKind>>

const callColumns = (sql: Sql) => sql`
  call, worker_call.run, node, attempt, json_build_object('jti', jti, 'session', session) as place, seq, part, state`

/** The statements of kept runs. */
export type KeptStore = ReturnType<typeof createKeptStore>

/** The statements of kept runs. */
export const createKeptStore = (sql: Sql) => ({
  /** On the embedded database, when it opens: the leases of all running runs are over, from now on. */
  async endLeases(): Promise<void> {
    await sql`update run set lease_until = now() where status = 'running' and origin = 'engine'`
  },

  /** Ends the leases of runs that their engine leaves to another one. */
  async leave(runs: readonly Pick<ClaimedRun, 'id' | 'token'>[]): Promise<void> {
    await sql`
      update run set lease_until = now()
      where status = 'running' and id = any(${runs.map(({ id }) => id)}::uuid[])
        and lease_token = any(${[...new Set(runs.map(({ token }) => token))]}::uuid[])`
  },

  /** Drops what is kept of runs that have ended by another's hand. */
  async sweep(): Promise<void> {
    await sql`delete from kept_run using run where run.id = kept_run.run and run.status <> 'running'`
  },

  /** Running runs whose lease is over and that can go on, at most 1,000. */
  async waiting(waitS: number): Promise<KeptRunRow[]> {
    return sql<KeptRunRow[]>`
      select run.id as run, ${flowName(sql)} as flow,
        extract(epoch from run.lease_until - now())::float8 + ${waitS}::float8 as left_s,
        array(
          select distinct coalesce(run_node.worker, run_node.waiting_for, '') from worker_call
          left join run_node on run_node.run = worker_call.run and run_node.node = worker_call.node
          where worker_call.run = run.id
        ) as workers
      from run where run.status = 'running' and run.lease_until <= now() and ${goesOn(sql)}
      order by run.lease_until limit 1000`
  },

  /** The calls of running runs that a session has. */
  async callsOf(session: string, jti: string): Promise<KeptCallRow[]> {
    return sql<KeptCallRow[]>`
      select ${callColumns(sql)} from worker_call join run on run.id = worker_call.run
      where session = ${session} and jti = ${jti} and run.status = 'running'`
  },

  /** The lease of a running run, and the seconds that it lasts. */
  async leaseOf(run: string): Promise<{ until: string; left_s: number } | null> {
    const [lease] = await sql<{ until: string; left_s: number }[]>`
      select lease_until as until, extract(epoch from lease_until - now())::float8 as left_s from run
      where id = ${run} and status = 'running'`
    return lease ?? null
  },

  /**
   * Takes the run if it is running, its lease is over and it can go on; null otherwise. One engine of those that try
   * does: the lease is its own from then on. The same token again has the same answer.
   */
  async take(run: string, token: string, leaseS: number): Promise<ClaimedRun | null> {
    const [taken] = await sql<ClaimedRun[]>`
      with next as (
        select id from run
        where id = ${run} and status = 'running' and (lease_until <= now() or lease_token = ${token}) and ${goesOn(sql)}
        for no key update
      ), taken as (
        update run set lease_token = ${token}, lease_until = now() + make_interval(secs => ${leaseS})
        from next where run.id = next.id returning run.*
      )
      select ${claimColumns(sql, [])} from taken as run join run_content content on content.run = run.id
      left join run_document on run_document.flow = run.flow and run_document.digest = run.digest`
    return taken ?? null
  },

  /** What is kept of a run beside its record. */
  async left(run: string) {
    const [[kept], ended, calls, curves, [artifacts]] = await Promise.all([
      sql<{ read: Record<string, unknown> | null }[]>`select read from kept_run where run = ${run}`,
      sql<{ node: string; place: number; outputs: Record<string, unknown> | null; stored: StoredKinds | null }[]>`
        select node, place, outputs, stored from kept_node where run = ${run} order by place`,
      sql<KeptCallRow[]>`
        select ${callColumns(sql)} from worker_call where run = ${run} and session is not null`,
      sql<CurveEnd[]>`
        select metric.node, metric.port, metric.message, max(chunk.seq) + 1 as seq, max(chunk.last_step)::int8 + 1 as step,
          sum(chunk.count)::int as count, min(chunk.low) as low, max(chunk.high) as high
        from metric_chunk chunk join metric on metric.id = chunk.metric where chunk.run = ${run}
        group by metric.id`,
      sql<{ artifacts: RunArtifact[] }[]>`select artifacts from run_content where run = ${run}`,
    ])
    const ends = ended.map(({ stored, outputs, ...end }) => ({
      ...end,
      outputs: outputs && withStored(outputs, stored),
    }))
    return { read: kept?.read ?? null, ended: ends, calls, curves, artifacts: artifacts?.artifacts ?? [] }
  },
})

/** What is kept of a run beside the records of its nodes. */
export type KeptRecords = Awaited<ReturnType<KeptStore['left']>>

/** Parts of the write of executions, which follow its `held`: only what there is becomes one. */
export function keepRuns(tx: Sql, writes: readonly (KeptWrite & { readonly run: string })[]): ReturnType<Sql> {
  const items = <T extends object>(of: (write: KeptWrite) => readonly T[]) =>
    writes.flatMap((write) => of(write).map((item) => ({ run: write.run, ...item })))
  const read = writes.flatMap(({ run, read: values }) =>
    values === null ? [] : [{ run, read: JSON.stringify(values) }],
  )
  const begun = items(({ begun: calls }) => calls.map(({ place, ...call }) => ({ ...call, ...place }))).map(withState)
  const moved = items((write) => write.moved).map(withState)
  const over = writes.flatMap((write) => write.over)
  const ended = items((write) => write.ended).map((end) => ({
    ...end,
    outputs: end.outputs && JSON.stringify(end.outputs),
    stored: end.outputs && storedKinds(end.outputs),
  }))
  const dropped = writes.flatMap((write) => (write.dropped ? [write.run] : []))
  return tx`
    ${read.length > 0 ? markKept(tx, read) : tx``}
    ${begun.length > 0 ? beginCalls(tx, begun) : tx``}
    ${moved.length > 0 ? moveCalls(tx, moved) : tx``}
    ${over.length > 0 ? endCalls(tx, over) : tx``}
    ${ended.length > 0 ? keepEnds(tx, ended) : tx``}
    ${dropped.length > 0 ? dropKept(tx, dropped) : tx``}`
}

/** Values of node code are JSON text inside the JSON; see `execution-store.ts`. */
const withState = <T extends { readonly state: CallState }>(item: T) => ({ ...item, state: JSON.stringify(item.state) })

const markKept = (tx: Sql, items: readonly object[]) => tx`, marked as (
  insert into kept_run (run, read) select item.run, item.read::json
  from json_to_recordset(${JSON.stringify(items)}::json) as item(run uuid, read text) join held on held.id = item.run
  on conflict (run) do update set read = excluded.read
)`

const beginCalls = (tx: Sql, items: readonly object[]) => tx`, begun as (
  insert into worker_call (call, run, node, attempt, jti, session, state)
  select call, item.run, node, attempt, jti, session, item.state::json
  from json_to_recordset(${JSON.stringify(items)}::json) as item(
    call text, run uuid, node text, attempt int, jti uuid, session text, state text)
  join held on held.id = item.run
  -- one that was not begun there is given to another worker
  on conflict (call) do update set jti = excluded.jti, session = excluded.session, seq = 0, part = 0,
    state = excluded.state
)`

const moveCalls = (tx: Sql, items: readonly object[]) => tx`, shifted as (
  update worker_call set seq = item.seq, part = item.part, state = item.state::json
  from json_to_recordset(${JSON.stringify(items)}::json) as item(run uuid, call text, seq int8, part int, state text)
  join held on held.id = item.run
  where worker_call.call = item.call and worker_call.run = item.run
)`

const endCalls = (tx: Sql, calls: readonly string[]) => tx`, over as (
  delete from worker_call using held where worker_call.run = held.id and call = any(${calls as string[]})
)`

const keepEnds = (tx: Sql, items: readonly object[]) => tx`, settled as (
  insert into kept_node (run, node, place, outputs, stored)
  select item.run, node, place, item.outputs::json, item.stored
  from json_to_recordset(${JSON.stringify(items)}::json) as item(
    run uuid, node text, place int, outputs text, stored json)
  join held on held.id = item.run
  on conflict do nothing
)`

const dropKept = (tx: Sql, runs: readonly string[]) => tx`, dropped as (
  delete from kept_run using held where kept_run.run = held.id and run = any(${runs as string[]}::uuid[])
)`
