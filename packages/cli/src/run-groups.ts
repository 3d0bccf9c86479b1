/**
 * Runs in groups that share the values of inputs, with mean and spread of what they ended with: what the seeds of a search
 * differ by. `runs compare --by` prints them, and `runs report --by` shows them on its page.
 * @module
 */
import type { Client, Run, RunSummary } from '@flow-service/client-sdk'

import { number } from './curve.ts'
import { CommandFailure } from './failure.ts'
import { oneLine } from './table.ts'
import { jsonOrText } from './values.ts'

/** A run with its inputs and the values that it ended with, by the names that `--metric` takes: `loss`, `results.f1`. */
export interface GroupedRun {
  readonly id: string
  readonly flow: string
  readonly params: Readonly<Record<string, unknown>>
  readonly finals: Readonly<Record<string, unknown>>
}

/** Values of several runs; those that are not finite are in none of the numbers. */
export interface Spread {
  /** How many finite values there are. */
  readonly n: number
  readonly mean: number
  /** Their standard deviation, over n - 1; null of a single value. */
  readonly sd: number | null
  readonly min: number
  readonly max: number
}

/** Runs that share values. */
export interface RunGroup {
  /** The value of each field; null where the runs have none. */
  readonly key: Readonly<Record<string, unknown>>
  readonly runs: readonly string[]
  /** Null where no run of the group has a finite value. */
  readonly metrics: Readonly<Record<string, Spread | null>>
}

/** Whether the least or the greatest mean of a metric is the best. */
export interface Aim {
  readonly metric: string
  readonly least: boolean
}

/** Options of commands that group runs. */
export interface GroupFlags {
  /** Inputs, as `params.lr` or `lr`. */
  readonly by?: readonly string[]
  readonly metric?: string
  readonly min?: boolean
  readonly max?: boolean
}

/** A run of a list that has params, results and metrics. */
export const ofSummary = ({ id, flow, params, results, metrics }: RunSummary): GroupedRun => ({
  id,
  flow,
  params: params ?? {},
  finals: {
    ...Object.fromEntries(Object.entries(metrics ?? {}).map(([name, { last }]) => [name, last])),
    ...numbersOf(results ?? {}),
  },
})

/** A run with everything that is kept of it. */
export const ofRun = ({ id, flow, inputs, metrics, result }: Run): GroupedRun => ({
  id,
  flow,
  params: Object.fromEntries(inputs.map(({ name, value }) => [name, value])),
  finals: {
    ...Object.fromEntries(metrics.map(({ name, last }) => [bare(name, flow), last])),
    ...numbersOf(result ?? {}),
  },
})

/** Outputs that are numbers, among them those that JSON cannot write. */
const numbersOf = (outputs: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(outputs)
      .filter(([, value]) => typeof value === 'number' || value === 'NaN' || /^-?Infinity$/.test(String(value)))
      .map(([name, value]) => [`results.${name}`, value]),
  )

const bare = (name: string, flow: string): string => (name.startsWith(`${flow}.`) ? name.slice(flow.length + 1) : name)

/** The fields of `--by` as filters name them. */
export const fieldsOf = (by: readonly string[]): string[] => [
  ...new Set(by.map((name) => (name.startsWith('params.') ? name : `params.${name}`))),
]

/** Refuses options that do not go together; `otherwise` is the metric where `--metric` is left out. */
export function assertGroupFlags({ by, metric, min, max }: GroupFlags, otherwise?: string): void {
  if (by?.length === 0) throw new CommandFailure(2, 'name an input: --by params.lr')
  const isAsked = metric !== undefined || min === true || max === true
  if (!isAsked) return
  if (by === undefined) {
    throw new CommandFailure(2, '--metric, --min and --max mark the best group: name an input with --by')
  }
  if (min === max) {
    throw new CommandFailure(2, 'tell whether the least mean is the best (--min) or the greatest (--max)')
  }
  if (metric === undefined && otherwise === undefined) {
    throw new CommandFailure(2, 'name what the best group is told by: --metric <name>')
  }
}

/** What {@link assertGroupFlags} has let pass; null when the best group is not asked for. Refuses an unknown metric. */
export function aimOf({ metric, min, max }: GroupFlags, runs: readonly GroupedRun[], otherwise = ''): Aim | null {
  if (min === max) return null
  const asked = metric ?? otherwise
  const found = runs.flatMap(({ flow, finals }) => [asked, bare(asked, flow)].filter((name) => name in finals))[0]
  if (found !== undefined) return { metric: found, least: min === true }
  const known = namesOf(runs.map(({ finals }) => finals))
  throw new CommandFailure(1, `none of these runs ended with "${oneLine(asked)}"; ${listed(known, 'metrics')}`)
}

/** Groups by the values of fields, in their order; with an aim the best comes first. */
export function groupsOf(runs: readonly GroupedRun[], fields: readonly string[], aim: Aim | null): RunGroup[] {
  for (const field of fields) {
    if (runs.some(({ params }) => valueOf(params, field) !== null)) continue
    const known = namesOf(runs.map(({ params }) => params)).map((name) => `params.${name}`)
    throw new CommandFailure(1, `none of these runs has an input "${oneLine(field)}"; ${listed(known, 'inputs')}`)
  }
  const members = new Map<string, GroupedRun[]>()
  for (const run of runs) {
    const key = JSON.stringify(fields.map((field) => valueOf(run.params, field)))
    members.set(key, [...(members.get(key) ?? []), run])
  }
  const names = namesOf(runs.map(({ finals }) => finals))
  const groups = [...members].map(([key, own]): RunGroup => {
    const values = JSON.parse(key) as unknown[]
    return {
      key: Object.fromEntries(fields.map((field, at) => [field, values[at]])),
      runs: own.map(({ id }) => id),
      metrics: Object.fromEntries(names.map((name) => [name, spreadOf(own.map(({ finals }) => finals[name]))])),
    }
  })
  const byKey = groups.toSorted((a, b) =>
    fields.reduce((order, field) => order || compareValues(a.key[field], b.key[field]), 0),
  )
  return aim === null ? byKey : byKey.toSorted((a, b) => compareGroups(a, b, aim))
}

/** Whether the group is the best of these, which an aim has sorted; or as good as the best. */
export const isBest = (group: RunGroup, [first]: readonly RunGroup[], aim: Aim | null): boolean =>
  aim !== null && first !== undefined && first.metrics[aim.metric] !== null && compareGroups(group, first, aim) === 0

/** Names of metrics of groups, in a fixed order, each with the head of its column. */
export function metricsOf(groups: readonly RunGroup[]): Map<string, string> {
  const names = namesOf(groups.map(({ metrics }) => metrics))
  return new Map(
    names.map((name) => {
      const output = name.replace(/^results\./, '')
      return [name, oneLine(names.includes(output) ? name : output, 40)]
    }),
  )
}

/** Mean and spread for people; of how many runs, where some have no finite value. */
export function spreadText(spread: Spread | null, runs: number): string {
  if (spread === null) return '-'
  const { mean, sd, n } = spread
  const decimals = sd === null || sd === 0 ? null : 1 - Math.floor(Math.log10(sd))
  const isPlain = decimals !== null && decimals <= 8 && Math.abs(mean) < 1e9 && (sd ?? 0) < 1e9
  const show = (value: number): string => (isPlain ? value.toFixed(Math.max(0, decimals)) : number(value))
  return `${show(mean)}${sd === null ? '' : ` ± ${show(sd)}`}${n < runs ? ` (${n} of ${runs})` : ''}`
}

/** The value of an input in a table or a legend: text that looks like something else is quoted. */
export function keyText(value: unknown): string {
  if (value === null || value === undefined) return '(none)'
  const isText = typeof value === 'string'
  const isPlain = isText && value !== '' && value !== '(none)' && value.trim() === value && jsonOrText(value) === value
  return oneLine(isText && !isPlain ? JSON.stringify(value) : value, 40)
}

/** A group by its values: `lr=0.1 depth=3`. */
export const groupText = ({ key }: RunGroup): string =>
  Object.entries(key)
    .map(([field, value]) => `${oneLine(field.slice('params.'.length), 40)}=${keyText(value)}`)
    .join(' ')

/** What the columns of a table of groups mean. */
export function spreadNotes(groups: readonly RunGroup[]): string[] {
  const all = groups.flatMap(({ metrics, runs }) => Object.values(metrics).map((spread) => ({ spread, runs })))
  return [
    ...(all.some(({ spread }) => (spread?.sd ?? null) !== null)
      ? ['mean ± standard deviation (n - 1) of the last values of the runs']
      : []),
    ...(all.some(({ spread, runs }) => spread !== null && spread.n < runs.length)
      ? ['(2 of 3): the other runs of the group have no finite value']
      : []),
  ]
}

/** The curves of means of a metric over each group, with the band of the least and greatest. */
export interface MeanCurve {
  readonly metric: string
  readonly x: readonly number[]
  readonly mean: readonly number[]
  readonly sd: readonly (number | null)[]
  readonly min: readonly number[]
  readonly max: readonly number[]
  /** How many runs have a finite value there. */
  readonly n: readonly number[]
}

/** The engine groups by one input; by several, each group is asked for by itself. */
export async function meanCurves(
  client: Client,
  groups: readonly RunGroup[],
  { metrics, x, points }: { metrics: readonly string[]; x?: string | undefined; points: number },
): Promise<Map<RunGroup, MeanCurve[]>> {
  const fields = Object.keys(groups[0]?.key ?? {})
  const asked = fields.length === 1 ? [groups] : groups.map((group) => [group])
  const of = new Map(groups.flatMap((group) => group.runs.map((run) => [run, group])))
  const curves = new Map<RunGroup, MeanCurve[]>(groups.map((group) => [group, []]))
  const pages = Array.from({ length: Math.ceil(metrics.length / MAX_METRICS) }, (_, page) =>
    metrics.slice(page * MAX_METRICS, (page + 1) * MAX_METRICS),
  )
  const requests = pages.flatMap((names) =>
    asked.map((some) => ({ metrics: names, ids: some.flatMap(({ runs }) => runs) })),
  )
  for (const request of requests) {
    const axis = x === undefined ? {} : { x }
    // oxlint-disable-next-line no-await-in-loop -- many large answers at once would only wait for each other
    const answer = await client.metrics.compareMany({ ...request, ...axis, points, group: fields[0]! })
    for (const { key: _key, runs, ...curve } of answer.groups ?? []) {
      const sd = curve.sd.map((value, at) => ((curve.n[at] ?? 0) > 1 ? value : null))
      if (curve.x.length > 0) curves.get(of.get(runs[0] ?? '')!)?.push({ ...curve, sd })
    }
  }
  return curves
}

/** A curve in so many equal ranges of x: where each run has x of its own, such as times, each mean would be of one run. */
export function inRanges({ metric, ...curve }: MeanCurve, ranges: number): Omit<MeanCurve, 'sd'> {
  const [first = 0, last = 0] = [curve.x[0], curve.x.at(-1)]
  const width = (last - first) / ranges || 1
  const rows = new Map<number, { mean: number; min: number; max: number; n: number }>()
  for (const [at, x] of curve.x.entries()) {
    const range = Math.min(ranges - 1, Math.floor((x - first) / width))
    const [n = 0, mean = 0, min = 0, max = 0] = [curve.n[at], curve.mean[at], curve.min[at], curve.max[at]]
    const row = rows.get(range) ?? { mean, min, max, n: 0 }
    const all = row.n + n
    rows.set(range, {
      mean: row.mean + ((mean - row.mean) * n) / all,
      min: Math.min(row.min, min),
      max: Math.max(row.max, max),
      n: all,
    })
  }
  const of = (key: 'mean' | 'min' | 'max' | 'n'): number[] => [...rows.values()].map((row) => row[key])
  // the middle of a range stands for what is in it
  const x = [...rows.keys()].map((range) => first + (range + 0.5) * width)
  return { metric, x, mean: of('mean'), min: of('min'), max: of('max'), n: of('n') }
}

/** Metrics of one comparison. */
const MAX_METRICS = 20

function spreadOf(values: readonly unknown[]): Spread | null {
  const finite = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value))
  if (finite.length === 0) return null
  const [first = 0] = finite
  // from the first on, so that equal values have exactly that mean
  const mean = first + finite.reduce((sum, value) => sum + (value - first) / finite.length, 0)
  const squares = finite.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const sd = finite.length > 1 ? Math.sqrt(squares / (finite.length - 1)) : null
  return { n: finite.length, mean, sd, min: Math.min(...finite), max: Math.max(...finite) }
}

/** The value of an input, which may lie deeper: `params.optimizer.lr`. */
function valueOf(params: Readonly<Record<string, unknown>>, field: string): unknown {
  let value: unknown = params
  for (const name of field.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
    value = (value as Record<string, unknown>)[name]
  }
  return value ?? null
}

const namesOf = (records: readonly Readonly<Record<string, unknown>>[]): string[] =>
  [...new Set(records.flatMap((record) => Object.keys(record)))].toSorted((a, b) =>
    // curves before outputs
    a.startsWith('results.') === b.startsWith('results.') ? (a < b ? -1 : 1) : a.startsWith('results.') ? 1 : -1,
  )

const listed = (known: readonly string[], noun: string): string =>
  known.length === 0 ? `they have no ${noun}` : `there are ${known.map((name) => oneLine(name, 60)).join(', ')}`

/** Numbers in their order, before text; what is missing comes last. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const rank = (value: unknown): number => (value === null ? 2 : typeof value === 'number' ? 0 : 1)
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)]
  return left === right ? 0 : left < right ? -1 : 1
}

/** A group in which a run has no finite value is behind those in which all have one: it may be good by luck alone. */
function compareGroups(a: RunGroup, b: RunGroup, { metric, least }: Aim): number {
  const rank = ({ metrics, runs }: RunGroup): number => {
    const n = metrics[metric]?.n ?? 0
    return n === runs.length ? 0 : n > 0 ? 1 : 2
  }
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  const off = (a.metrics[metric]?.mean ?? 0) - (b.metrics[metric]?.mean ?? 0)
  return least ? off : -off
}
