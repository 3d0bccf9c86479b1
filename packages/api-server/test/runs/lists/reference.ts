/** Filters and sorts of runs once more, written plainly over the runs that the API shows; tests compare the two. */
import type { RunSummary } from '@flow-service/protocol'

/** A term as it is drawn; `value` is what stands in the filter. */
export interface DrawnTerm {
  readonly field: string
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>=' | '~'
  readonly value: string
}

type Shown = number | string | boolean | null | object | undefined
const named = new Set(['NaN', 'Infinity', '-Infinity'])
const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** What a field of a run shows; a long value is `cut`. */
function shownAt(run: RunSummary, field: string): Shown {
  const [head = '', ...rest] = field.split('.')
  if (head === 'metrics') {
    const [message = '', aggregate = 'last'] = rest.join('.').split(':')
    return asNumber(run.metrics?.[message]?.[aggregate as 'last'])
  }
  if (head !== 'params' && head !== 'results') return run[head as 'note']
  const name = rest[0] ?? ''
  if (head === 'params' && run.params_cut?.includes(name)) return rest.length === 1 ? 'cut' : undefined
  let value: unknown = run[head]
  for (const part of rest) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return asNumber(value as Shown)
}

/** NaN and the infinities are numbers that stand as texts. */
const asNumber = (value: Shown): Shown => (named.has(value as string) ? Number(value) : value)

const textFields = new Set(['id', 'note', 'submitted_by', 'external_id', 'group_id', 'parent', 'origin'])
const numberFields = new Set(['seed', 'duration_s'])

/** Whether a run meets a term. */
export function meets(run: RunSummary, { field, operator, value }: DrawnTerm): boolean {
  const isQuoted = value.startsWith('"')
  const text = isQuoted ? (JSON.parse(value) as string) : value
  const isNegated = operator === '!='
  if (field === 'tags') {
    if (!isQuoted && value === '*') return run.tags.length > 0 !== isNegated
    if (operator === '~') return run.tags.some((tag) => asciiLower(tag).includes(asciiLower(text)))
    return run.tags.includes(text) !== isNegated
  }
  if (field === 'pinned') return run.pinned === ((value === 'true') !== isNegated)
  let shown = shownAt(run, field)
  if (field === 'note' && shown === '') shown = null
  const isColumn = textFields.has(field) || numberFields.has(field)
  if (!isQuoted && value === '*') {
    return (shown === 'cut' || (shown !== null && shown !== undefined)) !== isNegated
  }
  if (shown === 'cut' || shown === undefined) return false
  if (!isQuoted && value === 'null') return operator === '=' && shown === null
  if (operator === '~') return typeof shown === 'string' && asciiLower(shown).includes(asciiLower(text))
  if (textFields.has(field)) return typeof shown === 'string' && ordered(byBytes(shown, text), operator)
  if (!isQuoted && (value === 'true' || value === 'false')) {
    return !isColumn && typeof shown === 'boolean' && ordered(Number(shown) - Number(value === 'true'), operator)
  }
  const number = isQuoted || (Number.isNaN(Number(value)) && !named.has(value)) ? null : Number(value)
  if (number === null) return !isColumn && typeof shown === 'string' && ordered(byBytes(shown, text), operator)
  if (typeof shown !== 'number') return false
  const own = shown
  if (Number.isNaN(own) || Number.isNaN(number)) {
    const isSame = Number.isNaN(own) && Number.isNaN(number)
    return operator === '=' ? isSame : operator === '!=' ? !isSame : false
  }
  return ordered(own < number ? -1 : Number(own > number), operator)
}

function ordered(order: number, operator: DrawnTerm['operator']): boolean {
  switch (operator) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '~':
      return false
  }
}

/** The runs in the order of `sort`. */
export function inOrder(runs: readonly RunSummary[], sort: string | null): RunSummary[] {
  const keys = (sort?.split(',') ?? []).map((key) =>
    key.startsWith('-') ? { field: key.slice(1), sign: -1 } : { field: key, sign: 1 },
  )
  return runs.toSorted((a, b) => {
    for (const { field, sign } of keys) {
      const [left, right] = [shownAt(a, field), shownAt(b, field)]
      const ranks = [rank(left), rank(right)] as const
      if (ranks[0] !== ranks[1]) return ranks[0] - ranks[1]
      const order = compare(left, right)
      // NaN is behind the numbers in both directions
      if (order !== 0) return Number.isNaN(left) || Number.isNaN(right) ? order : order * sign
    }
    return byBytes(b.created_at, a.created_at)
  })
}

const rank = (value: Shown): number => {
  const at = ['number', 'string', 'boolean'].indexOf(typeof value)
  return at < 0 || value === 'cut' ? 3 : at
}

function compare(a: Shown, b: Shown): number {
  if (typeof a === 'number' && typeof b === 'number') {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
    return a < b ? -1 : Number(a > b)
  }
  if (typeof a === 'string' && typeof b === 'string') return byBytes(a, b)
  return Number(a === true) - Number(b === true)
}
