import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { flushForRead } from '../../src/runs/run-view.ts'

test('who reads a run is refused after 5 s while the database does not take its writes', async () => {
  const clock = new VirtualClock(0)
  const stuck = flushForRead({ flush: () => new Promise(() => {}) }, clock).catch((error: unknown) => error)
  await clock.advance(4_999)
  expect(await Promise.race([stuck, Promise.resolve('waits')])).toBe('waits')
  await clock.advance(1)
  expect(await stuck).toMatchObject({ code: 'unavailable' })
  await flushForRead({ flush: async () => {} }, clock)
  await flushForRead(null, clock)
  expect(clock.pending).toBe(0)
})
