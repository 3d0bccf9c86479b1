import { timestampOfMs } from '@flow-service/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { cutOf, MetricBuffer, pointValue, TimeTexts } from '../../../src/runs/curves/points.ts'
import { chosenOf, sharesOf, thinned } from '../../../src/runs/curves/thinning.ts'

const loss = { node: 'train', port: 'loss', message: 'loss' }

test('numbers make points; booleans, texts and the spelling of NaN outside float ports do not', () => {
  expect([pointValue('float', 0.5), pointValue('int', 3), pointValue('any', 4)]).toEqual([0.5, 3, 4])
  expect([pointValue('float', 'NaN'), pointValue('float', '-Infinity')]).toEqual(['NaN', '-Infinity'])
  expect([pointValue('bool', true), pointValue('any', true), pointValue('str', '1'), pointValue('any', 'NaN')]).toEqual(
    [null, null, null, null],
  )
})

test('steps count the emissions of a curve from 0, over all chunks [R103]', () => {
  const buffer = new MetricBuffer()
  const steps = [buffer.add(loss, 1, 10).step, buffer.add(loss, 2, 20).step]
  const [first] = buffer.drain()
  steps.push(buffer.add(loss, 3, 30).step, buffer.add({ ...loss, port: 'acc', message: 'acc' }, 4, 30).step)
  const [second, other] = buffer.drain()
  expect(steps).toEqual([0, 1, 2, 0])
  expect(first).toEqual({ ...loss, seq: 0, steps: [0, 1], ts: [10, 20], vals: [1, 2] })
  expect(second).toEqual({ ...loss, seq: 1, steps: [2], ts: [30], vals: [3] })
  expect(other).toMatchObject({ port: 'acc', seq: 0, steps: [0] })
  expect(buffer.drain()).toEqual([])
})

test('a curve is full at 500 points', () => {
  const buffer = new MetricBuffer()
  const full = Array.from({ length: 501 }, (_, index) => buffer.add(loss, index, index).full)
  expect(full.indexOf(true)).toBe(499)
})

test('a chunk has at most 2,000 points, however many have gathered', () => {
  const buffer = new MetricBuffer()
  for (let at = 0; at < 4100; at += 1) buffer.add(loss, at, at)
  const chunks = buffer.drain()
  expect(chunks.map(({ seq, steps }) => [seq, steps.length])).toEqual([
    [0, 2000],
    [1, 2000],
    [2, 100],
  ])
  expect(chunks.flatMap(({ vals }) => vals)).toEqual(Array.from({ length: 4100 }, (_, at) => at))
  expect(chunks.flatMap(({ steps }) => steps)).toEqual(chunks.flatMap(({ vals }) => vals))
  buffer.add(loss, 1, 1)
  expect(buffer.drain()).toMatchObject([{ seq: 3, steps: [4100] }])
})

/** The steps that an answer gives of a curve in chunks of these sizes. */
const stepsOf = (sizes: readonly number[], choice: { stride: number; share: number }): number[] => {
  const starts = sizes.map((_, seq) => sizes.slice(0, seq).reduce((sum, size) => sum + size, 0))
  const chosen = chosenOf(
    sizes.map((size, seq) => [seq, size]),
    choice,
  )
  return chosen.flatMap(({ seq, places }) => places.map((place) => (starts[seq] ?? 0) + place))
}

test('a stride gives every k-th point from the first and always the last, of a share the first of these [R509]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }),
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Number.MAX_SAFE_INTEGER)),
      fc.integer({ min: 0, max: 60 }),
      (sizes, stride, share) => {
        const count = sizes.reduce((sum, size) => sum + size, 0)
        const all = Array.from({ length: count }, (_, step) => step)
        const expected = all.filter((step) => step % stride === 0 || step === count - 1)
        expect(thinned(count, stride)).toBe(expected.length)
        expect(stepsOf(sizes, { stride, share: expected.length })).toEqual(expected)
        expect(stepsOf(sizes, { stride, share })).toEqual(expected.slice(0, share))
        const points = expected.map((step) => ({ step, ts: '', value: 0 }))
        const series = { name: 'fit.loss', node: 'fit', port: 'loss', run: 'r', count, points }
        expect(cutOf([series], stride)).toEqual({})
        if (count === 0) return
        const cut = { 'x-truncated': String(points.length - 1), 'x-total-count': String(points.length) }
        expect(cutOf([{ ...series, points: points.slice(1) }], stride)).toEqual(cut)
      },
    ),
  )
})

test('chunks without a point that is given are not read', () => {
  const chunks = Array.from({ length: 1000 }, (_, seq) => [seq, 500] as const)
  expect(chosenOf(chunks, { stride: 100_000, share: 10 }).map(({ seq }) => seq)).toEqual([0, 200, 400, 600, 800, 999])
  expect(chosenOf(chunks, { stride: 1, share: 1200 })).toHaveLength(3)
})

test('curves share what an answer may have: each has some, short ones all, and nothing is left over', () => {
  expect(sharesOf([5, 7], 12)).toEqual([5, 7])
  expect(sharesOf([100, 3, 100], 23)).toEqual([10, 3, 10])
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 8 }), fc.nat(200), (wanted, most) => {
      const shares = sharesOf(wanted, most)
      const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0)
      expect(sum(shares)).toBe(Math.min(most, sum(wanted)))
      const least = Math.min(...shares.filter((share, at) => share < (wanted[at] ?? 0)))
      // who has to leave points out has no less than any other, but for what cannot be divided
      for (const share of shares) expect(share).toBeLessThanOrEqual(least + 1)
    }),
  )
})

test('times that follow each other are spelled as each alone, also before 1970 and where microseconds are lost', () => {
  const times = new TimeTexts()
  for (const start of [0, -5000.25, 1_767_225_600_000.123, 9_007_199_254_740, 253_402_300_790_000]) {
    for (const apart of [177.77, 1000, 7_777.7, -61_234.5]) {
      for (let at = 0; at < 50; at += 1) {
        const ms = start + at * apart
        expect(times.of(ms)).toBe(timestampOfMs(ms))
      }
    }
  }
})
