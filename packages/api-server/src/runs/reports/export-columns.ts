/**
 * Columns of exports, inputs and final outputs by their names or by dotted paths into records (wire decision G37), and the
 * cells of a CSV as RFC 4180 has it: commas, CRLF, quotes where they are needed.
 * @module
 */
import { type FlowDocument, messagePart, specialFloats } from '@flow-service/protocol'

import type { ExportRow } from './export-store.ts'

/** Names of columns, without their prefix. */
export interface Columns {
  readonly params: readonly string[]
  readonly metrics: readonly string[]
}

/** Whether a value is a number as it travels. */
export const isNumeric = (value: unknown): value is number | string =>
  typeof value === 'number' || specialFloats.has(value)

/** What a column holds: the member of that name, else what lies at the dotted path. Only own members count. */
export function valueAt(values: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(values, path)) return values[path]
  let value: unknown = values
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}

/** Gathers the names of all inputs and of the outputs that can be numbers. */
export class ColumnNames {
  readonly #params = new Set<string>()
  readonly #metrics = new Set<string>()

  /** Sorted by name. */
  get found(): Columns {
    return { params: [...this.#params].toSorted(), metrics: [...this.#metrics].toSorted() }
  }

  addDocument({ inputs, outputs, nodes }: FlowDocument): void {
    for (const { name } of inputs) this.#params.add(name)
    const dtypes = new Map(
      nodes.flatMap(({ ports }) =>
        ports.filter(({ direction }) => direction === 'output').map(({ name, dtype }) => [messagePart(name), dtype]),
      ),
    )
    for (const { name, port } of outputs) {
      if (['float', 'int', 'any'].includes(dtypes.get(messagePart(name)) ?? 'any')) this.#metrics.add(port)
    }
  }

  /** A run whose document is not known: an imported one, or a draft that has not started. */
  addRun({ inputs, result }: ExportRow): void {
    for (const { name } of inputs) this.#params.add(name)
    for (const [name, value] of Object.entries(result ?? {})) if (isNumeric(value)) this.#metrics.add(name)
  }
}

/** Beginnings that a spreadsheet takes for a formula (OWASP, CSV injection), in full width too. */
const formula = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/
const special: Readonly<Record<string, string>> = { Infinity: 'inf', '-Infinity': '-inf', NaN: 'NaN' }

/** What a cell does not hold as it is. */
const unsafe = new RegExp(`${formula.source}|[",\\r\\n]`)

/** A cell of a text, with a leading `'` where a spreadsheet would calculate. */
export function textCell(text: string): string {
  if (!unsafe.test(text)) return text
  return quoted(formula.test(text) ? `'${text}` : text)
}

/** A cell of a number; `NaN`, `inf` and `-inf` are what JSON lacks. */
export function numberCell(value: number | string): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return special[String(value)] ?? String(value)
}

/** A cell of any JSON value: records and lists as JSON text, null as nothing. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return textCell(value)
  return quoted(JSON.stringify(value))
}

/** A line of finished cells. */
export const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
