/** Calls with a delay: held from when they are said, written when they are due, also by an engine that starts in between. */
import { describe, expect, test } from 'vitest'

import { Home } from './home.ts'
import { devices, speaking } from './spoken.ts'

test('a call with a delay is applied when it is said, written when it is due, and told once [R331]', async () => {
  const { rig, say, after } = await speaking({ outputs: devices })
  const { values, records } = await say('lights_on kitchen; lights_off kitchen +120')
  expect(values).toEqual({ kitchen_light: true })
  expect(records).toMatchObject([
    { call: 'lights_on', applied: true, delay_s: 0 },
    { call: 'lights_off', value: false, applied: true, delay_s: 120 },
  ])
  expect(await after(119.999)).toEqual([])
  expect(await after(0.001)).toEqual([{ kitchen_light: false }])
  expect([await after(1_000_000), rig.timers]).toEqual([[], 0])
})

test('targets of one device are written together when a call is due [R318, R331]', async () => {
  const { say, after } = await speaking({
    outputs: { kitchen_light: 'bool', kitchen_lamp: 'str', kitchen_brightness: 'int' },
  })
  await say('lights_on kitchen +60')
  expect(await after(60)).toEqual([{ kitchen_light: true, kitchen_lamp: 'on', kitchen_brightness: 100 }])
})

test('nothing is held of a call that is doubtful, not wired, or only reported', async () => {
  const { rig, say } = await speaking({ outputs: devices })
  await say('~lights_on kitchen +60; lights_on patio +60; heating_boost kitchen +60')
  const silent = await speaking({ settings: {}, outputs: devices })
  await silent.say('lights_on kitchen +60')
  expect([rig.timers, silent.rig.timers]).toEqual([0, 0])
})

test('due is reckoned from when a prompt was said, however long the model thinks', async () => {
  const home = await Home.start(() => true)
  await home.say('lights_off kitchen +60')
  await home.pass(20)
  await home.answer()
  expect(home.written('kitchen_light')).toEqual([])
  await home.pass(40)
  expect(home.written('kitchen_light')).toEqual([false])
})

describe('as many as may wait', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => `lights_on kitchen +${(at + 1) * 60}`).join('; ')

  test('a hundred calls wait; the next is not applied, and the node is degraded until there is room', async () => {
    const { rig, say, after } = await speaking({ outputs: devices })
    const first = await say(many(99))
    const second = await say('lights_on office +60; lights_off office +120')
    expect(first.records.every(({ applied }) => applied === true)).toBe(true)
    expect(second.records.map(({ applied }) => applied)).toEqual([true, false])
    const message = '100 calls wait until they are due, as many as may; later ones are not applied'
    expect(rig.health).toEqual([{ status: 'degraded', message }])
    expect(await after(120)).toEqual([{ kitchen_light: true }, { office_light: true }, { kitchen_light: true }])
    expect(rig.health.at(-1)).toEqual({ status: 'ok', message: null })
    expect((await say('lights_off office +60')).records).toMatchObject([{ applied: true }])
  })

  test('one that supersedes another has its place; one that is refused supersedes nothing', async () => {
    const { say } = await speaking({ outputs: devices })
    await say(many(99))
    await say('lights_on office +600')
    expect((await say('lights_off bedroom; lights_off office +60')).records).toMatchObject([
      { message: '' },
      { call: 'lights_off', applied: true },
      { call: 'lights_on', superseded: true },
    ])
    expect((await say('media_play kitchen +60')).records).toMatchObject([{ applied: false }])
    expect((await say('media_play kitchen')).records).toMatchObject([{ applied: true }])
  })
})

describe('in flows that come and go', () => {
  test('a held call survives the end of the engine, is written once, and can still be superseded [R331, R332]', async () => {
    const home = await Home.start()
    await home.say('lights_on kitchen +600; lights_off office +600')
    await home.pass(300)
    await home.crash(60)
    await home.say('lights_on office')
    expect(home.records().map(({ call, superseded }) => [call, superseded])).toEqual([
      ['lights_on', undefined],
      ['lights_off', true],
    ])
    await home.pass(239)
    expect(home.written('kitchen_light')).toEqual([])
    await home.pass(1)
    await home.pass(10_000)
    expect([home.written('kitchen_light'), home.written('office_light')]).toEqual([[true], [true]])
    expect(home.host.work.items.size).toBe(0)
  })

  test('calls that came due while there was no engine are written in the order of their time [R332]', async () => {
    const home = await Home.start()
    await home.say('lights_off kitchen +120; lights_on kitchen +60')
    await home.crash(3600)
    expect(home.written('kitchen_light')).toEqual([true, false])
  })

  test('a device of another flow is read and written by its message [R308, R319]', async () => {
    const home = await Home.start()
    await home.say('lights_on garden')
    await home.say('look')
    expect(home.written('lights.k1')).toEqual([true])
    expect(home.contexts.map(({ devices }) => devices[0]?.value)).toEqual([null, true])
    expect(home.records()).toMatchObject([{ message: 'lights.k1', applied: true }])
  })

  test('a held call is written by the node that has taken the place of its own, as far as that has the target', async () => {
    const home = await Home.start()
    await home.say('lights_on kitchen +600; lights_on office +600')
    await home.publish({ targets: ['office_light', 'bedroom_light'] })
    await home.pass(600)
    expect([home.written('kitchen_light'), home.written('office_light')]).toEqual([[], [true]])
    expect(home.host.logs.map(({ text }) => text)).toEqual([
      'lights_on kitchen is due, and not written to "home.kitchen_light": the node may not any more',
    ])
  })

  test('a held value that its target takes no more, because of another type, is not written', async () => {
    const home = await Home.start()
    await home.say('lights_on kitchen +600; lights_on garden +600')
    await home.publish({ dtype: 'str' })
    await home.pass(600)
    expect([home.written('kitchen_light'), home.written('lights.k1')]).toEqual([[], [true]])
    expect(home.host.logs).toHaveLength(1)
  })

  test('nothing that was held is written once the node only reports', async () => {
    const home = await Home.start()
    await home.say('lights_on kitchen +600')
    await home.publish({ apply: false })
    await home.pass(600)
    expect(home.written('kitchen_light')).toEqual([])
  })

  test('what a stop gives up is a dead letter with the value and its message', async () => {
    const home = await Home.start()
    await home.say('lights_on kitchen +600')
    await home.stop()
    expect(home.host.deadLetters).toMatchObject([
      { flow: 'home', node: 'lm', message: 'home.kitchen_light', value: true, reason: 'stopped' },
    ])
  })
})
