/** What is typed into the fields of a new run, as parameters: several values of a field span a sweep. */

/** Values of one field; none where it is left to its default. */
export type FieldValues = { readonly values: readonly unknown[] } | { readonly fault: string }

/** The most that one sweep takes. */
export const MAX_RUNS = 10_000
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const RANGE = /^(-?\d+)\.\.(-?\d+)$/

/** `0.1, 0.3`, `1..5` and `"a", "b"` are several values; lists and objects are JSON; anything else is one text. */
export function valuesOf(text: string, dtype: string): FieldValues {
  const given = text.trim()
  if (given === '') return { values: [] }
  const quoted = quotedIn(given)
  if (dtype === 'str') return { values: quoted ?? [text] }
  const parts = given.split(',').map((part) => part.trim())
  const numbers = parts.flatMap((part) => numbersOf(part) ?? [Number.NaN])
  if (numbers.every((value) => !Number.isNaN(value))) {
    if (dtype === 'int' && !numbers.every(Number.isInteger)) return { fault: 'Whole numbers only.' }
    return { values: numbers }
  }
  if (dtype === 'float' || dtype === 'int') return { fault: 'Numbers, with commas between several: 0.1, 0.3 or 1..5' }
  if (parts.every((part) => part === 'true' || part === 'false'))
    return { values: parts.map((part) => part === 'true') }
  if (dtype === 'bool') return { fault: 'true, false, or both with a comma between them.' }
  if (quoted !== null && dtype === 'any') return { values: quoted }
  try {
    return { values: [JSON.parse(given) as unknown] }
  } catch {
    return dtype === 'any' ? { values: [text] } : { fault: 'JSON, such as {"a": 1} or [1, 2].' }
  }
}

/** Texts in double quotes with commas between them; null for anything else. */
function quotedIn(text: string): string[] | null {
  if (!text.startsWith('"')) return null
  try {
    const values = JSON.parse(`[${text}]`) as unknown[]
    return values.every((value) => typeof value === 'string') ? values : null
  } catch {
    return null
  }
}

/** What is typed for one value: {@link valuesOf} reads the same out of it. */
export function textOf(value: unknown, dtype: string): string {
  const json = JSON.stringify(value)
  if (typeof value !== 'string') return json
  const found = value.trim() === '' ? null : valuesOf(value, dtype)
  return found !== null && 'values' in found && found.values.length === 1 && found.values[0] === value ? value : json
}

/** Null for what is no number and no range of whole ones; a range beyond the most is cut behind it. */
function numbersOf(part: string): number[] | null {
  const [, from, to] = RANGE.exec(part) ?? []
  if (from === undefined || to === undefined) return NUMBER.test(part) ? [Number(part)] : null
  const length = Math.min(MAX_RUNS + 1, Math.max(0, Number(to) - Number(from) + 1))
  return Array.from({ length }, (_, index) => Number(from) + index)
}

/** Every combination of the values; null for more than a sweep takes. */
export function combinationsOf(
  fields: readonly { readonly name: string; readonly values: readonly unknown[] }[],
): Record<string, unknown>[] | null {
  let combinations: Record<string, unknown>[] = [{}]
  for (const { name, values } of fields) {
    if (values.length === 0) continue
    if (combinations.length * values.length > MAX_RUNS) return null
    combinations = combinations.flatMap((params) => values.map((value) => ({ ...params, [name]: value })))
  }
  return combinations
}
