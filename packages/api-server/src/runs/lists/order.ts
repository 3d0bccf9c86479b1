/**
 * The order of a list of runs, and the cursor behind its last row (wire decisions V11, V13). Each key is told by
 * columns that are never null: what kind of value it is (numbers, texts, booleans, none), its number, its text.
 * @module
 */
import { createHash } from 'node:crypto'

import { timestampInputSchema } from '@flow-service/protocol'
import * as z from 'zod'

import type { Sql } from '../../db/database.ts'
import type { Fragment } from '../../db/values.ts'
import { invalid, type ProblemError } from '../../http/errors.ts'
import { flowName } from '../curves/run-filter.ts'
import { type Field, jsonField } from './filter-grammar.ts'
import { duration, type FieldValues, type Shapes, valuesOf } from './filter-sql.ts'

const columns = ['created_at', 'started_at', 'finished_at', 'duration_s', 'status', 'flow', 'seed'] as const
const MAX_KEYS = 3
const sortable = `${columns.join(', ')}, params.<name>, results.<name> and metrics.<message>`

/** What a list is sorted by. */
export interface SortKey {
  readonly by: (typeof columns)[number] | Extract<Field, { kind: 'json' | 'curve' }>
  readonly descending: boolean
}

/** The place behind a row: its kind and its columns as the database spells them, and the time of its creation. */
export interface Cursor {
  readonly values: readonly string[]
  readonly created_at: string
}

/** The keys of `-metrics.loss:min,created_at`; refuses what is no field. Newest first unless given. */
export function sortKeys(text: string | undefined): SortKey[] {
  if (text === undefined) return []
  const names = text.split(',')
  if (names.length > MAX_KEYS) throw badSort(`a list is sorted by at most ${MAX_KEYS} fields`)
  return names.map((name) => {
    const descending = name.startsWith('-')
    const field = descending ? name.slice(1) : name
    const by = columns.find((column) => column === field) ?? jsonField(field)
    if (!by) throw badSort(`${JSON.stringify(field.slice(0, 80))} is no field to sort by; there are ${sortable}`)
    return { by, descending }
  })
}

/** One column of an order. */
interface Part {
  readonly value: Fragment
  readonly descending: boolean
  /** A value of the column from its spelling. */
  readonly read: (text: string) => Fragment
}

/** An order over `run`; the newest run comes first among equals. */
export interface Order {
  /** What `order by` takes. */
  readonly by: Fragment
  /** The spellings of a row's columns, as an array of texts for its cursor. */
  readonly values: Fragment
  /** What the rows have in common, as a further condition. */
  readonly within: Fragment
  /** The condition of rows behind a cursor. */
  behind(cursor: Cursor): Fragment
}

/** What kinds of values there are, in the order in which they are listed: numbers, texts, booleans, none. */
export const kinds = [0, 1, 2, 3] as const
export type Kind = (typeof kinds)[number]

/** Whether the first key has values of several kinds. Then a list is read kind by kind, which most have one of. */
export const hasKinds = ([first]: readonly SortKey[]): boolean => first !== undefined && typeof first.by !== 'string'

/** The order of these keys; where the first one has kinds, that of the rows of one of them. */
export function orderOf(sql: Sql, keys: readonly SortKey[], { kind, shapes }: { kind: Kind; shapes: Shapes }): Order {
  const [first, ...rest] = keys
  const ofFirst = first !== undefined && typeof first.by !== 'string' ? valuesOf(sql, first.by, shapes) : null
  const parts =
    first && ofFirst
      ? [
          ...kindParts(sql, ofFirst, { kind, descending: first.descending }),
          ...rest.flatMap((key) => partsOf(sql, key, shapes)),
        ]
      : keys.flatMap((key) => partsOf(sql, key, shapes))
  let by = sql``
  let values = sql`${String(kind)}`
  for (const { value, descending } of parts) {
    by = sql`${by} ${value} ${descending ? sql`desc` : sql``},`
    values = sql`${values}, (${value})::text`
  }
  return {
    by: sql`${by} run.created_at desc`,
    values: sql`array[${values}]::text[]`,
    within: ofFirst ? sql`and ${isKind(sql, ofFirst, kind)}` : sql``,
    behind(cursor) {
      let condition = sql`run.created_at < ${cursor.created_at}::timestamptz`
      for (const [at, { value, descending, read }] of [...parts.entries()].toReversed()) {
        const given = read(cursor.values[at + 1] ?? '')
        const beyond = descending ? sql`${value} < ${given}` : sql`${value} > ${given}`
        condition = sql`(${beyond} or (${value} = ${given} and ${condition}))`
      }
      return condition
    },
  }
}

/** The kind of the row that a cursor is behind. */
export const kindOf = (cursor: Cursor | null): Kind => kinds.find((kind) => String(kind) === cursor?.values[0]) ?? 0

/** How many texts tell the place of a row: its kind, and its columns. */
function widthOf(keys: readonly SortKey[], kind: Kind): number {
  const widths = keys.map(({ by }, at) => {
    if (typeof by !== 'string') return at > 0 ? 4 : [2, 1, 1, 0][kind]!
    return by === 'created_at' || by === 'status' || by === 'flow' ? 1 : 2
  })
  return widths.reduce((sum, width) => sum + width, 1)
}

function isKind(sql: Sql, { number, text, flag }: FieldValues, kind: Kind): Fragment {
  switch (kind) {
    case 0:
      return sql`${number} is not null`
    case 1:
      return sql`${text} is not null`
    case 2:
      return sql`${flag} is not null`
    case 3:
      return sql`${number} is null and ${text} is null and ${flag} is null`
  }
}

function kindParts(
  sql: Sql,
  { number, text, flag }: FieldValues,
  { kind, descending }: { readonly kind: Kind; readonly descending: boolean },
): Part[] {
  switch (kind) {
    case 0:
      return [notANumber(sql, number), { value: number, descending, read: (given) => sql`${numberIn(given)}::float8` }]
    case 1:
      return [textPart(sql, text, descending)]
    case 2:
      return [{ value: flag, descending, read: (given) => sql`${given === 'true'}::boolean` }]
    case 3:
      return []
  }
}

/** NaN comes behind the numbers in both directions. */
const notANumber = (sql: Sql, value: Fragment): Part => ({
  value: sql`(coalesce(${value}, 0) = 'NaN')`,
  descending: false,
  read: (text) => sql`${text === 'true'}::boolean`,
})

/** Values of all kinds, for a key behind the first. */
const factParts = (sql: Sql, { number, text, flag }: FieldValues, descending: boolean): Part[] => [
  {
    value: sql`(case when ${number} is not null then 0 when ${text} is not null then 1 when ${flag} is not null then 2 else 3 end)`,
    descending: false,
    read: (given) => sql`${numberIn(given)}::float8`,
  },
  notANumber(sql, number),
  {
    value: sql`coalesce(${number}, (${flag})::int, 0)`,
    descending,
    read: (given) => sql`${numberIn(given)}::float8`,
  },
  textPart(sql, sql`coalesce(${text}, '')`, descending),
]

function partsOf(sql: Sql, { by, descending }: SortKey, shapes: Shapes): Part[] {
  if (typeof by !== 'string') return factParts(sql, valuesOf(sql, by, shapes), descending)
  switch (by) {
    case 'created_at':
      return [{ value: sql`run.created_at`, descending, read: (text) => sql`${timeIn(text)}::timestamptz` }]
    case 'started_at':
      return timeParts(sql, sql`run.started_at`, descending)
    case 'finished_at':
      return timeParts(sql, sql`run.finished_at`, descending)
    case 'duration_s':
      return numberParts(sql, duration(sql), descending)
    case 'seed':
      return numberParts(sql, sql`run.seed::float8`, descending)
    case 'status':
      return [textPart(sql, sql`run.status`, descending)]
    case 'flow':
      return [textPart(sql, flowName(sql), descending)]
  }
}

const textPart = (sql: Sql, value: Fragment, descending: boolean): Part => ({
  value: sql`(${value}) collate "C"`,
  descending,
  read: (text) => sql`${textIn(text)}::text`,
})

/** What is missing comes last in both directions. */
const missing = (sql: Sql, value: Fragment): Part => ({
  value: sql`(${value} is null)`,
  descending: false,
  read: (text) => sql`${text === 'true'}::boolean`,
})

const timeParts = (sql: Sql, value: Fragment, descending: boolean): Part[] => [
  missing(sql, value),
  { value: sql`coalesce(${value}, 'epoch')`, descending, read: (text) => sql`${timeIn(text)}::timestamptz` },
]

const numberParts = (sql: Sql, value: Fragment, descending: boolean): Part[] => [
  missing(sql, value),
  { value: sql`coalesce(${value}, 0)`, descending, read: (text) => sql`${numberIn(text)}::float8` },
]

/**
 * A cursor as text that means nothing to its reader. It belongs to one list: `list` tells filters and order, and another
 * one refuses it.
 */
export function cursorText(list: string, { values, created_at }: Cursor): string {
  return Buffer.from(JSON.stringify([markOf(list), created_at, ...values])).toString('base64url')
}

/** The cursor behind such a text; refuses what is none of this list. */
export function readCursor(text: string, list: string, keys: readonly SortKey[]): Cursor {
  const parsed = cursorSchema.safeParse(fromBase64(text))
  if (!parsed.success) throw noCursor()
  const [mark, created_at, ...values] = parsed.data
  if (mark !== markOf(list) || values.length !== widthOf(keys, kindOf({ values, created_at }))) {
    throw badCursor('this cursor is of a list with another sort or filter: begin with the first page')
  }
  return { values, created_at }
}

const cursorSchema = z.tuple([z.string(), timestampInputSchema], z.string())

// Whoever writes a cursor by hand must not reach the database with what it cannot read.

function numberIn(text: string): number {
  const number = Number(text)
  if (Number.isNaN(number) && text !== 'NaN') throw noCursor()
  return number
}

function timeIn(text: string): string {
  const parsed = timestampInputSchema.safeParse(text.replace(' ', 'T').replace(/\+00$/, 'Z'))
  if (!parsed.success) throw noCursor()
  return parsed.data
}

function textIn(text: string): string {
  if (!text.isWellFormed() || text.includes('\0')) throw noCursor()
  return text
}

function fromBase64(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const markOf = (list: string): string => createHash('sha256').update(list).digest('base64url').slice(0, 12)

const badSort = (message: string): ProblemError => invalid([{ path: 'query.sort', code: 'bad_sort', message }])

const noCursor = (): ProblemError => badCursor('this is no cursor: take it from the Link of the page before')

const badCursor = (message: string): ProblemError => invalid([{ path: 'query.cursor', code: 'bad_cursor', message }])
