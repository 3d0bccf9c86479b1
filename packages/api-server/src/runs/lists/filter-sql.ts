/**
 * Conditions over `run` of the terms of a filter. What users give is a parameter, always; a value of another type than
 * that of the term does not match, nor does a missing one (wire decision V12).
 * @module
 */
import type { Sql } from '../../db/database.ts'
import type { Fragment } from '../../db/values.ts'
import { CURVE_WIDTH, type FactField } from '../run-facts.ts'
import type { Aggregate, Field, Literal, Operator, Term } from './filter-grammar.ts'

/** Where the aggregates of a curve stand among its numbers. */
const places: Record<Aggregate, number> = { count: 0, last: 2, min: 3, max: 4 }

/** A field whose values runs have in arrays. */
export type FactFieldOf = Extract<Field, { kind: 'json' | 'curve' }>

/** The shapes of runs by their ids. */
export type Shapes = ReadonlyMap<number, readonly FactField[]>

/** The values of a field in a row, by type; each is null in a row where it has none. */
export interface FieldValues {
  readonly number: Fragment
  readonly text: Fragment
  readonly flag: Fragment
  /** What is no such value: a member of a list or record, or a record, a list or null itself. */
  readonly nested: Fragment
}

/** Where the shapes have a field. Its place in a row is one look into a list by the row's shape. */
export function valuesOf(sql: Sql, field: FactFieldOf, shapes: Shapes): FieldValues {
  const isNested = field.kind === 'json' && field.path.length > 1
  const nested =
    field.kind === 'json' && field.column === 'params'
      ? isNested
        ? sql`(run.nested #> ${[...field.path]}::text[])`
        : sql`(run.nested -> ${field.path[0] ?? ''}::text)`
      : sql`null::jsonb`
  if (isNested) {
    return {
      number: sql`(case when jsonb_typeof(${nested}) = 'number' or ${nested} #>> '{}' = any(${namedNumbers}::text[])
        then (${nested} #>> '{}')::float8 end)`,
      text: sql`(case when jsonb_typeof(${nested}) = 'string' and not ${nested} #>> '{}' = any(${namedNumbers}::text[])
        then ${nested} #>> '{}' end)`,
      flag: sql`(case when jsonb_typeof(${nested}) = 'boolean' then (${nested})::boolean end)`,
      nested,
    }
  }
  const at = placesOf(field, shapes)
  // what no run has is not looked for in any
  const isAnywhere = (list: readonly (number | null)[]): boolean => list.some((place) => place !== null)
  return {
    number: isAnywhere(at.number) ? sql`run.numbers[(${at.number}::int[])[run.shape]]` : sql`null::float8`,
    text: isAnywhere(at.text) ? sql`run.texts[(${at.text}::int[])[run.shape]]` : sql`null::text`,
    flag: isAnywhere(at.flag) ? sql`run.flags[(${at.flag}::int[])[run.shape]]` : sql`null::boolean`,
    nested,
  }
}

const namedNumbers = ['NaN', 'Infinity', '-Infinity']

/** Places from 1 by shape, as lists that begin with shape 1; null where a shape lacks the field in this type. */
function placesOf(field: FactFieldOf, shapes: Shapes): Record<'number' | 'text' | 'flag', (number | null)[]> {
  let most = 0
  for (const id of shapes.keys()) most = Math.max(most, id)
  const lists = {
    number: new Array<number | null>(most).fill(null),
    text: new Array<number | null>(most).fill(null),
    flag: new Array<number | null>(most).fill(null),
  }
  const wanted =
    field.kind === 'curve' ? (['metrics', field.message] as const) : ([field.column, field.path[0]] as const)
  for (const [id, fields] of shapes) {
    const next = { number: 1, text: 1, flag: 1 }
    for (const [source, name, type] of fields) {
      const list = type === 'curve' ? 'number' : type
      if (list === 'nested') continue
      if (source === wanted[0] && name === wanted[1]) {
        lists[list][id - 1] = next[list] + (field.kind === 'curve' ? places[field.aggregate] : 0)
      }
      next[list] += type === 'curve' ? CURVE_WIDTH : 1
    }
  }
  return lists
}

/** Seconds that a run has taken. */
export const duration = (sql: Sql): Fragment => sql`extract(epoch from run.finished_at - run.started_at)::float8`

/** The condition of a filter. */
export function holds(sql: Sql, terms: readonly Term[], shapes: Shapes): Fragment {
  let condition = sql`true`
  for (const term of terms) condition = sql`${condition} and ${holdsOf(sql, term, shapes)}`
  return condition
}

function holdsOf(sql: Sql, { field, operator, literal }: Term, shapes: Shapes): Fragment {
  switch (field.kind) {
    case 'json':
    case 'curve':
      return factHolds(sql, { field, values: valuesOf(sql, field, shapes) }, operator, literal)
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
    case 'id':
      return sql`run.id::text`
    case 'note':
      return sql`nullif(run.note, '')`
    case 'submitted_by':
      return sql`run.submitted_by`
    case 'external_id':
      return sql`run.external_id`
    case 'group_id':
      return sql`run.group_id::text`
    case 'parent':
      return sql`run.parent::text`
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

function factHolds(
  sql: Sql,
  { field, values }: { readonly field: FactFieldOf; readonly values: FieldValues },
  operator: Operator,
  literal: Literal,
): Fragment {
  const { number, text, flag, nested } = values
  if (operator === '~') return contains(sql, text, literal.text)
  switch (literal.is) {
    case 'any':
      return exists(
        sql,
        sql`(${number} is not null or ${text} is not null or ${flag} is not null
        or coalesce(${nested} <> 'null', false) ${isCut(sql, field)})`,
        operator,
      )
    case 'null':
      return operator === '=' ? sql`coalesce(${nested} = 'null', false)` : sql`false`
    case 'boolean':
      return sql`coalesce(${compared(sql, flag, operator, sql`${literal.value}::boolean`)}, false)`
    case 'string':
      return sql`coalesce(${compared(sql, sql`${text} collate "C"`, operator, sql`${literal.text}::text`)}, false)`
    case 'number':
      return factNumberHolds(sql, number, operator, literal.number)
  }
}

/** A long value is there, though lists do not have it. */
function isCut(sql: Sql, field: FactFieldOf): Fragment {
  const [first] = field.kind === 'json' && field.column === 'params' && field.path.length === 1 ? field.path : []
  return first === undefined ? sql`` : sql`or coalesce(${first}::text = any(run.cut), false)`
}

/** In the database NaN equals itself, and is greater than every number; here it is neither less nor greater. */
function factNumberHolds(sql: Sql, value: Fragment, operator: Operator, number: number): Fragment {
  const condition = compared(sql, value, operator, sql`${number}::float8`)
  const isGreater = operator === '>' || operator === '>='
  return sql`coalesce(${condition} ${isGreater ? sql`and ${value} <> 'NaN'` : sql``}, false)`
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

/** Letters A to Z in any case: the databases do not agree on others. */
const contains = (sql: Sql, text: Fragment, part: string): Fragment =>
  sql`coalesce(position(lower(${part}::text collate "C") in lower(${text} collate "C")) > 0, false)`
