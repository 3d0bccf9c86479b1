/**
 * How figures grow with the size of what they are taken of; for the benchmarks of growth.
 * @module
 */

const ROUNDS = 7
/** Below this a figure is the machine's noise, in milliseconds. */
const FLOOR_MS = 3

/** What each doubling of size may cost at most. */
export const DOUBLING = 2.2

/** Sizes that double up to `most`. */
export const sizes = (most: number): number[] => [most / 8, most / 4, most / 2, most]

/** The least of several times, in milliseconds. */
export async function best(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = performance.now()
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
    await work()
    least = Math.min(least, performance.now() - from)
  }
  return Math.max(least, FLOOR_MS)
}

/** How much the dearest doubling costs; all figures are printed. */
export function dearest(what: string, figures: ReadonlyMap<number, number>, unit = 'ms'): number {
  const all = [...figures.values()]
  const ratios = all.slice(1).map((figure, at) => figure / (all[at] ?? Number.NaN))
  const told = [...figures].map(([size, figure]) => `${size}: ${figure.toFixed(1)} ${unit}`).join(', ')
  console.log(`${what}: ${told}; a doubling costs up to ${Math.max(...ratios).toFixed(2)}`)
  return Math.max(...ratios)
}
