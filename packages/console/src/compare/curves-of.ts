/**
 * Curves of many runs, as the engine thins them: of each range of x the least and the greatest stay. What a run that executes
 * emits is put behind its curve; history is never asked for again, but what came while the connection was lost.
 */
import type { CurveComparison } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { type ReadonlySignal, signal } from '@preact/signals'

import { post, Problem } from '../api/call.ts'
import { follow } from '../live/events.ts'
import type { RunInfo } from './runs-of.ts'

export interface Curve {
  readonly run: string
  readonly xs: Float64Array
  readonly ys: Float64Array
}

/** Runs that share a value: their mean at each x, and how far they are from it. */
export interface Mean {
  readonly key: unknown
  readonly runs: readonly string[]
  readonly xs: Float64Array
  readonly mean: Float64Array
  readonly sd: Float64Array
}

export interface CurvesNow {
  /** Null until they are there. */
  readonly curves: readonly Curve[] | null
  readonly means: readonly Mean[] | null
  readonly problem: Problem | null
}

export interface Asked {
  readonly runs: readonly RunInfo[]
  readonly metric: string
  readonly x: string
  /** `params.lr`: means over the runs that share it. */
  readonly by: string | null
}

/** Points of one curve in a picture, fewer where there are many curves: a screen has no more columns. */
const POINTS = 2000
const MOST_POINTS = 400_000
/** What grows is drawn anew at most so often. */
const EVERY_MS = 250

/** Columns that grow. */
interface Growing {
  readonly xs: number[]
  readonly ys: number[]
}

export function openCurves({ runs, metric, x, by }: Asked): {
  readonly now: ReadonlySignal<CurvesNow>
  readonly close: () => void
} {
  const now = signal<CurvesNow>({ curves: null, means: null, problem: null })
  const known = new Map(runs.map(({ id }) => [id, { xs: [], ys: [] } as Growing]))
  const infos = new Map(runs.map((run) => [run.id, run]))
  let isOver = false
  let timer = 0
  const show = (): void => {
    timer = 0
    now.value = { ...now.peek(), curves: runs.map(({ id }) => curveOf(id, known.get(id))) }
  }
  const fail = (error: unknown): void => {
    const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
    if (!isOver) now.value = { ...now.peek(), problem }
  }
  /** Of these runs, the points behind those that are known; all of them where they begin anew. */
  const read = async (ids: readonly string[], afterStep: number | null): Promise<void> => {
    if (ids.length === 0) return
    const answer = await post<CurveComparison>('/runs/series/compare', {
      ids,
      metrics: [metric],
      x,
      points: Math.max(100, Math.min(POINTS, Math.floor(MOST_POINTS / ids.length))),
      ...(afterStep === null ? {} : { after_step: afterStep }),
      ...(by === null ? {} : { group: by }),
    })
    if (isOver) return
    for (const one of answer.series) {
      const columns = known.get(one.run)
      if (!columns) continue
      if (afterStep === null) columns.xs.length = columns.ys.length = 0
      add(columns, one.x, one.y)
    }
    if (answer.groups) now.value = { ...now.peek(), means: answer.groups.map(meanOf) }
    now.value = { ...now.peek(), problem: null }
    show()
  }
  const going = runs.filter(({ status }) => status === 'running' || status === 'queued').map(({ id }) => id)
  const take = (frame: EventFrame): void => {
    if (frame.type === 'run' && frame.run.finished_at !== null && known.has(frame.run.id)) {
      // the points that were passed over while it was fast
      void read([frame.run.id], null).catch(fail)
      return
    }
    if (frame.type !== 'value' || frame.run === null || frame.step === null || !isOf(frame.message, metric)) return
    const columns = known.get(frame.run)
    const at = placeOf(frame, x, infos.get(frame.run))
    if (!columns || at === null || at <= (columns.xs.at(-1) ?? -Infinity)) return
    add(columns, [at], [frame.value as number])
    if (timer === 0) timer = window.setTimeout(show, EVERY_MS)
  }
  let isFirst = true
  const end =
    going.length === 0
      ? () => undefined
      : follow({ kinds: ['value', 'run'], runs: going }, (frames) => {
          for (const frame of frames) {
            if (frame.type !== 'snapshot') take(frame)
            else if (isFirst) isFirst = false
            else void read(going, x === 'step' ? lastStep(going, known) : null).catch(fail)
          }
        })
  void read(
    runs.map(({ id }) => id),
    null,
  ).catch(fail)
  return {
    now,
    close() {
      isOver = true
      clearTimeout(timer)
      end()
    },
  }
}

/** Of `fit.loss` the metric may be asked for as `loss`. */
const isOf = (message: string, metric: string): boolean => message === metric || message.endsWith(`.${metric}`)

/** Where on the axis a new value is; null where that cannot be told. */
function placeOf(
  { step, ts }: { step: number | null; ts: string },
  x: string,
  run: RunInfo | undefined,
): number | null {
  if (x === 'step') return step
  if (x === 'time' && run?.started_at) return (Date.parse(ts) - Date.parse(run.started_at)) / 1000
  return null
}

/** The step behind which all of these have to be read again. */
const lastStep = (ids: readonly string[], known: ReadonlyMap<string, Growing>): number | null => {
  const steps = ids.map((id) => known.get(id)?.xs.at(-1) ?? -1)
  const least = Math.min(...steps)
  return least < 0 ? null : least
}

function add({ xs, ys }: Growing, x: readonly unknown[], y: readonly unknown[]): void {
  for (const [index, at] of x.entries()) {
    // what another curve has told already
    if (Number(at) <= (xs.at(-1) ?? -Infinity)) continue
    xs.push(Number(at))
    ys.push(Number(y[index]))
  }
}

const curveOf = (run: string, columns: Growing | undefined): Curve => ({
  run,
  xs: Float64Array.from(columns?.xs ?? []),
  ys: Float64Array.from(columns?.ys ?? []),
})

const meanOf = ({ key, runs, x, mean, sd }: NonNullable<CurveComparison['groups']>[number]): Mean => ({
  key,
  runs,
  xs: Float64Array.from(x, Number),
  mean: Float64Array.from(mean, Number),
  sd: Float64Array.from(sd, Number),
})

/** The last value that is a number, by which runs are ordered. */
export function lastOf({ ys }: Pick<Curve, 'ys'>): number {
  for (let at = ys.length - 1; at >= 0; at -= 1) {
    const value = ys[at] ?? Number.NaN
    if (Number.isFinite(value)) return value
  }
  return Number.NaN
}
