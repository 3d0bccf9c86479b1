/**
 * Grammar of cron patterns: five fields with names, lists, ranges and steps (wire decision G73). Only checks; the host
 * computes the times.
 * @module
 */

interface Field {
  readonly name: string
  readonly low: number
  readonly high: number
  /** How many values it has, and so its longest step. */
  readonly count: number
  readonly names: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const minuteField: Field = { name: 'minute', low: 0, high: 59, count: 60, names: [] }
const hourField: Field = { name: 'hour', low: 0, high: 23, count: 24, names: [] }
const dayField: Field = { name: 'day of the month', low: 1, high: 31, count: 31, names: [] }
const monthField: Field = { name: 'month', low: 1, high: 12, count: 12, names: months }
// 0 and 7 are Sunday
const weekdayField: Field = { name: 'day of the week', low: 0, high: 7, count: 7, names: days }
const fields = [minuteField, hourField, dayField, monthField, weekdayField]

/** Of the months, in a leap year. */
const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** What is wrong with a pattern and what to do about it, or null. A pattern whose day never comes is wrong, too. */
export function cronFault(pattern: string): string | null {
  const title = `the cron pattern ${JSON.stringify(pattern.slice(0, 200))}`
  const parts = pattern.trim().split(/\s+/)
  if (parts.length !== fields.length)
    return `${title} has ${parts.length} fields; use five: minute hour day month weekday`
  for (const [index, field] of fields.entries()) {
    const wrong = (parts[index] ?? '').split(',').find((item) => !isItem(item, field))
    if (wrong !== undefined)
      return `${title} has "${wrong.slice(0, 50)}" as ${field.name}; use ${field.low}-${field.high}, *, a-b, */n or a-b/n`
  }
  const [, , day = '', month = ''] = parts
  return !takesBothDays(pattern) || comes(day, month)
    ? null
    : `${title} names a day that its months never have; correct the day or the month`
}

/**
 * Whether a day has to match by both day fields: one of them begins with `*`, and so restricts nothing by itself, though
 * it may have a step. Where both are restricted, either of them is enough (crontab(5) of Vixie cron).
 */
export function takesBothDays(pattern: string): boolean {
  const [, , day = '', , weekday = ''] = pattern.trim().split(/\s+/)
  return day.startsWith('*') || weekday.startsWith('*')
}

/** Only what has an end can be gone through in steps. */
function isItem(item: string, field: Field): boolean {
  const [range = '', step, ...rest] = item.split('/')
  if (rest.length > 0 || (step !== undefined && !(/^[1-9]\d?$/.test(step) && Number(step) <= field.count))) return false
  if (range === '*') return true
  const [from, to, ...more] = range.split('-').map((text) => numberOf(text, field))
  if (more.length > 0 || from === undefined || (step !== undefined && to === undefined)) return false
  const last = to ?? from
  return from >= field.low && last <= field.high && from <= last
}

function numberOf(text: string, field: Field): number {
  const named = field.names.indexOf(text.toLowerCase())
  if (named >= 0) return named + field.low
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
}

/** Whether a month of the pattern ever has the first of its days: the others come later still. */
function comes(day: string, month: string): boolean {
  const first = Math.min(...day.split(',').map((item) => firstOf(item, dayField)))
  return month.split(',').some((item) => monthsOf(item).some((at) => first <= (lengths[at - 1] ?? 0)))
}

const firstOf = (item: string, field: Field): number => {
  const [range = ''] = item.split('/')
  return range === '*' ? field.low : numberOf(range.split('-')[0] ?? '', field)
}

function monthsOf(item: string): number[] {
  const [range = '', step = '1'] = item.split('/')
  const [from, to] = range === '*' ? [1, 12] : range.split('-').map((text) => numberOf(text, monthField))
  const found: number[] = []
  for (let at = from ?? 1; at <= (to ?? from ?? 0); at += Number(step)) found.push(at)
  return found
}
