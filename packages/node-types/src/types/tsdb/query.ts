/**
 * Queries in Flux, and their answers in annotated CSV (docs.influxdata.com, InfluxDB v2, "Annotated CSV"; quoting as in
 * RFC 4180).
 * @module
 */
import type { Series } from './line.ts'

/** What an output asks for. */
interface Query extends Series {
  /** Such as `-1h`. */
  readonly range: string
  readonly aggregation: string | null
}

/** A row of an answer. */
export interface Row {
  /** As the server writes it, ISO 8601; null for what has no time, such as a mean. */
  readonly ts: string | null
  readonly value: unknown
  readonly field: string | null
  readonly measurement: string | null
  readonly tags: Record<string, string>
}

/** The text of a query; without an aggregation the server answers the last row of each series only. */
export function fluxOf(bucket: string, { measurement, field, tags, range, aggregation }: Query): string {
  const tests = [
    `r._measurement == ${quoted(measurement)}`,
    `r._field == ${quoted(field)}`,
    ...Object.entries(tags).map(([key, value]) => `r[${quoted(key)}] == ${quoted(String(value))}`),
  ]
  return [
    `from(bucket: ${quoted(bucket)})`,
    `  |> range(start: ${range})`,
    `  |> filter(fn: (r) => ${tests.join(' and ')})`,
    `  |> ${aggregation ?? 'last'}()`,
  ].join('\n')
}

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A string of Flux: `${` would begin an expression. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\\n\r\t]/g, (char) => escapes[char] ?? `\\${char}`).replaceAll('${', '\\${')}"`

/** What each table of an answer says of its columns. */
interface Table {
  types: readonly string[]
  defaults: readonly string[]
  header: readonly string[] | null
}

const noTable: Table = { types: [], defaults: [], header: null }

/** The rows of an answer. Throws an Error with the server's text when a query has failed on the way. */
export function rowsOf(csv: string): Row[] {
  const rows: Row[] = []
  let table = noTable
  for (const cells of recordsOf(csv)) {
    const [first = ''] = cells
    if (cells.length === 1 && first === '') table = noTable
    else if (first.startsWith('#')) table = annotated(table.header === null ? table : noTable, first, cells)
    else if (table.header === null) table = { ...table, header: cells }
    else rows.push(rowOf(table, table.header, cells))
  }
  return rows
}

function annotated(table: Table, name: string, cells: readonly string[]): Table {
  if (name === '#datatype') return { ...table, types: cells }
  return name === '#default' ? { ...table, defaults: cells } : table
}

function rowOf({ types, defaults }: Table, header: readonly string[], cells: readonly string[]): Row {
  const row: Record<string, string> = {}
  let value: unknown = null
  for (const [at, column] of header.entries()) {
    const text = cells[at] || (defaults[at] ?? '')
    if (column === '_value') value = valueOf(types[at], text)
    else row[column] = text
  }
  if (row['error'] !== undefined) throw new Error(row['error'])
  return {
    ts: row['_time'] || null,
    value,
    field: row['_field'] || null,
    measurement: row['_measurement'] || null,
    tags: Object.fromEntries(
      Object.entries(row).filter(([column, text]) => !/^(_.*|result|table|)$/.test(column) && text !== ''),
    ),
  }
}

/** By the type that the server names; without one, by what the text looks like. */
function valueOf(type: string | undefined, text: string): unknown {
  if (type === 'string' || type === 'tag') return text
  if (text === '') return null
  switch (type) {
    case 'double':
      return numberOf(text)
    case 'long':
    case 'unsignedLong':
      return Number(text)
    case 'boolean':
      return text === 'true'
    case undefined:
      return text === 'true' || text === 'false' ? text === 'true' : Number.isNaN(Number(text)) ? text : Number(text)
    default:
      return text
  }
}

/** Go writes `+Inf`; numbers that JSON lacks travel as text. */
function numberOf(text: string): number | string {
  const special = { NaN: 'NaN', '+Inf': 'Infinity', '-Inf': '-Infinity' }[text]
  return special ?? Number(text)
}

/** Records of CSV. A quoted cell may hold commas, line breaks and doubled quotes. */
function* recordsOf(csv: string): Generator<string[]> {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
  let cells: string[] = []
  while (cell.lastIndex < csv.length) {
    const found = cell.exec(csv)
    if (found === null) throw new Error('the answer is no CSV')
    const [, inQuotes, plain = '', end] = found
    cells.push(inQuotes?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    yield cells
    cells = []
  }
  if (cells.length > 0) yield [...cells, '']
}
