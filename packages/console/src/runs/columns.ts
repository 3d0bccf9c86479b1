/** The columns of a list of runs, beside those that every run has: parameters and last values of curves. */
import type { RunSummary } from '@flow-service/client-sdk'

export interface Column {
  /** As the engine calls it in filters and orders. */
  readonly field: string
  readonly title: string
  readonly valueOf: (run: RunSummary) => unknown
}

/** Shown unless somebody chooses. */
const [MOST_PARAMS, MOST_METRICS] = [5, 3]

/** Everything that the runs have, parameters first. */
export function columnsOf(runs: readonly RunSummary[]): Column[] {
  const params = new Set(runs.flatMap(({ params: own }) => Object.keys(own ?? {})))
  const metrics = new Set(runs.flatMap(({ metrics: own }) => Object.keys(own ?? {})))
  return [
    ...[...params].map((title) => ({
      field: `params.${title}`,
      title,
      valueOf: (run: RunSummary) => run.params?.[title],
    })),
    ...[...metrics].map((title) => ({
      field: `metrics.${title}`,
      title,
      valueOf: (run: RunSummary) => run.metrics?.[title]?.last,
    })),
  ]
}

/** The chosen ones; unless there are some, parameters that differ, and curves. */
export function shownColumns(all: readonly Column[], runs: readonly RunSummary[], chosen: string | null): Column[] {
  if (chosen !== null) {
    const fields = chosen.split(',')
    return all.filter(({ field }) => fields.includes(field))
  }
  const differs = ({ valueOf }: Column): boolean => new Set(runs.map((run) => JSON.stringify(valueOf(run)))).size > 1
  const params = all.filter(({ field }) => field.startsWith('params.')).filter(differs)
  const metrics = all.filter(({ field }) => field.startsWith('metrics.'))
  return [...params.slice(0, MOST_PARAMS), ...metrics.slice(0, MOST_METRICS)]
}
