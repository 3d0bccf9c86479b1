/**
 * Curves with fewer points that look the same: the first and the last point, and of each of many equal ranges of x the
 * least and the greatest value (wire decision V17). Points come in ascending x; what is kept does not grow with them.
 * @module
 */
import type { WireNumber } from '@flow-service/protocol'

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
  add(x: number, y: number, t: number): void
  columns(): Columns
}

/** Keeps every point. */
export class WholeCurve implements CurveSink {
  readonly x: number[] = []
  readonly #y: number[] = []
  readonly #t: number[] = []

  endsAt(): void {}

  add(x: number, y: number, t: number): void {
    this.x.push(x)
    this.#y.push(y)
    this.#t.push(t)
  }

  /** Goes through the points in order. */
  each(take: (x: number, y: number, t: number) => void): void {
    for (const [at, x] of this.x.entries()) take(x, this.#y[at] ?? 0, this.#t[at] ?? 0)
  }

  columns(): Columns {
    return { x: this.x, y: this.#y.map(named), t: this.#t }
  }
}

/** A point with its place among all. */
type Place = readonly [x: number, y: number, t: number, at: number]
const WIDTH = 4

/** Keeps at most so many points of a curve whose last x is known. */
export class ThinCurve implements CurveSink {
  readonly #most: number
  #lastX: number
  readonly #ranges: number
  /** All points, while there are few enough. */
  #whole: WholeCurve | null = new WholeCurve()
  #count = 0
  #first: Place = [0, 0, 0, 0]
  #last: Place = [0, 0, 0, 0]
  /** Of each range the point with the least value, and that with the greatest: four numbers each. */
  #least = new Float64Array(0)
  #greatest = new Float64Array(0)

  constructor(most: number, lastX: number) {
    this.#most = most
    this.#lastX = lastX
    this.#ranges = Math.max(0, Math.floor(most / 2) - 1)
  }

  add(x: number, y: number, t: number): void {
    if (this.#whole) {
      if (this.#whole.x.length < this.#most) return this.#whole.add(x, y, t)
      const whole = this.#whole
      this.#whole = null
      this.#least = new Float64Array(WIDTH * this.#ranges).fill(NaN)
      this.#greatest = new Float64Array(WIDTH * this.#ranges).fill(NaN)
      whole.each((...point) => this.#keep(...point))
    }
    this.#keep(x, y, t)
  }

  endsAt(lastX: number): void {
    this.#lastX = lastX
  }

  columns(): Columns {
    if (this.#whole) return this.#whole.columns()
    const columns: Columns = { x: [], y: [], t: [] }
    let before = -1
    const give = ([x, y, t, at]: Place): void => {
      // one point may be the least, the greatest, and the first or last
      if (at <= before) return
      before = at
      columns.x.push(x)
      columns.y.push(named(y))
      columns.t.push(t)
    }
    give(this.#first)
    for (let range = 0; range < this.#ranges; range += 1) {
      const [least, greatest] = [placeIn(this.#least, range), placeIn(this.#greatest, range)]
      if (least[3] < greatest[3]) give(least)
      give(greatest)
      if (least[3] > greatest[3]) give(least)
    }
    give(this.#last)
    return columns
  }

  #keep(x: number, y: number, t: number): void {
    const at = this.#count
    this.#count += 1
    this.#last = [x, y, t, at]
    if (at === 0) this.#first = this.#last
    if (this.#ranges === 0) return
    const width = this.#lastX - this.#first[0]
    const share = width > 0 ? (x - this.#first[0]) / width : 0
    const place = WIDTH * Math.max(0, Math.min(this.#ranges - 1, Math.floor(share * this.#ranges)))
    const [least, greatest] = [this.#least[place + 1] ?? NaN, this.#greatest[place + 1] ?? NaN]
    const isEmpty = Number.isNaN(this.#least[place])
    // a value that is not finite stays only where nothing else is
    const isBetter = isEmpty || (Number.isFinite(y) && !Number.isFinite(least))
    if (isBetter || (Number.isFinite(y) && y < least)) this.#least.set([x, y, t, at], place)
    if (isBetter || (Number.isFinite(y) && y > greatest)) this.#greatest.set([x, y, t, at], place)
  }
}

const placeIn = (points: Float64Array, range: number): Place => {
  const [x = NaN, y = 0, t = 0, at = 0] = points.subarray(WIDTH * range, WIDTH * range + WIDTH)
  return Number.isNaN(x) ? [0, 0, 0, -1] : [x, y, t, at]
}

/** NaN and the infinities are named, as on the wire. */
const named = (value: number): WireNumber => (Number.isFinite(value) ? value : (String(value) as WireNumber))
