/**
 * Scores of readings, and how often a reading with this score was what had been said. Both grow. Written by
 * `npm run commands-lm:calibrate`.
 * @module
 */
export const calibration: readonly (readonly [score: number, confidence: number])[] = [
  [-3.79, 0],
  [-2.79, 0.8776],
  [-0.8, 0.8776],
  [-0.77, 0.9643],
  [-0.65, 0.9643],
  [-0.64, 0.9981],
  [0.05, 0.9981],
]
