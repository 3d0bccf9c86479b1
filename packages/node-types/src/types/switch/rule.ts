/**
 * One rule of a `switch` (wire decision G67). Values of different types never match, also for `ne`.
 * @module
 */
import { canonicalJson } from '@flow-service/protocol'
import * as z from 'zod'

const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'between'] as const

/** A rule: which values leave through `output`. */
export const ruleSchema = z
  .strictObject({
    operator: z.enum(operators).describe('How the value is compared.'),
    value: z.json().describe('What it is compared with; two bounds [low, high], both included, with "between".'),
    output: z.string().describe('Output port of values that match.'),
    key: z.string().min(1).optional().describe('Compare this part of an object: keys joined by dots.'),
  })
  .refine(({ operator, value }) => operator !== 'between' || isRange(value), {
    path: ['value'],
    error: '"between" needs [low, high]: two numbers or two strings',
  })
export type Rule = z.infer<typeof ruleSchema>

/** Whether a value matches a rule. */
export function matches(rule: Rule, value: unknown): boolean {
  const subject = rule.key === undefined ? value : at(value, rule.key.split('.'))
  if (rule.operator === 'contains') return contains(subject, rule.value)
  if (rule.operator === 'between') {
    const [low, high] = rule.value as readonly unknown[]
    return ordered(low, subject, (a, b) => a <= b) && ordered(subject, high, (a, b) => a <= b)
  }
  return compare[rule.operator](subject, rule.value)
}

const compare = {
  eq: (value: unknown, rule: unknown) => kindOf(value) === kindOf(rule) && equal(value, rule),
  ne: (value: unknown, rule: unknown) => kindOf(value) === kindOf(rule) && !equal(value, rule),
  gt: (value: unknown, rule: unknown) => ordered(value, rule, (a, b) => a > b),
  gte: (value: unknown, rule: unknown) => ordered(value, rule, (a, b) => a >= b),
  lt: (value: unknown, rule: unknown) => ordered(value, rule, (a, b) => a < b),
  lte: (value: unknown, rule: unknown) => ordered(value, rule, (a, b) => a <= b),
}

type Orderable = number | string

function ordered(a: unknown, b: unknown, test: (a: Orderable, b: Orderable) => boolean): boolean {
  if (typeof a === 'number' && typeof b === 'number') return test(a, b)
  return typeof a === 'string' && typeof b === 'string' && test(a, b)
}

function contains(value: unknown, part: unknown): boolean {
  if (typeof value === 'string') return typeof part === 'string' && value.includes(part)
  if (Array.isArray(value)) return value.some((item) => kindOf(item) === kindOf(part) && equal(item, part))
  return kindOf(value) === 'object' && typeof part === 'string' && Object.hasOwn(value as object, part)
}

const isRange = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && ordered(value[0], value[1], () => true)

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

const equal = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && canonicalJson(a) === canonicalJson(b))

function at(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}
