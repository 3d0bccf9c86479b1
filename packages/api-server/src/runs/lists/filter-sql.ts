/**
 * Conditions over `run` of the terms of a filter. What users give is a parameter, always; a value of another type than
 * that of the term does not match, nor does a missing one (wire decision V12).
 * @module
 */
import type { Sql } from '../../db/database.ts'
import type { Fragment } from '../../db/values.ts'
import type { Aggregate, Field, Literal, Operator, Term } from './filter-grammar.ts'

/** Where the aggregates of a curve stand in its summary. */
const places: Record<Aggregate, number> = { count: 0, last: 2, min: 3, max: 4 }

/** The condition of a filter. */
export function holds(sql: Sql, terms: readonly Term[]): Fragment {
  let condition = sql`true`
  for (const term of terms) condition = sql`${condition} and ${holdsOf(sql, term)}`
  return condition
}

/** The value of a JSON field, null where there is none. */
export function jsonValue(sql: Sql, field: Extract<Field, { kind: 'json' | 'curve' }>): Fragment {
  if (field.kind === 'curve') return sql`run.metrics -> ${field.message}::text -> ${places[field.aggregate]}::int`
  const column = field.column === 'params' ? sql`run.params` : sql`run.results`
  const [first = '', ...rest] = field.path
  if (rest.length === 0) return sql`${column} -> ${first}::text`
  return sql`${column} #> ${[...field.path]}::text[]`
}

/** Seconds that a run has taken. */
export const duration = (sql: Sql): Fragment => sql`extract(epoch from run.finished_at - run.started_at)::float8`

function holdsOf(sql: Sql, { field, operator, literal }: Term): Fragment {
  switch (field.kind) {
    case 'json':
    case 'curve':
      return jsonHolds(sql, field, operator, literal)
    case 'pinned':
      return sql`run.pinned = ${(literal.text === 'true') === (operator === '=')}::boolean`
    case 'tags':
      return tagsHold(sql, operator, literal)
    case 'number':
      return numberHolds(sql, field.column === 'seed' ? sql`run.seed::float8` : duration(sql), operator, literal)
    case 'text':
      return textHolds(sql, textColumn(sql, field.column), operator, literal)
  }
}

function textColumn(sql: Sql, column: Extract<Field, { kind: 'text' }>['column']): Fragment {
  switch (column) {
    case 'note':
      return sql`nullif(run.note, '')`
    case 'submitted_by':
      return sql`run.submitted_by`
    case 'external_id':
      return sql`run.external_id`
    case 'group_id':
      return sql`run.group_id::text`
    case 'origin':
      return sql`run.origin`
  }
}

/** A column of text compares with what stands there, be it a number or not: `external_id=17`. */
function textHolds(sql: Sql, column: Fragment, operator: Operator, { is, text }: Literal): Fragment {
  if (is === 'any') return exists(sql, sql`${column} is not null`, operator)
  if (is === 'null') return operator === '=' ? sql`${column} is null` : sql`false`
  if (operator === '~') return contains(sql, column, text)
  return sql`coalesce(${compared(sql, sql`${column} collate "C"`, operator, sql`${text}::text`)}, false)`
}

function numberHolds(sql: Sql, column: Fragment, operator: Operator, literal: Literal): Fragment {
  if (literal.is === 'any') return exists(sql, sql`${column} is not null`, operator)
  if (literal.is === 'null') return operator === '=' ? sql`${column} is null` : sql`false`
  if (literal.is !== 'number' || operator === '~') return sql`false`
  return sql`coalesce(${compared(sql, column, operator, sql`${literal.number}::float8`)}, false)`
}

function tagsHold(sql: Sql, operator: Operator, { is, text }: Literal): Fragment {
  if (is === 'any') return exists(sql, sql`cardinality(run.tags) > 0`, operator)
  if (operator === '~') return sql`exists (select from unnest(run.tags) as tag where ${contains(sql, sql`tag`, text)})`
  return operator === '=' ? sql`run.tags @> array[${text}::text]` : sql`not run.tags @> array[${text}::text]`
}

function jsonHolds(
  sql: Sql,
  field: Extract<Field, { kind: 'json' | 'curve' }>,
  operator: Operator,
  literal: Literal,
): Fragment {
  const value = jsonValue(sql, field)
  const type = sql`jsonb_typeof(${value})`
  // a long value is there, though lists do not have it
  const [first] = field.kind === 'json' && field.column === 'params' && field.path.length === 1 ? field.path : []
  const isCut = first === undefined ? sql`` : sql`or ${first}::text = any(run.params_cut)`
  if (operator === '~')
    return sql`coalesce(${type} = 'string' and ${contains(sql, textOf(sql, value), literal.text)}, false)`
  switch (literal.is) {
    case 'any':
      return exists(sql, sql`(coalesce(${type} <> 'null', false) ${isCut})`, operator)
    case 'null':
      return operator === '=' ? sql`coalesce(${type} = 'null', false)` : sql`false`
    case 'boolean': {
      const wanted = sql`${JSON.stringify(literal.value)}::text::jsonb`
      return sql`coalesce(${type} = 'boolean' and ${compared(sql, value, operator, wanted)}, false)`
    }
    case 'string':
      return sql`coalesce(${type} = 'string' and ${compared(sql, sql`${textOf(sql, value)} collate "C"`, operator, sql`${literal.text}::text`)}, false)`
    case 'number':
      return jsonNumberHolds(sql, value, operator, literal.number)
  }
}

/** NaN and the infinities are numbers that stand as texts, as everywhere on the wire. */
function jsonNumberHolds(sql: Sql, value: Fragment, operator: Operator, number: number): Fragment {
  const named = ['NaN', 'Infinity', '-Infinity'].filter((name) => compares(Number(name), operator, number))
  const amongNamed = sql`${textOf(sql, value)} = any(${named}::text[])`
  const finite = Number.isFinite(number)
    ? compared(sql, value, operator, sql`${JSON.stringify(number)}::text::jsonb`)
    : sql`${compares(0, operator, number)}::boolean`
  return sql`case jsonb_typeof(${value}) when 'number' then ${finite} when 'string' then ${amongNamed} else false end`
}

/** NaN equals itself here, and is less or greater than nothing. */
function compares(a: number, operator: Operator, b: number): boolean {
  switch (operator) {
    case '=':
      return Object.is(a, b) || a === b
    case '!=':
      return !Object.is(a, b) && a !== b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    case '~':
      return false
  }
}

function compared(sql: Sql, left: Fragment, operator: Operator, right: Fragment): Fragment {
  switch (operator) {
    case '=':
      return sql`${left} = ${right}`
    case '!=':
      return sql`${left} <> ${right}`
    case '<':
      return sql`${left} < ${right}`
    case '<=':
      return sql`${left} <= ${right}`
    case '>':
      return sql`${left} > ${right}`
    case '>=':
      return sql`${left} >= ${right}`
    case '~':
      return sql`false`
  }
}

const exists = (sql: Sql, condition: Fragment, operator: Operator): Fragment =>
  operator === '=' ? condition : sql`not ${condition}`

const textOf = (sql: Sql, value: Fragment): Fragment => sql`(${value} #>> '{}')`

/** Letters A to Z in any case: the databases do not agree on others. */
const contains = (sql: Sql, text: Fragment, part: string): Fragment =>
  sql`coalesce(position(lower(${part}::text collate "C") in lower(${text} collate "C")) > 0, false)`
