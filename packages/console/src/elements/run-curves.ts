/**
 * The curves of `<run-chart>`: thinned by the engine, which keeps the least and the greatest value of each range, and behind
 * that what runs emit while they execute.
 */
import type { CurveComparison } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'

import { oneLine, shortId } from '../format.ts'
import { paced } from '../live/paced.ts'
import type { Engine } from './engine.ts'

export interface Curve {
  readonly run: string
  /** By what it differs from the others. */
  readonly name: string
  readonly status: string
  readonly xs: Float64Array
  readonly ys: Float64Array
}

export interface RunCurves {
  readonly x: string
  readonly curves: readonly Curve[]
}

export interface AskedCurves {
  readonly runs: readonly string[]
  readonly metric: string
  /** `step`, `time` or another metric. */
  readonly x: string
  readonly isLive: boolean
}

/** Points of a curve as the engine thins it, and how many more may come before it is asked to thin again. */
const [POINTS, MOST_MORE] = [2000, 5000]
/** What grows is drawn anew at most so often, and asked for anew where it has to be. */
const [DRAWN_MS, ASKED_MS] = [250, 1000]

interface Growing {
  name: string
  status: string
  xs: number[]
  ys: number[]
  /** Points since the engine was asked. */
  more: number
}

/** Shows the curves as they are, and as they grow until the engine is closed; rejects when there are none to show. */
export async function followRuns(engine: Engine, asked: AskedCurves, show: (curves: RunCurves) => void): Promise<void> {
  const known = new Map(asked.runs.map((run) => [run, { name: '', status: '', xs: [], ys: [], more: 0 } as Growing]))
  const draw = (): void => show({ x: asked.x, curves: [...known].map(curveOf) })
  const read = async (): Promise<void> => {
    const { metric, x } = asked
    const answer = await engine.post<CurveComparison>('/runs/series/compare', {
      ids: [...known.keys()],
      metrics: [metric],
      x,
      points: POINTS,
    })
    const names = namesOf(answer)
    for (const one of answer.series) {
      const growing = known.get(one.run)
      if (!growing) continue
      Object.assign(growing, joined(one, growing), { name: names.get(one.run), status: one.status, more: 0 })
    }
    draw()
  }
  await read()
  if (!asked.isLive) return
  // a request that fails is made again with the next change, and after a lost connection
  const [drawSoon, readSoon] = [paced(DRAWN_MS, draw), paced(ASKED_MS, () => void read().catch(() => undefined))]
  engine.follow({ kinds: ['value', 'run'], runs: asked.runs }, (frames) => {
    for (const frame of frames) {
      const change = take(frame, known, asked)
      if (change === 'grown') drawSoon.ask()
      else if (change === 'other') readSoon.ask()
    }
  })
}

/** What a frame means for the curves; of those by step the new points are in it. */
function take(frame: EventFrame, known: ReadonlyMap<string, Growing>, { metric, x }: AskedCurves) {
  if (frame.type === 'snapshot') return 'other'
  if (frame.type === 'run') return known.has(frame.run.id) ? 'other' : null
  if (frame.type !== 'value' || frame.run === null || frame.step === null) return null
  const growing = known.get(frame.run)
  if (!growing || !(frame.message === metric || frame.message.endsWith(`.${metric}`))) return null
  if (x !== 'step' || growing.more >= MOST_MORE) return 'other'
  if (frame.step <= (growing.xs.at(-1) ?? -Infinity)) return null
  growing.xs.push(frame.step)
  growing.ys.push(Number(frame.value))
  growing.more += 1
  return 'grown'
}

/** What the engine knows, and behind it what has come while it was asked. */
function joined({ x, y }: Pick<CurveComparison['series'][number], 'x' | 'y'>, { xs, ys }: Growing) {
  const last = x.at(-1) ?? -Infinity
  const newer = xs.findIndex((at) => at > last)
  const from = newer < 0 ? xs.length : newer
  return { xs: [...x, ...xs.slice(from)], ys: [...y.map(Number), ...ys.slice(from)] }
}

const curveOf = ([run, { name, status, xs, ys }]: [string, Growing]): Curve => ({
  run,
  name,
  status,
  xs: Float64Array.from(xs),
  ys: Float64Array.from(ys),
})

/** More of them tell nobody apart. */
const MOST_PARAMS = 3

/** Runs are called by the inputs in which they differ, and where there are none by their flow and the end of their id. */
function namesOf({ params, series }: CurveComparison): ReadonlyMap<string, string> {
  const keys = [...new Set(Object.values(params).flatMap((one) => Object.keys(one)))]
  const differing = keys
    .filter((key) => new Set(series.map(({ run }) => JSON.stringify(params[run]?.[key]))).size > 1)
    .slice(0, MOST_PARAMS)
  const nameOf = ({ run, flow }: CurveComparison['series'][number]): string =>
    differing.length === 0
      ? `${flow} ${shortId(run)}`
      : differing.map((key) => `${key} ${oneLine(params[run]?.[key] ?? null, 16)}`).join(', ')
  return new Map(series.map((one) => [one.run, nameOf(one)]))
}
