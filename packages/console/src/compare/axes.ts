/** The axes of parallel coordinates and of a scatter: parameters that differ between the runs, and the metric. */
import { decoded } from './address.ts'
import type { RunInfo } from './runs-of.ts'

export interface Axis {
  readonly name: string
  readonly isLog: boolean
  /** All of its values are above zero, and not one and the same. */
  readonly canBeLog: boolean
  /** From 0 to 1; null where the run has no value of it. */
  readonly placeOf: (run: string) => number | null
  readonly textOf: (run: string) => string
  /** What stands at the ends, or at each word. */
  readonly ticks: readonly { readonly at: number; readonly text: string }[]
}

/** A range of an axis, each end from 0 to 1. */
export type Brush = readonly [low: number, high: number]
export type Brushes = Readonly<Record<string, Brush>>

/** Numbers that span more than this are placed by their logarithms. */
const LOG_FROM = 50

/** What an axis is made of. */
interface Source {
  readonly name: string
  readonly runs: readonly string[]
  readonly valueOf: (run: string) => unknown
  readonly text: (value: unknown) => string
}

/** How somebody wants the axes: the first ones, and those that are logarithmic or are not, whatever they would be. */
export interface AxisWishes {
  readonly order: readonly string[]
  readonly log: readonly string[]
  readonly linear: readonly string[]
}

/** Parameters that not all runs share, each an axis, and then the metric. */
export function axesOf(
  runs: readonly RunInfo[],
  metric: { readonly name: string; readonly valueOf: (run: string) => unknown },
  text: (value: unknown) => string,
  { order, log, linear }: AxisWishes = { order: [], log: [], linear: [] },
): Axis[] {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const ids = runs.map(({ id }) => id)
  const axes = [
    ...differing(runs).map((name) => ({ name, valueOf: (run: string): unknown => byId.get(run)?.params[name] })),
    metric,
  ].map(({ name, valueOf }) => {
    const wish = log.includes(name) ? true : linear.includes(name) ? false : null
    return axisOf({ name, runs: ids, valueOf, text }, wish)
  })
  const rank = ({ name }: Axis): number => (order.includes(name) ? order.indexOf(name) : order.length)
  return axes.toSorted((a, b) => rank(a) - rank(b))
}

/** The names in another order: this one at that place. */
export const moved = (names: readonly string[], name: string, to: number): readonly string[] =>
  names.filter((one) => one !== name).toSpliced(Math.max(0, Math.min(names.length - 1, to)), 0, name)

/** Names of parameters whose values differ. */
export function differing(runs: readonly RunInfo[]): string[] {
  const names = [...new Set(runs.flatMap(({ params }) => Object.keys(params)))]
  return names.filter((name) => new Set(runs.map(({ params }) => JSON.stringify(params[name]))).size > 1)
}

/** Logarithmic as is wished, or where numbers span much. */
function axisOf({ name, runs, valueOf, text }: Source, wish: boolean | null = null): Axis {
  const textOf = (run: string): string => text(valueOf(run))
  const values = runs.map(valueOf).filter((value) => value !== undefined && value !== null)
  const numbers = values.map((value) => (typeof value === 'number' ? value : Number.NaN)).filter(Number.isFinite)
  if (values.some((value) => typeof value !== 'number')) return wordAxis({ name, runs, valueOf, text })
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  const canBeLog = low > 0 && high > low
  const isLog = canBeLog && (wish ?? high / low > LOG_FROM)
  const share = (value: number): number => {
    if (low >= high) return 0.5
    return isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)
  }
  const ends = [
    { at: 0, text: text(low) },
    { at: 1, text: text(high) },
  ]
  return {
    name,
    isLog,
    canBeLog,
    textOf,
    placeOf: (run) => {
      const value = valueOf(run)
      return typeof value === 'number' && Number.isFinite(value) ? share(value) : null
    },
    ticks: numbers.length === 0 ? [] : low === high ? [{ at: 0.5, text: text(low) }] : ends,
  }
}

/** Each word its place, in their order. */
function wordAxis({ name, runs, valueOf, text }: Source): Axis {
  const textOf = (run: string): string => text(valueOf(run))
  const words = [...new Set(runs.filter((run) => valueOf(run) != null).map(textOf))].toSorted()
  const place = (word: string): number => (words.length === 1 ? 0.5 : words.indexOf(word) / (words.length - 1))
  return {
    name,
    isLog: false,
    canBeLog: false,
    textOf,
    placeOf: (run) => (valueOf(run) == null ? null : place(textOf(run))),
    ticks: words.map((word) => ({ at: place(word), text: word })),
  }
}

/** The runs within all brushes; null when there is none. */
export function keptBy(runs: readonly string[], axes: readonly Axis[], brushes: Brushes): ReadonlySet<string> | null {
  const set = axes.filter(({ name }) => brushes[name])
  if (set.length === 0) return null
  const isIn = (run: string, { name, placeOf }: Axis): boolean => {
    const place = placeOf(run)
    const [low, high] = brushes[name] ?? [0, 1]
    return place !== null && place >= low - 1e-9 && place <= high + 1e-9
  }
  return new Set(runs.filter((run) => set.every((axis) => isIn(run, axis))))
}

/** Brushes in an address: `lr:0.1:0.5,depth:0:0`. */
export const textOfBrushes = (brushes: Brushes): string =>
  Object.entries(brushes)
    .map(([name, [low, high]]) => `${encodeURIComponent(name)}:${round(low)}:${round(high)}`)
    .join()

export function brushesOf(text: string): Brushes {
  const found = text.split(',').flatMap((part) => {
    const [name = '', low, high] = part.split(':')
    const brush = [Number(low), Number(high)] as const
    return name !== '' && brush.every((end) => end >= 0 && end <= 1) ? [[decoded(name), brush] as const] : []
  })
  return Object.fromEntries(found)
}

const round = (share: number): number => Math.round(share * 1000) / 1000
