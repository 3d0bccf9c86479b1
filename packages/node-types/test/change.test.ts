import { changeNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, Rig } from './test-kit.ts'

const changed = async (settings: Record<string, unknown>, value: unknown): Promise<unknown> => {
  const rig = await Rig.start(changeNode, { settings, inputs: { in: 'any' }, outputs: { out: 'any' } })
  await rig.arrive({ in: value })
  return rig.emitted[0]?.['out']
}

describe('change', () => {
  test.each([
    [{ scale: 2 }, 3, 6],
    [{ scale: 2, offset: 1 }, 3, 7],
    [{ scale: 2.23, round_to: 1 }, 3, 6.7],
    [{}, 3, 3],
    [{ scale: 2 }, '3', '3'],
    [{ scale: 2 }, true, true],
    [{ scale: 2 }, null, null],
  ])('%j turns %j into %j [R273] [R274] [R275]', async (settings, value, expected) => {
    expect(await changed(settings, value)).toEqual(expected)
  })

  test.each([
    [0, 2.5, 3],
    [0, -2.5, -3],
    [0, 0.4, 0],
    [0, -0.4, 0],
    [2, 1.005, 1.01],
    [2, -1.005, -1.01],
    [1, 1e-7, 0],
    [3, 1e21, 1e21],
    [2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [1, 0.25, 0.3],
  ])('rounds to %d places, %d into %d, halves away from zero', async (round_to, value, expected) => {
    expect(await changed({ round_to }, value)).toBe(expected)
  })

  test.each([
    [{ scale: 2 }, 'Infinity', 'Infinity'],
    [{ scale: -1, offset: 5, round_to: 1 }, 'Infinity', '-Infinity'],
    [{ scale: 0 }, '-Infinity', 'NaN'],
    [{ offset: 1 }, 'NaN', 'NaN'],
    [{ scale: 10 }, 1e308, 'Infinity'],
    [{ scale: -10, round_to: 2 }, 1e308, '-Infinity'],
    [{ round_to: 15 }, 1e300, 1e300],
    [{ scale: -1, mapping: { '-Infinity': 0 } }, 'Infinity', 0],
  ])('computes with the infinities of floats: %j turns %j into %j', async (settings, value, expected) => {
    const rig = await Rig.start(changeNode, { settings, inputs: { in: 'float' }, outputs: { out: 'float' } })
    await rig.arrive({ in: value })
    expect(rig.emitted).toEqual([{ out: expected }])
  })

  test('a text that reads like an infinity stays a text', async () => {
    const rig = await Rig.start(changeNode, {
      settings: { scale: -1 },
      inputs: { in: 'str' },
      outputs: { out: 'str' },
    })
    await rig.arrive({ in: 'Infinity' })
    expect(rig.emitted).toEqual([{ out: 'Infinity' }])
  })

  test.each([
    [1, 'on'],
    [1.5, 'half'],
    [true, 'yes'],
    ['warm', 25],
    [null, 'none'],
    [2, 2],
    ['toString', 'toString'],
  ])('looks %j up as text: %j [R276] [R278]', async (value, expected) => {
    const mapping = { 1: 'on', 1.5: 'half', true: 'yes', warm: 25, null: 'none' }
    expect(await changed({ mapping }, value)).toBe(expected)
  })

  test('gives the default for a value that the mapping lacks [R277]', async () => {
    expect(await changed({ mapping: { a: 1 }, default: 0 }, 'b')).toBe(0)
    expect(await changed({ mapping: { a: 1 }, default: '' }, 'b')).toBe('b')
    expect(await changed({ default: 0 }, 'b')).toBe('b')
  })

  test('looks up what the arithmetic gives', async () => {
    expect(await changed({ scale: 10, mapping: { 20: 'twenty' } }, 2)).toBe('twenty')
  })

  test('pairs inputs with outputs in their order', async () => {
    const rig = await Rig.start(changeNode, {
      settings: { offset: 1 },
      inputs: { a: 'int', b: 'int' },
      outputs: { x: 'int', y: 'int' },
    })
    await rig.arrive({ b: 2 })
    await rig.arrive({ a: 1 })
    expect(rig.emitted).toEqual([{ y: 3 }, { x: 2 }])
    expect(codes(changeNode, { inputs: { a: 'int', b: 'int' }, outputs: { x: 'int' } })).toEqual(['unsupported_ports'])
    expect(codes(changeNode, {})).toEqual(['unsupported_ports'])
  })
})
