/**
 * SQL of the rows of any table. A row travels as text, as PostgreSQL spells and reads it: no type of a column has to be
 * known, and what is read is written as it was.
 * @module
 */
import { randomUUID } from 'node:crypto'

import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'
import { type Mark, MARK_ID, markText } from '../db/mark.ts'
import { quoted } from './catalog-store.ts'
import type { MovedTable } from './tables.ts'

/** A page has no further row once its rows have so many bytes. */
export const PAGE_BYTES = 1_000_000

/** Before the first row of a table. */
export const BEGINNING = '(0,0)'

/** Rows in the order in which they lie in their table. */
export interface RowPage {
  /** Where the last of them lies. */
  readonly after: string
  readonly rows: readonly string[]
}

/** Counts of rows, and the sum of their digests. */
export interface DigestPage {
  readonly after: string
  readonly rows: number
  /** In decimal digits; may be negative. */
  readonly sum: string
}

/** The text of a row. */
const rowOf = ({ columns }: MovedTable): string =>
  `row(${columns.map(({ name, isOfTheMoment }) => (isOfTheMoment ? 'null' : quoted(name))).join(', ')})::text`

/** Statements on rows, on a database or in a transaction. */
export const createRowStore = (sql: Sql) => ({
  /** At most `limit` rows behind a place, and fewer where they are long ({@link PAGE_BYTES}); none at the end alone. */
  async page(table: MovedTable, after: string, limit: number): Promise<RowPage> {
    // the sum runs in the order in which the rows lie: sorting them would take room for all of them
    const found = await sql.unsafe<{ at: string; text: string }[]>(
      `select at::text, text from (
        select at, text, sum(octet_length(text)) over (rows unbounded preceding) as so_far from (
          select ctid as at, ${rowOf(table)} as text from ${quoted(table.name)} where ctid > $1::tid limit ${limit}
        ) as read
      ) as page where so_far - octet_length(text) < ${PAGE_BYTES}`,
      [after],
    )
    return { after: found.at(-1)?.at ?? after, rows: found.map(({ text }) => text) }
  },

  async count({ name }: MovedTable): Promise<number> {
    const [row] = await sql.unsafe<{ n: number }[]>(`select count(*) as n from ${quoted(name)}`)
    return row?.n ?? 0
  },

  /** Bytes on the disk, with indexes. */
  async size({ name }: MovedTable): Promise<number> {
    const [row] = await sql<{ n: number }[]>`select pg_total_relation_size(${quoted(name)}::regclass) as n`
    return row?.n ?? 0
  },

  /** As `digest.ts` sums rows up; the order does not matter. */
  async digests(table: MovedTable, after: string, limit: number): Promise<DigestPage> {
    const [row] = await sql.unsafe<DigestPage[]>(
      `select coalesce(max(at), $1::tid)::text as after, count(*)::int as rows,
        coalesce(sum(('x' || encode(substr(hash, 1, 8), 'hex'))::bit(64)::int8), 0)::text as sum
      from (
        select ctid as at, sha256(convert_to(${rowOf(table)}, 'UTF8')) as hash
        from ${quoted(table.name)} where ctid > $1::tid limit ${limit}
      ) as page`,
      [after],
    )
    return row ?? { after, rows: 0, sum: '0' }
  },

  /** Writes rows, and with them how far the table is; throws when another process has gone on with it (mark.ts). */
  async write(table: MovedTable, rows: readonly string[], mark: { before: Mark; after: Mark }): Promise<void> {
    const separator = separatorOf(rows)
    const written = table.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => quoted(name))
    const result = await sql.unsafe(
      `with placed as (update migration set digest = $3 where id = '${MARK_ID}' and digest = $4 returning id)
      insert into ${quoted(table.name)} (${written.join(', ')}) overriding system value
      select ${written.map((name) => `(line.content).${name}`).join(', ')}
      from (select text::${quoted(table.name)} as content from string_to_table($1, $2) as text offset 0) as line
      where exists (select from placed)`,
      [rows.join(separator), separator, markText(mark.after), markText(mark.before)],
      { prepare: true },
    )
    affected(result, rows.length)
  },

  /** Whether any of the tables has a row. */
  async hasRows(tables: readonly MovedTable[]): Promise<boolean> {
    if (tables.length === 0) return false
    const parts = tables.map(({ name }) => `exists (select from ${quoted(name)})`)
    const [row] = await sql.unsafe<{ found: boolean }[]>(`select ${parts.join(' or ')} as found`)
    return row?.found ?? false
  },

  async empty(tables: readonly MovedTable[]): Promise<void> {
    if (tables.length > 0) await sql.unsafe(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')} cascade`)
  },
})
/** The statements of {@link createRowStore}. */
export type RowStore = ReturnType<typeof createRowStore>

/** A text that stands in none of the rows. */
function separatorOf(rows: readonly string[]): string {
  for (;;) {
    const separator = `\u001e${randomUUID()}\u001e`
    if (!rows.some((row) => row.includes(separator))) return separator
  }
}
