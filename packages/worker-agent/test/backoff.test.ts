import { expect, test } from 'vitest'

import { Backoff } from '../src/remote/backoff.ts'

const waits = (backoff: Backoff, count: number): number[] => Array.from({ length: count }, () => backoff.next())

test('the bound of a wait doubles from 1 s to 60 s, and is 1 s again after a welcome [F32]', () => {
  const backoff = new Backoff(() => 0.999_999_9)
  expect(waits(backoff, 8)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  backoff.reset()
  expect(waits(backoff, 2)).toEqual([1000, 2000])
})

test('a wait lies anywhere below its bound, so that workers spread [F34]', () => {
  expect(waits(new Backoff(() => 0), 3)).toEqual([0, 0, 0])
  expect(waits(new Backoff(() => 0.25), 3)).toEqual([250, 500, 1000])
})
