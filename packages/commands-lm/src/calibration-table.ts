/**
 * Scores of readings, and how often a reading with this score was what had been said. Both grow. Written by
 * `npm run commands-lm:calibrate`.
 * @module
 */
export const calibration: readonly (readonly [score: number, confidence: number])[] = [
  [-4.72, 0],
  [-3.72, 0.8704],
  [-0.5, 0.8704],
  [-0.49, 0.9773],
  [-0.13, 0.9773],
  [-0.12, 0.9978],
  [0.05, 0.9978],
]
