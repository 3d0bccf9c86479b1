/**
 * From the score of a reading to the probability that just this was said.
 * @module
 */
import { calibration } from './calibration-table.ts'

/** A doubtful reading is never surer than this. */
export const MAX_DOUBTFUL = 0.9

/** The confidence of a reading with this score: between the points of the table along a line. */
export function confidenceOf(score: number): number {
  const first = calibration[0]
  const last = calibration.at(-1)
  if (!first || !last) return 0
  if (score <= first[0]) return first[1]
  for (let at = 1; at < calibration.length; at++) {
    const [low, from] = calibration[at - 1] ?? first
    const [high, to] = calibration[at] ?? last
    if (score <= high) return from + ((to - from) * (score - low)) / (high - low)
  }
  return last[1]
}
