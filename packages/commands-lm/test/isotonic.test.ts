/** The curve by which scores become confidence. */
import { expect, test } from 'vitest'

import { curveOf, type Scored } from '../corpus/isotonic.ts'

const scored = (score: number, right: number, wrong: number): Scored[] => [
  ...Array.from({ length: right }, () => ({ score, right: true })),
  ...Array.from({ length: wrong }, () => ({ score, right: false })),
]

test('each score has the share that was right of it, one right and one wrong added', () => {
  expect(curveOf([...scored(-2, 18, 80), ...scored(-1, 48, 50), ...scored(0, 97, 1)])).toEqual([
    [-2, 0.19],
    [-1, 0.49],
    [0, 0.98],
  ])
})

test('scores are pooled where a greater one was right less often', () => {
  expect(curveOf([...scored(-2, 40, 9), ...scored(-1, 9, 40), ...scored(0, 97, 1)])).toEqual([
    [-2, 0.5],
    [-1, 0.5],
    [0, 0.98],
  ])
})

test('a few scores make no point of their own, and none makes the curve fall', () => {
  const curve = curveOf([
    ...scored(-3, 0, 2),
    ...scored(-2, 1, 11),
    ...scored(-1, 500, 4),
    ...scored(-0.5, 11, 0),
    ...scored(0, 5, 0),
  ])
  expect(curve.map(([score]) => score)).toEqual([-3, -2, -1, 0])
  expect(curve.map(([, share]) => share).toSorted((a, b) => a - b)).toEqual(curve.map(([, share]) => share))
})
