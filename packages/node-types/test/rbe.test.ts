import { rbeNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, findings, Rig } from './test-kit.ts'

const passed = async (settings: Record<string, unknown>, values: readonly unknown[]): Promise<unknown[]> => {
  const rig = await Rig.start(rbeNode, { settings, inputs: { in: 'any' }, outputs: { out: 'any' } })
  for (const value of values) await rig.arrive({ in: value })
  return rig.emitted.map(({ out }) => out)
}

describe('rbe', () => {
  test.each<[unknown[], unknown[]]>([
    [
      [1, 1, 2, 2, 1],
      [1, 2, 1],
    ],
    [
      [null, null, 0],
      [null, 0],
    ],
    [
      ['a', 'a', 'b'],
      ['a', 'b'],
    ],
    [
      [true, true, false, 0, '0'],
      [true, false, 0, '0'],
    ],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
        { a: 1, b: [3] },
      ],
      [
        { a: 1, b: [2] },
        { a: 1, b: [3] },
      ],
    ],
    [
      [[1, 2], [1, 2], [2, 1], {}, null],
      [[1, 2], [2, 1], {}, null],
    ],
    [
      ['NaN', 'NaN', 1],
      ['NaN', 1],
    ],
  ])('of %j passes the changes %j [R279]', async (values, expected) => {
    expect(await passed({}, values)).toEqual(expected)
  })

  test.each<[number, number[], number[]]>([
    [1, [0, 0.5, 1.2], [0, 1.2]],
    [1, [0, 1, 2], [0, 1, 2]],
    // against the last one that passed, so that a slow drift passes in the end
    [1, [0, 0.4, 0.8, 1.2, 1.6, 2.3], [0, 1.2, 2.3]],
    [0, [5, 5, 5.000001], [5, 5.000001]],
    [2, [-3, -4, -5], [-3, -5]],
  ])('with deadband %j passes of %j only %j [R280]', async (deadband, values, expected) => {
    expect(await passed({ deadband }, values)).toEqual(expected)
  })

  test.each<[number[], number[]]>([
    [
      [100, 109, 110, 120, 121],
      [100, 110, 121],
    ],
    [
      [-10, -9.5, -9],
      [-10, -9],
    ],
    [
      [0, 0, 0.001],
      [0, 0.001],
    ],
  ])(
    'reads the deadband as 10 percent of the last number that passed: %j gives %j [R281]',
    async (values, expected) => {
      expect(await passed({ deadband: 10, deadband_percent: true }, values)).toEqual(expected)
    },
  )

  test.each<[object, unknown[], unknown[]]>([
    [{ deadband: 1 }, [1, 'Infinity', 'Infinity', '-Infinity', 1], [1, 'Infinity', '-Infinity', 1]],
    [{ deadband: 1 }, [1e308, -1e308, -1e308], [1e308, -1e308]],
    [{ deadband: 10, deadband_percent: true }, [1, 'Infinity', 'Infinity', 1], [1, 'Infinity', 1]],
    [{ deadband: 50, deadband_percent: true }, [1e308, 9e307, 0], [1e308, 0]],
  ])('%j passes of %j only %j: infinities and differences of their size', async (settings, values, expected) => {
    expect(await passed(settings as Record<string, unknown>, values)).toEqual(expected)
  })

  test('lets every change pass and reads no percentage unless told [R280] [R281]', () => {
    expect(rbeNode.settings.parse({})).toEqual({ deadband: 0, deadband_percent: false })
  })

  test('compares each input with its own last value, and pairs it with its output', async () => {
    const rig = await Rig.start(rbeNode, { inputs: { a: 'int', b: 'int' }, outputs: { x: 'int', y: 'int' } })
    await rig.arrive({ a: 1, b: 1 })
    await rig.arrive({ a: 1, b: 2 })
    expect(rig.emitted).toEqual([{ x: 1 }, { y: 1 }, { y: 2 }])
  })

  test('has an output of the same type for each input', () => {
    expect(codes(rbeNode, { inputs: { a: 'int' }, outputs: { x: 'int', y: 'int' } })).toEqual(['unsupported_ports'])
    expect(codes(rbeNode, {})).toEqual(['unsupported_ports'])
    expect(codes(rbeNode, { inputs: { a: 'int', b: 'any' }, outputs: { x: 'float', y: 'str' } })).toEqual([])
    expect(findings(rbeNode, { inputs: { a: 'int', b: 'str' }, outputs: { x: 'int', y: 'bool' } })).toMatchObject([
      { code: 'dtype_mismatch', path: '/outputs/1/dtype' },
    ])
  })
})
