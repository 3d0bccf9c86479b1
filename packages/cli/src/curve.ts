/**
 * Curves as text: dots of Braille patterns (two by four in each character), one colour a curve.
 * @module
 */
import { styleText } from 'node:util'

import { dim } from './terminal.ts'

/** A curve with its name, and perhaps a band around it; points without a finite place are left out. */
export interface Curve {
  readonly name: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly band?: readonly { readonly x: number; readonly low: number; readonly high: number }[]
}

const COLOURS = ['cyan', 'yellow', 'magenta', 'green', 'red', 'blue'] as const
/** Bits of the dots of a Braille pattern, by column and row (Unicode chapter 21.1). */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const

/** A picture of `width` by `height` characters, with the range of both axes and a legend. */
export function drawCurves(curves: readonly Curve[], { width, height }: { width: number; height: number }): string {
  const isPlace = ({ x, y }: { x: number; y: number }): boolean => Number.isFinite(x) && Number.isFinite(y)
  const places = curves.map(({ points }) => points.filter(isPlace))
  const edges = curves.map(({ band = [] }) => ({
    low: band.map(({ x, low }) => ({ x, y: low })).filter(isPlace),
    high: band.map(({ x, high }) => ({ x, y: high })).filter(isPlace),
  }))
  const all = [...places, ...edges.flatMap(({ low, high }) => [low, high])].flat()
  if (all.length === 0) return 'no points'
  const [left, right] = range(all.map(({ x }) => x))
  const [low, high] = range(all.map(({ y }) => y))
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => ({ bits: 0, of: 0 })))
  const dotsOf = (points: readonly { readonly x: number; readonly y: number }[]): Dot[] =>
    joined(
      points.map(({ x, y }) => ({
        column: Math.round(((x - left) / (right - left)) * (2 * width - 1)),
        row: Math.round(((high - y) / (high - low)) * (4 * height - 1)),
      })),
    )
  const mark = (of: number, { column, row }: Dot): void => {
    const cell = cells[row >> 2]![column >> 1]!
    cell.bits |= DOTS[column & 1]![row & 3]!
    cell.of = of
  }
  for (const [of, edge] of edges.entries()) {
    for (const dot of between(dotsOf(edge.high), dotsOf(edge.low))) mark(of, dot)
  }
  // lines are over all bands
  for (const [of, points] of places.entries()) for (const dot of dotsOf(points)) mark(of, dot)
  const labels = [number(high), number(low)]
  const margin = Math.max(...labels.map(({ length }) => length))
  const lines = cells.map((row, at) => {
    const label = at === 0 ? labels[0]! : at === height - 1 ? labels[1]! : ''
    const dots = row.map(({ bits, of }) => (bits === 0 ? ' ' : paint(of, String.fromCodePoint(0x28_00 + bits))))
    return `${dim(label.padStart(margin))} ${dots.join('')}`.trimEnd()
  })
  const [from, to] = [number(left), number(right)]
  const axis = dim(`${' '.repeat(margin + 1)}${from}${' '.repeat(Math.max(1, width - from.length - to.length))}${to}`)
  const legend = curves.map(({ name }, of) => `${paint(of, '●')} ${name}`)
  return [...lines, axis, ...legend].join('\n')
}

interface Dot {
  readonly column: number
  readonly row: number
}

/** The dots with those on the straight lines between them. */
function joined(dots: readonly Dot[]): Dot[] {
  return dots.flatMap((to, at) => {
    const from = dots[at - 1] ?? to
    const steps = Math.max(1, Math.abs(to.column - from.column), Math.abs(to.row - from.row))
    return Array.from({ length: steps }, (_, step) => ({
      column: Math.round(from.column + ((to.column - from.column) * (step + 1)) / steps),
      row: Math.round(from.row + ((to.row - from.row) * (step + 1)) / steps),
    }))
  })
}

/** Every fourth dot of the area between two lines. */
function between(upper: readonly Dot[], lower: readonly Dot[]): Dot[] {
  const bottoms = new Map<number, number>()
  for (const { column, row } of lower) bottoms.set(column, Math.max(row, bottoms.get(column) ?? 0))
  const tops = new Map<number, number>()
  for (const { column, row } of upper) tops.set(column, Math.min(row, tops.get(column) ?? Infinity))
  return [...tops].flatMap(([column, top]) =>
    Array.from({ length: Math.max(0, (bottoms.get(column) ?? -1) - top + 1) }, (_, at) => ({
      column,
      row: top + at,
    })).filter(({ row }) => (column + 2 * row) % 4 === 0),
  )
}

/** The smallest and the largest value, apart from each other. */
function range(values: readonly number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity]
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}

/** At most four digits. */
export const number = (value: number): string => String(Number(value.toPrecision(4)))

const paint = (of: number, text: string): string =>
  styleText(COLOURS[of % COLOURS.length]!, text, { stream: process.stdout })
