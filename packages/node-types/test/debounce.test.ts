import { debounceNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, Rig } from './test-kit.ts'

const start = (settings: Record<string, unknown> = {}) =>
  Rig.start(debounceNode, { settings, inputs: { in: 'any' }, outputs: { out: 'any' } })
const sent = (rig: Rig): unknown[] => rig.emitted.map(({ out }) => out)

describe('debounce', () => {
  test('sends true at once and false after 60 s of quiet unless told otherwise [R258] [R259] [R260] [R262]', async () => {
    const rig = await start()
    await rig.arrive({ in: 'x' })
    expect(sent(rig)).toEqual([true])
    await rig.advance(59.9)
    expect(sent(rig)).toEqual([true])
    await rig.advance(0.2)
    expect(sent(rig)).toEqual([true, false])
    await rig.advance(1000)
    await rig.arrive({ in: 'x' })
    expect(sent(rig)).toEqual([true, false, true])
  })

  test.each([null, ''])('sends no second value when "then" is %j [R261]', async (then) => {
    const rig = await start({ then, wait: 1 })
    await rig.arrive({ in: 1 })
    await rig.advance(2)
    await rig.arrive({ in: 1 })
    expect(sent(rig)).toEqual([true, true])
  })

  test('starts the wait again on each arrival, which does not repeat the first value [R263]', async () => {
    const rig = await start({ wait: 10 })
    await rig.arrive({ in: 1 })
    await rig.advance(5)
    await rig.arrive({ in: 2 })
    await rig.advance(9)
    expect(sent(rig)).toEqual([true])
    await rig.advance(1)
    expect(sent(rig)).toEqual([true, false])
  })

  test('keeps the first deadline when it does not extend [R264]', async () => {
    const rig = await start({ wait: 10, extend: false })
    await rig.arrive({ in: 1 })
    await rig.advance(5)
    await rig.arrive({ in: 2 })
    await rig.advance(5)
    expect(sent(rig)).toEqual([true, false])
    expect(rig.timers).toBe(0)
  })

  test('sends the incoming value in place of the first one only [R265]', async () => {
    const rig = await start({ passthrough: true, wait: 1, then: 'quiet' })
    await rig.arrive({ in: 7 })
    await rig.advance(1)
    expect(sent(rig)).toEqual([7, 'quiet'])
  })

  test('takes the wait from its port, and the setting as long as the port has none [R266]', async () => {
    const rig = await Rig.start(debounceNode, {
      settings: { wait_port: 'hold', wait: 5 },
      inputs: { in: 'any' },
      passive: { hold: 'float' },
      outputs: { out: 'bool' },
    })
    await rig.arrive({ in: 1 })
    await rig.advance(5)
    expect(sent(rig)).toEqual([true, false])
    await rig.arrive({ hold: 100 })
    expect(sent(rig)).toHaveLength(2)
    await rig.arrive({ in: 1, hold: 2 })
    await rig.advance(1.9)
    expect(sent(rig)).toHaveLength(3)
    await rig.advance(0.1)
    expect(sent(rig)).toEqual([true, false, true, false])
  })

  test('takes back the second value on a wait of zero or less, and schedules no other [R267]', async () => {
    const rig = await Rig.start(debounceNode, {
      settings: { wait_port: 'hold', wait: 5 },
      inputs: { in: 'any' },
      passive: { hold: 'float' },
      outputs: { out: 'bool' },
    })
    await rig.arrive({ in: 1 })
    await rig.arrive({ in: 1, hold: 0 })
    expect(rig.timers).toBe(0)
    await rig.advance(1000)
    expect(sent(rig)).toEqual([true])
    await rig.arrive({ in: 1, hold: -1 })
    expect(sent(rig)).toEqual([true, true])
    expect(rig.timers).toBe(0)
  })

  test('has one timer for all its inputs', async () => {
    const rig = await Rig.start(debounceNode, {
      settings: { wait: 10 },
      inputs: { a: 'any', b: 'any' },
      outputs: { out: 'bool' },
    })
    await rig.arrive({ a: 1 })
    await rig.advance(5)
    await rig.arrive({ b: 1 })
    expect(rig.timers).toBe(1)
    await rig.advance(9)
    expect(sent(rig)).toEqual([true])
    await rig.advance(1)
    expect(sent(rig)).toEqual([true, false])
  })

  test('fails the arrival when the wait is no number', async () => {
    const setup = { settings: { wait_port: 'w' }, inputs: { in: 'any' }, passive: { w: 'any' }, outputs: {} } as const
    const rig = await Rig.start(debounceNode, setup)
    await expect(rig.arrive({ in: 1, w: 'long' })).rejects.toThrow('input "w" carries "long"')
  })

  test('finds wrong ports and values before the start', () => {
    const outputs = { out: 'bool' } as const
    const one = { in: 'any' } as const
    const with_port = { wait_port: 'w' }
    expect(codes(debounceNode, { inputs: {}, outputs })).toEqual(['unsupported_ports'])
    expect(codes(debounceNode, { inputs: { a: 'any', b: 'any' }, outputs })).toEqual([])
    expect(codes(debounceNode, { settings: with_port, inputs: one, outputs })).toEqual(['bad_setting'])
    expect(codes(debounceNode, { settings: with_port, inputs: { ...one, w: 'float' }, outputs })).toEqual([
      'unsupported_ports',
    ])
    expect(codes(debounceNode, { settings: with_port, inputs: one, passive: { w: 'str' }, outputs })).toEqual([
      'dtype_mismatch',
    ])
    expect(codes(debounceNode, { settings: with_port, inputs: one, passive: { w: 'int' }, outputs })).toEqual([])
    const text = { out: 'str' } as const
    expect(codes(debounceNode, { inputs: one, outputs: text })).toEqual(['dtype_mismatch', 'dtype_mismatch'])
    expect(codes(debounceNode, { settings: { passthrough: true, then: null }, inputs: one, outputs: text })).toEqual([])
  })

  test('belongs into live flows', () => {
    expect(debounceNode.modes).toEqual(['live'])
  })
})
