import { expect, test } from 'vitest'

import { createTimestamps, epochUs } from '../../src/db/timestamps.ts'

test('times of creation strictly increase while the clock stands still or goes back [R017]', () => {
  let nowMs = 1_700_000_000_000.5
  const timestamps = createTimestamps(() => nowMs)
  const given = [timestamps.next(), timestamps.next()]
  nowMs -= 60_000
  given.push(timestamps.next())
  timestamps.continueAfter('2030-01-01T00:00:00.000005+00:00')
  given.push(timestamps.next())
  expect(given).toEqual([
    '2023-11-14T22:13:20.000500+00:00',
    '2023-11-14T22:13:20.000501+00:00',
    '2023-11-14T22:13:20.000502+00:00',
    '2030-01-01T00:00:00.000006+00:00',
  ])
  expect(epochUs(given[1] ?? '')).toBe(1_700_000_000_000_501)
})
