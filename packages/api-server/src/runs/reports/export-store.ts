/**
 * Reading runs for exports: page by page, so that whoever reads slowly holds no connection.
 * @module
 */
import { type FlowDocument, MAX_SELECTED_RUNS, type Run, type RunInput } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'
import { flowName, matching, type RunFilter } from '../curves/run-filter.ts'
import type { SummaryRow } from '../run-record.ts'

/** Most runs of a page. */
const PAGE_RUNS = 250
/** Bytes that the values of a page take in the database, where large ones are compressed; one run is always read. */
const PAGE_BYTES = 1024 * 1024
/** Documents that one statement reads. */
const PAGE_DOCUMENTS = 20

/** A run as exports show it. */
export type ExportRow = Pick<
  SummaryRow,
  | 'id'
  | 'flow'
  | 'status'
  | 'created_at'
  | 'started_at'
  | 'finished_at'
  | 'duration_s'
  | 'seed'
  | 'group_id'
  | 'parent'
  | 'external_id'
  | 'digest'
  | 'commit'
> & { readonly flow_id: string; readonly inputs: RunInput[]; readonly result: Run['result'] }

/** How many runs a selection has, up to one more than an export takes, and the times of those that it takes. */
export interface Extent {
  readonly runs: number
  readonly newest: string | null
  readonly oldest: string | null
}

/** The statements of exports. */
export type ExportStore = ReturnType<typeof createExportStore>

/** The statements of exports. */
export const createExportStore = (sql: Sql) => ({
  async extent(filter: RunFilter): Promise<Extent> {
    const [row] = await sql<[Extent]>`
      select count(*)::int as runs, max(created_at) as newest, min(created_at) filter (where place <= ${MAX_SELECTED_RUNS}) as oldest
      from (
        select created_at, row_number() over (order by created_at desc) as place from run
        where ${matching(sql, filter)}
        order by created_at desc limit ${MAX_SELECTED_RUNS + 1}
      ) as chosen`
    return row
  },

  /** How many runs match. */
  async total(filter: RunFilter): Promise<number> {
    const [row] = await sql<[{ runs: number }]>`
      select count(*)::int as runs from run where ${matching(sql, filter)}`
    return row.runs
  },

  /** Pages of the newest {@link MAX_SELECTED_RUNS} runs, newest first; or of those whose document is not known. */
  async *runs(filter: RunFilter, which: 'all' | 'undocumented' = 'all'): AsyncGenerator<ExportRow[]> {
    const condition = which === 'all' ? matching(sql, filter) : sql`${matching(sql, filter)} and run.digest is null`
    let before: string | null = null
    for (let left = MAX_SELECTED_RUNS; left > 0;) {
      const rows: ExportRow[] = await page(sql, condition, before, Math.min(left, PAGE_RUNS))
      const last = rows.at(-1)
      if (!last) return
      yield rows
      left -= rows.length
      before = last.created_at
    }
  },

  /** Pages of the documents that runs executed. */
  async *documents(filter: RunFilter): AsyncGenerator<FlowDocument[]> {
    let after = { flow: '00000000-0000-0000-0000-000000000000', digest: '' }
    for (;;) {
      const rows = await sql<{ flow: string; digest: string; document: FlowDocument }[]>`
        select flow, digest, document from run_document
        where (flow, digest) in (
          select run.flow, run.digest from run where ${matching(sql, filter)}
        ) and (flow, digest) > (${after.flow}::uuid, ${after.digest})
        order by flow, digest limit ${PAGE_DOCUMENTS}`
      const last = rows.at(-1)
      if (!last) return
      yield rows.map(({ document }) => document)
      if (rows.length < PAGE_DOCUMENTS) return
      after = last
    }
  },
})

function page(
  sql: Sql,
  condition: ReturnType<typeof matching>,
  before: string | null,
  limit: number,
): Promise<ExportRow[]> {
  return sql<ExportRow[]>`
    with next as materialized (
      select run.id, run.created_at, row_number() over newest as place,
        sum(pg_column_size(content.inputs) + coalesce(pg_column_size(content.result), 0)) over newest as bytes
      from (
        select id, created_at from run
        where ${condition} ${before === null ? sql`` : sql`and run.created_at < ${before}::timestamptz`}
        order by created_at desc limit ${limit}
      ) as run
      join run_content content on content.run = run.id
      window newest as (order by created_at desc rows unbounded preceding)
    )
    select run.id, run.flow as flow_id, ${flowName(sql)} as flow, run.status, run.created_at, run.started_at,
      run.finished_at, extract(epoch from run.finished_at - run.started_at)::float8 as duration_s, run.seed,
      run.group_id, run.parent, run.external_id, run.digest, run.commit, content.inputs, content.result
    from next join run on run.id = next.id join run_content content on content.run = run.id
    where next.place = 1 or next.bytes <= ${PAGE_BYTES}
    order by run.created_at desc`
}
