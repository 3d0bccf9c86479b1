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
  expect(clock.now()).toBeGreaterThanOrEqual(first + 3)
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(100)
})
