/**
 * Sweeps: which runs a search over parameters consists of.
 * @module
 */

/** Values to try for parameters; the others keep their initial values. */
export type Axes<P> = { readonly [K in keyof P]?: readonly P[K][] | undefined }

/** What a sweep runs: listed params, or every combination of axes. With `seeds`, all of it once for each seed. */
export type SweepRuns<P> =
  | { readonly runs: readonly Partial<P>[]; readonly grid?: never; readonly seeds?: readonly number[] }
  | { readonly grid: Axes<P>; readonly runs?: never; readonly seeds?: readonly number[] }

/** Entries of a sweep as the API takes them: `seeds`, where given, is parallel to `runs`. */
export interface SweepEntries<P> {
  readonly runs: readonly Partial<P>[]
  readonly seeds?: readonly number[]
}

/**
 * Every combination of the values of the axes, in the order of the axes, the last one fastest; one empty entry without
 * axes, none when an axis has no value.
 *
 * @example grid({ lr: [0.1, 0.3], epochs: [10, 20] }) // four entries, beginning with { lr: 0.1, epochs: 10 }
 */
export function grid<P>(axes: Axes<P>): Partial<P>[] {
  let entries: Partial<P>[] = [{}]
  for (const name of Object.keys(axes) as (keyof P)[]) {
    const values = axes[name]
    if (values === undefined) continue
    entries = entries.flatMap((entry) => values.map((value) => ({ ...entry, [name]: value })))
  }
  return entries
}

/**
 * Each entry once for each seed, seeds fastest, as `client.runs.sweep` takes them.
 *
 * @example client.runs.sweep({ name: 'fit', ...repeat(grid({ lr: [0.1, 0.3] }), [1, 2, 3]) }) // six runs
 */
export const repeat = <P>(
  runs: readonly Partial<P>[],
  seeds: readonly number[],
): { runs: Partial<P>[]; seeds: number[] } => ({
  runs: runs.flatMap((params) => seeds.map(() => params)),
  seeds: runs.flatMap(() => seeds),
})

/** The entries of a sweep. */
export function entriesOf<P>(sweep: SweepRuns<P>): SweepEntries<P> {
  const runs = sweep.runs ?? grid(sweep.grid)
  return sweep.seeds === undefined ? { runs } : repeat(runs, sweep.seeds)
}
