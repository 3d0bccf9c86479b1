/**
 * CSV as RFC 4180 has it: commas, CRLF, quotes where they are needed.
 * @module
 */

/** Beginnings that a spreadsheet takes for a formula (OWASP, CSV injection), in full width too. */
const formula = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/
const special: Readonly<Record<string, string>> = { Infinity: 'inf', '-Infinity': '-inf', NaN: 'NaN' }

/** A cell of a text, with a leading `'` where a spreadsheet would calculate. */
export const textCell = (text: string): string => quoted(formula.test(text) ? `'${text}` : text)

/** A cell of a number; `NaN`, `inf` and `-inf` are what JSON lacks. */
export const numberCell = (value: number | string): string => special[String(value)] ?? String(value)

/** A cell of any JSON value: records and lists as JSON text, null as nothing. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return textCell(value)
  return quoted(JSON.stringify(value))
}

/** A line of finished cells. */
export const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
