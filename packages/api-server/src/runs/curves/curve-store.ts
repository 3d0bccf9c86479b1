/**
 * Reading the curves of many runs: their names, and their points page by page.
 * @module
 */
import { type FlowDocument, MAX_SELECTED_RUNS, type RunInput, type RunStatus } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'
import { type PackedPoints, withPoints } from './chunk-columns.ts'
import type { StoredChunk } from './points.ts'
import { flowName, matching, type RunFilter } from './run-filter.ts'

/** Chunks that one statement reads: some 50,000 points. */
const PAGE_CHUNKS = 100

/** A run whose curves are read. `flow_id` and `digest` tell the document that it executed. */
export interface CurveRun {
  readonly id: string
  readonly flow_id: string
  readonly flow: string
  readonly digest: string | null
  readonly status: RunStatus
  readonly created_at: string
  readonly started_at: string | null
  readonly inputs: RunInput[]
}

/** A chunk of a run's curve: `place` is the run's in the list that was asked for, from 0. */
export interface PlacedChunk extends StoredChunk {
  readonly place: number
  /** Emitted by another run, which executed the node that this one took over. */
  readonly cached: boolean
}

interface ChunkRow extends Omit<PlacedChunk, keyof PackedPoints>, PackedPoints {
  readonly metric: number
  readonly seq: number
}

/** What is read of curves. */
export interface ChunkChoice {
  /** Leaves out what runs emitted themselves under other names; null for all. */
  readonly messages: readonly string[] | null
  /** What the values are for: steps, times or both; what is left out is empty. */
  readonly axes: readonly ('steps' | 'ts')[]
}

/** A curve's place in the runs of one document, and how many of them have it. */
export interface CurveCount {
  readonly flow_id: string
  readonly flow: string
  /** Set where the curve was taken over, and its name is up to the document of the run that shows it. */
  readonly digest: string | null
  readonly node: string
  readonly port: string
  readonly message: string
  readonly runs: number
}

/** Names a document that was executed. */
export interface DocumentKey {
  readonly flow_id: string
  readonly digest: string | null
}

/** The statements that read curves. */
export type CurveStore = ReturnType<typeof createCurveStore>

/** The statements that read curves. */
export const createCurveStore = (sql: Sql) => ({
  /** The runs of these ids that exist, in any order. */
  async runs(ids: readonly string[]): Promise<CurveRun[]> {
    return sql<CurveRun[]>`
      select run.id, run.flow as flow_id, ${flowName(sql)} as flow, run.digest, run.status, run.created_at,
        run.started_at, content.inputs
      from run join run_content content on content.run = run.id where run.id = any(${ids as string[]}::uuid[])`
  },

  /** When the runs that executed these started. */
  async starts(ids: readonly string[]): Promise<{ id: string; started_at: string }[]> {
    return sql<{ id: string; started_at: string }[]>`
      select id, coalesce(started_at, created_at) as started_at from run where id = any(${ids as string[]}::uuid[])`
  },

  /** Ids of the runs of a selection that execute now. */
  async running(filter: RunFilter): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      select id from run where run.status = 'running' and ${matching(sql, filter)}`
    return rows.map(({ id }) => id)
  },

  /** The curves of the newest {@link MAX_SELECTED_RUNS} runs of a selection. */
  async counts(filter: RunFilter): Promise<CurveCount[]> {
    return sql<CurveCount[]>`
      with chosen as materialized (
        select run.id, run.flow, run.digest from run where ${matching(sql, filter)}
        order by run.created_at desc limit ${MAX_SELECTED_RUNS}
      ), source as (
        select id, flow, null as digest, id as owner, null as node, null as shown from chosen
        union all
        select chosen.id, flow, digest, run_node.cached_from, run_node.cached_node, run_node.node
        from chosen join run_node on run_node.run = chosen.id where run_node.cached_from is not null
      ), counted as (
        select source.flow, source.digest, coalesce(source.shown, metric.node) as node, metric.port, metric.message,
          count(*)::int as runs
        from source
        cross join lateral (select distinct metric from metric_chunk where run = source.owner) as drawn
        join metric on metric.id = drawn.metric and (source.node is null or metric.node = source.node)
        group by 1, 2, 3, 4, 5
      )
      select run.flow as flow_id, ${flowName(sql)} as flow, run.digest, run.node, run.port, run.message, run.runs
      from counted as run`
  },

  /** The document that runs executed; null when it is not known. */
  async document({ flow_id, digest }: DocumentKey): Promise<FlowDocument | null> {
    const [row] = await sql<{ document: FlowDocument }[]>`
      select document from run_document where flow = ${flow_id} and digest = ${digest}`
    return row?.document ?? null
  },

  /**
   * Pages of the chunks of runs in the order of `ids`, curve by curve, each curve in order; those of taken over nodes
   * belong to the run that executed them. A page is one short statement, which is read while the caller works on the one
   * before: whoever reads slowly holds no more than that.
   */
  async *chunks(ids: readonly string[], choice: ChunkChoice): AsyncGenerator<PlacedChunk[]> {
    let first = 0
    let reading = page(sql, ids, choice, null)
    for (;;) {
      const rows = await reading
      const place = first
      const last = rows.length < PAGE_CHUNKS ? null : (rows.at(-1) ?? null)
      if (last) {
        first += last.place
        reading = page(sql, ids.slice(first), choice, last)
        // a caller that has enough hears nothing of it
        reading.catch(() => {})
      }
      yield rows.map((row) => ({ ...withPoints(row), place: row.place + place }))
      if (!last) return
    }
  },
})

/** The chunks that runs show, of other runs where a node was taken over; `asked.place` counts from 1. */
export const shownChunks = (sql: Sql, ids: readonly string[], messages: readonly string[] | null) => sql`
  unnest(${ids as string[]}::uuid[]) with ordinality as asked (id, place)
  cross join lateral (
    select asked.id as run, null as node, null as shown
    union all
    select cached_from, cached_node, node from run_node where run = asked.id and cached_from is not null
  ) as source
  join metric_chunk chunk on chunk.run = source.run
  join metric on metric.id = chunk.metric and (source.node is null or metric.node = source.node)
  ${messages ? sql`and (source.node is not null or metric.message = any(${messages as string[]}::text[]))` : sql``}`

function page(
  sql: Sql,
  ids: readonly string[],
  { messages, axes }: ChunkChoice,
  after: Pick<ChunkRow, 'metric' | 'node' | 'seq'> | null,
): Promise<ChunkRow[]> {
  const node = sql`coalesce(source.shown, metric.node)`
  const steps = axes.includes('steps') ? sql`chunk.steps` : sql`null::bytea`
  const ts = axes.includes('ts') ? sql`chunk.ts` : sql`null::bytea`
  return sql<ChunkRow[]>`
    select (asked.place - 1)::int as place, metric.id as metric, ${node} as node, chunk.seq, metric.port,
      metric.message, chunk.run, source.node is not null as cached, ${steps} as steps, ${ts} as ts,
      chunk.vals
    from ${shownChunks(sql, ids, messages)}
    where true
      ${
        after
          ? sql`and (asked.place > 1 or (metric.id, ${node}, chunk.seq) > (${after.metric}, ${after.node}, ${after.seq}))`
          : sql``
      }
    order by asked.place, metric.id, ${node}, chunk.seq limit ${PAGE_CHUNKS}`
}
