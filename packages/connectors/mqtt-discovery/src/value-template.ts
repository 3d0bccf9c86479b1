/**
 * The templates of Home Assistant that do no more than look a value up: `{{ value }}`, `{{ value_json.a['b'][0] }}`, with
 * `float`, `int`, `round(n)` and `is_defined`. Others are programs (Jinja), and are told as not supported.
 *
 * - value-template.V1 A template is data: what it names is looked up among the fields of the payload alone, and what is
 *   none of the forms above is not executed in any way.
 * @module
 */
import { fieldOf, jsonOf, numberOf } from './channel.ts'

/** Characters of the longest template that is looked at. */
const MAX_LENGTH = 500

const form =
  /^\{\{-?\s*(value_json|value)((?:\.\w+|\[(?:'[^']*'|"[^"]*"|\d+)\])*)\s*((?:\|\s*\w+(?:\([\d.,\s-]*\))?\s*)*)-?\}\}$/
const step = /\.(\w+)|\[(?:'([^']*)'|"([^"]*)"|(\d+))\]/g
const filter = /\|\s*(\w+)(?:\(([^)]*)\))?/g

/** Finds a value in a payload; undefined when it is not there. */
type Reader = (payload: string) => unknown

/** Filters by their names. */
const filters: Readonly<Record<string, (value: unknown, argument: string) => unknown>> = {
  float: (value) => numberOf(value),
  int: (value) => Math.trunc(numberOf(value)),
  round: (value, digits) => Number(numberOf(value).toFixed(Math.min(15, Math.abs(Math.trunc(Number(digits) || 0))))),
  is_defined: (value) => value,
}

/** How a template reads a payload; null for one that is not supported. */
export function readerOf(template: string): Reader | null {
  const trimmed = template.trim()
  const [whole, root, path = '', piped = ''] = trimmed.length > MAX_LENGTH ? [] : (form.exec(trimmed) ?? [])
  if (whole === undefined || (root === 'value' && path !== '')) return null
  const names = [...path.matchAll(step)].map(
    ([, dotted, single, double, index]) => dotted ?? single ?? double ?? index ?? '',
  )
  const steps = [...piped.matchAll(filter)].map(([, name = '', argument = '']) => ({ name, argument }))
  if (steps.some(({ name }) => !Object.hasOwn(filters, name))) return null
  return (payload) => {
    let value = root === 'value' ? payload : jsonOf(payload)
    for (const name of names) value = fieldOf(value, name)
    for (const { name, argument } of steps) if (value !== undefined) value = filters[name]?.(value, argument)
    return value
  }
}

/** Whether a template gives a number by its last filter. */
export const isNumeric = (template: string): boolean => /\|\s*(?:float|int|round)\b[^|]*\}\}\s*$/.test(template)

/**
 * How a template of commands writes a value: the value itself, or a text around it. Null for one that is not supported.
 * What it writes throws for a text that would break out of its quotes.
 */
export function writerOf(template: string): ((value: string) => string) | null {
  const place = /\{\{-?\s*value\s*-?\}\}/g
  if (template.length > MAX_LENGTH || !place.test(template)) return null
  if (/\{[{%#]/.test(template.replaceAll(place, ''))) return null
  if (template.trim().replace(place, '') === '') return (value) => value
  return (value) => {
    // oxlint-disable-next-line no-control-regex -- JSON takes none
    if (/["'\\\x00-\x1f]/.test(value))
      throw new Error('a text with quotes, "\\" or line breaks does not fit the template')
    return template.replaceAll(place, () => value)
  }
}
