/**
 * Scores of readings, and how often a reading with this score was what had been said. Both grow.
 * @module
 */
export const calibration: readonly (readonly [score: number, confidence: number])[] = [
  [-4.2, 0],
  [-4, 0.2],
  [-3, 0.5],
  [-2.4, 0.8],
  [-2, 0.9],
  [-1.6, 0.94],
  [-0.8, 0.975],
  [0, 0.995],
]
