import { joinNode } from '@flow-service/node-types'
import { expect, test } from 'vitest'

import { codes, Rig } from './test-kit.ts'

const inputs = { b: 'int', a: 'str' } as const

test('a join gives an object keyed by port, first when every input has a value [R282]', async () => {
  const rig = await Rig.start(joinNode, { inputs, passive: { note: 'str' }, outputs: { out: 'object' } })
  await rig.arrive({ b: 1 })
  expect(rig.emitted).toEqual([])
  await rig.arrive({ a: 'x' })
  await rig.arrive({ b: 2 })
  expect(rig.emitted).toEqual([{ out: { b: 1, a: 'x', note: null } }, { out: { b: 2, a: 'x', note: null } }])
})

test('a join gives an array in port order [R282]', async () => {
  const rig = await Rig.start(joinNode, { settings: { mode: 'array' }, inputs, outputs: { out: 'array' } })
  await rig.arrive({ a: 'x', b: 1 })
  expect(rig.emitted).toEqual([{ out: [1, 'x'] }])
})

test('a join needs inputs and one output of its shape', () => {
  expect(codes(joinNode, { outputs: { out: 'object' } })).toEqual(['unsupported_ports'])
  expect(codes(joinNode, { inputs, outputs: { a: 'any', b: 'any' } })).toEqual(['unsupported_ports'])
  expect(codes(joinNode, { inputs, outputs: { out: 'array' } })).toEqual(['dtype_mismatch'])
  expect(codes(joinNode, { inputs, outputs: { out: 'any' } })).toEqual([])
})
