/**
 * Grammar of cron patterns: five fields with names, lists, ranges and steps (wire decision G73). Only checks; the host
 * computes the times.
 * @module
 */

interface Field {
  readonly name: string
  readonly low: number
  readonly high: number
  readonly names: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const fields: readonly Field[] = [
  { name: 'minute', low: 0, high: 59, names: [] },
  { name: 'hour', low: 0, high: 23, names: [] },
  { name: 'day of the month', low: 1, high: 31, names: [] },
  { name: 'month', low: 1, high: 12, names: months },
  { name: 'day of the week', low: 0, high: 7, names: days },
]

/** What is wrong with a pattern, or null. */
export function cronFault(pattern: string): string | null {
  const parts = pattern.trim().split(/\s+/)
  if (parts.length !== fields.length)
    return `the cron pattern "${pattern}" has ${parts.length} fields; use five: minute hour day month weekday`
  for (const [index, field] of fields.entries()) {
    const wrong = (parts[index] ?? '').split(',').find((item) => !isItem(item, field))
    if (wrong !== undefined)
      return `the cron pattern "${pattern}" has "${wrong}" as ${field.name}; use ${field.low}-${field.high}, *, a-b or */n`
  }
  return null
}

function isItem(item: string, field: Field): boolean {
  const [range = '', step, ...rest] = item.split('/')
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d{0,2}$/.test(step))) return false
  if (range === '*') return true
  const [from, to, ...more] = range.split('-').map((text) => numberOf(text, field))
  if (more.length > 0 || from === undefined) return false
  const last = to ?? from
  return from >= field.low && last <= field.high && from <= last
}

function numberOf(text: string, field: Field): number {
  const named = field.names.indexOf(text.toLowerCase())
  if (named >= 0) return named + field.low
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
}
