/**
 * The rows of imported runs.
 * @module
 */
import type { RunInput, RunStatus } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import { chunkItem, chunkRows } from './curves/chunk-columns.ts'
import type { Chunk } from './curves/points.ts'
import type { FactColumns } from './run-facts.ts'
import type { RunArtifact } from './run-record.ts'

/** A run that ended elsewhere. */
export interface ImportedRow extends FactColumns {
  readonly id: string
  readonly external_id: string
  readonly flow: string
  readonly flow_name: string
  readonly status: RunStatus
  readonly created_at: string
  readonly finished_at: string | null
  readonly seed: number | null
  readonly inputs: readonly RunInput[]
  readonly result: Record<string, unknown> | null
  readonly artifacts: readonly RunArtifact[]
  readonly submitted_by: string | null
}

/** Statements of one import. */
export type ImportStore = ReturnType<typeof createImportStore>

/** Statements of one import. */
export const createImportStore = (sql: Sql) => ({
  /** Ids of the runs that are known by their external ids. */
  async known(externalIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await sql<{ id: string; external_id: string }[]>`
      select id, external_id from run where external_id = any(${externalIds as string[]}::text[])`
    return new Map(rows.map((row) => [row.external_id, row.id]))
  },

  /** Holds flows until the transaction ends, so that none is deleted meanwhile; gives those that exist. */
  async hold(tx: Sql, flows: readonly { readonly id: string; readonly name: string }[]): Promise<Set<string>> {
    const ids = flows.map(({ id }) => id)
    const rows = await tx<{ id: string }[]>`
      select id from flow where id = any(${ids}::uuid[]) order by id for key share`
    await tx`
      insert into run_flow (id, name)
      select id, name from json_to_recordset(${JSON.stringify(flows)}::json) as item(id uuid, name text) order by id
      on conflict (id) do update set name = excluded.name where run_flow.name <> excluded.name`
    return new Set(rows.map(({ id }) => id))
  },

  /** Adds runs; gives the ids. Left out are those whose external id or time of creation is taken. */
  async insert(tx: Sql, rows: readonly ImportedRow[]): Promise<Set<string>> {
    const items = rows.map((row) => ({ ...row, result: row.result && JSON.stringify(row.result) }))
    const added = await tx<{ id: string }[]>`
      with item as materialized (
        select * from json_to_recordset(${JSON.stringify(items)}::json) as item(
          id uuid, flow uuid, status text, created_at timestamptz, finished_at timestamptz, seed int8, inputs json,
          external_id text, submitted_by text, result text, artifacts json, shape int, numbers float8[],
          texts text[], flags boolean[], nested jsonb, cut text[])
      ), added as (
        insert into run (id, flow, origin, status, created_at, started_at, finished_at, draft, no_cache, seed, external_id,
          submitted_by, shape, numbers, texts, flags, nested, cut)
        select id, flow, 'import', status, created_at, created_at, greatest(finished_at, case when finished_at is not null
          then created_at end), false, false, seed, external_id, submitted_by, shape, numbers,
          texts, flags, nested, cut
        from item order by external_id
        on conflict do nothing returning id
      )
      insert into run_content (run, inputs, result, artifacts)
      select id, item.inputs, item.result::json, item.artifacts from added join item using (id)
      returning run as id`
    return new Set(added.map(({ id }) => id))
  },

  /** Times of creation that are taken, from one on, in order. */
  async takenFrom(tx: Sql, createdAt: string, limit: number): Promise<string[]> {
    const rows = await tx<{ created_at: string }[]>`
      select created_at from run where created_at >= ${createdAt}::timestamptz order by created_at limit ${limit}`
    return rows.map((row) => row.created_at)
  },

  /** Adds curves, with the nodes that they belong to. */
  async addPoints(
    tx: Sql,
    chunks: readonly (Chunk & { readonly run: string; readonly metric: number })[],
  ): Promise<void> {
    if (chunks.length === 0) return
    await tx`
      insert into run_node (run, node, status)
      select distinct run, node, 'ok' from json_to_recordset(${JSON.stringify(
        chunks.map(({ run, node }) => ({ run, node })),
      )}::json) as item(run uuid, node text)`
    const items = chunks.map(({ run, metric, ...chunk }) => chunkItem(run, metric, chunk))
    await tx`
      insert into metric_chunk (run, metric, seq, count, first_step, last_step, last_value, low, high, steps, ts, vals)
      select item.* from ${chunkRows(tx, items)} as item`
  },
})
