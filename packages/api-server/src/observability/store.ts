/**
 * SQL of cascades, executions by the minute, and the row that proves that the database works. What a run has executed
 * is read from the runs' own rows.
 * @module
 */
import type { CascadeRecord, RunSummary } from '@flow-service/protocol'

import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'

/** A row of `ended_cascade`. */
export interface CascadeRow {
  readonly id: string
  readonly flow: string
  readonly origin: CascadeRecord['origin']['kind']
  readonly origin_node: string | null
  readonly origin_message: string | null
  readonly run: string | null
  readonly status: 'ok' | 'error' | 'abandoned'
  readonly executions: number
  readonly started_at: string
  readonly finished_at: string
  readonly error: CascadeRecord['error']
}

/** Which cascades a list shows. Times are engine timestamps or ISO 8601 with an offset; `since` ≤ start < `before`. */
export interface CascadeFilter {
  readonly flows?: readonly string[] | undefined
  readonly statuses?: readonly CascadeRecord['status'][] | undefined
  readonly since?: string | undefined
  readonly before?: string | undefined
}

/** Executions of a flow in a minute; `steps` and `counts` are a histogram of their durations. */
export interface MinuteRow {
  readonly flow: string
  readonly minute: string
  readonly executions: number
  readonly errors: number
  readonly timed: number
  readonly duration_ms: number
  readonly steps: readonly number[]
  readonly counts: readonly number[]
  readonly last_at: string
}

/** Which minutes count; one that reaches into the span does. */
export interface MinuteSpan {
  readonly flows?: readonly string[] | undefined
  readonly since: string
  readonly until?: string | undefined
}

/** Sums of minutes. */
export type MinuteSum = Omit<MinuteRow, 'flow' | 'minute'>

/** An execution of a node of a run. */
export interface NodeExecution {
  readonly run: string
  readonly failed: boolean
  readonly at: string | null
  readonly duration_ms: number | null
}

/** Cascades that are kept: so many of a flow, and for so many days. */
const KEPT_CASCADES = 20_000
const KEPT_DAYS = 30
const KEPT_MINUTES_DAYS = 7

/** Statements over `ended_cascade`, `flow_minute` and `store_check`. */
export type ObservabilityStore = ReturnType<typeof createObservabilityStore>

/** Statements over `ended_cascade`, `flow_minute` and `store_check`. */
export const createObservabilityStore = (sql: Sql) => ({
  ...changes,

  /** What runs have executed; a cached node has not. */
  async executionsOf(tx: Sql, runs: readonly string[]): Promise<NodeExecution[]> {
    return tx<NodeExecution[]>`
      select run, status = 'error' as failed, finished_at as at,
        (extract(epoch from finished_at - started_at) * 1000)::float8 as duration_ms
      from run_node
      where run = any(${runs as string[]}::uuid[]) and (started_at is not null or status = 'error') and not cached`
  },

  /** Newest first. */
  async cascades(filter: CascadeFilter, limit: number): Promise<CascadeRow[]> {
    const { flows, statuses, since, before } = filter
    return sql<CascadeRow[]>`
      select * from ended_cascade
      where started_at >= ${since ?? '-infinity'}::timestamptz and started_at < ${before ?? 'infinity'}::timestamptz
      ${flows ? sql`and flow = any(${flows as string[]}::text[])` : sql``}
      ${statuses ? sql`and status = any(${statuses as string[]}::text[])` : sql``}
      order by started_at desc, id desc limit ${limit}`
  },

  /** Sums of a span by bucket of so many seconds, oldest first; `ts` is a bucket's beginning. */
  async timeseries(span: MinuteSpan, bucketS: number): Promise<({ ts: string } & MinuteSum)[]> {
    return sql<({ ts: string } & MinuteSum)[]>`
      ${sums(sql, span, bucketS)}
      select total.key as ts, ${sumColumns(sql)} from total left join spread on spread.key = total.key order by ts`
  },

  /** Sums of every flow that exists or has executed, by name. */
  async rollups(since: string): Promise<({ flow: string; last_at: string | null } & Omit<MinuteSum, 'last_at'>)[]> {
    return sql<({ flow: string; last_at: string | null } & Omit<MinuteSum, 'last_at'>)[]>`
      ${sums(sql, { since }, null)}
      select coalesce(total.key, flow.name) as flow, ${sumColumns(sql)}
      from flow full join total on total.key = flow.name left join spread on spread.key = total.key
      order by coalesce(total.key, flow.name) collate "C"`
  },

  /** Drops what is too old, and what is too much of a flow. */
  async expire(): Promise<void> {
    await sql`delete from flow_minute where minute < now() - make_interval(days => ${KEPT_MINUTES_DAYS})`
    await sql`delete from ended_cascade where started_at < now() - make_interval(days => ${KEPT_DAYS})`
    await sql`
      delete from ended_cascade where id in (
        select id from (
          select id, row_number() over (partition by flow, status = 'ok' order by started_at desc) as place
          from ended_cascade
        ) placed where place > ${KEPT_CASCADES}
      )`
  },

  /** Writes a row and reads it. */
  async probe(): Promise<void> {
    await sql`
      insert into store_check (id, at) values (1, clock_timestamp()) on conflict (id) do update set at = excluded.at`
    affected(await sql`select at from store_check where id = 1`, 1)
  },

  /** Runs of engines that are queued and running, and how many seconds the oldest queued one has waited. */
  async runCounts(): Promise<{ queued: number; running: number; oldest_s: number }> {
    const [row] = await sql<{ queued: number; running: number; oldest_s: number }[]>`
      select count(*) filter (where status = 'queued')::int as queued,
        count(*) filter (where status = 'running')::int as running,
        coalesce(extract(epoch from now() - min(created_at) filter (where status = 'queued')), 0)::float8 as oldest_s
      from run where status in ('queued', 'running') and origin = 'engine'`
    return row ?? { queued: 0, running: 0, oldest_s: 0 }
  },

  /** What waits for somebody. */
  async waiting(): Promise<{ dead_letters: number; pending_devices: number }> {
    const [row] = await sql<{ dead_letters: number; pending_devices: number }[]>`
      select (select count(*)::int from dead_letter) as dead_letters, (
        select count(*)::int from pairing_request where credential is null and expires_at > now()) as pending_devices`
    return row ?? { dead_letters: 0, pending_devices: 0 }
  },

  /** How many nodes each of the runs has begun to execute. */
  async startedNodes(runs: readonly RunSummary[]): Promise<Map<string, number>> {
    const ids = runs.map(({ id }) => id)
    const rows = await sql<{ run: string; n: number }[]>`
      select run, count(*)::int as n from run_node
      where run = any(${ids}::uuid[]) and (started_at is not null or status = 'error') and not cached group by run`
    return new Map(rows.map(({ run, n }) => [run, n]))
  },
})

/** Statements of transactions. */
const changes = {
  async addCascades(tx: Sql, rows: readonly CascadeRow[]): Promise<void> {
    await tx`
      insert into ended_cascade (id, flow, origin, origin_node, origin_message, run, status, executions, started_at,
        finished_at, error)
      select id, flow, origin, origin_node, origin_message, run, status, executions, started_at, finished_at, error::json
      from ${recordset(tx, rows)} on conflict (id) do nothing`
  },

  /** Adds runs as cascades; the ids of those that were not there, and so are counted by this engine. */
  async addRuns(tx: Sql, runs: readonly CascadeRow[]): Promise<Set<string>> {
    const rows = await tx<{ id: string }[]>`
      insert into ended_cascade (id, flow, origin, run, status, executions, started_at, finished_at, error)
      select id, flow, origin, run, status, (
          select count(*) from run_node n
          where n.run = t.id and (n.started_at is not null or n.status = 'error') and not n.cached
        ), started_at, finished_at, error::json
      from ${recordset(tx, runs)} on conflict (id) do nothing returning id`
    return new Set(rows.map(({ id }) => id))
  },

  async removeOfRuns(tx: Sql, runs: readonly string[]): Promise<void> {
    await tx`delete from ended_cascade where run = any(${runs as string[]}::uuid[])`
  },

  async removeOfFlow(tx: Sql, flow: string): Promise<void> {
    await tx`delete from ended_cascade where flow = ${flow}`
  },

  async addMinutes(tx: Sql, rows: readonly MinuteRow[]): Promise<void> {
    // always in the same order, so that two engines do not wait for each other
    const sorted = rows.toSorted((a, b) => (a.flow + a.minute < b.flow + b.minute ? -1 : 1))
    const written = await tx`
      insert into flow_minute as m
      select * from json_populate_recordset(null::flow_minute, ${JSON.stringify(sorted)}::json)
      on conflict (flow, minute) do update set
        executions = m.executions + excluded.executions,
        errors = m.errors + excluded.errors,
        timed = m.timed + excluded.timed,
        duration_ms = m.duration_ms + excluded.duration_ms,
        last_at = greatest(m.last_at, excluded.last_at),
        (steps, counts) = (
          select coalesce(array_agg(step), '{}'), coalesce(array_agg(n), '{}') from (
            select step, sum(count) as n
            from unnest(m.steps || excluded.steps, m.counts || excluded.counts) as t (step, count) group by step
          ) merged
        )`
    affected(written, sorted.length)
  },
}

/** Cascades as a table `t`; `error` is JSON text, because node code may put anything into its message. */
const recordset = (sql: Sql, rows: readonly CascadeRow[]) => {
  const texts = rows.map((row) => ({ ...row, error: row.error && JSON.stringify(row.error) }))
  return sql`json_to_recordset(${JSON.stringify(texts)}::json) as t (id uuid, flow text, origin text, origin_node text,
    origin_message text, run uuid, status text, executions int8, started_at timestamptz, finished_at timestamptz,
    error text)`
}

/** `total` and `spread` of a span by flow, or by bucket of so many seconds: sums, and the histogram of all durations. */
const sums = (sql: Sql, { flows, since, until }: MinuteSpan, bucketS: number | null) => sql`
  with picked as materialized (
    select ${
      bucketS === null
        ? sql`flow`
        : sql`to_timestamp(floor(extract(epoch from minute)::float8 / ${bucketS}::int) * ${bucketS}::int)`
    } as key, executions, errors, timed, duration_ms, last_at, steps, counts from flow_minute
    where minute > ${since}::timestamptz - interval '1 minute' and minute <= ${until ?? 'infinity'}::timestamptz
    ${flows ? sql`and flow = any(${flows as string[]}::text[])` : sql``}
  ), total as (
    select key, sum(executions)::int8 as executions, sum(errors)::int8 as errors, sum(timed) as timed,
      sum(duration_ms) as duration_ms, max(last_at) as last_at
    from picked group by key
  ), spread as (
    select key, array_agg(step) as steps, array_agg(n) as counts from (
      select key, step, sum(count) as n from picked, unnest(steps, counts) as t (step, count) group by key, step
    ) summed group by key
  )`

const sumColumns = (sql: Sql) => sql`
  coalesce(total.executions, 0) as executions, coalesce(total.errors, 0) as errors, coalesce(total.timed, 0) as timed,
  coalesce(total.duration_ms, 0) as duration_ms, total.last_at,
  coalesce(spread.steps, '{}') as steps, coalesce(spread.counts, '{}') as counts`
