/**
 * Scores of readings, and how often a reading with this score was what had been said. Both grow. Written by
 * `npm run commands-lm:calibrate`.
 * @module
 */
export const calibration: readonly (readonly [score: number, confidence: number])[] = [
  [-4.72, 0],
  [-3.72, 0.75],
  [-1.1, 0.75],
  [-1.07, 0.85],
  [-0.67, 0.85],
  [-0.65, 0.8696],
  [-0.5, 0.8696],
  [-0.49, 0.9776],
  [-0.13, 0.9776],
  [-0.12, 0.9978],
  [0.02, 0.9978],
]
