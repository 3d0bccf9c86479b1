import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Idle } from '../src/remote/idle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the seconds count while no call runs, and start anew after each [R596]', () => {
  const onIdle = vi.fn<() => void>()
  const idle = new Idle(60, onIdle)
  vi.advanceTimersByTime(600_000)
  idle.attached()
  vi.advanceTimersByTime(59_000)
  idle.running(1)
  vi.advanceTimersByTime(600_000)
  idle.running(0)
  vi.advanceTimersByTime(59_000)
  expect(onIdle).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1001)
  expect(onIdle).toHaveBeenCalledOnce()
})

test('0 is never, and a month is no moment [R596]', () => {
  const onIdle = vi.fn<() => void>()
  for (const seconds of [0, 31 * 86_400]) new Idle(seconds, onIdle).attached()
  vi.advanceTimersByTime(30 * 86_400_000)
  expect(onIdle).not.toHaveBeenCalled()
})

test('a call that comes with the welcome counts', () => {
  const onIdle = vi.fn<() => void>()
  const idle = new Idle(1, onIdle)
  idle.running(1)
  idle.attached()
  vi.advanceTimersByTime(10_000)
  expect(onIdle).not.toHaveBeenCalled()
})

test('nothing counts after the end of a link', () => {
  const onIdle = vi.fn<() => void>()
  const idle = new Idle(1, onIdle)
  idle.attached()
  idle.stop()
  idle.running(0)
  vi.advanceTimersByTime(10_000)
  expect(onIdle).not.toHaveBeenCalled()
})
