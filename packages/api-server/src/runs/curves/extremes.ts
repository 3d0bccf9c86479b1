/**
 * Curves with fewer points that look the same: the first and the last point, and of each of many equal ranges of x the
 * least and the greatest value (wire decision V17). Points come in ascending x; what is kept does not grow with them.
 * @module
 */
import type { WireNumber } from '@flow-service/protocol'

import { named } from './chunk-columns.ts'

/** Columns of a curve; `t` are the times in ms since the Unix epoch where they are asked for. */
export interface Columns {
  readonly x: number[]
  readonly y: WireNumber[]
  readonly t: number[]
}

/** What keeps points: all of them, or their extremes. */
export interface CurveSink {
  /** Where the curve ends, when that is known only later than the sink; before the first point. */
  endsAt(lastX: number): void
  /** Takes the next points; without times these are 0. */
  add(x: Float64Array, y: Float64Array, t: Float64Array | null): void
  columns(): Columns
}

/** Keeps every point. */
export class WholeCurve implements CurveSink {
  readonly x: number[] = []
  readonly #y: number[] = []
  readonly #t: number[] = []

  endsAt(): void {}

  add(x: Float64Array, y: Float64Array, t: Float64Array | null): void {
    for (let at = 0; at < x.length; at += 1) {
      this.x.push(x[at] ?? 0)
      this.#y.push(y[at] ?? 0)
      this.#t.push(t?.[at] ?? 0)
    }
  }

  /** Its points for another sink. */
  into(other: CurveSink): void {
    other.add(Float64Array.from(this.x), Float64Array.from(this.#y), Float64Array.from(this.#t))
  }

  columns(): Columns {
    return { x: this.x, y: this.#y.map(named), t: this.#t }
  }
}

/** Numbers of a point: x, y, t, and its place among all. */
const WIDTH = 4

/** Keeps at most so many points of a curve whose last x is known. */
export class ThinCurve implements CurveSink {
  readonly #most: number
  readonly #ranges: number
  #lastX: number
  #firstX = 0
  /** Ranges for each unit of x. */
  #density = 0
  /** All points, while there are few enough. */
  #whole: WholeCurve | null = new WholeCurve()
  #count = 0
  /** Points one after the other: the first, the last, then of each range that with the least and that with the greatest value. */
  #points = new Float64Array(0)

  constructor(most: number, lastX: number) {
    this.#most = most
    this.#lastX = lastX
    this.#ranges = Math.max(0, Math.floor(most / 2) - 1)
  }

  endsAt(lastX: number): void {
    this.#lastX = lastX
  }

  add(x: Float64Array, y: Float64Array, t: Float64Array | null): void {
    if (this.#whole) {
      if (this.#whole.x.length + x.length <= this.#most) return this.#whole.add(x, y, t)
      const whole = this.#whole
      this.#whole = null
      this.#begin(whole.x[0] ?? x[0] ?? 0)
      whole.into(this)
    }
    for (let at = 0; at < x.length; at += 1) this.#keep(x[at] ?? 0, y[at] ?? 0, t?.[at] ?? 0)
  }

  columns(): Columns {
    if (this.#whole) return this.#whole.columns()
    const columns: Columns = { x: [], y: [], t: [] }
    let before = -1
    const give = (place: number): void => {
      const at = this.#points[place + 3] ?? -1
      // one point may be the least, the greatest, and the first or last
      if (at <= before) return
      before = at
      columns.x.push(this.#points[place] ?? 0)
      columns.y.push(named(this.#points[place + 1] ?? 0))
      columns.t.push(this.#points[place + 2] ?? 0)
    }
    give(0)
    for (let place = 2 * WIDTH; place < this.#points.length; place += 2 * WIDTH) {
      const isRising = (this.#points[place + 3] ?? 0) < (this.#points[place + WIDTH + 3] ?? 0)
      give(isRising ? place : place + WIDTH)
      give(isRising ? place + WIDTH : place)
    }
    give(WIDTH)
    return columns
  }

  #begin(firstX: number): void {
    this.#firstX = firstX
    this.#density = this.#lastX > firstX ? this.#ranges / (this.#lastX - firstX) : 0
    this.#points = new Float64Array(WIDTH * (2 + 2 * this.#ranges)).fill(-1)
  }

  #keep(x: number, y: number, t: number): void {
    if (this.#count === 0) this.#put(0, x, y, t)
    this.#put(WIDTH, x, y, t)
    if (this.#ranges > 0) this.#weigh(x, y, t)
    this.#count += 1
  }

  /** Whether the point is an extreme of its range. */
  #weigh(x: number, y: number, t: number): void {
    const range = Math.max(0, Math.min(this.#ranges - 1, Math.floor((x - this.#firstX) * this.#density)))
    const place = 2 * WIDTH * (1 + range)
    const isEmpty = this.#points[place + 3] === -1
    const least = this.#points[place + 1] ?? 0
    // a value that is not finite stays only where nothing else is
    const isBetter = isEmpty || (Number.isFinite(y) && !Number.isFinite(least))
    if (isBetter || (y < least && y !== -Infinity)) this.#put(place, x, y, t)
    if (isBetter || (y > (this.#points[place + WIDTH + 1] ?? 0) && y !== Infinity)) this.#put(place + WIDTH, x, y, t)
  }

  #put(place: number, x: number, y: number, t: number): void {
    this.#points[place] = x
    this.#points[place + 1] = y
    this.#points[place + 2] = t
    this.#points[place + 3] = this.#count
  }
}
