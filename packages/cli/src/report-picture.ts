/**
 * Curves as a picture (SVG) in a report: lines with the bands around them, axes with round numbers, and a legend. Its colours
 * fit light and dark paper.
 * @module
 */
import { number } from './curve.ts'

/** A curve of a picture. */
export interface Drawn {
  /** As HTML. */
  readonly label: string
  /** Place in the list of colours, which begins anew at its end. */
  readonly colour: number
  /** All finite. */
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly band?: readonly { readonly x: number; readonly low: number; readonly high: number }[]
}

const LIGHT = ['#0a7ea4', '#c2410c', '#7c3aed', '#15803d', '#be123c', '#a16207', '#0f766e', '#4338ca']
const DARK = ['#4cc2e6', '#ff9a5c', '#b794ff', '#5fd38a', '#ff7d93', '#e6c04a', '#4fd6c4', '#93a2ff']

const rules = (colours: readonly string[]): string =>
  colours.map((colour, at) => `.c${at} { color: ${colour} }`).join(' ')

/** What the page has to say about its pictures. */
export const PICTURE_STYLE = `${rules(LIGHT)}
@media (prefers-color-scheme: dark) { ${rules(DARK)} }
svg text { font-size: 12px; fill: currentColor; opacity: .75 } svg .grid { stroke: currentColor; opacity: .15 }`

const SIZE = { width: 736, height: 280, left: 64, right: 12, top: 8, bottom: 24 }

/** The curves on common axes, and which is which. */
export function picture(curves: readonly Drawn[]): string {
  const xs = curves.flatMap(({ points }) => points.map(({ x }) => x))
  const ys = curves.flatMap(({ points, band = [] }) => [
    ...points.map(({ y }) => y),
    ...band.flatMap(({ low, high }) => [low, high]),
  ])
  if (xs.length === 0) return '<p class="muted">No finite points.</p>'
  const { width, height, left, right, top, bottom } = SIZE
  const [x0, x1] = bounds(xs)
  const [y0, y1] = bounds(ys)
  const across = (x: number): string => (left + ((x - x0) / (x1 - x0)) * (width - left - right)).toFixed(1)
  const down = (y: number): string => (top + ((y1 - y) / (y1 - y0)) * (height - top - bottom)).toFixed(1)
  const grid = [
    ...ticks(y0, y1, 5).map(
      (y) =>
        `<line class="grid" x1="${left}" x2="${width - right}" y1="${down(y)}" y2="${down(y)}"/><text x="${left - 8}" y="${down(y)}" dy=".35em" text-anchor="end">${number(y)}</text>`,
    ),
    ...ticks(x0, x1, 8).map((x) => `<text x="${across(x)}" y="${height - 6}" text-anchor="middle">${number(x)}</text>`),
  ]
  const place = (x: number, y: number): string => `${across(x)},${down(y)}`
  const bands = curves.flatMap(({ colour, band = [] }) =>
    band.length === 0
      ? []
      : `<polygon class="${classOf(colour)}" fill="currentColor" fill-opacity=".16" points="${[
          ...band.map(({ x, high }) => place(x, high)),
          ...band.toReversed().map(({ x, low }) => place(x, low)),
        ].join(' ')}"/>`,
  )
  const lines = curves.map(({ colour, points, label }) => {
    const [only] = points
    // a line of one point cannot be seen
    return points.length === 1 && only
      ? `<circle class="${classOf(colour)}" fill="currentColor" r="3" cx="${across(only.x)}" cy="${down(only.y)}"><title>${label}</title></circle>`
      : `<polyline class="${classOf(colour)}" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linejoin="round" points="${points
          .map(({ x, y }) => place(x, y))
          .join(' ')}"><title>${label}</title></polyline>`
  })
  const legend = curves.map(({ colour, label }) => `<li><span class="${classOf(colour)}">●</span> ${label}</li>`)
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img">${[...grid, ...bands, ...lines].join('')}</svg>`,
    `<ul class="legend">${legend.join('')}</ul>`,
  ].join('')
}

const classOf = (colour: number): string => `c${colour % LIGHT.length}`

/** The least and the greatest value, apart from each other. */
function bounds(values: readonly number[]): [number, number] {
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}

/** Round numbers between two, some `most` of them. */
function ticks(low: number, high: number, most: number): number[] {
  const raw = (high - low) / most
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10)
  const first = Math.ceil(low / step)
  const count = Math.floor(high / step) - first + 1
  return Number.isFinite(count) ? Array.from({ length: Math.max(0, count) }, (_, at) => (first + at) * step) : []
}
