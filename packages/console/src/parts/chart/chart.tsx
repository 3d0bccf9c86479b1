/**
 * Curves over an axis, as many as there are: the page of comparisons, dashboards and the web component draw with it. It knows
 * nothing of sessions or of the API. Its colours are those of the names (`--line`, `--dim`, `--text`) where it stands; the
 * stylesheet is `chart.css`. Drag zooms, a double click shows all again, as does `0`; arrows and `+` and `-` do the same by keys.
 */
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'

import { number } from '../../format.ts'
import { paint } from './paint.ts'
import { nearest, type Range, rangeOf, type Series, widened } from './series.ts'

export interface Hovered {
  readonly key: string
  readonly x: number
  readonly y: number
}

interface ChartProps {
  readonly series: readonly Series[]
  /** What it shows, for who does not see it; a table of the values stands beside it. */
  readonly label: string
  readonly isLogX?: boolean
  readonly isLogY?: boolean
  /** The one that stands out. */
  readonly hot?: string | null
  readonly hover?: (at: Hovered | null) => void
  readonly choose?: (at: Hovered) => void
  /** Of an x, on the axis and beside the pointer. */
  readonly textOfX?: (x: number) => string
  /** Changes with the colours of the page. */
  readonly theme: string
}

/** A curve within so many pixels is the one that is pointed at. */
const NEAR = 16

export function Chart(props: ChartProps) {
  const { series, label, isLogX = false, isLogY = false, hot = null, theme, hover, choose } = props
  const textOfX = props.textOfX ?? number
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const shown = useRef({ series, hot })
  shown.current = { series, hot }
  const [at, setAt] = useState<
    (Hovered & { readonly name: string; readonly left: number; readonly top: number }) | null
  >(null)
  const ranges = useMemo(() => rangesOf(series, isLogX, isLogY), [series, isLogX, isLogY])
  const whole = useRef(ranges)
  useLayoutEffect(() => {
    const { current: place } = box
    if (!place) return
    whole.current = ranges
    const made = new uPlot(
      {
        ...optionsOf(place, { isLogX, isLogY, textOfX }),
        hooks: { draw: [(self) => paint(self, shown.current.series, shown.current.hot, { isLogX, isLogY })] },
      },
      [[...ranges.x], [...ranges.y]],
      place,
    )
    plot.current = made
    const watch = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: place.clientHeight }))
    watch.observe(place)
    return () => {
      watch.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [isLogX, isLogY, theme])
  useEffect(() => {
    const { current: made } = plot
    if (!made) return
    // who has zoomed stays there while curves grow
    const isZoomed = isInside(made, whole.current)
    whole.current = ranges
    made.setData([[...ranges.x], [...ranges.y]], !isZoomed)
    made.redraw(false)
  }, [series, ranges])
  useEffect(() => plot.current?.redraw(false), [hot])
  const point = (event: MouseEvent): void => {
    const { current: made } = plot
    const found = made && pointedAt(made, series, event)
    setAt(found)
    hover?.(found)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- zoomed and moved by keys
    <div class="chart" tabIndex={0} role="group" aria-label={label} onKeyDown={(event) => hearKey(event, plot.current)}>
      <div
        class="chart-box"
        role="img"
        aria-label={label}
        ref={box}
        onMouseMove={point}
        onMouseLeave={() => {
          setAt(null)
          hover?.(null)
        }}
        onClick={() => {
          if (at) choose?.(at)
        }}
      />
      {at ? (
        <div class={at.left > (box.current?.clientWidth ?? 0) / 2 ? 'chart-tip left' : 'chart-tip'} ref={placedAt(at)}>
          <b>{at.name}</b>
          <span>
            {textOfX(at.x)}: {number(at.y)}
          </span>
        </div>
      ) : null}
    </div>
  )
}

/** Sets what the page's policy lets no markup set. */
const placedAt =
  ({ left, top }: { readonly left: number; readonly top: number }) =>
  (tip: HTMLElement | null): void => {
    if (tip) tip.style.transform = `translate(${left}px, ${top}px)`
  }

interface Ranges {
  readonly x: Range
  readonly y: Range
}

const rangesOf = (series: readonly Series[], isLogX: boolean, isLogY: boolean): Ranges => ({
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

const isInside = ({ scales }: uPlot, { x, y }: Ranges): boolean =>
  (['x', 'y'] as const).some((key) => {
    const [{ min, max } = {}, [least, greatest]] = [scales[key], key === 'x' ? x : y]
    return min != null && max != null && (min > least || max < greatest)
  })

interface Look {
  readonly isLogX: boolean
  readonly isLogY: boolean
  readonly textOfX: (x: number) => string
}

function optionsOf(place: HTMLElement, { isLogX, isLogY, textOfX }: Look): uPlot.Options {
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
      y: { distr: isLogY ? 3 : 1, range },
    },
    axes: [
      { ...axis, size: 32, values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : textOfX(tick))) },
      { ...axis, size: 60, values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : number(tick))) },
    ],
    // curves are painted by ourselves: this one stands for the range of them all
    series: [{}, { paths: () => null, points: { show: false } }],
  }
}

function pointedAt(plot: uPlot, series: readonly Series[], event: MouseEvent) {
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

function hearKey(event: TargetedKeyboardEvent<HTMLDivElement>, plot: uPlot | null): void {
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
  else if (event.key === '0') plot.setData(plot.data, true)
  else return
  event.preventDefault()
}
