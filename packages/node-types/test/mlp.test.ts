import { DtypeViolation } from '@flow-service/connector-sdk'
import { mlpNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, findings, Rig } from './test-kit.ts'

const ports = { inputs: { a: 'float', b: 'float' }, outputs: { x: 'float', y: 'float' } } as const

const layer = async (values: readonly (readonly [number, number])[], settings: Record<string, unknown> = {}) => {
  const rig = await Rig.start(mlpNode, { ...ports, settings })
  for (const [a, b] of values) await rig.arrive({ a, b })
  return rig.emitted.map(({ x, y }) => [x, y] as [number, number])
}

describe('mlp', () => {
  test('is a linear layer over its inputs [R297]', async () => {
    const probes = await layer([
      [0, 0],
      [1, 0],
      [0, 1],
      [2, -3],
      [0.5, 100],
    ])
    const [bias, unitA, unitB, mixed, other] = probes as [number, number][]
    for (const at of [0, 1] as const) {
      const wa = unitA![at] - bias![at]
      const wb = unitB![at] - bias![at]
      expect(mixed![at]).toBeCloseTo(2 * wa - 3 * wb + bias![at], 12)
      expect(other![at]).toBeCloseTo(0.5 * wa + 100 * wb + bias![at], 10)
      for (const weight of [wa, wb, bias![at]]) expect(Math.abs(weight)).toBeLessThanOrEqual(1 / Math.SQRT2)
    }
  })

  test('draws the weights row by row, then the biases, by mulberry32 of the seed [R298]', async () => {
    // the first numbers of mulberry32(0)
    const u = [
      0.26642920868471265, 0.0003297457005828619, 0.2232720274478197, 0.1462021479383111, 0.46732782293111086,
      0.5450490827206522,
    ].map((value) => (2 * value - 1) / Math.SQRT2)
    const [[x, y]] = (await layer([[1, 10]])) as [[number, number]]
    expect(x).toBeCloseTo(u[0]! + 10 * u[1]! + u[4]!, 9)
    expect(y).toBeCloseTo(u[2]! + 10 * u[3]! + u[5]!, 9)
  })

  test('gives the same results after a reload, and others for another seed [R298]', async () => {
    const first = await layer([[1, 2]])
    expect(await layer([[1, 2]])).toEqual(first)
    expect(await layer([[1, 2]], { seed: 0 })).toEqual(first)
    expect(await layer([[1, 2]], { seed: 1 })).not.toEqual(first)
    expect(await layer([[1, 2]], { seed: 2 ** 32 - 1 })).not.toEqual(first)
  })

  test('waits until every input has a number, passive ones too', async () => {
    const rig = await Rig.start(mlpNode, { inputs: { a: 'float' }, passive: { b: 'float' }, outputs: { y: 'float' } })
    await rig.arrive({ a: 1 })
    expect(rig.emitted).toEqual([])
    await rig.arrive({ b: 1 })
    await rig.arrive({ a: 2 })
    expect(rig.emitted).toHaveLength(1)
  })

  test('calculates with the numbers that JSON lacks, and fails for what is no number', async () => {
    const rig = await Rig.start(mlpNode, { inputs: { a: 'any' }, outputs: { y: 'any' } })
    await rig.arrive({ a: 'Infinity' })
    expect(Math.abs(rig.emitted[0]?.['y'] as number)).toBe(Number.POSITIVE_INFINITY)
    await expect(rig.arrive({ a: 'warm' })).rejects.toThrow('input "a" takes numbers, which "warm" is not')
    const strict = await Rig.start(mlpNode, { inputs: { a: 'float' }, outputs: { y: 'str' } })
    await expect(strict.arrive({ a: 1 })).rejects.toThrow(DtypeViolation)
  })

  test('has numeric inputs and float outputs', () => {
    expect(codes(mlpNode, ports)).toEqual([])
    expect(codes(mlpNode, { inputs: { a: 'int', b: 'any' }, outputs: { y: 'any' } })).toEqual([])
    expect(codes(mlpNode, { inputs: { a: 'float' } })).toEqual(['unsupported_ports'])
    expect(codes(mlpNode, { outputs: { y: 'float' } })).toEqual(['unsupported_ports'])
    const unfit = findings(mlpNode, { inputs: { a: 'float', b: 'str' }, outputs: { y: 'int' } })
    expect(unfit.map(({ code, path }) => [code, path])).toEqual([
      ['dtype_mismatch', '/inputs/1/dtype'],
      ['dtype_mismatch', '/outputs/0/dtype'],
    ])
  })
})
