/** What the chart draws of the curves or the means of runs, with their colours and names. */
import { counted, oneLine, shortId } from '../format.ts'
import { coloursOf, hue, type Theme } from '../parts/chart/colours.ts'
import { type Series, smoothed } from '../parts/chart/series.ts'
import type { Curve } from './curves-of.ts'
import type { Mean } from './means-of.ts'
import type { RunInfo } from './runs-of.ts'

export interface SeriesLook {
  readonly colourOf: (run: string) => string
  readonly nameOf: (run: string) => string
  /** Null keeps all. */
  readonly kept: ReadonlySet<string> | null
  /** How much a smooth curve keeps of what was before. */
  readonly keep: number
}

export const seriesOf = (curves: readonly Curve[], { colourOf, nameOf, kept, keep }: SeriesLook): readonly Series[] =>
  curves
    .filter(({ xs }) => xs.length > 0)
    .map(({ run, xs, ys }) => ({
      key: run,
      name: nameOf(run),
      colour: colourOf(run),
      xs,
      ys: smoothed(ys, keep),
      ...(keep > 0 ? { raw: ys } : {}),
      isDim: kept !== null && !kept.has(run),
    }))

export function seriesOfMeans(means: readonly Mean[], keep: number, theme: Theme): readonly Series[] {
  const keys = means.map(({ key }) => JSON.stringify(key))
  const colours = coloursOf(keys, (key) => keys.indexOf(key), theme)
  return means.map(({ key, runs, xs, mean, sd }, index) => ({
    key: keys[index] ?? '',
    name: `${oneLine(key ?? 'none', 24)} (${counted(runs.length, 'run')})`,
    colour: colours.get(keys[index] ?? '') ?? hue(index, theme),
    xs,
    ys: smoothed(mean, keep),
    band: {
      low: mean.map((value, at) => value - (sd[at] ?? 0)),
      high: mean.map((value, at) => value + (sd[at] ?? 0)),
    },
  }))
}

/** Runs by what tells them apart: the flow where there are several, and the end of the id. */
export function namesOf(runs: readonly RunInfo[]): (run: string) => string {
  const hasFlows = new Set(runs.map(({ flow }) => flow)).size > 1
  const names = new Map(runs.map(({ id, flow }) => [id, hasFlows ? `${flow} ${shortId(id)}` : shortId(id)]))
  return (run) => names.get(run) ?? shortId(run)
}
