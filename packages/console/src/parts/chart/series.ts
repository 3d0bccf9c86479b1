/** Curves as columns of numbers, and what is asked of them: their range, a smooth form, what of them can be seen, the nearest. */

export interface Series {
  /** Tells it from the others, as the id of its run. */
  readonly key: string
  readonly name: string
  readonly colour: string
  /** Ascending. */
  readonly xs: Float64Array
  /** As many; what is no finite number is a gap. */
  readonly ys: Float64Array
  /** The values before they were smoothed, drawn faintly. */
  readonly raw?: Float64Array
  /** A band around it, as mean plus and minus a deviation. */
  readonly band?: { readonly low: Float64Array; readonly high: Float64Array }
  /** Out of the selection: drawn behind the others, without a colour. */
  readonly isDim?: boolean
}

/** A line to be drawn: that of a curve, or an edge of its band. */
export type Line = Pick<Series, 'xs' | 'ys'>

export type Range = readonly [least: number, greatest: number]

/** A part of a plot. */
export interface View {
  readonly x: Range
  readonly y: Range
}

/** Of all that can be drawn; with a logarithmic axis only what is above zero. */
export function rangeOf(columns: readonly ArrayLike<number>[], isLog: boolean): Range {
  let [least, greatest] = [Infinity, -Infinity]
  for (const column of columns) {
    for (let at = 0; at < column.length; at += 1) {
      const value = column[at] ?? Number.NaN
      if (!Number.isFinite(value) || (isLog && value <= 0)) continue
      if (value < least) least = value
      if (value > greatest) greatest = value
    }
  }
  if (least > greatest) return isLog ? [1, 10] : [0, 1]
  if (least < greatest) return [least, greatest]
  return isLog ? [least / 2, least * 2] : [least - (Math.abs(least) / 10 || 0.5), least + (Math.abs(least) / 10 || 0.5)]
}

/** Some room above and below, so that no curve runs along the edge. */
export function widened([least, greatest]: Range, isLog: boolean): Range {
  if (isLog) {
    const room = (greatest / least) ** 0.03
    return [least / room, greatest * room]
  }
  const room = (greatest - least) * 0.03
  return [least - room, greatest + room]
}

/**
 * An exponential mean that keeps this share of what was before, without the pull of the first value. Gaps stay gaps, and do
 * not end it.
 */
export function smoothed(ys: Float64Array, keep: number): Float64Array {
  if (keep <= 0) return ys
  const out = new Float64Array(ys.length)
  let [sum, weight] = [0, 0]
  for (let at = 0; at < ys.length; at += 1) {
    const value = ys[at] ?? Number.NaN
    if (!Number.isFinite(value)) {
      out[at] = Number.NaN
      continue
    }
    sum = sum * keep + value * (1 - keep)
    weight = weight * keep + (1 - keep)
    out[at] = sum / weight
  }
  return out
}

/** Index of the first x that is not below. */
export function firstAt(xs: ArrayLike<number>, x: number): number {
  let [from, to] = [0, xs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((xs[middle] ?? 0) < x) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * Calls for each point that has to be drawn between two x: of more points than the columns of the picture can show, the
 * first, least, greatest and last of each column, which is the same picture.
 */
export function eachSeen(
  { xs, ys }: Line,
  [from, to]: Range,
  columns: number,
  call: (x: number, y: number) => void,
): void {
  const first = Math.max(0, firstAt(xs, from) - 1)
  const end = Math.min(xs.length, firstAt(xs, to) + 1)
  const size = (end - first) / Math.max(1, columns)
  if (size <= 4) {
    for (let at = first; at < end; at += 1) call(xs[at] ?? 0, ys[at] ?? Number.NaN)
    return
  }
  for (let column = 0; column < columns; column += 1) {
    const begin = first + Math.floor(column * size)
    const stop = Math.min(end, first + Math.floor((column + 1) * size))
    for (const at of extremesOf(ys, begin, stop)) call(xs[at] ?? 0, ys[at] ?? Number.NaN)
  }
}

/** The places of the first, least, greatest and last value, in their order, each once. */
function extremesOf(ys: ArrayLike<number>, begin: number, stop: number): Iterable<number> {
  let [least, greatest, low, high] = [begin, begin, Infinity, -Infinity]
  for (let at = begin; at < stop; at += 1) {
    const value = ys[at] ?? Number.NaN
    if (value < low) [least, low] = [at, value]
    if (value > high) [greatest, high] = [at, value]
  }
  return new Set([begin, Math.min(least, greatest), Math.max(least, greatest), stop - 1])
}

/** The curve and point nearest to a place in pixels, within so many of them; null when there is none. */
export function nearest(
  series: readonly Series[],
  x: number,
  isNear: (x: number, y: number) => number,
  within: number,
): { readonly series: Series; readonly at: number } | null {
  let [best, found] = [within, null as { readonly series: Series; readonly at: number } | null]
  for (const one of series) {
    if (one.isDim || one.xs.length === 0) continue
    const behind = firstAt(one.xs, x)
    for (const at of [behind - 1, behind]) {
      const away = at < 0 || at >= one.xs.length ? Infinity : isNear(one.xs[at] ?? 0, one.ys[at] ?? Number.NaN)
      if (away < best) [best, found] = [away, { series: one, at }]
    }
  }
  return found
}
