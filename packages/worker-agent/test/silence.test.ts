import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Silence } from '../src/index.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A clock of silence of so many seconds, and how often it has expired. */
function silence(seconds: number | null) {
  const expired = vi.fn<() => void>()
  return { clock: new Silence(seconds, expired), expired }
}

test('a wall clock that jumps by an hour ends no call and spares none [F38]', () => {
  for (const jumpMs of [3_600_000, -3_600_000]) {
    const { expired } = silence(2)
    vi.advanceTimersByTime(1000)
    vi.setSystemTime(Date.now() + jumpMs)
    vi.advanceTimersByTime(999)
    expect(expired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(expired).toHaveBeenCalledTimes(1)
  }
})

test('each touch starts the seconds anew, and it expires once', () => {
  const { clock, expired } = silence(1)
  for (let at = 0; at < 5; at += 1) {
    vi.advanceTimersByTime(900)
    clock.touch()
  }
  vi.advanceTimersByTime(999)
  expect(expired).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10_000)
  expect(expired).toHaveBeenCalledTimes(1)
})

test('null is no limit, and a limit beyond the longest timer holds', () => {
  const none = silence(null)
  const long = silence(3_000_000)
  vi.advanceTimersByTime(2_999_999_999)
  expect(none.expired).not.toHaveBeenCalled()
  expect(long.expired).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(long.expired).toHaveBeenCalledTimes(1)
  expect(none.expired).not.toHaveBeenCalled()
})
