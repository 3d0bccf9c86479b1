/**
 * Exports of runs and of their points as text that is made while it is read (wire decision G37).
 *
 * - run-export.X1 the runs are settled before the first byte: those of the selection that exist now, the newest 10,000
 *   of them.
 * - run-export.X2 a reader may take its time: no connection is held for it, and no more than the page that it reads and
 *   the next one, which is read meanwhile. The work ends with the reader.
 */
import type { Secrets } from '@flow-service/core'
import { MAX_SELECTED_RUNS } from '@flow-service/protocol'
import { messagePart } from '@flow-service/protocol'

import type { CurveStore, PlacedChunk } from '../curves/curve-store.ts'
import { pointText, TimeTexts } from '../curves/points.ts'
import type { RunFilter } from '../curves/run-filter.ts'
import { ShownNames } from '../curves/shown-names.ts'
import { shownInputs } from '../masked-event.ts'
import { paramsOf } from '../run-record.ts'
import { cell, ColumnNames, type Columns, csvLine, isNumeric, numberCell, textCell, valueAt } from './export-columns.ts'
import type { ExportRow, ExportStore } from './export-store.ts'

/** What is exported. */
export interface ExportQuery {
  readonly format: 'csv' | 'jsonl'
  readonly filter: RunFilter
  /** Inputs that become columns. */
  readonly params?: readonly string[] | undefined
  /** Outputs that become columns, or the names of the curves that are exported. */
  readonly metrics?: readonly string[] | undefined
}

/** An export that has begun. */
export interface RunExport {
  /** Set when more runs match than are exported. */
  readonly truncated: { readonly cap: number; readonly total: number } | null
  readonly text: AsyncIterable<string>
}

/** Which runs are exported. */
interface Settled {
  readonly filter: RunFilter
  readonly truncated: RunExport['truncated']
  /** Whether the document of some is not known. */
  readonly undocumented: boolean
}

/** Dependencies of an export. */
export interface ExportDeps {
  readonly store: ExportStore
  readonly curves: CurveStore
  /** Writes what this engine has gathered about a run, so that nothing told before is missing. */
  readonly flush: (id: string) => Promise<void>
  /** Masks the params of runs. */
  readonly secrets: Pick<Secrets, 'mask'>
}

const runColumns = [
  'id',
  'flow',
  'status',
  'created_at',
  'started_at',
  'finished_at',
  'duration_s',
  'seed',
  'group_id',
  'parent',
  'external_id',
  'digest',
  'commit',
] as const
const [, ...otherColumns] = runColumns
/** Runs whose curves a statement looks through. */
const CURVE_RUNS = 250
const pointColumns = ['run', 'flow', 'name', 'step', 'ts', 'value'] as const

/** Makes exports. */
export class RunExports {
  readonly #deps: ExportDeps

  constructor(deps: ExportDeps) {
    this.#deps = deps
  }

  /** One row for each run, newest first. */
  async runs(query: ExportQuery): Promise<RunExport> {
    const settled = await this.#settled(query.filter)
    const text = query.format === 'csv' ? this.#runsCsv(query, settled) : this.#runsJsonl(query, settled.filter)
    return { truncated: settled.truncated, text }
  }

  /** One row for each point: runs newest first, curve by curve. */
  async metrics(query: ExportQuery): Promise<RunExport> {
    const { filter, truncated } = await this.#settled(query.filter)
    return { truncated, text: this.#points(query, filter) }
  }

  /** The selection within the times of the runs that it has now (run-export.X1). */
  async #settled(filter: RunFilter): Promise<Settled> {
    const { store } = this.#deps
    const { runs, newest, oldest, undocumented } = await store.extent(filter)
    const truncated = runs > MAX_SELECTED_RUNS ? { cap: MAX_SELECTED_RUNS, total: await store.total(filter) } : null
    if (newest === null || oldest === null) return { filter: { ...filter, ids: [] }, truncated, undocumented }
    return { filter: { ...filter, since: oldest, until: newest }, truncated, undocumented }
  }

  async *#runsCsv({ params, metrics }: ExportQuery, settled: Settled): AsyncGenerator<string> {
    const names = params && metrics ? { params, metrics } : await this.#columns(settled)
    const columns = { params: params ?? names.params, metrics: metrics ?? names.metrics }
    yield csvLine([...runColumns, ...headers(columns)])
    const line = (row: ExportRow): string => {
      let text = runCells(row) + paramCells(row, columns.params)
      for (const path of columns.metrics)
        text += `,${outputCell(valueAt(row.result ?? {}, path), metrics !== undefined)}`
      return `${text}\r\n`
    }
    for await (const page of this.#pages(settled.filter, line)) yield page.join('')
  }

  async *#runsJsonl({ params, metrics }: ExportQuery, filter: RunFilter): AsyncGenerator<string> {
    const line = (row: ExportRow): string => {
      const fixed = Object.fromEntries(runColumns.map((name) => [name, row[name]]))
      const outputs = metrics ? chosen(row.result ?? {}, metrics) : numbersOf(row.result ?? {})
      return `${JSON.stringify({ ...fixed, params: paramsIn(row, params), metrics: outputs })}\n`
    }
    for await (const page of this.#pages(filter, line)) yield page.join('')
  }

  async *#points(query: ExportQuery, filter: RunFilter): AsyncGenerator<string> {
    const { curves, flush } = this.#deps
    const { format, params = [], metrics } = query
    if (format === 'csv') yield csvLine([...pointColumns, ...headers({ params, metrics: [] })])
    const messages = metrics?.flatMap((name) => [name, messagePart(name)]) ?? null
    const names = new ShownNames((key) => curves.document(key))
    const linesOf = async function* (page: readonly ExportRow[], chunks: readonly PlacedChunk[]) {
      for (const chunk of chunks) {
        const row = page[chunk.place]
        if (!row) continue
        const name = `${row.flow}.${chunk.cached ? await names.messageOf(row, chunk) : chunk.message}`
        if (!isChosen(name, metrics)) continue
        yield format === 'csv' ? pointsCsv(row, name, chunk, params) : pointsJsonl(row, name, chunk, query.params)
      }
    }
    for await (const page of this.#pages(filter, (row) => row)) {
      for (let from = 0; from < page.length; from += CURVE_RUNS) {
        const runs = page.slice(from, from + CURVE_RUNS)
        await Promise.all(runs.filter(({ status }) => status === 'running').map(({ id }) => flush(id)))
        const ids = runs.map(({ id }) => id)
        for await (const chunks of curves.chunks(ids, { messages, axes: ['steps', 'ts'] })) yield* linesOf(runs, chunks)
      }
    }
  }

  /** Pages of what is made of runs as they are shown. */
  #pages<T>(filter: RunFilter, made: (row: ExportRow) => T): AsyncGenerator<T[]> {
    const { store, secrets } = this.#deps
    const shown = (row: ExportRow): T => {
      const inputs = shownInputs(row.inputs, secrets)
      return made(inputs === row.inputs ? row : { ...row, inputs })
    }
    return readAhead(store.runs(filter, shown))
  }

  /** All inputs, and all outputs that can be numbers. */
  async #columns({ filter, undocumented }: Settled): Promise<Columns> {
    const { store } = this.#deps
    const names = new ColumnNames()
    for await (const documents of store.documents(filter)) for (const document of documents) names.addDocument(document)
    if (undocumented) {
      for await (const _ of store.runs(filter, (row) => names.addRun(row), 'undocumented'));
    }
    return names.found
  }
}

/** Pages of which the next one is read while one is used (run-export.X2). */
async function* readAhead<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  const read = (): Promise<IteratorResult<T>> => {
    const page = pages.next()
    // of a page that nobody waits for yet; who waits for it hears of its failure
    page.catch(() => undefined)
    return page
  }
  for (let page = read(); ;) {
    const { done, value } = await page
    if (done) return
    page = read()
    yield value
  }
}

const headers = ({ params, metrics }: Columns): string[] => [
  ...params.map((name) => textCell(`params.${name}`)),
  ...metrics.map((name) => textCell(`metrics.${name}`)),
]

function runCells(row: ExportRow): string {
  let text = row.id
  for (const name of otherColumns) text += `,${cell(row[name])}`
  return text
}

/** Each behind its comma. */
function paramCells({ inputs }: ExportRow, columns: readonly string[]): string {
  if (columns.length === 0) return ''
  const given = new Map(inputs.map((input) => [input.name, input]))
  let text = ''
  for (const path of columns) {
    const input = given.get(path)
    const value = input || !path.includes('.') ? input?.value : valueAt(paramsOf(inputs), path)
    text += `,${input?.dtype === 'float' && isNumeric(value) ? numberCell(value) : cell(value)}`
  }
  return text
}

/** Without a choice of columns an output that may hold anything shows its numbers only. */
const outputCell = (value: unknown, isChosen: boolean): string =>
  isNumeric(value) ? numberCell(value) : isChosen ? cell(value) : ''

const chosen = (values: Readonly<Record<string, unknown>>, paths: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(paths.map((path) => [path, valueAt(values, path) ?? null]))

const numbersOf = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => isNumeric(value)))

const paramsIn = ({ inputs }: ExportRow, columns: readonly string[] | undefined): Record<string, unknown> =>
  columns ? chosen(paramsOf(inputs), columns) : paramsOf(inputs)

function pointsCsv(row: ExportRow, name: string, { steps, ts, vals }: PlacedChunk, params: readonly string[]): string {
  const head = [row.id, row.flow, name].map(textCell).join(',')
  const tail = `${paramCells(row, params)}\r\n`
  const times = new TimeTexts()
  let text = ''
  for (const [at, step] of steps.entries())
    text += `${head},${step},${times.of(ts[at] ?? 0)},${numberCell(vals[at] ?? 0)}${tail}`
  return text
}

function pointsJsonl(row: ExportRow, name: string, chunk: PlacedChunk, params: readonly string[] | undefined): string {
  const head = JSON.stringify({ run: row.id, flow: row.flow, name }).slice(0, -1)
  const tail = params ? `,"params":${JSON.stringify(paramsIn(row, params))}}\n` : '}\n'
  const times = new TimeTexts()
  let text = ''
  for (const at of chunk.steps.keys()) text += `${head},${pointText(chunk, at, times)}${tail}`
  return text
}

/** Whether the choice of metrics, bare or with their flow, has one of this full name. */
const isChosen = (name: string, metrics: readonly string[] | undefined): boolean =>
  !metrics || metrics.includes(name) || metrics.includes(messagePart(name))
