/**
 * Parallel coordinates: a line for each run through its parameters to its metric. A drag along an axis keeps the runs between
 * its ends, a click lets all in again; a drag of its name moves it. By keys Tab goes to an axis, up and down move the range,
 * with Shift they change its size, left and right move the axis.
 */
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import type { Axis, Brush, Brushes } from './axes.ts'

interface ParallelProps {
  readonly runs: readonly string[]
  readonly axes: readonly Axis[]
  readonly colourOf: (run: string) => string
  readonly kept: ReadonlySet<string> | null
  readonly hot: string | null
  readonly brushes: Brushes
  readonly brush: (brushes: Brushes) => void
  /** Puts an axis at another place among them. */
  readonly move: (name: string, to: number) => void
  readonly scale: (name: string, isLog: boolean) => void
  readonly theme: string
}

const box = { height: 240, side: 72, top: 40, foot: 24 }
const bottom = box.height - box.foot
/** By how much of an axis a key moves. */
const STEP = 0.05
/** Words beside an axis, of more only the first and the last. */
const WORDS = 8
/** So many pixels a pointer moves before it drags. */
const SLACK = 6

export function Parallel(props: ParallelProps) {
  const { axes, brushes, brush, theme, runs, kept } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const from = useRef<{ readonly axis: Axis; readonly at: number } | null>(null)
  useEffect(() => {
    const { current: element } = canvas
    if (!element) return
    const draw = (): void => drawOn(element, props)
    draw()
    const watch = new ResizeObserver(draw)
    watch.observe(element)
    return () => watch.disconnect()
  }, [runs, axes, kept, props.hot, brushes, props.colourOf, theme])
  const set = (name: string, to: Brush | null): void => {
    const { [name]: _, ...others } = brushes
    brush(to === null ? others : { ...others, [name]: to })
  }
  const at = (event: PointerEvent): { readonly axis: Axis; readonly at: number } | null => {
    const { current: element } = canvas
    const axis = element && axes[placeAt(event, element, axes.length)]
    if (!axis) return null
    return { axis, at: within((bottom - (event.clientY - element.getBoundingClientRect().top)) / (bottom - box.top)) }
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
    <div class="parallel" role="group" aria-label="Parameters" tabIndex={0}>
      <div class="parallel-box" ref={wideFor(axes.length)}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`A line for each of ${runs.length} runs over ${axes.map(({ name }) => name).join(', ')}`}
          onPointerDown={(event) => {
            from.current = at(event)
            event.currentTarget.setPointerCapture(event.pointerId)
          }}
          onPointerMove={(event) => {
            const [begin, now] = [from.current, at(event)]
            if (begin && now) set(begin.axis.name, [Math.min(begin.at, now.at), Math.max(begin.at, now.at)])
          }}
          onPointerUp={(event) => {
            const [begin, now] = [from.current, at(event)]
            from.current = null
            if (begin && now && Math.abs(begin.at - now.at) < 0.02) set(begin.axis.name, null)
          }}
        />
        {axes.map((axis, index) => (
          <AxisHead key={axis.name} canvas={() => canvas.current} {...{ axis, index, set, ...props }} />
        ))}
      </div>
    </div>
  )
}

interface AxisHeadProps extends ParallelProps {
  readonly axis: Axis
  readonly index: number
  readonly set: (name: string, to: Brush | null) => void
  readonly canvas: () => HTMLCanvasElement | null
}

/** The name above an axis, by which it is moved and brushed, and its scale below. */
function AxisHead({ axis, index, axes, brushes, set, move, scale, canvas }: AxisHeadProps) {
  const begin = useRef<number | null>(null)
  return (
    <>
      <button
        class="bare axis"
        ref={placedAt(index, axes.length)}
        aria-label={`${axis.name}${axis.isLog ? ' log' : ''}: ${saidOf(brushes[axis.name])}`}
        title="Drag it to move the axis. Keys: up and down narrow it, Delete lets all in, left and right move it"
        onKeyDown={(event) => {
          const to = { ArrowLeft: index - 1, ArrowRight: index + 1 }[event.key]
          if (to === undefined) return hear(event, brushes[axis.name] ?? null, (brush) => set(axis.name, brush))
          move(axis.name, to)
          event.preventDefault()
        }}
        onPointerDown={(event) => {
          begin.current = event.clientX
          event.currentTarget.setPointerCapture(event.pointerId)
        }}
        onPointerMove={(event) => {
          const element = canvas()
          if (begin.current === null || !element || Math.abs(event.clientX - begin.current) < SLACK) return
          const to = placeAt(event, element, axes.length)
          if (to !== index) move(axis.name, to)
        }}
        onPointerUp={() => (begin.current = null)}
      >
        {axis.name}
      </button>
      {axis.canBeLog ? (
        <button
          class="bare axis-scale"
          ref={placedAt(index, axes.length)}
          aria-pressed={axis.isLog}
          aria-label={`${axis.name}: ${axis.isLog ? 'log' : 'linear'}`}
          title={axis.isLog ? 'By its logarithm: make it linear' : 'Linear: place it by its logarithm'}
          onClick={() => scale(axis.name, !axis.isLog)}
        >
          {axis.isLog ? 'log' : 'linear'}
        </button>
      ) : null}
    </>
  )
}

/** The index of the axis nearest to a pointer. */
function placeAt({ clientX }: PointerEvent, canvas: HTMLCanvasElement, count: number): number {
  const { left, width } = canvas.getBoundingClientRect()
  const place = Math.round(((clientX - left - box.side) / (width - 2 * box.side)) * (count - 1))
  return Math.max(0, Math.min(count - 1, place || 0))
}

const within = (share: number): number => Math.max(0, Math.min(1, share))

const saidOf = (brush: Brush | undefined): string =>
  brush ? `from ${Math.round(brush[0] * 100)} to ${Math.round(brush[1] * 100)} percent` : 'all runs'

function hear(event: TargetedKeyboardEvent<HTMLElement>, brush: Brush | null, set: (to: Brush | null) => void): void {
  const [low, high] = brush ?? [0, 1]
  const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key]
  if (event.key === 'Delete' || event.key === 'Escape') set(null)
  else if (step === undefined) return
  else if (event.shiftKey || brush === null) set(step > 0 ? [within(low + step), high] : [low, within(high + step)])
  else set([within(low + step), within(high + step)])
  event.preventDefault()
}

const across = (index: number, count: number, width: number): number =>
  box.side + (index * (width - 2 * box.side)) / Math.max(1, count - 1)

/** Many axes are wider than the page, and scrolled. */
const wideFor =
  (count: number) =>
  (place: HTMLElement | null): void => {
    if (place) place.style.minWidth = `${2 * box.side + (count - 1) * 72}px`
  }

/** Sets what the page's policy lets no markup set. */
const placedAt =
  (index: number, count: number) =>
  (name: HTMLElement | null): void => {
    if (name) name.style.left = `calc(${box.side}px + (100% - ${2 * box.side}px) * ${index / Math.max(1, count - 1)})`
  }

function drawOn(canvas: HTMLCanvasElement, { runs, axes, colourOf, kept, hot, brushes }: ParallelProps): void {
  const width = canvas.clientWidth
  const ctx = canvas.getContext('2d')
  if (!ctx) return
  canvas.width = width * devicePixelRatio
  canvas.height = box.height * devicePixelRatio
  ctx.scale(devicePixelRatio, devicePixelRatio)
  const style = getComputedStyle(canvas)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const rank = (run: string): number => (run === hot ? 2 : kept !== null && !kept.has(run) ? 0 : 1)
  for (const run of runs.toSorted((a, b) => rank(a) - rank(b))) {
    const isOut = kept !== null && !kept.has(run)
    ctx.strokeStyle = isOut ? colour('--line') : colourOf(run)
    ctx.globalAlpha = isOut ? 0.6 : hot !== null && hot !== run ? 0.2 : 0.8
    ctx.lineWidth = run === hot ? 2.5 : 1.3
    drawRun(ctx, run, axes, width)
  }
  ctx.globalAlpha = 1
  ctx.font = `11px ${style.fontFamily}`
  ctx.lineJoin = 'round'
  ctx.textAlign = 'center'
  for (const [index, axis] of axes.entries()) {
    const x = across(index, axes.length, width)
    ctx.strokeStyle = colour('--idle')
    ctx.lineWidth = 1
    ctx.beginPath()
    ctx.moveTo(x, box.top)
    ctx.lineTo(x, bottom)
    ctx.stroke()
    drawTicks(ctx, axis, x, colour)
    const brush = brushes[axis.name]
    if (!brush) continue
    ctx.fillStyle = colour('--accent')
    ctx.globalAlpha = 0.28
    ctx.fillRect(x - 7, upAt(brush[1]), 14, Math.max(2, upAt(brush[0]) - upAt(brush[1])))
    ctx.globalAlpha = 1
  }
}

const upAt = (share: number): number => bottom - share * (bottom - box.top)

function drawRun(ctx: CanvasRenderingContext2D, run: string, axes: readonly Axis[], width: number): void {
  let before: readonly [number, number] | null = null
  ctx.beginPath()
  for (const [index, { placeOf }] of axes.entries()) {
    const place = placeOf(run)
    if (place === null) {
      before = null
      continue
    }
    const [x, y] = [across(index, axes.length, width), upAt(place)]
    if (before) ctx.bezierCurveTo((before[0] + x) / 2, before[1], (before[0] + x) / 2, y, x, y)
    else ctx.moveTo(x, y)
    before = [x, y]
  }
  ctx.stroke()
}

function drawTicks(ctx: CanvasRenderingContext2D, { ticks }: Axis, x: number, colour: (name: string) => string): void {
  const shown = ticks.length > WORDS ? ticks.filter((_, index) => index === 0 || index === ticks.length - 1) : ticks
  for (const { at, text } of shown) {
    const isEnd = at === 0 || at === 1
    const y = at === 0 ? bottom + 15 : at === 1 ? box.top - 5 : upAt(at) + 4
    const short = text.length > 14 ? `${text.slice(0, 13)}…` : text
    ctx.textAlign = isEnd ? 'center' : 'left'
    // lines go through it
    ctx.strokeStyle = colour('--card')
    ctx.lineWidth = 4
    if (!isEnd) ctx.strokeText(short, x + 8, y)
    ctx.fillStyle = colour(isEnd ? '--dim' : '--text')
    ctx.fillText(short, isEnd ? x : x + 8, y)
  }
}
