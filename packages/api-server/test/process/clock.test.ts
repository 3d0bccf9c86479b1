import { expect, test } from 'vitest'

import { createClock } from '../../src/process/clock.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('the clock stands still within a microtask, goes on after it, and is the time of the machine', async () => {
  const clock = createClock()
  const first = clock.now()
  const startedMs = performance.now()
  while (performance.now() - startedMs < 3);
  expect(clock.now()).toBe(first)
  await turn()
  const before = Date.now()
  const now = clock.now()
  expect(now).toBeGreaterThanOrEqual(first + 3)
  expect(now).toBeGreaterThan(before - 100)
  expect(now).toBeLessThan(Date.now() + 100)
})
