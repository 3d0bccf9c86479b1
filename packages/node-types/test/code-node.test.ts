import { codeNode, pythonNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, Rig } from './test-kit.ts'

describe.each([
  ['python', pythonNode, 'python'],
  ['code', codeNode, 'typescript'],
] as const)('%s', (_, definition, language) => {
  test('says whose code it runs, and takes a superuser', () => {
    expect(definition).toMatchObject({ code: language, superuser: true, category: 'function' })
  })

  test('calls the code with the latest values when a triggering input arrives, not on a passive one [R162]', async () => {
    const calls: unknown[] = []
    const call = async (values: Record<string, unknown>) => {
      calls.push(values)
      return { y: 1 }
    }
    const setup = { inputs: { x: 'float' }, passive: { mode: 'str' }, outputs: { y: 'int' }, call } as const
    const rig = await Rig.start(definition, setup)
    await rig.arrive({ x: 1 })
    await rig.arrive({ mode: 'off' })
    await rig.arrive({ x: 2 })
    expect(calls).toEqual([
      { x: 1, mode: null },
      { x: 2, mode: 'off' },
    ])
    expect(rig.emitted).toEqual([{ y: 1 }, { y: 1 }])
  })

  test('without inputs runs on request, or publishes what the request brings', async () => {
    const rig = await Rig.start(definition, { outputs: { y: 'int' }, call: async () => ({ y: 1 }) })
    await rig.trigger()
    await rig.trigger({ y: 5 })
    expect(rig.emitted).toEqual([{ y: 1 }, { y: 5 }])
  })

  test('with inputs leaves a request to the engine, which brings the latest values', async () => {
    let calls = 0
    const call = async () => ({ y: ++calls })
    const rig = await Rig.start(definition, { inputs: { x: 'float' }, outputs: { y: 'int' }, call })
    await rig.trigger()
    expect(calls).toBe(0)
  })

  test('finds settings that cannot name an argument', () => {
    expect(codes(definition, { settings: { unit: 'V', _x1: 1 } })).toEqual([])
    expect(codes(definition, { settings: { 'my key': 1, '2nd': 1 } })).toEqual(['bad_setting', 'bad_setting'])
  })
})
