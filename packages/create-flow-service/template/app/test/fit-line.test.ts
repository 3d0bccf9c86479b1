import { testStage } from '@flow-service/testing'
import { expect, test } from 'vitest'

import { fit, measure } from '../flows/fit-line.ts'

test('equal seeds measure equal points', async () => {
  const inputs = { count: 3, seed: 1 }
  const { outputs } = await testStage(measure, inputs, { seed: 1 })
  expect(outputs.points).toHaveLength(3)
  expect((await testStage(measure, inputs, { seed: 1 })).outputs).toEqual(outputs)
})

test('a line is found again, and each step is nearer to it', async () => {
  const points = [0, 0.25, 0.5, 0.75, 1].map((x) => ({ x, y: 2 * x + 1 }))
  const { outputs, emitted } = await testStage(fit, { points, rate: 0.3, steps: 500 })
  expect(outputs.slope).toBeCloseTo(2)
  expect(outputs.offset).toBeCloseTo(1)
  const losses = emitted.map(({ value }) => Number(value))
  expect(losses).toEqual(losses.toSorted((a, b) => b - a))
})
