/**
 * Scores of readings, and how often a reading with this score was what had been said. Both grow. Written by
 * `npm run commands-lm:calibrate`.
 * @module
 */
export const calibration: readonly (readonly [score: number, confidence: number])[] = [
  [-3.79, 0],
  [-2.79, 0.8478],
  [-0.8, 0.8478],
  [-0.77, 0.9983],
  [0.05, 0.9983],
]
