/**
 * Scores of readings, and how often a reading with this score was what had been said. Both grow. Written by
 * `npm run commands-lm:calibrate`.
 * @module
 */
export const calibration: readonly (readonly [score: number, confidence: number])[] = [
  [-4.72, 0],
  [-3.72, 0.8654],
  [-0.8, 0.8654],
  [-0.78, 0.9615],
  [-0.65, 0.9615],
  [-0.64, 0.9981],
  [0.05, 0.9981],
]
