/** Draws curves into the box of a plot: a hundred of ten thousand points each within a few milliseconds. */
import type uPlot from 'uplot'

import { eachSeen, type Line, type Range, type Series } from './series.ts'

/** From so many curves on they are thin, so that those behind are seen. */
const MANY = 30

interface Axes {
  readonly isLogX: boolean
  readonly isLogY: boolean
}

export function paint(plot: uPlot, series: readonly Series[], hot: string | null, axes: Axes): void {
  const { ctx, bbox, scales } = plot
  const { min, max } = scales['x'] ?? {}
  if (min == null || max == null) return
  const style = getComputedStyle(plot.root)
  const faint = style.getPropertyValue('--line').trim()
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.lineJoin = 'round'
  const pen = penOf(plot, [min, max], axes)
  // what stands out is painted last
  const rank = (one: Series): number => (one.isDim ? 0 : one.key === hot ? 2 : 1)
  for (const one of series.toSorted((a, b) => rank(a) - rank(b))) {
    const isHot = one.key === hot
    const isBehind = hot !== null && !isHot
    ctx.strokeStyle = one.isDim ? faint : one.colour
    ctx.fillStyle = one.colour
    if (one.band && !one.isDim) {
      ctx.globalAlpha = isBehind ? 0.06 : 0.16
      pen.fill(one.xs, one.band.low, one.band.high)
    }
    if (one.raw && !one.isDim) {
      ctx.globalAlpha = isBehind ? 0.06 : 0.25
      ctx.lineWidth = devicePixelRatio
      pen.line({ xs: one.xs, ys: one.raw })
    }
    ctx.globalAlpha = isBehind ? 0.2 : series.length > MANY && !isHot ? 0.75 : 1
    ctx.lineWidth = (isHot ? 2.4 : series.length > MANY ? 1 : 1.6) * devicePixelRatio
    pen.line(one)
  }
  ctx.restore()
}

interface Pen {
  readonly line: (line: Line) => void
  readonly fill: (xs: Float64Array, low: Float64Array, high: Float64Array) => void
}

/** Places are reckoned here and not by the plot, which would take most of the time. */
function penOf({ ctx, bbox, scales }: uPlot, range: Range, { isLogX, isLogY }: Axes): Pen {
  const { min = 0, max = 1 } = scales['y'] ?? {}
  const across = along(range, bbox.left, bbox.width, isLogX)
  const down = along([max ?? 1, min ?? 0], bbox.top, bbox.height, isLogY)
  const columns = Math.max(1, Math.round(bbox.width))
  return {
    line(line) {
      let isDown = false
      let [lone, loneX, loneY] = [0, 0, 0]
      ctx.beginPath()
      eachSeen(line, range, columns, (x, y) => {
        const place = down(y)
        if (!Number.isFinite(place)) {
          isDown = false
          return
        }
        lone += 1
        ;[loneX, loneY] = [across(x), place]
        if (isDown) ctx.lineTo(loneX, loneY)
        else ctx.moveTo(loneX, loneY)
        isDown = true
      })
      // one point has no line
      if (lone === 1) ctx.arc(loneX, loneY, 1.5 * devicePixelRatio, 0, 2 * Math.PI)
      ctx.stroke()
    },
    fill(xs, low, high) {
      const back: [number, number][] = []
      ctx.beginPath()
      eachSeen({ xs, ys: high }, range, columns, (x, y) => {
        if (Number.isFinite(down(y))) ctx.lineTo(across(x), down(y))
      })
      eachSeen({ xs, ys: low }, range, columns, (x, y) => {
        if (Number.isFinite(down(y))) back.push([across(x), down(y)])
      })
      for (const [x, y] of back.toReversed()) ctx.lineTo(x, y)
      ctx.closePath()
      ctx.fill()
    },
  }
}

/** From values to pixels; what a logarithmic axis does not have is no number. */
export function along([from, to]: Range, begin: number, size: number, isLog: boolean): (value: number) => number {
  if (!isLog) return (value) => begin + ((value - from) / (to - from)) * size
  const [first, length] = [Math.log(from), Math.log(to) - Math.log(from)]
  return (value) => (value > 0 ? begin + ((Math.log(value) - first) / length) * size : Number.NaN)
}
