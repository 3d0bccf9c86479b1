/** Axes through the parameters of runs, their brushes, and what stands of them in an address. */
import { expect, test } from 'vitest'

import { listOf, textOfList, textOfView, viewIn } from '../src/compare/address.ts'
import { type Axis, axesOf, brushesOf, keptBy, moved, textOfBrushes } from '../src/compare/axes.ts'
import type { RunInfo } from '../src/compare/runs-of.ts'

const run = (id: string, params: RunInfo['params']): RunInfo => ({
  id,
  flow: 'fit',
  status: 'ok',
  seed: null,
  commit: null,
  digest: null,
  started_at: null,
  duration_s: null,
  params,
})
const runs = [
  run('a', { lr: 0.0001, way: 'adam', size: 3, layers: [1, 2] }),
  run('b', { lr: 0.01, way: 'sgd', size: 3, layers: [1] }),
  run('c', { lr: 1, way: 'adam', size: 3 }),
]
const loss = { name: 'loss', valueOf: (id: string) => ({ a: 0.5, b: 0.1, c: Number.NaN })[id] }
const named = (axes: readonly Axis[], name: string): Axis => {
  const axis = axes.find((one) => one.name === name)
  if (!axis) throw new Error(`there is no axis ${name}`)
  return axis
}

test('what differs is an axis: numbers by their size or its logarithm, words one by one', () => {
  const axes = axesOf(runs, loss, String)
  expect(axes.map(({ name }) => name)).toEqual(['lr', 'way', 'layers', 'loss'])
  const [lr, way, last] = ['lr', 'way', 'loss'].map((name) => named(axes, name))
  expect([lr?.isLog, lr?.placeOf('a'), lr?.placeOf('b'), lr?.placeOf('c')]).toEqual([true, 0, expect.closeTo(0.5), 1])
  expect(way?.ticks).toEqual([
    { at: 0, text: 'adam' },
    { at: 1, text: 'sgd' },
  ])
  expect([last?.placeOf('a'), last?.placeOf('b'), last?.placeOf('c')]).toEqual([1, 0, null])
  expect(named(axes, 'layers').placeOf('c')).toBeNull()
})

test('somebody orders the axes and chooses their scales', () => {
  const axes = axesOf(runs, loss, String, { order: ['loss', 'gone', 'way'], log: ['loss', 'way'], linear: ['lr'] })
  expect(axes.map(({ name }) => name)).toEqual(['loss', 'way', 'lr', 'layers'])
  expect(axes.map(({ isLog }) => isLog)).toEqual([true, false, false, false])
  expect(named(axes, 'lr').placeOf('b')).toBeCloseTo(0.0099, 4)
  expect(moved(['a', 'b', 'c'], 'a', 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['c', 'a', 'b'])
})

test('runs within all brushes are kept; one without a value is out', () => {
  const axes = axesOf(runs, loss, String)
  const ids = runs.map(({ id }) => id)
  expect(keptBy(ids, axes, {})).toBeNull()
  expect([...(keptBy(ids, axes, { lr: [0, 0.5] }) ?? [])]).toEqual(['a', 'b'])
  expect([...(keptBy(ids, axes, { lr: [0.4, 1], loss: [0, 1] }) ?? [])]).toEqual(['b'])
  expect(keptBy(ids, axes, { gone: [0, 0.1] })).toBeNull()
})

test('an address has brushes, lists and parts, whatever the names; what is typed wrongly is passed over', () => {
  const brushes = { 'a,b:c%': [0.25, 0.5] as const, lr: [0, 1] as const }
  expect(brushesOf(textOfBrushes(brushes))).toEqual(brushes)
  expect(brushesOf('lr:0.1:2,x,y:a:b,%zz:0:1')).toEqual({ '%zz': [0, 1] })
  expect(listOf(textOfList(['a,b', '100%', 'c']))).toEqual(['a,b', '100%', 'c'])
  expect(listOf(null)).toEqual([])
  const view = { x: [0, 1234.5], y: [-1e-9, 2] } as const
  expect(viewIn(textOfView(view))).toEqual(view)
  for (const wrong of [null, '', '1:2:3', '2:1:0:1', 'a:b:c:d']) expect(viewIn(wrong)).toBeNull()
})
