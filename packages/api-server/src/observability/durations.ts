/**
 * Durations as a histogram of fixed, logarithmic steps: eight a doubling, so that a quantile is right within 5 %. Counts
 * have fractions, because a duration may stand for many that were not measured.
 * @module
 */

const STEPS_A_DOUBLING = 8
const FINEST_MS = 0.001
/** Beyond about 13 days. */
const LAST_STEP = 320

/** Counts by step; sums of two of them are the histogram of both. */
export type Histogram = Map<number, number>

/** The step of a duration in milliseconds. */
export const stepOf = (durationMs: number): number =>
  durationMs <= FINEST_MS ? 0 : Math.min(LAST_STEP, Math.ceil(Math.log2(durationMs / FINEST_MS) * STEPS_A_DOUBLING))

/** The duration in the middle of a step, in milliseconds. */
export const middleOf = (step: number): number => FINEST_MS * 2 ** ((step - 0.5) / STEPS_A_DOUBLING)

/** Adds `count` durations of a step. */
export function add(histogram: Histogram, step: number, count: number): void {
  histogram.set(step, (histogram.get(step) ?? 0) + count)
}

/** The duration in milliseconds that `share` (0 to 1) of all do not exceed; null when there is none. */
export function quantile(histogram: Histogram, share: number): number | null {
  const steps = [...histogram].toSorted(([a], [b]) => a - b)
  const rank = steps.reduce((sum, [, count]) => sum + count, 0) * share
  let seen = 0
  for (const [step, count] of steps) {
    seen += count
    if (seen >= rank) return middleOf(step)
  }
  return steps.length === 0 ? null : middleOf(steps.at(-1)?.[0] ?? 0)
}
