/** The columns of a list of runs, beside those that every run has: parameters and last values of curves. */
import type { RunSummary } from '@flow-service/client-sdk'

export interface Column {
  /** As the engine calls it in filters and orders. */
  readonly field: string
  readonly title: string
  readonly valueOf: (run: RunSummary) => unknown
  /** Whether its values stand to the right, digit below digit. */
  readonly isNumber: boolean
}

/** Shown unless somebody chooses. */
const [MOST_PARAMS, MOST_METRICS] = [5, 3]

/** Everything that the runs have, parameters first. */
export function columnsOf(runs: readonly RunSummary[]): Column[] {
  const params = new Set(runs.flatMap(({ params: own }) => Object.keys(own ?? {})))
  const metrics = new Set(runs.flatMap(({ metrics: own }) => Object.keys(own ?? {})))
  return [...[...params].map((name) => paramColumn(name, runs)), ...[...metrics].map(metricColumn)]
}

const paramColumn = (title: string, runs: readonly RunSummary[]): Column => ({
  field: `params.${title}`,
  title,
  valueOf: (run) => run.params?.[title],
  isNumber: runs.every(({ params }) => !/^(?:string|object)$/.test(typeof (params?.[title] ?? 0))),
})

const metricColumn = (title: string): Column => ({
  field: `metrics.${title}`,
  title,
  valueOf: (run) => run.metrics?.[title]?.last,
  isNumber: true,
})

/** The column of a field; null for what is none. */
function columnOf(field: string, runs: readonly RunSummary[]): Column | null {
  const [, kind, name = ''] = /^(params|metrics)\.(.+)$/s.exec(field) ?? []
  return kind === undefined ? null : kind === 'params' ? paramColumn(name, runs) : metricColumn(name)
}

/** Fields as they stand in the address: commas within a name are escaped. */
export const fieldsIn = (text: string): string[] =>
  text === NONE ? [] : text.split(',').map((field) => field.replaceAll('%2C', ','))

export const textOf = (fields: readonly string[]): string =>
  fields.length === 0 ? NONE : fields.map((field) => field.replaceAll(',', '%2C')).join()

const NONE = 'none'

/** The chosen ones in the order in which they stand; unless there are some, parameters that differ, and curves. */
export function shownColumns(runs: readonly RunSummary[], chosen: string | null): Column[] {
  if (chosen !== null) return fieldsIn(chosen).flatMap((field) => columnOf(field, runs) ?? [])
  const all = columnsOf(runs)
  const differs = ({ valueOf }: Column): boolean =>
    runs.length < 2 || new Set(runs.map((run) => JSON.stringify(valueOf(run)))).size > 1
  const params = all.filter(({ field }) => field.startsWith('params.')).filter(differs)
  const metrics = all.filter(({ field }) => field.startsWith('metrics.'))
  return [...params.slice(0, MOST_PARAMS), ...metrics.slice(0, MOST_METRICS)]
}
