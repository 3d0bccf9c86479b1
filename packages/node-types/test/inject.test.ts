import { injectNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, findings, Rig } from './test-kit.ts'

const payloads = (rig: Rig): unknown[] => rig.emitted.map(({ out }) => out)
const start = (settings: Record<string, unknown>, mode: 'live' | 'batch' = 'live') =>
  Rig.start(injectNode, { settings: { payload: 'x', ...settings }, outputs: { out: 'str' }, mode })

describe('inject', () => {
  test('emits on request, or publishes the values that the request brings [R239]', async () => {
    const rig = await start({})
    await rig.trigger()
    await rig.trigger({ out: 'given' })
    expect(payloads(rig)).toEqual(['x', 'given'])
  })

  test('emits at an interval, first after one interval [R240]', async () => {
    const rig = await start({ interval: 0.2 })
    await rig.advance(0.19)
    expect(rig.emitted).toEqual([])
    await rig.advance(0.41)
    expect(rig.emitted).toHaveLength(3)
  })

  test('emits nothing by itself with an interval of 0 and no other schedule [R244] [R246]', async () => {
    const rig = await start({})
    await rig.advance(100_000)
    expect(rig.emitted).toEqual([])
  })

  test('emits once after the start, one second later unless told otherwise [R241] [R247]', async () => {
    const rig = await start({ at_start: true })
    await rig.advance(0.99)
    expect(rig.emitted).toEqual([])
    await rig.advance(1000)
    expect(rig.emitted).toHaveLength(1)
    const immediate = await start({ at_start: true, start_delay: 0 })
    await immediate.advance(0)
    expect(immediate.emitted).toHaveLength(1)
  })

  test('follows both the start and the interval', async () => {
    const rig = await start({ at_start: true, start_delay: 3, interval: 2 })
    await rig.advance(4)
    expect(rig.emitted).toHaveLength(3)
  })

  test('emits by its cron pattern [R245]', async () => {
    const rig = await start({ cron: '* * * * *' })
    await rig.advance(180)
    expect(rig.crons).toEqual(['* * * * *'])
    expect(rig.emitted).toHaveLength(3)
  })

  test('emits once in a batch run, without any schedule [R012]', async () => {
    const rig = await start({ interval: 1, cron: '* * * * *', at_start: true }, 'batch')
    await rig.advance(1000)
    expect(rig.timers + rig.crons.length + rig.emitted.length).toBe(0)
    await rig.trigger()
    expect(payloads(rig)).toEqual(['x'])
  })

  test('emits the current time unless it has a payload: text, or seconds for numbers [R242]', async () => {
    const outputs = { text: 'str', any: 'any', float: 'float', int: 'int' } as const
    const rig = await Rig.start(injectNode, { outputs })
    await rig.advance(0.25)
    await rig.trigger()
    const text = '2026-01-31T08:00:00.250000+00:00'
    expect(rig.emitted).toEqual([{ text, any: text, float: 1_769_846_400.25, int: 1_769_846_400 }])
  })

  test('emits a value of its own on each port that has one, all as one delivery [R243]', async () => {
    const settings = { payload: 1, payloads: { b: 2, c: null } }
    const rig = await Rig.start(injectNode, { settings, outputs: { a: 'int', b: 'int', c: 'any' } })
    await rig.trigger()
    expect(rig.emitted).toEqual([{ a: 1, b: 2, c: null }])
  })

  test.each([
    ['* * * * * *', '6 fields'],
    ['60 * * * *', '"60" as minute'],
    ['* 5-2 * * *', '"5-2" as hour'],
    ['* * 0 * *', '"0" as day of the month'],
    ['* * * foo *', '"foo" as month'],
    ['* * * * mon-', '"mon-" as day of the week'],
    ['*/0 * * * *', '"*/0" as minute'],
    ['5/10 * * * *', '"5/10" as minute'],
    ['0 0 30 2 *', 'names a day that its months never have'],
  ])('refuses the cron pattern %s before the start [R245] [F41]', (cron, text) => {
    const [finding] = findings(injectNode, { settings: { payload: 'x', cron }, outputs: { out: 'str' } })
    expect(finding).toMatchObject({ code: 'bad_setting', path: '/settings/cron' })
    expect(finding?.message).toContain(text)
  })

  test.each(['0 6 * * mon-fri', '*/15 8-18/2 1,15 jan,JUL *', '0 0 31 12 7', '5-59/10 * * * 0'])(
    'takes the cron pattern %s',
    (cron) => {
      expect(codes(injectNode, { settings: { payload: 'x', cron }, outputs: { out: 'str' } })).toEqual([])
    },
  )

  test('finds payloads that do not fit their port, and ports that are not there', () => {
    expect(codes(injectNode, { settings: { payload: 'on' }, outputs: { out: 'bool' } })).toEqual(['dtype_mismatch'])
    expect(codes(injectNode, { outputs: { out: 'bool' } })).toEqual(['dtype_mismatch'])
    expect(codes(injectNode, { settings: { payloads: { b: 1 } }, outputs: { a: 'str' } })).toEqual(['unknown_output'])
  })
})
