/**
 * Reading runs for exports: page by page, so that whoever reads slowly holds no connection.
 * @module
 */
import { type FlowDocument, MAX_SELECTED_RUNS, type Run, type RunInput } from '@flow-service/protocol'
import type { PendingQuery } from 'postgres'

import type { Sql } from '../../db/database.ts'
import { matching, type RunFilter } from '../curves/run-filter.ts'
import type { SummaryRow } from '../run-record.ts'

/** Most runs of a page: some 15 ms in which the engine does nothing else. */
const PAGE_RUNS = 1000
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
  /** Whether the document of some of these is not known. */
  readonly undocumented: boolean
}

/** The statements of exports. */
export type ExportStore = ReturnType<typeof createExportStore>

/** The statements of exports. */
export const createExportStore = (sql: Sql) => ({
  async extent(filter: RunFilter): Promise<Extent> {
    const [row] = await sql<[Extent]>`
      select count(*)::int as runs, max(created_at) as newest, min(created_at) filter (where place <= ${MAX_SELECTED_RUNS}) as oldest,
        coalesce(bool_or(digest is null), false) as undocumented
      from (
        select created_at, digest, row_number() over (order by created_at desc) as place from run
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

  /**
   * Pages of the newest {@link MAX_SELECTED_RUNS} runs, newest first; or of those whose document is not known. A row
   * becomes what is made of it when it arrives: rows that are kept until all have arrived cost the collector much.
   */
  async *runs<T>(
    filter: RunFilter,
    made: (row: ExportRow) => T,
    which: 'all' | 'undocumented' = 'all',
  ): AsyncGenerator<T[]> {
    const condition = which === 'all' ? matching(sql, filter) : sql`${matching(sql, filter)} and run.digest is null`
    let before: string | null = null
    for (let left = MAX_SELECTED_RUNS; left > 0;) {
      const runs: T[] = []
      await page(sql, condition, before, Math.min(left, PAGE_RUNS)).forEach((row) => {
        before = row.created_at
        runs.push(made(row))
      })
      if (runs.length === 0) return
      yield runs
      left -= runs.length
    }
  },

  /** Pages of the documents that runs executed. */
  async *documents(filter: RunFilter): AsyncGenerator<FlowDocument[]> {
    let after = { flow: '00000000-0000-0000-0000-000000000000', digest: '' }
    for (;;) {
      const rows = await sql<{ flow: string; digest: string; document: FlowDocument }[]>`
        select flow, digest, document from run_document
        where (flow, digest) > (${after.flow}::uuid, ${after.digest}) and exists (
          select from run
          where run.flow = run_document.flow and run.digest = run_document.digest and ${matching(sql, filter)}
          offset 0 -- of each document one run is looked for, not all runs of the selection
        )
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
): PendingQuery<ExportRow[]> {
  // an index is asked for the contents of each run: a plan that reads those of all runs would do so for every page
  return sql<ExportRow[]>`
    select run.id, run.flow as flow_id, coalesce(flow.name, run_flow.name) as flow, run.status, run.created_at,
      run.started_at, run.finished_at, extract(epoch from run.finished_at - run.started_at)::float8 as duration_s,
      run.seed, run.group_id, run.parent, run.external_id, run.digest, run.commit, run.inputs, run.result
    from (
      select run.*, content.inputs, content.result, row_number() over newest as place,
        sum(pg_column_size(content.inputs) + coalesce(pg_column_size(content.result), 0)) over newest as bytes
      from (
        select id, flow, status, created_at, started_at, finished_at, seed, group_id, parent, external_id, digest, commit
        from run where ${condition} ${before === null ? sql`` : sql`and run.created_at < ${before}::timestamptz`}
        order by created_at desc limit ${limit}
      ) as run
      cross join lateral (select inputs, result from run_content where run_content.run = run.id offset 0) as content
      window newest as (order by created_at desc rows unbounded preceding)
    ) as run
    join run_flow on run_flow.id = run.flow left join flow on flow.id = run.flow
    where run.place = 1 or run.bytes <= ${PAGE_BYTES}
    order by run.created_at desc`
}
