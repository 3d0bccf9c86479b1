/**
 * Curves over an axis, as many as there are: the page of comparisons, dashboards and the web component draw with it. It knows
 * nothing of sessions or of the API. Its colours are those of the names (`--line`, `--dim`, `--text`) where it stands; the
 * stylesheet is `chart.css`. Drag zooms, a double click shows all again, as does `0`; arrows and `+` and `-` do the same by keys.
 */
import { type RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'

import { number } from '../../format.ts'
import { paint } from './paint.ts'
import { hearKey, isSameView, optionsOf, pointedAt, show, viewOf, wholeOf } from './plot.ts'
import type { Series, View } from './series.ts'

interface Hovered {
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
  /** The part that is shown, for a page that keeps it; null is all. */
  readonly view?: View | null
  /** Tells of another part. */
  readonly zoomed?: (view: View | null) => void
}

export function Chart(props: ChartProps) {
  const { series, label, hover, choose, textOfX = number } = props
  const box = useRef<HTMLDivElement>(null)
  const { plot, isZoomed } = usePlot(box, props)
  const [at, setAt] = useState<ReturnType<typeof pointedAt>>(null)
  const point = (event: MouseEvent): void => {
    const found = plot.current && pointedAt(plot.current, series, event)
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
      {isZoomed ? (
        <button class="chart-all" onClick={() => plot.current && show(plot.current, null)}>
          Show all
        </button>
      ) : null}
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

/** The plot in its place for as long as that is on the page, with what the props say. */
function usePlot(box: RefObject<HTMLDivElement | null>, props: ChartProps) {
  const { series, isLogX = false, isLogY = false, hot = null, theme, view } = props
  const plot = useRef<uPlot | null>(null)
  const whole = useMemo(() => wholeOf(series, isLogX, isLogY), [series, isLogX, isLogY])
  // what its hooks see is that of now, though it is made once
  const now = useRef({ props, whole, told: null as View | null })
  now.current.props = props
  const [isZoomed, setZoomed] = useState(false)
  useLayoutEffect(() => {
    const { current: place } = box
    if (!place) return
    const hear = (self: uPlot): void => {
      const part = viewOf(self, now.current.whole)
      if (isSameView(part, now.current.told)) return
      now.current.told = part
      setZoomed(part !== null)
      now.current.props.zoomed?.(part)
    }
    now.current.whole = whole
    const made = new uPlot(
      {
        ...optionsOf(place, { isLogX, isLogY, textOfX: (x) => (now.current.props.textOfX ?? number)(x) }),
        hooks: {
          draw: [(self) => paint(self, now.current.props.series, now.current.props.hot ?? null, { isLogX, isLogY })],
          setScale: [hear],
        },
      },
      [[...whole.x], [...whole.y]],
      place,
    )
    plot.current = made
    const kept = now.current.props.view ?? null
    now.current.told = kept
    setZoomed(kept !== null)
    if (kept) show(made, kept)
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
    const hasView = viewOf(made, now.current.whole) !== null
    now.current.whole = whole
    made.setData([[...whole.x], [...whole.y]], !hasView)
    made.redraw(false)
  }, [series, whole])
  useEffect(() => plot.current?.redraw(false), [hot])
  const text = JSON.stringify(view)
  useEffect(() => {
    if (plot.current && view !== undefined && !isSameView(view, viewOf(plot.current, now.current.whole)))
      show(plot.current, view)
  }, [text])
  return { plot, isZoomed }
}

/** Sets what the page's policy lets no markup set. */
const placedAt =
  ({ left, top }: { readonly left: number; readonly top: number }) =>
  (tip: HTMLElement | null): void => {
    if (tip) tip.style.transform = `translate(${left}px, ${top}px)`
  }
