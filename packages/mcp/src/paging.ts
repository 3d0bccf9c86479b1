/**
 * Pages of long answers.
 * @module
 */
import * as z from 'zod'

import { ToolRefusal } from './refusal.ts'

/** Rows of a page. */
export const PAGE = 50

/** Where the next page of an answer begins. */
export const nextSchema = z.string().nullable().describe('Pass it as "cursor" to get more; null: this is all.')

/** The cursor that a tool takes. */
export const cursorSchema = z
  .string()
  .max(200)
  .optional()
  .describe('"next" of the answer before; leave it out at first.')

/** A page of what is all there. */
export interface Page<T> {
  readonly rows: readonly T[]
  readonly from: number
  readonly next: string | null
}

/** The rows from a cursor on, which is a number here. Refuses one that no answer has given. */
export function pageOf<T>(all: readonly T[], cursor: string | undefined, size: number = PAGE): Page<T> {
  const from = offsetOf(cursor)
  const rows = all.slice(from, from + size)
  return { rows, from, next: from + size < all.length ? String(from + size) : null }
}

/** The number that a cursor is. Refuses another text. */
export function offsetOf(cursor = '0'): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw noCursor(cursor)
}

/** Where the next page begins of a list that is newest first. Refuses a text that is no time. */
export function olderThan(cursor: string | undefined): { readonly before?: string } {
  if (cursor === undefined) return {}
  if (!z.iso.datetime({ offset: true }).safeParse(cursor).success) throw noCursor(cursor)
  return { before: cursor }
}

const noCursor = (cursor: string): ToolRefusal =>
  new ToolRefusal('validation_failed', `/cursor: ${JSON.stringify(cursor)} is none of this tool`, {
    remedy: 'pass "next" of the answer before, or leave it out to begin',
  })

/** The members of a query that were given. */
export const given = <T extends object>(query: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never

/** The cursor behind a full page of a list that is newest first. */
export const nextBefore = <T>(rows: readonly T[], time: (row: T) => string, size: number = PAGE): string | null => {
  const last = rows.at(-1)
  return rows.length < size || last === undefined ? null : time(last)
}
