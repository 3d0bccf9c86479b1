/**
 * The rows of lists of runs: chosen, ordered and shown by `run` alone, whose rows are narrow; nodes are read of the rows
 * of one page.
 * @module
 */
import type { RunHead, RunProgress } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'
import { matching, type RunFilter } from '../curves/run-filter.ts'
import type { Facts } from '../run-facts.ts'
import type { RunShapes } from '../shapes.ts'
import { head } from '../store.ts'
import type { Term } from './filter-grammar.ts'
import { holds, type Shapes } from './filter-sql.ts'
import { type Cursor, hasKinds, type Kind, kindOf, kinds, orderOf, type SortKey } from './order.ts'

/** Which runs a list has, and in what order. */
export interface ListSelection {
  readonly filter: RunFilter
  readonly terms: readonly Term[]
  readonly keys: readonly SortKey[]
}

/** A part of a list. */
export interface ListPage {
  readonly limit: number
  readonly offset: number
  readonly cursor: Cursor | null
}

/** What a row of a list is told with: a run and its facts. */
export interface ListedRow extends RunHead, Facts {
  /** Of its {@link Cursor}. */
  readonly place: readonly string[]
}

/** How far a run has come; `total` is 0 while its document is not known. */
export type ProgressRow = RunProgress & { readonly id: string }

/** The statements of lists. */
export type ListStore = ReturnType<typeof createListStore>

/** The statements of lists. */
export const createListStore = (sql: Sql, shapes: Pick<RunShapes, 'all'>) => ({
  /** The rows of a page, in order. */
  async rows(selection: ListSelection, page: ListPage): Promise<ListedRow[]> {
    const { terms, keys } = selection
    const known = await shapes.all()
    if (!hasKinds(keys)) {
      // most filters find enough of the newest runs; where not, all are looked at, which an index only makes slower
      if (keys.length > 0 || terms.length === 0)
        return rowsOf(sql, selection, { ...page, kind: 0, among: 'all', shapes: known })
      const newest =
        page.offset < NEWEST ? await rowsOf(sql, selection, { ...page, kind: 0, among: 'newest', shapes: known }) : []
      return newest.length === page.limit
        ? newest
        : rowsOf(sql, selection, { ...page, kind: 0, among: 'chosen', shapes: known })
    }
    const rows: ListedRow[] = []
    const from = kindOf(page.cursor)
    let { offset } = page
    for (const kind of kinds.slice(from)) {
      const limit = page.limit - rows.length
      if (limit === 0) break
      const cursor = kind === from ? page.cursor : null
      // oxlint-disable no-await-in-loop -- the next kind is read only when this one is over
      const found = await rowsOf(sql, selection, { limit, cursor, kind, among: 'all', offset, shapes: known })
      rows.push(...found)
      if (found.length > 0) offset = 0
      else if (offset > 0) offset -= await countOf(sql, selection, { cursor, kind, shapes: known })
      // oxlint-enable no-await-in-loop
    }
    return rows
  },

  async total({ filter, terms }: Pick<ListSelection, 'filter' | 'terms'>): Promise<number> {
    const [row] = await sql<[{ runs: number }]>`
      select count(*)::int as runs from run where ${matching(sql, filter)} and ${holds(sql, terms, await shapes.all())}`
    return row.runs
  },

  /** How far these runs have come. */
  async progress(ids: readonly string[]): Promise<ProgressRow[]> {
    return sql<ProgressRow[]>`
      with asked as (
        select id, flow, digest from run where id = any(${ids as string[]}::uuid[])
      ), documents as materialized (
        select flow, digest, json_array_length(document -> 'nodes') as nodes from run_document
        where (flow, digest) in (select flow, digest from asked)
      )
      select asked.id, coalesce(max(documents.nodes), 0)::int as total,
        (count(*) filter (where node.status in ('ok', 'error', 'skipped', 'cancelled')))::int as done,
        (count(*) filter (where node.cached))::int as cached,
        (count(*) filter (where node.status = 'error'))::int as failed,
        (count(*) filter (where node.status = 'running'))::int as running,
        min(node.waiting_for) filter (where node.status = 'queued') as waiting_for
      from asked left join documents using (flow, digest) left join run_node node on node.run = asked.id
      group by asked.id`
  },
})

/** Runs among which a page is looked for first. */
const NEWEST = 4000

/** Rows of one kind; `chosen` has the filter work through all runs before any order. */
async function rowsOf(
  sql: Sql,
  { filter, terms, keys }: ListSelection,
  {
    limit,
    offset,
    cursor,
    kind,
    among,
    shapes,
  }: ListPage & {
    readonly kind: Kind
    readonly among: 'all' | 'newest' | 'chosen'
    readonly shapes: Shapes
  },
): Promise<ListedRow[]> {
  const order = orderOf(sql, keys, { kind, shapes })
  const within = sql`${matching(sql, filter)} ${order.within} ${cursor ? sql`and ${order.behind(cursor)}` : sql``}`
  const condition = holds(sql, terms, shapes)
  const source =
    among === 'all'
      ? sql`run where ${within} and ${condition}`
      : among === 'newest'
        ? sql`(select * from run where ${within} order by run.created_at desc limit ${NEWEST}) as run where ${condition}`
        : sql`chosen as run`
  const columns = sql`
    ${head(sql)}, coalesce(run_shape.fields, '[]') as fields, to_json(run.numbers) as numbers, run.texts, run.flags, run.nested,
    run.cut, ${order.values} as place`
  if (among === 'all' && keys.length === 0 && offset === 0) {
    // an index has them in this order, so that nothing is read in vain; of rows that are passed over it would be told all
    return sql<ListedRow[]>`
      select ${columns} from run left join run_shape on run_shape.id = run.shape
      where ${within} and ${condition} order by ${order.by} limit ${limit}`
  }
  return sql<ListedRow[]>`
    with ${among === 'chosen' ? sql`chosen as materialized (select id, created_at from run where ${within} and ${condition}),` : sql``}
    page as materialized (
      select id, row_number() over () as nth from (
        select run.id from ${source} order by ${order.by} limit ${limit} offset ${offset}
      ) as found
    )
    select ${columns}
    from page join run on run.id = page.id left join run_shape on run_shape.id = run.shape order by page.nth`
}

/** How many rows of a kind there are behind a cursor. */
async function countOf(
  sql: Sql,
  { filter, terms, keys }: ListSelection,
  { cursor, kind, shapes }: Pick<ListPage, 'cursor'> & { readonly kind: Kind; readonly shapes: Shapes },
): Promise<number> {
  const order = orderOf(sql, keys, { kind, shapes })
  const [row] = await sql<[{ runs: number }]>`
    select count(*)::int as runs from run
    where ${matching(sql, filter)} ${order.within} ${cursor ? sql`and ${order.behind(cursor)}` : sql``}
      and ${holds(sql, terms, shapes)}`
  return row.runs
}
