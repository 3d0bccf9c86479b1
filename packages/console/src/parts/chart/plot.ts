/** The plot of a chart: its axes and scales, the part of it that is shown, and what a pointer or a key means there. */
import type { TargetedKeyboardEvent } from 'preact'
import type uPlot from 'uplot'

import { number } from '../../format.ts'
import { nearest, type Range, rangeOf, type Series, type View, widened } from './series.ts'

/** A curve within so many pixels is the one that is pointed at. */
const NEAR = 16

export interface Look {
  readonly isLogX: boolean
  readonly isLogY: boolean
  readonly textOfX: (x: number) => string
}

/** All that there is to show. */
export const wholeOf = (series: readonly Series[], isLogX: boolean, isLogY: boolean): View => ({
  x: rangeOf(
    series.map(({ xs }) => xs),
    isLogX,
  ),
  y: widened(
    rangeOf(
      series.flatMap(({ ys, raw, band }) => [ys, ...(raw ? [raw] : []), ...(band ? [band.low, band.high] : [])]),
      isLogY,
    ),
    isLogY,
  ),
})

/** What is shown, where that is less than the whole. */
export function viewOf({ scales }: uPlot, whole: View): View | null {
  const [x, y] = [scales['x'], scales['y']]
  if (x?.min == null || x.max == null || y?.min == null || y.max == null) return null
  const isLess = x.min > whole.x[0] || x.max < whole.x[1] || y.min > whole.y[0] || y.max < whole.y[1]
  return isLess ? { x: [x.min, x.max], y: [y.min, y.max] } : null
}

/** Whether two of them are the same to the eye: an address has them rounded. */
export function isSameView(a: View | null, b: View | null): boolean {
  if (a === null || b === null) return a === b
  return (['x', 'y'] as const).every((key) => {
    const room = (a[key][1] - a[key][0]) / 1000
    return Math.abs(a[key][0] - b[key][0]) < room && Math.abs(a[key][1] - b[key][1]) < room
  })
}

/** Shows a part, or all of it again. */
export function show(plot: uPlot, view: View | null): void {
  if (view === null) return plot.setData(plot.data, true)
  plot.batch(() => {
    plot.setScale('x', { min: view.x[0], max: view.x[1] })
    plot.setScale('y', { min: view.y[0], max: view.y[1] })
  })
}

export function optionsOf(place: HTMLElement, { isLogX, isLogY, textOfX }: Look): uPlot.Options {
  const style = getComputedStyle(place)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const grid = { stroke: colour('--line'), width: 1 }
  const axis = { stroke: colour('--dim'), grid, ticks: grid, font: `11px ${style.fontFamily}` }
  const range = (_: uPlot, least: number, greatest: number): uPlot.Range.MinMax => [least, greatest]
  return {
    width: place.clientWidth,
    height: place.clientHeight,
    padding: [12, 16, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: true, y: true, uni: 24 }, points: { show: false } },
    scales: {
      x: { time: false, distr: isLogX ? 3 : 1, range },
      // who zooms across keeps the height that is seen
      y: { distr: isLogY ? 3 : 1, range, auto: (_, isWhole) => isWhole },
    },
    axes: [
      { ...axis, size: 32, values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : textOfX(tick))) },
      { ...axis, size: 60, values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : number(tick))) },
    ],
    // curves are painted by ourselves: this one stands for the range of them all
    series: [{}, { paths: () => null, points: { show: false } }],
  }
}

export function pointedAt(plot: uPlot, series: readonly Series[], event: MouseEvent) {
  const over = plot.over.getBoundingClientRect()
  const [left, top] = [event.clientX - over.left, event.clientY - over.top]
  if (left < 0 || top < 0 || left > over.width || top > over.height) return null
  const away = (x: number, y: number): number => Math.hypot(plot.valToPos(x, 'x') - left, plot.valToPos(y, 'y') - top)
  // a point may be far while its line is near: along the line it is the height that counts
  const found = nearest(
    series,
    plot.posToVal(left, 'x'),
    (x, y) => Math.min(away(x, y), Math.abs(plot.valToPos(y, 'y') - top)),
    NEAR,
  )
  if (!found) return null
  const { series: one, at } = found
  return {
    key: one.key,
    name: one.name,
    x: one.xs[at] ?? 0,
    y: one.ys[at] ?? Number.NaN,
    left: left + plot.over.offsetLeft,
    top: top + plot.over.offsetTop,
  }
}

/** By how much of the width a key moves. */
const STEP = 0.2

export function hearKey(event: TargetedKeyboardEvent<HTMLDivElement>, plot: uPlot | null): void {
  const { min, max } = plot?.scales['x'] ?? {}
  if (!plot || min == null || max == null) return
  const part = (max - min) * STEP
  const next: Readonly<Record<string, Range>> = {
    ArrowLeft: [min - part, max - part],
    ArrowRight: [min + part, max + part],
    '+': [min + part, max - part],
    '-': [min - part, max + part],
  }
  const range = next[event.key]
  if (range) plot.setScale('x', { min: range[0], max: range[1] })
  else if (event.key === '0') show(plot, null)
  else return
  event.preventDefault()
}
