/**
 * Curves of several runs: which there are, and one of them compared (wire decision G36).
 * @module
 */
import type { Secrets } from '@flow-service/core'
import type { MetricComparison, MetricName, WireNumber } from '@flow-service/protocol'
import { messagePart } from '@flow-service/protocol'

import { epochUs } from '../../db/timestamps.ts'
import { invalid, type ProblemError } from '../../http/errors.ts'
import type { CurveRun, CurveStore, PlacedChunk } from '../curves/curve-store.ts'
import type { RunFilter } from '../curves/run-filter.ts'
import { ShownNames } from '../curves/shown-names.ts'
import { shownInputs } from '../masked-event.ts'
import { noRun } from '../refusals.ts'
import { paramsOf } from '../run-record.ts'

const MAX_POINTS = 1_000_000

/** What is compared. */
export interface ComparisonQuery {
  /** Each run once. */
  readonly ids: readonly string[]
  /** Bare or qualified. */
  readonly metric: string
  /** `step`, `time`, or a metric, bare or qualified. */
  readonly x: string
  /** Every how many points of a curve one is given; the last always is. */
  readonly stride: number
}

/** What reading curves takes. */
export interface CurveComparisonDeps {
  readonly store: CurveStore
  /** Writes what this engine has gathered about a run, so that nothing told before is missing. */
  readonly flush: (id: string) => Promise<void>
  /** Masks the params of runs. */
  readonly secrets: Pick<Secrets, 'mask'>
  /** Most points of one comparison. The 1,000,000 that are usual make some 30 MB of JSON. */
  readonly maxPoints?: number
}

type Axis = 'steps' | 'ts'

interface Point {
  x: WireNumber
  readonly y: WireNumber
}

/** Reads curves across runs. */
export class CurveComparison {
  readonly #store: CurveStore
  readonly #flush: CurveComparisonDeps['flush']
  readonly #secrets: CurveComparisonDeps['secrets']
  readonly #maxPoints: number

  constructor({ store, flush, secrets, maxPoints = MAX_POINTS }: CurveComparisonDeps) {
    this.#store = store
    this.#flush = flush
    this.#secrets = secrets
    this.#maxPoints = maxPoints
  }

  /** The names of the curves of a selection's newest 10,000 runs, sorted. */
  async names(filter: RunFilter): Promise<MetricName[]> {
    const store = this.#store
    await Promise.all((await store.running(filter)).map(this.#flush))
    const names = new ShownNames((key) => store.document(key))
    const runs = new Map<string, number>()
    for (const curve of await store.counts(filter)) {
      const name = `${curve.flow}.${await names.messageOf(curve, curve)}`
      runs.set(name, (runs.get(name) ?? 0) + curve.runs)
    }
    return [...runs].map(([name, count]) => ({ name, runs: count })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** One series for each run; refuses with `not_found`, and with `validation_failed` what is too much for one answer. */
  async compare({ ids, metric, x, stride }: ComparisonQuery): Promise<MetricComparison> {
    const runs = await this.#runs(ids)
    const axis = x === 'time' ? 'ts' : 'steps'
    const curves = runs.map(() => new ThinCurve(stride, axis))
    let kept = 0
    for await (const chunk of this.#chunks(runs, metric, axis)) {
      kept += curves[chunk.place]?.add(chunk) ?? 0
      if (kept > this.#maxPoints) throw tooMany(this.#maxPoints, stride)
    }
    for (const curve of curves) curve.end()
    if (x === 'time') await this.#sinceStart(curves)
    else if (x !== 'step') await this.#join(runs, curves, x)
    return {
      metric,
      x,
      series: runs.map(({ id, flow, status, inputs }, place) => ({
        run: id,
        flow,
        status,
        params: paramsOf(shownInputs(inputs, this.#secrets)),
        points: curves[place]?.points ?? [],
      })),
    }
  }

  async #runs(ids: readonly string[]): Promise<CurveRun[]> {
    await Promise.all(ids.map(this.#flush))
    const found = new Map((await this.#store.runs(ids)).map((run) => [run.id, run]))
    return ids.map((id) => {
      const run = found.get(id)
      if (!run) throw noRun(id)
      return run
    })
  }

  /** The chunks of one curve of each run. */
  async *#chunks(runs: readonly CurveRun[], name: string, axis: Axis): AsyncGenerator<PlacedChunk> {
    const store = this.#store
    const names = new ShownNames((key) => store.document(key))
    const ids = runs.map(({ id }) => id)
    for await (const page of store.chunks(ids, { messages: [name, messagePart(name)], axes: [axis] })) {
      for (const chunk of page) {
        const run = runs[chunk.place]
        if (!run) continue
        const message = chunk.cached ? await names.messageOf(run, chunk) : chunk.message
        if (name === message || name === `${run.flow}.${message}`) yield chunk
      }
    }
  }

  /** Turns times into seconds since the start of the run that emitted the points. */
  async #sinceStart(curves: readonly ThinCurve[]): Promise<void> {
    const owners = curves.flatMap(({ owner }) => owner ?? [])
    const starts = new Map((await this.#store.starts(owners)).map((run) => [run.id, epochUs(run.started_at)]))
    for (const { owner, points } of curves) {
      const startUs = starts.get(owner ?? '')
      // the run was deleted between the two statements
      if (startUs === undefined) points.length = 0
      else for (const point of points) point.x = Math.round(Number(point.x) * 1000 - startUs) / 1e6
    }
  }

  /** Puts the values of another curve at equal steps on the x axis, and drops points that have none. */
  async #join(runs: readonly CurveRun[], curves: readonly ThinCurve[], x: string): Promise<void> {
    const waiting = curves.map(({ points }) => new Map(points.map((point) => [Number(point.x), point])))
    const joined = curves.map(() => new Set<Point>())
    for await (const { place, steps, vals } of this.#chunks(runs, x, 'steps')) {
      for (const [at, step] of steps.entries()) {
        const point = waiting[place]?.get(step)
        if (!point) continue
        point.x = vals[at] ?? 0
        joined[place]?.add(point)
      }
    }
    for (const [place, curve] of curves.entries()) {
      curve.points = curve.points.filter((point) => joined[place]?.has(point))
    }
  }
}

/** Every k-th point of a curve counted from the first, and the last. */
class ThinCurve {
  points: Point[] = []
  /** The run that emitted the points; null while there is none. */
  owner: string | null = null
  readonly #stride: number
  readonly #axis: Axis
  #next = 0
  #last: Point | null = null

  constructor(stride: number, axis: Axis) {
    this.#stride = stride
    this.#axis = axis
  }

  /** Takes the next points; gives how many of them are kept. */
  add({ run, vals, ...axes }: PlacedChunk): number {
    this.owner = run
    const xs = axes[this.#axis]
    const count = xs.length
    const before = this.points.length
    let at = this.#next
    for (; at < count; at += this.#stride) this.points.push({ x: xs[at] ?? 0, y: vals[at] ?? 0 })
    this.#next = at - count
    const isKept = at - this.#stride === count - 1
    this.#last = isKept || count === 0 ? null : { x: xs[count - 1] ?? 0, y: vals[count - 1] ?? 0 }
    return this.points.length - before
  }

  end(): void {
    if (this.#last) this.points.push(this.#last)
  }
}

const tooMany = (most: number, stride: number): ProblemError =>
  invalid([
    {
      path: 'query.stride',
      code: 'too_small',
      message: `these are more than ${most} points: use a stride above ${stride}, or fewer runs`,
    },
  ])
