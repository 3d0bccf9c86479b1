/**
 * Means and spread of curves over the runs that share the value of an input: over all points at equal x, thinned
 * afterwards (wire decision V17). Times are not equal by chance, so these are put into 1,000 bins.
 * @module
 */
import type { CurveGroup } from '@flow-service/protocol'

/** Bins of times. */
const BINS = 1000

/** Welford's running mean and sum of squared differences. */
interface Spread {
  n: number
  mean: number
  squares: number
  min: number
  max: number
}

/** Which group a series is in. */
export interface GroupPlace {
  readonly metric: string
  readonly run: string
  readonly key: unknown
}

interface Group {
  readonly members: GroupPlace[]
  readonly spreads: Map<number, Spread>
  /** Width of a bin of times; null where x are taken as they are. */
  width: number | null
}

/** Gathers the points of series, and tells groups of them. */
export class CurveGroups {
  readonly #groups: readonly Group[]
  readonly #of: readonly Group[]

  /** `ends` are the greatest times of the series where x is time; null elsewhere. */
  constructor(places: readonly GroupPlace[], ends: readonly number[] | null) {
    const groups = new Map<string, Group>()
    this.#of = places.map((place, at) => {
      const name = JSON.stringify([place.metric, place.key])
      const group = groups.get(name) ?? { members: [], spreads: new Map<number, Spread>(), width: null }
      groups.set(name, group)
      group.members.push(place)
      if (ends) group.width = Math.max(group.width ?? 0, (ends[at] ?? 0) / BINS)
      return group
    })
    this.#groups = [...groups.values()]
  }

  /** Takes points of a series; values that are not finite are in no mean. */
  add(series: number, x: Float64Array, y: Float64Array): void {
    const group = this.#of[series]
    if (!group) return
    for (const [at, value] of y.entries()) if (Number.isFinite(value)) add(group, x[at] ?? 0, value)
  }

  /** The groups of all metrics, in the order in which their first series comes; at most so many points each. */
  of(most: number | null): CurveGroup[] {
    return this.#groups.map(({ members, spreads }) => {
      const rows = thinned(
        [...spreads].toSorted(([a], [b]) => a - b),
        most,
      )
      return {
        metric: members[0]?.metric ?? '',
        key: (members[0]?.key ?? null) as CurveGroup['key'],
        runs: members.map(({ run }) => run),
        x: rows.map(([x]) => x),
        mean: rows.map(([, { mean }]) => mean),
        sd: rows.map(([, { n, squares }]) => (n > 1 ? Math.sqrt(squares / (n - 1)) : 0)),
        min: rows.map(([, { min }]) => min),
        max: rows.map(([, { max }]) => max),
        n: rows.map(([, { n }]) => n),
      }
    })
  }
}

function add({ width, spreads }: Group, x: number, y: number): void {
  // the middle of a bin stands for the times in it
  const at = width === null ? x : width > 0 ? (Math.max(0, Math.min(BINS - 1, Math.floor(x / width))) + 0.5) * width : 0
  let spread = spreads.get(at)
  if (!spread) spreads.set(at, (spread = { n: 0, mean: 0, squares: 0, min: y, max: y }))
  spread.n += 1
  const off = y - spread.mean
  spread.mean += off / spread.n
  spread.squares += off * (y - spread.mean)
  spread.min = Math.min(spread.min, y)
  spread.max = Math.max(spread.max, y)
}

/** Every so many rows, the first and the last among them. */
function thinned<T>(rows: readonly T[], most: number | null): readonly T[] {
  if (most === null || rows.length <= most) return rows
  return Array.from({ length: most }, (_, at) => rows[Math.round((at * (rows.length - 1)) / (most - 1))]!)
}
