import { switchNode } from '@flow-service/node-types'
import { type Dtype } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { codes, Rig } from './test-kit.ts'

const routed = async (settings: Record<string, unknown>, value: unknown, dtype: Dtype = 'any') => {
  const rig = await Rig.start(switchNode, {
    settings,
    inputs: { in: dtype },
    outputs: { a: dtype, b: dtype, rest: dtype },
  })
  await rig.arrive({ in: value })
  return rig.emitted
}
const matchesRule = async (operator: string, rule: unknown, value: unknown, key?: string): Promise<boolean> => {
  const rules = [{ operator, value: rule, output: 'a', ...(key && { key }) }]
  return (await routed({ rules }, value)).length > 0
}

describe('switch', () => {
  test.each([
    ['eq', 5, 5, true],
    ['eq', 5, 6, false],
    ['eq', true, true, true],
    ['eq', null, null, true],
    ['eq', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ['eq', [1, 2], [2, 1], false],
    ['ne', 5, 6, true],
    ['ne', 5, 5, false],
    ['ne', { a: 1 }, { a: 2 }, true],
    ['gt', 5, 5.1, true],
    ['gt', 5, 5, false],
    ['gte', 5, 5, true],
    ['lt', 'b', 'a', true],
    ['lt', 5, 5, false],
    ['lte', 5, 5, true],
    ['between', [1, 3], 1, true],
    ['between', [1, 3], 3, true],
    ['between', [1, 3], 3.1, false],
    ['between', ['a', 'c'], 'b', true],
    ['contains', 'ell', 'hello', true],
    ['contains', 2, [1, 2], true],
    ['contains', [2], [1, [2]], true],
    ['contains', 'k', { k: 1 }, true],
    ['contains', 'toString', {}, false],
    ['contains', 'x', 'hello', false],
  ])('%s %j matches %j: %s [R268]', async (operator, rule, value, expected) => {
    expect(await matchesRule(operator, rule, value)).toBe(expected)
  })

  test.each([
    ['eq', 5, '5'],
    ['ne', 5, '5'],
    ['ne', 'a', null],
    ['gt', 5, 'a'],
    ['lte', '5', 5],
    ['gt', false, true],
    ['between', [1, 3], '2'],
    ['contains', 5, '5'],
    ['contains', 'a', 7],
  ])('%s %j never matches %j, which is of another type [R272]', async (operator, rule, value) => {
    expect(await matchesRule(operator, rule, value)).toBe(false)
  })

  test('sends a value of another type out as unmatched [R272]', async () => {
    const rules = [{ operator: 'gt', value: 5, output: 'a' }]
    expect(await routed({ rules, otherwise: 'rest' }, 'a')).toEqual([{ rest: 'a' }])
  })

  test('compares the part of an object that the key names, and routes the whole object', async () => {
    const value = { alert: { level: 'high' } }
    const rules = [{ operator: 'eq', value: 'high', key: 'alert.level', output: 'a' }]
    expect(await routed({ rules }, value)).toEqual([{ a: value }])
    expect(await matchesRule('ne', 'high', { alert: {} }, 'alert.level')).toBe(false)
    expect(await matchesRule('eq', 'high', 'alert', 'alert.level')).toBe(false)
  })

  test('uses the first matching rule only, or each output of a match once [R269] [R270]', async () => {
    const rules = [
      { operator: 'gt', value: 100, output: 'rest' },
      { operator: 'gt', value: 1, output: 'b' },
      { operator: 'gt', value: 0, output: 'a' },
      { operator: 'gt', value: 2, output: 'b' },
    ]
    expect(await routed({ rules }, 5)).toEqual([{ b: 5 }])
    expect(await routed({ rules, stop_at_first: false }, 5)).toEqual([{ b: 5, a: 5 }])
  })

  test('drops values that match nothing unless they have an output [R271]', async () => {
    const rules = [{ operator: 'gt', value: 10, output: 'a' }]
    expect(await routed({ rules }, 5)).toEqual([])
    expect(await routed({ rules, otherwise: 'rest' }, 5)).toEqual([{ rest: 5 }])
    expect(await routed({ rules, otherwise: '', stop_at_first: false }, 5)).toEqual([])
    expect(await routed({}, 5)).toEqual([])
  })

  test('compares infinite floats as numbers, though they travel as text', async () => {
    const rules = [{ operator: 'gt', value: 40, output: 'a' }]
    expect(await routed({ rules }, 'Infinity', 'float')).toEqual([{ a: 'Infinity' }])
    expect(await routed({ rules }, 'NaN', 'float')).toEqual([])
  })

  test('needs exactly one input and knows the outputs of its rules', () => {
    const rule = { operator: 'eq', value: 1, output: 'a' }
    const outputs = { a: 'int' } as const
    expect(codes(switchNode, { inputs: {}, outputs })).toEqual(['unsupported_ports'])
    expect(codes(switchNode, { inputs: { x: 'int', y: 'int' }, outputs })).toEqual(['unsupported_ports'])
    const settings = { rules: [rule, { ...rule, output: 'zz' }], otherwise: 'rest' }
    expect(codes(switchNode, { settings, inputs: { x: 'int' }, outputs })).toEqual(['unknown_output', 'unknown_output'])
  })

  test.each([
    ['between', 5],
    ['between', [1]],
    ['between', [1, 'b']],
    ['like', 'x'],
  ])('refuses the rule %s %j', (operator, value) => {
    expect(switchNode.settings.safeParse({ rules: [{ operator, value, output: 'a' }] }).success).toBe(false)
  })
})
