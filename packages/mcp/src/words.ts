/**
 * Texts for models: short, and the most important first.
 * @module
 */

/** Longest text of an answer, in UTF-16 units. */
export const MAX_TEXT = 1999
/** Longest line of a list. */
const MAX_ROW = 240

/** A text of at most `max` units, which says how much it lacks. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const mark = ` … (${text.length} characters)`
  const end = Math.max(0, max - mark.length)
  // half of a surrogate pair is no text
  const whole = /[\ud800-\udbff]$/.test(text.slice(0, end)) ? end - 1 : end
  return text.slice(0, whole) + mark
}

/** A text in one line. */
export const line = (text: string, max: number = MAX_ROW): string => clip(text.replaceAll(/\s*\n\s*/g, ' ⏎ '), max)

/** A JSON value as text, cut. */
export const shown = (value: unknown, max = 120): string => line(JSON.stringify(value) ?? 'null', max)

/** A value of an answer for programs: a long one is its JSON text, cut. */
export function bounded(value: unknown, max = 1000): { readonly value: unknown; readonly truncated: boolean } {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= max ? { value, truncated: false } : { value: clip(text, max), truncated: true }
}

/** `1 run`, `2 runs`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/**
 * Lines that fit {@link MAX_TEXT}: `head`, then as many `rows` as there is room for, then how to get the others. Of `rows`,
 * the first are the most important.
 */
export function report(head: readonly string[], rows: readonly string[] = [], more: string | null = null): string {
  const tail = (left: number): string[] => [
    ...(left > 0 ? [`… ${left} more in the structured content`] : []),
    ...(more === null ? [] : [more]),
  ]
  const lines = head.map((each) => clip(each, MAX_TEXT))
  const room = MAX_TEXT - tail(rows.length).join('\n').length - 1
  let [length, taken] = [lines.join('\n').length, 0]
  for (const row of rows) {
    const cut = line(row)
    if (length + cut.length + 1 > room) break
    lines.push(cut)
    length += cut.length + 1
    taken++
  }
  return clip([...lines, ...tail(rows.length - taken)].join('\n'), MAX_TEXT)
}

/** The line that tells of a next page. */
export const moreBy = (tool: string, next: string | null): string | null =>
  next === null ? null : `More: ${tool} with cursor ${JSON.stringify(next)}.`
