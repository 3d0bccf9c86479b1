import fc from 'fast-check'
import { expect, test } from 'vitest'

import { cutOf, MetricBuffer, pointsOf, pointValue } from '../../src/runs/metrics.ts'

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

test('a stride gives every k-th point from the first and always the last [R509]', () => {
  const points = (sizes: number[], stride: number, count: number) => {
    let next = 0
    const chunks = sizes.map((size) => {
      const steps = Array.from({ length: size }, () => next++)
      return { ...loss, run: 'r', steps, ts: steps, vals: steps }
    })
    return pointsOf(chunks, { stride, count })
  }
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 12 }),
      (sizes, stride) => {
        const count = sizes.reduce((sum, size) => sum + size, 0)
        const given = points(sizes, stride, count)
        const all = Array.from({ length: count }, (_, step) => step)
        const expected = all.filter((step) => step % stride === 0 || step === count - 1)
        expect(given.map(({ step }) => step)).toEqual(expected)
        const series = { name: 'fit.loss', node: 'fit', port: 'loss', run: 'r', count, points: given }
        expect(cutOf([series], stride)).toEqual({})
        const cut = { 'x-truncated': String(given.length - 1), 'x-total-count': String(given.length) }
        expect(cutOf([{ ...series, points: given.slice(1) }], stride)).toEqual(cut)
      },
    ),
  )
})
