/**
 * Curves of many runs, as the engine thins them: of each range of x the least and the greatest stay. What a run that executes
 * emits is put behind its curve; history is never asked for again, but what came while the connection was lost.
 */
import type { CurveComparison } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { type ReadonlySignal, signal } from '@preact/signals'

import { post, Problem } from '../api/call.ts'
import { Columns } from './columns.ts'
import type { LiveRuns } from './live-runs.ts'
import type { RunInfo } from './runs-of.ts'

export interface Curve {
  readonly run: string
  readonly xs: Float64Array
  readonly ys: Float64Array
}

interface CurvesNow {
  /** Null until they are there. */
  readonly curves: readonly Curve[] | null
  readonly problem: Problem | null
}

export interface Asked {
  readonly runs: readonly RunInfo[]
  readonly metric: string
  readonly x: string
  readonly live: LiveRuns
}

/** Points of one curve: all of most curves where there are few, and no more than a picture can show where there are many. */
const [MOST_OF_ONE, MOST_OF_ALL] = [10_000, 100_000]
export const pointsFor = (curves: number): number =>
  Math.max(200, Math.min(MOST_OF_ONE, Math.floor(MOST_OF_ALL / Math.max(1, curves))))
/** What grows is drawn anew at most so often. */
const EVERY_MS = 250

export interface OpenedCurves {
  readonly now: ReadonlySignal<CurvesNow>
  readonly again: () => void
  readonly close: () => void
}

export function openCurves(asked: Asked): OpenedCurves {
  const { runs, live } = asked
  const now = signal<CurvesNow>({ curves: null, problem: null })
  const known = new Map(runs.map(({ id }) => [id, new Columns()]))
  let isOver = false
  let timer = 0
  const show = (): void => {
    timer = 0
    now.value = { curves: runs.map(({ id }) => ({ run: id, ...(known.get(id)?.now() ?? empty) })), problem: null }
  }
  /** Of these runs, the points behind those that are known; all of them where they begin anew. */
  const read = async (ids: readonly string[], afterStep: number | null): Promise<void> => {
    const answer = await post<CurveComparison>('/runs/series/compare', requestOf(asked, ids, afterStep))
    if (isOver) return
    for (const { run, status, x, y } of answer.series) {
      known.get(run)?.[afterStep === null ? 'set' : 'add'](x, y)
      live.told(run, status)
    }
    show()
  }
  const reads = inTurn(read, (error) => {
    const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
    if (!isOver) now.value = { ...now.peek(), problem }
  })
  const put = (frame: ValueFrame): void => {
    const columns = known.get(frame.run ?? '')
    const at = placeOf(frame, asked)
    if (!columns || at === null || !columns.add([at], [frame.value])) return
    if (timer === 0) timer = window.setTimeout(show, EVERY_MS)
  }
  const take = (frame: EventFrame): void => {
    if (frame.type === 'value') {
      if (frame.run !== null && isOf(frame, asked.metric)) reads.thenDo(() => put(frame))
    } else if (frame.type === 'run') {
      // the points that were passed over while it was fast
      if (frame.run.finished_at !== null && known.has(frame.run.id)) reads.next(() => [[frame.run.id], null])
    } else if (frame.type === 'snapshot') {
      reads.next(() => [live.going, asked.x === 'step' ? lastStep(live.going, known) : null])
    }
  }
  const end = live.listen(take)
  const again = (): void => reads.next(() => [runs.map(({ id }) => id), null])
  again()
  return {
    now,
    again,
    close() {
      isOver = true
      clearTimeout(timer)
      end()
    },
  }
}

const empty = { xs: new Float64Array(0), ys: new Float64Array(0) }

type ValueFrame = Extract<EventFrame, { type: 'value' }>
type ReadArguments = readonly [ids: readonly string[], afterStep: number | null]

/**
 * One reading after the other, each of what is behind the one before. What comes live meanwhile waits: put down at once, it
 * would hide that points before it are still to come.
 */
function inTurn(read: (...of: ReadArguments) => Promise<void>, fail: (error: unknown) => void) {
  let waiting: (() => void)[] = []
  let open = 0
  let last: Promise<void> = Promise.resolve()
  return {
    next(argumentsOf: () => ReadArguments): void {
      open += 1
      last = last
        .then(() => read(...argumentsOf()))
        .catch(fail)
        .then(() => {
          open -= 1
          if (open > 0) return
          const before = waiting
          waiting = []
          for (const work of before) work()
        })
    },
    thenDo(work: () => void): void {
      if (open > 0) waiting.push(work)
      else work()
    },
  }
}

const requestOf = ({ runs, metric, x }: Asked, ids: readonly string[], afterStep: number | null): object => ({
  ids,
  metrics: [metric],
  x,
  points: pointsFor(runs.length),
  ...(afterStep === null ? {} : { after_step: afterStep }),
})

/** A metric may be asked for as `fit.loss` or, of several flows, as `loss`. */
const isOf = ({ message, flow }: ValueFrame, metric: string): boolean =>
  message === metric || message === `${flow}.${metric}` || `${flow}.${message}` === metric

/** Where on the axis a new value is; null where that cannot be told. */
function placeOf({ step, ts, run: id }: ValueFrame, { x, runs, live }: Asked): number | null {
  if (x === 'step') return step
  const start = live.fates.peek().get(id ?? '')?.started_at ?? runs.find((run) => run.id === id)?.started_at
  return x === 'time' && start ? (Date.parse(ts) - Date.parse(start)) / 1000 : null
}

/** The step behind which all of these have to be read again; null where one of them has none yet. */
function lastStep(ids: readonly string[], known: ReadonlyMap<string, Columns>): number | null {
  const least = Math.min(...ids.map((id) => known.get(id)?.last ?? -1))
  return least < 0 ? null : least
}

/** The last value that is a number, by which runs are ordered. */
export function lastOf({ ys }: Pick<Curve, 'ys'>): number {
  for (let at = ys.length - 1; at >= 0; at -= 1) {
    const value = ys[at] ?? Number.NaN
    if (Number.isFinite(value)) return value
  }
  return Number.NaN
}
