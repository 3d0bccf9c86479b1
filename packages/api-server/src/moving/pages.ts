/**
 * Reads a table page by page, each of about as many bytes, and the next one while one is used.
 * @module
 */
import { BEGINNING, PAGE_BYTES, type RowPage, type RowStore } from './row-store.ts'
import type { MovedTable } from './tables.ts'

const FIRST_ROWS = 100
const MOST_ROWS = 5_000

/** The rows of a table behind a place, from its beginning unless given. */
export async function* pagesOf(
  store: Pick<RowStore, 'page'>,
  table: MovedTable,
  after = BEGINNING,
): AsyncGenerator<RowPage> {
  let limit = FIRST_ROWS
  const read = (from: string): Promise<RowPage> => {
    const page = store.page(table, from, limit)
    // nobody waits for it yet; who does hears of its failure
    page.catch(() => {})
    return page
  }
  let next = read(after)
  try {
    for (;;) {
      const page = await next
      if (page.rows.length === 0) return
      limit = nextLimit(limit, page.rows)
      next = read(page.after)
      yield page
    }
  } finally {
    // who stops reading may end the transaction of the statement
    await next.catch(() => {})
  }
}

/** Rows that are not read for nothing: behind those that fill a page. They may suddenly be long, so it grows slowly. */
function nextLimit(limit: number, rows: readonly string[]): number {
  const characters = rows.reduce((sum, { length }) => sum + length, 0)
  const fitting = Math.round((rows.length * PAGE_BYTES) / Math.max(characters, 1))
  return Math.max(1, Math.min(fitting, 2 * limit, MOST_ROWS))
}
