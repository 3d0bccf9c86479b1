/**
 * Curves as columns, thinned so that their extremes stay: those of one run, and of many beside each other with means over
 * groups (wire decision V17). A curve is read chunk by chunk, and of a thinned one only what is given is kept.
 * @module
 */
import type { Secrets } from '@flow-service/core'
import {
  type ComparedColumns,
  type CurveColumns,
  type CurveComparison,
  type CurveComparisonRequest,
  messagePart,
  timestampOfMs,
} from '@flow-service/protocol'

import { epochUs } from '../../db/timestamps.ts'
import { invalid, type ProblemError } from '../../http/errors.ts'
import { type InPieces, type RunCurves, WHOLE_POINTS } from '../curve-answer.ts'
import { named, numbersOf } from '../curves/chunk-columns.ts'
import type { CurveRun, CurveStore } from '../curves/curve-store.ts'
import { type CurveSink, ThinCurve, WholeCurve } from '../curves/extremes.ts'
import { CurveGroups } from '../curves/groups.ts'
import type { CurveEndPlace, PackedChunkRow, PackedStore } from '../curves/packed-store.ts'
import { ShownNames } from '../curves/shown-names.ts'
import { jsonField } from '../lists/filter-grammar.ts'
import { shownInputs } from '../masked-event.ts'
import { noRun } from '../refusals.ts'
import { paramsOf } from '../run-record.ts'
import { columnsText, type NextPoints } from './columns-text.ts'

/** Most points of one answer. */
const MAX_POINTS = 2_000_000

/** What reading columns takes. */
export interface CurveColumnsDeps {
  readonly store: Pick<CurveStore, 'document' | 'runs' | 'starts'>
  readonly packed: PackedStore
  /** Writes what this engine has gathered about a run, so that nothing told before is missing. */
  readonly flush: (id: string) => Promise<void>
  /** Masks the params of runs. */
  readonly secrets: Pick<Secrets, 'mask'>
  /** Most points of one answer; 2,000,000 unless told otherwise. */
  readonly maxPoints?: number
}

/** Which curves of one run are asked for. */
export interface RunColumnsQuery {
  /** Bare or qualified messages; all when left out. */
  readonly names?: readonly string[] | undefined
  /** Most points of a curve. */
  readonly points: number
  /** Only points of later steps. */
  readonly afterStep?: number | undefined
}

/** Which points of one run are asked for. */
export interface LaterPointsQuery extends Pick<RunColumnsQuery, 'names'> {
  readonly afterStep: number
}

/** A curve that a run shows, under the message that it has there. */
interface ShownCurve extends CurveEndPlace {
  readonly shown: string
}

/** Reads curves as columns. */
export class CurveColumnsReader {
  readonly #deps: CurveColumnsDeps

  constructor(deps: CurveColumnsDeps) {
    this.#deps = deps
  }

  /** The curves of a run; refuses with `not_found`, and with `validation_failed` what is too much for one answer. */
  async ofRun(id: string, { names, points, afterStep = -1 }: RunColumnsQuery): Promise<CurveColumns[]> {
    const { flow, curves } = await this.#curvesOf(id, { names, points, afterStep })
    const sinks = curves.map((curve) => new ThinCurve(points, curve.last_step))
    for await (const page of this.#read(curves, { afterStep, times: true })) {
      for (const { curve, steps, y, t } of page) sinks[curve]?.add(steps, y, t)
    }
    return curves.map((curve, at) => {
      const { x, y, t } = sinks[at]?.columns() ?? { x: [], y: [], t: [] }
      return { ...headOf(curve, flow), last_step: curve.last_step, x, y, ts: t.map(timestampOfMs) }
    })
  }

  /** The points of a run's curves behind a step, which are read when they are asked for; refuses as {@link ofRun} does. */
  async pointsAfter(id: string, { names, afterStep }: LaterPointsQuery): Promise<RunCurves> {
    const { flow, curves } = await this.#curvesOf(id, { names, points: null, afterStep })
    const pages = () => this.#read(curves, { afterStep, times: true })
    return {
      heads: curves.map((curve) => headOf(curve, flow)),
      shares: curves.map((curve) => mostPoints(curve, null, afterStep)),
      async *points() {
        for await (const page of pages()) {
          for (const { curve, steps, y, t } of page) {
            const chunk = { steps: [...steps], ts: [...(t ?? [])], vals: Array.from(y, named) }
            yield { curve, chunk, places: [...steps.keys()] }
          }
        }
      },
    }
  }

  /** Curves of many runs; refuses as {@link ofRun} does. */
  async compare(request: CurveComparisonRequest): Promise<InPieces<CurveComparison>> {
    const { metrics, x, points, after_step: afterStep = -1 } = request
    const keyOf = groupKey(request.group)
    const ids = [...new Set(request.ids.map((id) => id.toLowerCase()))]
    const runs = await this.#runs(ids)
    const params = runs.map(({ inputs }) => paramsOf(shownInputs(inputs, this.#deps.secrets)))
    const isTime = x === 'time'
    const isJoined = !isTime && x !== 'step'
    const all = await this.#curves(runs, { wanted: isJoined ? [...metrics, x] : metrics, times: isTime })
    const asked = metrics.flatMap((metric) =>
      runs.map((run, place) => ({ metric, place, run, curve: curveOf(all, run, { place, metric }) })),
    )
    const given = this.#assertRoom(
      asked.flatMap(({ curve }) => curve ?? []),
      points,
      afterStep,
    )
    const starts = isTime ? await this.#starts(all) : null
    const ends = asked.map(({ curve }) =>
      starts && curve
        ? sinceStart(curve.last_ts?.readDoubleBE(0) ?? 0, starts.get(curve.run) ?? 0)
        : (curve?.last_step ?? 0),
    )
    const heads = asked.map(({ metric, run, curve }) => ({
      metric,
      run: run.id,
      flow: run.flow,
      status: run.status,
      count: curve?.count ?? 0,
    }))
    const told: Pick<CurveComparison, 'x' | 'params'> = {
      x,
      params: Object.fromEntries(runs.map(({ id }, place) => [id, params[place] ?? {}])) as CurveComparison['params'],
    }
    const pages = () => this.#pages(asked, starts, afterStep)
    if (!isJoined && !keyOf && given > WHOLE_POINTS)
      return { text: columnsText({ ...told, heads, pages, points, ends }) }
    const sinks = ends.map((end) => sinkOf(points, end))
    const places = asked.map(({ metric, place, run }) => ({ metric, run: run.id, key: keyOf?.(params[place] ?? {}) }))
    const groups = keyOf && new CurveGroups(places, isTime ? ends : null)
    const add = (at: number, x: Float64Array, y: Float64Array): void => {
      sinks[at]?.add(x, y, null)
      groups?.add(at, x, y)
    }
    if (isJoined) {
      await this.#joined({ all, runs, x, afterStep }, asked, { add, endsAt: (at, last) => sinks[at]?.endsAt(last) })
    } else {
      for await (const page of pages()) for (const next of page) add(next.at, next.x, next.y)
    }
    const series = heads.map((head, at): ComparedColumns => {
      const { x: xs, y } = sinks[at]?.columns() ?? { x: [], y: [] }
      return { ...head, x: xs, y }
    })
    return { value: { ...told, series, groups: groups ? groups.of(points) : null } }
  }

  /** The points of compared curves, one curve after the other; over time where the starts of their runs are given. */
  async *#pages(
    asked: readonly { readonly curve: ShownCurve | null }[],
    starts: ReadonlyMap<string, number> | null,
    afterStep: number,
  ): AsyncGenerator<NextPoints[]> {
    const curves = asked.flatMap(({ curve }, at) => (curve ? [{ ...curve, at }] : []))
    for await (const page of this.#read(curves, { afterStep, times: starts !== null })) {
      yield page.map(({ curve, steps, y, t }) => {
        const { at = 0, run = '' } = curves[curve] ?? {}
        const startUs = starts?.get(run) ?? 0
        return { at, x: t ? t.map((ms) => sinceStart(ms, startUs)) : steps, y }
      })
    }
  }

  /** The curves of one run, of whose points there is room for those that are asked for. */
  async #curvesOf(
    id: string,
    { names, points, afterStep }: LaterPointsQuery & { readonly points: number | null },
  ): Promise<{ flow: string; curves: ShownCurve[] }> {
    const runs = await this.#runs([id])
    const curves = await this.#curves(runs, { wanted: names ?? null, times: false })
    this.#assertRoom(curves, points, afterStep)
    return { flow: runs[0]?.flow ?? '', curves }
  }

  async #runs(ids: readonly string[]): Promise<CurveRun[]> {
    const { store, flush } = this.#deps
    await Promise.all(ids.map(flush))
    const found = new Map((await store.runs(ids)).map((run) => [run.id, run]))
    return ids.map((id) => {
      const run = found.get(id)
      if (!run) throw noRun(id)
      return run
    })
  }

  /** The curves that runs show under these names, all for null. */
  async #curves(
    runs: readonly CurveRun[],
    { wanted, times }: { readonly wanted: readonly string[] | null; readonly times: boolean },
  ): Promise<ShownCurve[]> {
    const { store, packed } = this.#deps
    const names = new ShownNames((key) => store.document(key))
    const ids = runs.map(({ id }) => id)
    const messages = wanted && [...new Set(wanted.flatMap((name) => [name, messagePart(name)]))]
    const curves: ShownCurve[] = []
    for (const end of await packed.ends(ids, { messages, times })) {
      const run = runs[end.place]
      if (!run) continue
      // oxlint-disable-next-line no-await-in-loop -- a document is read once
      const shown = end.cached || wanted === null ? await names.messageOf(run, end) : end.message
      if (wanted === null || wanted.some((name) => name === shown || name === `${run.flow}.${shown}`))
        curves.push({ ...end, shown })
    }
    return curves
  }

  /** Pages of the points of curves, one curve after the other. */
  async *#read(
    curves: readonly Pick<CurveEndPlace, 'run' | 'metric'>[],
    { afterStep, times }: { readonly afterStep: number; readonly times: boolean },
  ): AsyncGenerator<ChunkNumbers[]> {
    for await (const page of this.#deps.packed.chunks(curves, { afterStep, times })) {
      yield page.map((chunk) => numbersAfter(afterStep, chunk))
    }
  }

  /** When the runs that emitted these began, in microseconds. */
  async #starts(curves: readonly ShownCurve[]): Promise<Map<string, number>> {
    const owners = [...new Set(curves.map(({ run }) => run))]
    return new Map((await this.#deps.store.starts(owners)).map((run) => [run.id, epochUs(run.started_at)]))
  }

  /** Values of another curve at equal steps are x: points of a run are put together, and sorted by it. */
  async #joined(
    {
      all,
      runs,
      x,
      afterStep,
    }: { all: readonly ShownCurve[]; runs: readonly CurveRun[]; x: string; afterStep: number },
    asked: readonly { readonly place: number; readonly curve: ShownCurve | null }[],
    {
      add,
      endsAt,
    }: {
      readonly add: (at: number, x: Float64Array, y: Float64Array) => void
      readonly endsAt: (at: number, last: number) => void
    },
  ): Promise<void> {
    for (const [place, run] of runs.entries()) {
      const axis = curveOf(all, run, { place, metric: x })
      const own = asked.flatMap((one, at) => (one.place === place && one.curve ? [{ ...one.curve, at }] : []))
      if (!axis || own.length === 0) continue
      const xs = new Map<number, number>()
      const points = own.map(() => [] as [x: number, y: number][])
      // oxlint-disable-next-line no-await-in-loop -- one run is in memory at a time
      for await (const page of this.#read([axis, ...own], { afterStep, times: false })) {
        for (const { curve, steps, y } of page) join(xs, points[curve - 1] ?? null, { steps, y })
      }
      for (const [which, curve] of own.entries()) {
        const sorted = (points[which] ?? []).filter(([at]) => Number.isFinite(at)).toSorted(([a], [b]) => a - b)
        endsAt(curve.at, sorted.at(-1)?.[0] ?? 0)
        add(
          curve.at,
          Float64Array.from(sorted, ([at]) => at),
          Float64Array.from(sorted, ([, y]) => y),
        )
      }
    }
  }

  /** How many points are given at most. */
  #assertRoom(curves: readonly CurveEndPlace[], points: number | null, afterStep: number): number {
    const { maxPoints = MAX_POINTS } = this.#deps
    const given = curves.reduce((sum, curve) => sum + mostPoints(curve, points, afterStep), 0)
    if (given > maxPoints) throw tooMany(given, maxPoints)
    return given
  }
}

/** How many points of a curve are given at most: steps ascend, so that no more are behind one than there are steps. */
const mostPoints = (
  { count, last_step: last }: Pick<CurveEndPlace, 'count' | 'last_step'>,
  points: number | null,
  afterStep: number,
): number => Math.max(0, Math.min(count, points ?? Infinity, last - afterStep))

/** What a curve of a flow's run has beside its points. */
const headOf = ({ shown, node, port, run, count }: ShownCurve, flow: string) => ({
  name: `${flow}.${shown}`,
  node,
  port,
  run,
  count,
})

const sinkOf = (points: number | null, lastX: number): CurveSink =>
  points === null ? new WholeCurve() : new ThinCurve(points, lastX)

/** The curve of a run under a name, bare or qualified. */
const curveOf = (
  all: readonly ShownCurve[],
  { flow }: CurveRun,
  { place, metric }: { readonly place: number; readonly metric: string },
): ShownCurve | null =>
  all.find((one) => one.place === place && (metric === one.shown || metric === `${flow}.${one.shown}`)) ?? null

const sinceStart = (ms: number, startUs: number): number => Math.round(ms * 1000 - startUs) / 1e6

/** The points of a chunk. */
interface ChunkNumbers {
  /** Place of its curve among those that are read. */
  readonly curve: number
  readonly steps: Float64Array
  readonly y: Float64Array
  /** In ms since the Unix epoch; null unless asked for. */
  readonly t: Float64Array | null
}

/** The points of a chunk that are later than a step. */
function numbersAfter(afterStep: number, { curve, count, last_step: last, ...packed }: PackedChunkRow): ChunkNumbers {
  const steps = packed.steps ? numbersOf(packed.steps) : new Float64Array(count)
  if (!packed.steps) for (let at = 0; at < count; at += 1) steps[at] = last - count + 1 + at
  const from = steps.findIndex((step) => step > afterStep)
  const later = (bytes: Buffer): Float64Array => numbersOf(bytes).subarray(from)
  return { curve, steps: steps.subarray(from), y: later(packed.vals), t: packed.ts && later(packed.ts) }
}

/** Takes values as the x of their steps, or where there are `points` those that have an x as y. */
function join(
  xs: Map<number, number>,
  points: [x: number, y: number][] | null,
  { steps, y }: Pick<ChunkNumbers, 'steps' | 'y'>,
): void {
  for (const [at, step] of steps.entries()) {
    const value = y[at] ?? 0
    if (points === null) xs.set(step, value)
    else if (xs.has(step)) points.push([xs.get(step) ?? 0, value])
  }
}

/** Reads the input by which runs are grouped; null without one. */
function groupKey(group: string | undefined): ((params: Readonly<Record<string, unknown>>) => unknown) | null {
  if (group === undefined) return null
  const field = jsonField(group)
  if (field?.kind !== 'json' || field.column !== 'params') {
    const message = `"${group.slice(0, 80)}" is no input: write params.<name>`
    throw invalid([{ path: '/group', code: 'invalid_value', message }])
  }
  return (params) => {
    let value: unknown = params
    for (const name of field.path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
      value = (value as Record<string, unknown>)[name]
    }
    return value ?? null
  }
}

const tooMany = (given: number, most: number): ProblemError =>
  invalid([
    {
      path: 'points',
      code: 'too_big',
      message: `these are ${given} points, and an answer has at most ${most}: ask for fewer points of each curve, or for fewer curves`,
    },
  ])
