/** The runs that a widget shows: the newest of a flow, those of a sweep, or chosen ones; with their results and curves. */
import type { ChartSourceOutput, CurveComparison, JsonValue, Run, RunSummary } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { get, post } from '../api/call.ts'
import type { BoardNow } from './live.ts'

export type RunsSource = Extract<ChartSourceOutput, { kind: 'runs' }>

export interface ShownRun {
  readonly id: string
  readonly flow: string
  readonly status: string
  readonly created_at: string
  readonly results: Readonly<Record<string, JsonValue>>
}

export interface ShownRuns {
  readonly runs: readonly ShownRun[]
  /** Curve by curve; empty where none is asked for. */
  readonly curves: CurveComparison['series']
}

/** Points of a curve in a widget: no more can be seen. */
const POINTS = 1000
/** Runs of a sweep that one widget shows. */
const MOST = 50

export function useRuns(
  source: RunsSource | null,
  { turn, heed }: BoardNow,
): { readonly data: ShownRuns | null; readonly fault: string | null } {
  const [known, setKnown] = useState<{ readonly data: ShownRuns | null; readonly fault: string | null }>({
    data: null,
    fault: null,
  })
  const asked = source === null ? '' : JSON.stringify(source)
  const at = turn.value
  useEffect(() => {
    if (asked === '') return
    let isOver = false
    read(JSON.parse(asked) as RunsSource).then(
      (data) => {
        if (isOver) return
        setKnown({ data, fault: null })
        heed(data.runs.map(({ flow }) => flow))
      },
      (error: unknown) => {
        if (!isOver) setKnown(({ data }) => ({ data, fault: error instanceof Error ? error.message : String(error) }))
      },
    )
    return () => {
      isOver = true
    }
  }, [asked, at, heed])
  return known
}

async function read({ select, metrics, x }: RunsSource): Promise<ShownRuns> {
  const runs = await runsOf(select)
  if (runs.length === 0 || metrics.length === 0) return { runs, curves: [] }
  const { series } = await post<CurveComparison>('/runs/series/compare', {
    ids: runs.map(({ id }) => id),
    metrics,
    points: POINTS,
    ...(x === undefined ? {} : { x }),
  })
  return { runs, curves: series }
}

async function runsOf(select: RunsSource['select']): Promise<readonly ShownRun[]> {
  if ('ids' in select) {
    const runs = await Promise.all(select.ids.map((id) => get<Run>(`/runs/${encodeURIComponent(id)}`)))
    return runs.map(({ result, ...run }) => ({ ...run, results: result ?? {} }))
  }
  const asked = new URLSearchParams(
    'flow' in select
      ? { flow: select.flow, limit: String(select.latest) }
      : { group: select.group_id, limit: String(MOST) },
  )
  const runs = await get<RunSummary[]>(`/runs?${asked}&include=results`)
  return runs.map(({ results, ...run }) => ({ ...run, results: results ?? {} }))
}
