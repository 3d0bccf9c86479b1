/**
 * The text of a filter over runs (wire decision V12): terms as in `params.lr<0.01 metrics.acc>0.9 tags=best`, with
 * spaces between them, which all have to hold. `filter-sql.ts` makes conditions of them.
 * @module
 */
import { curveNameRule, messageNameRule } from '@flow-service/protocol'

import { invalid, type ProblemError } from '../../http/errors.ts'

/** Most terms of a filter. */
const MAX_TERMS = 32
/** Most characters of a filter. */
const MAX_CHARACTERS = 4096

const operators = ['!=', '<=', '>=', '=', '<', '>', '~'] as const
/** How a value is compared; `~` is: contains, in letters of any case. */
export type Operator = (typeof operators)[number]

/** What of a curve is meant. */
const aggregates = ['last', 'min', 'max', 'count'] as const
export type Aggregate = (typeof aggregates)[number]

/** Columns with one text each, none or one. */
const textFields = ['id', 'note', 'submitted_by', 'external_id', 'group_id', 'parent', 'origin'] as const
const numberFields = ['seed', 'duration_s'] as const
const plainFields = [...textFields, ...numberFields, 'pinned', 'tags'] as const

/** What a term looks at. `path` leads through names of members and places in lists. */
export type Field =
  | { readonly kind: 'json'; readonly column: 'params' | 'results'; readonly path: readonly string[] }
  | { readonly kind: 'curve'; readonly message: string; readonly aggregate: Aggregate }
  | { readonly kind: 'text'; readonly column: (typeof textFields)[number] }
  | { readonly kind: 'number'; readonly column: (typeof numberFields)[number] }
  | { readonly kind: 'pinned' }
  | { readonly kind: 'tags' }

/** What a term compares with; `text` is what stands there, a JSON string without its quotes. */
export type Literal = { readonly text: string } & (
  | { readonly is: 'number'; readonly number: number }
  | { readonly is: 'string' }
  | { readonly is: 'boolean'; readonly value: boolean }
  | { readonly is: 'null' }
  | { readonly is: 'any' }
)

/** One condition. */
export interface Term {
  readonly field: Field
  readonly operator: Operator
  readonly literal: Literal
}

/** The terms of a filter; refuses what is none with `bad_filter`, naming the character. */
export function filterTerms(text: string): Term[] {
  if (text.length > MAX_CHARACTERS) {
    throw fault(MAX_CHARACTERS, `a filter has at most ${MAX_CHARACTERS} characters, and this one ${text.length}`)
  }
  const terms: Term[] = []
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    if (terms.length === MAX_TERMS) throw fault(at, `a filter has at most ${MAX_TERMS} terms`)
    const [term, end] = termAt(text, at)
    terms.push(term)
    at = end
    if (at < text.length && !isSpace(text[at])) {
      throw fault(
        at,
        `${quoted(text.slice(at, at + 1))} cannot follow a value in quotes; put a space between two terms`,
      )
    }
  }
  return terms
}

/** The field of this name; null for none. Lists are sorted by some of them, too. */
export function jsonField(name: string): Extract<Field, { kind: 'json' | 'curve' }> | null {
  const dot = name.indexOf('.')
  const [column, rest] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)]
  if (dot < 0 || rest === '') return null
  if (column === 'metrics') return curveField(rest)
  if (column !== 'params' && column !== 'results') return null
  return { kind: 'json', column, path: rest.split('.') }
}

function curveField(text: string): Extract<Field, { kind: 'curve' }> | null {
  const [message = '', aggregate = 'last', ...more] = text.split(':')
  const known = aggregates.find((one) => one === aggregate)
  if (!known || more.length > 0 || !curveNameRule.pattern.test(message)) return null
  return { kind: 'curve', message, aggregate: known }
}

/** What is no field, in words. */
function unknownField(name: string): string {
  if (name.startsWith('metrics.')) {
    return `${quoted(name)} is no curve; write metrics.<message>, or metrics.<message>:min, :max, :count or :last`
  }
  const all = `params.<name>, results.<name>, metrics.<message>, ${plainFields.join(', ')}`
  if (!messageNameRule.pattern.test(name)) return `${quoted(name)} is no field; there are ${all}`
  return `${quoted(name)} is no field; write params.${name} for an input, metrics.${name} for a curve, or one of: ${all}`
}

function termAt(text: string, start: number): [Term, number] {
  let at = start
  while (at < text.length && !isSpace(text[at]) && !'=!<>~"'.includes(text[at] ?? '')) at += 1
  const name = text.slice(start, at)
  if (name === '') throw fault(at, 'a term begins with a field, as in params.lr<0.01')
  storable(name, start)
  const operator = operators.find((one) => text.startsWith(one, at))
  if (!operator) throw fault(at, `${quoted(name)} needs one of ${operators.join(' ')} behind it, and a value`)
  const field = fieldOf(name, start)
  const [literal, end] = literalAt(text, at + operator.length)
  const wrong = misuse(field, operator, literal)
  if (wrong !== null) throw fault(at, wrong)
  return [{ field, operator, literal }, end]
}

function fieldOf(name: string, at: number): Field {
  if (name === 'tags' || name === 'pinned') return { kind: name }
  const text = textFields.find((column) => column === name)
  if (text) return { kind: 'text', column: text }
  const number = numberFields.find((column) => column === name)
  if (number) return { kind: 'number', column: number }
  const field = jsonField(name)
  if (!field) throw fault(at, unknownField(name))
  return field
}

/** What cannot be asked of a field; null when it can. */
function misuse(field: Field, operator: Operator, literal: Literal): string | null {
  const isEqual = operator === '=' || operator === '!='
  if (literal.is === 'any' && !isEqual) return `* goes with = and != only: there is a value, or there is none`
  if (literal.is === 'number' && Number.isNaN(literal.number) && !isEqual) return 'NaN goes with = and != only'
  if (literal.is === 'null' && !isEqual) return 'null goes with = and != only'
  if (field.kind === 'tags' && !isEqual && operator !== '~') return 'tags go with =, != and ~ only'
  if (field.kind === 'pinned' && (!isEqual || literal.is !== 'boolean')) return 'pinned goes with =true and =false only'
  return null
}

function literalAt(text: string, start: number): [Literal, number] {
  if (text[start] === '"') return stringAt(text, start)
  let at = start
  while (at < text.length && !isSpace(text[at])) {
    if (text[at] === '"') throw fault(at, 'a quote stands only around a whole value')
    at += 1
  }
  const word = text.slice(start, at)
  if (word === '') throw fault(at, 'a value is missing; an empty text is ""')
  return [wordLiteral(word, start), at]
}

function wordLiteral(text: string, at: number): Literal {
  if (text === '*') return { is: 'any', text }
  if (text === 'null') return { is: 'null', text }
  if (text === 'true' || text === 'false') return { is: 'boolean', value: text === 'true', text }
  if (specialNumbers.has(text)) return { is: 'number', number: Number(text), text }
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) {
    const number = Number(text)
    if (!Number.isFinite(number)) throw fault(at, `${quoted(text)} is too large for a number`)
    return { is: 'number', number, text }
  }
  return { is: 'string', text: storable(text, at) }
}

const specialNumbers: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

function stringAt(text: string, start: number): [Literal, number] {
  const match = /"(?:[^"\\]|\\.)*"/suy
  match.lastIndex = start
  const [raw] = match.exec(text) ?? []
  if (raw === undefined) throw fault(start, 'this quote is not closed')
  try {
    const value: unknown = JSON.parse(raw)
    return [{ is: 'string', text: storable(String(value), start) }, start + raw.length]
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw fault(start, 'this is no string of JSON')
  }
}

function storable(text: string, at: number): string {
  if (text.isWellFormed() && !text.includes('\0')) return text
  throw fault(at, 'no name and no value has U+0000 or half a surrogate pair in it')
}

const isSpace = (char: string | undefined): boolean => char !== undefined && /\s/u.test(char)

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at])) at += 1
  return at
}

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

/** `at` counts from 0, the message from 1. */
function fault(at: number, message: string): ProblemError {
  return invalid([{ path: 'query.filter', code: 'bad_filter', message: `at ${at + 1}: ${message}` }])
}
