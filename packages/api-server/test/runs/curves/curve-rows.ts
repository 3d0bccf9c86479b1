/** Rows of runs and their curves as executions leave them, for tests of what reads many of them. */
import type { FlowDocument, RunInput, RunStatus, WireNumber } from '@flow-service/protocol'
import { v7 } from 'uuid'

import type { Database } from '../../../src/db/database.ts'
import type { CurveSummary } from '../../../src/runs/curves/points.ts'
import { factsOf } from '../../../src/runs/run-facts.ts'
import { createRunShapes, type RunShapes } from '../../../src/runs/shapes.ts'

/** A run of the past. */
export interface PastRun {
  readonly id?: string
  readonly flow: string
  readonly status?: RunStatus
  readonly created_at: string
  readonly inputs?: readonly RunInput[]
  readonly result?: Record<string, unknown>
  readonly group_id?: string
  readonly external_id?: string
  readonly digest?: string
  readonly finished_at?: string
  readonly seed?: number
  readonly submitted_by?: string
  readonly note?: string
  readonly tags?: readonly string[]
  readonly pinned?: boolean
  /** What lists know of its curves, by message. */
  readonly metrics?: Readonly<Record<string, CurveSummary>>
}

/** Points of one chunk; steps are consecutive from `step`, one a second from `startMs`. */
export interface PastChunk {
  readonly run: string
  readonly node: string
  readonly port: string
  readonly message: string
  readonly seq?: number
  readonly step?: number
  readonly steps?: readonly number[]
  readonly startMs?: number
  readonly vals: readonly WireNumber[]
}

/** Writes rows of the past. */
export class Past {
  readonly #database: Database
  readonly #shapes: RunShapes
  readonly #flows = new Map<string, string>()

  constructor(database: Database) {
    this.#database = database
    this.#shapes = createRunShapes(database.sql)
  }

  /** The id of a flow that has runs. */
  async flow(name: string): Promise<string> {
    const id = this.#flows.get(name) ?? v7()
    if (!this.#flows.has(name)) await this.#database.sql`insert into run_flow (id, name) values (${id}, ${name})`
    this.#flows.set(name, id)
    return id
  }

  async document(flow: string, digest: string, document: Partial<FlowDocument>): Promise<void> {
    const full = { name: flow, mode: 'batch', inputs: [], outputs: [], nodes: [], ...document }
    await this.#database.sql`
      insert into run_document (flow, digest, document)
      values (${await this.flow(flow)}, ${digest}, ${JSON.stringify(full)}::json)`
  }

  async runs(runs: readonly PastRun[]): Promise<string[]> {
    const rows = []
    for (const run of runs) {
      const ended = run.status !== 'queued'
      rows.push({
        id: v7(),
        status: 'ok',
        started_at: ended ? run.created_at : null,
        finished_at: ended ? run.created_at : null,
        draft: false,
        no_cache: false,
        ...run,
        flow: await this.flow(run.flow),
        inputs: JSON.stringify(run.inputs ?? []),
        result: run.result && JSON.stringify(run.result),
        ...(await this.#shapes.columns(
          factsOf({ inputs: run.inputs ?? [], curves: run.metrics ?? {}, result: run.result ?? null }),
        )),
        tags: run.tags ?? [],
      })
    }
    await this.#database.sql`
      with item as materialized (
        select * from json_to_recordset(${JSON.stringify(rows)}::json) as item(
          id uuid, flow uuid, status text, created_at timestamptz, started_at timestamptz, finished_at timestamptz,
          draft boolean, no_cache boolean, inputs text, result text, group_id uuid, external_id text, digest text,
          seed int8, submitted_by text, note text, tags json, pinned boolean, shape int, numbers float8[],
          texts text[], flags boolean[], nested jsonb, cut text[])
      ), added as (
        insert into run (id, flow, status, created_at, started_at, finished_at, draft, no_cache, group_id, external_id,
          digest, seed, submitted_by, note, tags, pinned, shape, numbers, texts, flags, nested, cut)
        select id, flow, status, created_at, started_at, finished_at, draft, no_cache, group_id, external_id, digest,
          seed, submitted_by, coalesce(note, ''), array(select json_array_elements_text(tags)), coalesce(pinned, false),
          shape, numbers, texts, flags, nested, cut
        from item
      )
      insert into run_content (run, inputs, result) select id, inputs::json, result::json from item`
    return rows.map(({ id }) => id)
  }

  async chunks(chunks: readonly PastChunk[]): Promise<void> {
    const rows = chunks.map(({ vals, steps, step = 0, startMs = 0, ...rest }) => ({
      seq: 0,
      ...rest,
      vals,
      steps: steps ?? vals.map((_, at) => step + at),
      ts: vals.map((_, at) => startMs + 1000 * (step + at)),
    }))
    await this.#database.sql`
      insert into metric (node, port, message)
      select item->>'node', item->>'port', item->>'message'
      from json_array_elements(${JSON.stringify(rows)}::json) with ordinality as given(item, place)
      group by 1, 2, 3 order by min(place)
      on conflict do nothing`
    const bytes = (numbers: string) =>
      this.#database.sql.unsafe(
        `(select string_agg(float8send(n), '' order by place) from unnest(${numbers}) with ordinality as t (n, place))`,
      )
    await this.#database.sql`
      insert into metric_chunk (run, metric, seq, count, first_step, last_step, last_value, steps, ts, vals)
      select item.run, metric.id, item.seq, cardinality(item.vals), item.steps[1], item.steps[cardinality(item.steps)],
        item.vals[cardinality(item.vals)], ${bytes('item.steps::float8[]')}, ${bytes('item.ts')}, ${bytes('item.vals')}
      from json_to_recordset(${JSON.stringify(rows)}::json) as item(
        run uuid, node text, port text, message text, seq int, steps int8[], ts float8[], vals float8[])
      join metric using (node, port, message)`
  }

  /** Notes that a node of a run was taken over. */
  async cached(run: string, node: string, from: { readonly run: string; readonly node: string }): Promise<void> {
    await this.#database.sql`
      insert into run_node (run, node, status, cached, cached_from, cached_node)
      values (${run}, ${node}, 'ok', true, ${from.run}, ${from.node})`
  }
}

/** A time of creation: `at` microseconds into 2026. */
export const createdAt = (at: number): string => `2026-01-01T00:00:00.${String(at).padStart(6, '0')}+00:00`
