import { expect, test } from 'vitest'

import { createPairingLimits } from '../../src/devices/pairing/pairing-limits.ts'

function limitsAt() {
  const clock = { now: 1_000_000 }
  return { clock, limits: createPairingLimits(() => clock.now) }
}
const refusal = (attempt: () => unknown): unknown => {
  try {
    attempt()
    return null
  } catch (error) {
    const { code, extensions } = error as { code: string; extensions: Record<string, unknown> }
    return [code, extensions.retry_after_s]
  }
}
const times = (count: number, attempt: () => unknown): unknown[] =>
  Array.from({ length: count }, () => refusal(attempt))
const nulls = (count: number): null[] => Array<null>(count).fill(null)

test('five starts a minute from an address, and the sixth is told when [R432, R683, T38]', () => {
  const { clock, limits } = limitsAt()
  const start = () => limits.start('a')
  expect(times(2, start)).toEqual(nulls(2))
  clock.now += 20_000
  expect(times(4, start)).toEqual([...nulls(3), ['rate_limited', 40]])
  expect(refusal(() => limits.start('b'))).toBeNull()
  clock.now += 40_000
  expect(times(3, start)).toEqual([...nulls(2), ['rate_limited', 20]])
})

test('ten wrong codes in five minutes of a user; a right one does not count [T39]', () => {
  const { clock, limits } = limitsAt()
  const wrong = () => limits.guess('ann')
  expect(times(9, wrong)).toEqual(nulls(9))
  expect(times(50, () => limits.guess('ann')())).toEqual(nulls(50))
  expect(times(2, wrong)).toEqual([null, ['rate_limited', 300]])
  expect(refusal(() => limits.guess('bob'))).toBeNull()
  clock.now += 300_000
  expect(refusal(wrong)).toBeNull()
})

test('300 polls a minute that were in vain from an address; those of waiting devices do not count [T37]', () => {
  const { limits } = limitsAt()
  expect(times(1000, () => limits.poll('a')())).toEqual(nulls(1000))
  const inVain = times(301, () => limits.poll('a'))
  expect(inVain).toEqual([...nulls(300), ['rate_limited', 60]])
})
