import { expect, test } from 'vitest'

import { add, type Histogram, middleOf, quantile, stepOf } from '../../src/observability/durations.ts'
import { Minutes } from '../../src/observability/minutes.ts'

test.each([0.0005, 0.01, 1, 37, 999, 60_000, 86_400_000])('a duration of %d ms is told within 5 %%', (durationMs) => {
  const told = middleOf(stepOf(durationMs))
  if (durationMs >= 0.001) expect(Math.abs(told / durationMs - 1)).toBeLessThan(0.05)
  else expect(told).toBeLessThan(0.0011)
})

test('a quantile is the duration that so many do not exceed; of nothing there is none', () => {
  const histogram: Histogram = new Map()
  expect(quantile(histogram, 0.95)).toBeNull()
  for (let durationMs = 1; durationMs <= 1000; durationMs++) add(histogram, stepOf(durationMs), 1)
  expect(quantile(histogram, 0.95) ?? 0).toBeGreaterThan(900)
  expect(quantile(histogram, 0.95) ?? 0).toBeLessThan(1000)
  expect(quantile(histogram, 0) ?? 0).toBeCloseTo(1, 1)
})

test('executions add up by minute and flow; a sample stands for all of them', () => {
  const minutes = new Minutes()
  minutes.add({ flow: 'f', executions: 1000, errors: 1, durationsMs: [10, 30] }, 60_000)
  minutes.add({ flow: 'f', executions: 10, errors: 0, durationsMs: [] }, 119_999)
  minutes.add({ flow: 'f', executions: 1, errors: 0, durationsMs: [5] }, 120_000)
  minutes.add({ flow: 'g', executions: 1, errors: 1, durationsMs: [5] }, 120_000)
  const rows = minutes.take()
  expect(minutes.size).toBe(0)
  expect(rows.map(({ flow, minute, executions, errors, timed }) => [flow, minute, executions, errors, timed])).toEqual([
    ['f', '1970-01-01T00:01:00.000000+00:00', 1010, 1, 1000],
    ['f', '1970-01-01T00:02:00.000000+00:00', 1, 0, 1],
    ['g', '1970-01-01T00:02:00.000000+00:00', 1, 1, 1],
  ])
  expect(rows[0]?.duration_ms).toBe(20_000)
  expect(rows[0]?.last_at).toBe('1970-01-01T00:01:59.999000+00:00')
  minutes.putBack(rows)
  minutes.putBack(rows)
  const [twice] = minutes.take()
  expect(twice).toMatchObject({ executions: 2020, errors: 2, timed: 2000, duration_ms: 40_000 })
  expect(twice?.counts).toEqual([1000, 1000])
})
