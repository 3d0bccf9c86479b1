import { commandsLmNode, createCommandsNode } from '@flow-service/node-types'
import { commandCalls, type CommandCall, type Dtype } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { surroundingsOf } from '../src/types/commands_lm/surroundings.ts'
import { readingsOf, speaking, spokenNode, SURE } from './spoken.ts'
import { Rig } from './test-kit.ts'

const light = { kitchen_light: 'bool' } as const

describe('the prompt', () => {
  test('a sentence becomes a value of the target that it names, and a record, in one delivery [R299, R329]', async () => {
    const { say } = await speaking({ outputs: light })
    expect(await say('lights_on kitchen')).toEqual({
      values: { kitchen_light: true },
      records: [
        { message: 'test.kitchen_light', value: true, applied: true, delay_s: 0, call: 'lights_on', confidence: SURE },
      ],
    })
  })

  test('nothing but a prompt asks the model, and each prompt is answered, also by nothing [R301]', async () => {
    const passive = { presence: 'str', outdoor: 'int', dark: 'bool' } as const
    const { rig, say, contexts } = await speaking({ passive, outputs: light })
    await rig.arrive({ presence: 'office', outdoor: 7, dark: true })
    expect([contexts, rig.emitted]).toEqual([[], []])
    expect(await say('what is the weather')).toEqual({ values: {}, records: [] })
    expect(contexts).toMatchObject([{ presence: 'office', outdoor: 7, dark: true }])
  })

  test('a prompt that is no text fails the node, which says what it was', async () => {
    const { definition } = spokenNode()
    const rig = await Rig.start(definition, { inputs: { prompt: 'any' }, outputs: { actions: 'array' } })
    await expect(rig.arrive({ prompt: 7 })).rejects.toThrow(
      'input "prompt" carries 7; it has to carry a command in words',
    )
  })

  test('a node without the output actions writes all the same, and publishes nothing for a sentence without a call', async () => {
    const { definition } = spokenNode()
    const rig = await Rig.start(definition, { settings: { apply: true }, inputs: { prompt: 'str' }, outputs: light })
    await rig.arrive({ prompt: 'hello' })
    await rig.arrive({ prompt: 'lights_off kitchen' })
    expect(rig.emitted).toEqual([{ kitchen_light: false }])
  })

  test('a model may take its time; one that rejects fails the node and writes nothing', async () => {
    const answers = [Promise.reject(new Error('the server sleeps')), Promise.resolve(readingsOf('lights_on kitchen'))]
    const { rig, say } = await speaking({ outputs: light }, () => answers.shift())
    await expect(rig.arrive({ prompt: 'one' })).rejects.toThrow('the server sleeps')
    expect((await say('two')).values).toEqual({ kitchen_light: true })
    expect(rig.emitted).toHaveLength(1)
  })
})

describe('what a model knows', () => {
  const known = (inputs: Record<string, unknown>, { atMs = 0, timeZone = 'UTC' } = {}) =>
    surroundingsOf({ timeZone, now: () => atMs, current: () => null }, [])(inputs)

  test.each([
    ['kitchen', 'kitchen'],
    [' Living Room ', 'living_room'],
    ['living-room', 'living_room'],
    ['GARDEN', 'garden'],
    ['moon', null],
    ['away', null],
    ['', null],
    [null, null],
    [7, null],
  ])('presence %j is the area %j, and whatever is none counts as away [R302]', (presence, area) => {
    expect(known({ presence }).presence).toBe(area)
  })

  test.each([
    [null, 20],
    [undefined, 20],
    [12, 12],
    [12.5, 12.5],
    [99, 30],
    [-40, -5],
    [-5, -5],
    [30, 30],
    ['NaN', 20],
    ['Infinity', 30],
    ['-Infinity', -5],
    ['warm', 20],
  ])('outdoor %j counts as %d degrees [R303, R304, R305]', (outdoor, degrees) => {
    expect(known({ outdoor }).outdoor).toBe(degrees)
  })

  test.each(['float', 'int'] as const)('outdoor may be %s [R303]', async (dtype) => {
    const { rig, say, contexts } = await speaking({ passive: { outdoor: dtype }, outputs: light })
    await say('before')
    await rig.arrive({ outdoor: 3 })
    await say('after')
    expect(contexts.map(({ outdoor }) => outdoor)).toEqual([20, 3])
  })

  test.each([
    ['2026-06-01T06:59:59Z', 'UTC', true],
    ['2026-06-01T07:00:00Z', 'UTC', false],
    ['2026-06-01T17:59:59Z', 'UTC', false],
    ['2026-06-01T18:00:00Z', 'UTC', true],
    ['2026-06-01T00:00:00Z', 'UTC', true],
    ['2026-06-01T16:00:00Z', 'Europe/Berlin', true],
    ['2026-06-01T15:59:59Z', 'Europe/Berlin', false],
    ['2026-12-01T16:59:59Z', 'Europe/Berlin', false],
    ['2026-06-01T22:30:00Z', 'Asia/Tokyo', false],
    ['2026-06-01T21:30:00Z', 'Asia/Tokyo', true],
  ])('at %s in %s it is dark: %s, unless an input says so [R306]', (at, timeZone, dark) => {
    const place = { atMs: Date.parse(at), timeZone }
    expect(known({}, place).dark).toBe(dark)
    expect(known({ dark: null }, place).dark).toBe(dark)
    expect(known({ dark: !dark }, place).dark).toBe(!dark)
  })

  test('the time of day is that of the engine in its time zone [R306]', async () => {
    const { rig, say, contexts } = await speaking({ outputs: light })
    await say('morning')
    await rig.advance(10 * 3600 - 1)
    await say('afternoon')
    await rig.advance(1)
    await say('evening')
    expect(contexts.map(({ dark }) => dark)).toEqual([false, false, true])
  })

  test('the devices are those that are wired, with what they do, and those that every house has [R319, R333]', async () => {
    const outputs = { kitchen_light: 'bool', bedroom_heating: 'float', office_blind: 'str' } as const
    const { say, contexts } = await speaking({ outputs })
    await say('lights_on kitchen; heating_set bedroom 18.5')
    await say('again')
    const unwired = [
      ...['living_room', 'bathroom', 'bedroom', 'office'].map((area) => ({ area, kind: 'light' })),
      { area: 'living_room', kind: 'heating' },
    ].map((device) => ({ ...device, value: null, wired: false }))
    const wired = (on: unknown, degrees: unknown) => [
      { area: 'kitchen', kind: 'light', value: on, wired: true },
      { area: 'bedroom', kind: 'heating', value: degrees, wired: true },
      { area: 'office', kind: 'cover', value: null, wired: true },
    ]
    expect(contexts.map(({ devices }) => devices)).toEqual([
      [...wired(null, null), ...unwired],
      [...wired(true, 18.5), ...unwired],
    ])
  })

  test('of two targets of a device the first one with a value tells what it does [R318, R319]', async () => {
    const { definition, contexts } = spokenNode()
    const outputs = { kitchen_light: 'bool', kitchen_lamp: 'str', office_light: 'bool' } as const
    const rig = await Rig.start(definition, { settings: { apply: true }, inputs: { prompt: 'str' }, outputs })
    const seen = async () => {
      await rig.arrive({ prompt: 'look' })
      return contexts
        .at(-1)
        ?.devices.slice(0, 2)
        .map(({ area, value }) => [area, value])
    }
    expect(await seen()).toEqual([
      ['kitchen', null],
      ['office', null],
    ])
    await rig.arrive({ prompt: 'lights_on kitchen' })
    expect(await seen()).toEqual([
      ['kitchen', true],
      ['office', null],
    ])
  })
})

describe('what is written', () => {
  type Row = readonly [bool: unknown, number: unknown, str: unknown]
  const rows: Record<CommandCall, Row> = {
    lights_on: [true, 100, 'on'],
    lights_off: [false, 0, 'off'],
    media_play: [true, null, 'play'],
    media_stop: [false, null, 'stop'],
    heating_set: [null, 21, null],
    heating_boost: [true, null, 'boost'],
    heating_off: [false, null, 'off'],
    shutters_up: [true, 100, 'up'],
    shutters_down: [false, 0, 'down'],
    shutters_stop: [null, null, 'stop'],
    watering_start: [true, null, 'on'],
    watering_stop: [false, null, 'off'],
  }
  const words = { light: 'light', heating: 'setpoint', media: 'tv', cover: 'shutter', water: 'sprinkler' } as const
  const columns = { bool: 0, int: 1, float: 1, str: 2 } as const
  const cells = Object.entries(rows).flatMap(([call, row]) =>
    Object.entries(columns).map(([dtype, at]) => [call as CommandCall, dtype as Dtype, row[at]] as const),
  )

  test.each(cells)(
    '%s on a target of type %s is %j; without a value nothing is written [R320, R321, R322, R323, R324, R325, R326]',
    async (call, dtype, value) => {
      const port = `kitchen_${words[commandCalls[call]]}`
      const { say } = await speaking({ outputs: { [port]: dtype } })
      const { values, records } = await say(`${call} kitchen${call === 'heating_set' ? ' 21' : ''}`)
      expect(values).toEqual(value === null ? {} : { [port]: value })
      expect(records).toMatchObject([{ message: `test.${port}`, value, applied: value !== null, call }])
    },
  )

  test('half a degree is nothing for an int, which would get a temperature that nobody has said [R322]', async () => {
    const { say } = await speaking({ outputs: { bedroom_heat: 'int', bedroom_setpoint: 'float' } })
    const { values, records } = await say('heating_set bedroom 21.5')
    expect(values).toEqual({ bedroom_setpoint: 21.5 })
    expect(records.map(({ value, applied }) => [value, applied])).toEqual([
      [null, false],
      [21.5, true],
    ])
  })

  test('targets of one device move together, one record each, in port order [R318]', async () => {
    const outputs = { kitchen_lamp: 'float', office_light: 'bool', kitchen_light: 'bool' } as const
    const { say } = await speaking({ outputs })
    const { values, records } = await say('lights_off office; lights_on kitchen')
    expect(values).toEqual({ kitchen_lamp: 100, office_light: false, kitchen_light: true })
    expect(records.map(({ message }) => message)).toEqual([
      'test.office_light',
      'test.kitchen_lamp',
      'test.kitchen_light',
    ])
  })

  test('nothing is written unless the node applies, which it does not by itself; it is reported [R327]', async () => {
    for (const settings of [{}, { apply: false }]) {
      const { say } = await speaking({ settings, outputs: light })
      const { values, records } = await say('lights_on kitchen')
      expect([values, records]).toMatchObject([{}, [{ message: 'test.kitchen_light', value: true, applied: false }]])
      expect(values).toEqual({})
    }
  })

  test.each([
    [0.93, undefined, true],
    [0.9299, undefined, false],
    [0.5, 0.5, true],
    [0.49, 0.5, false],
    [1, 1, true],
    [0, 0, false],
  ])('with the confidence %d and the setting %s a call is applied: %s [R328]', async (confidence, min, isApplied) => {
    const settings = { apply: true, ...(min === undefined ? {} : { min_confidence: min }) }
    const answer = () => readingsOf('lights_on kitchen').map((reading) => ({ ...reading, confidence }))
    const { say } = await speaking({ settings, outputs: light }, answer)
    const { values, records } = await say('x')
    expect(values).toEqual(isApplied ? { kitchen_light: true } : {})
    expect(records).toMatchObject([{ value: true, applied: isApplied, confidence }])
  })

  test('a call of a device that is not wired is reported with an empty message and writes nothing [R309, R330, R333]', async () => {
    const { say } = await speaking({ outputs: light })
    const { values, records } = await say('lights_on office; lights_on kitchen; watering_start garden +600')
    const told = { value: null, applied: false, confidence: SURE }
    expect(values).toEqual({ kitchen_light: true })
    expect(records).toMatchObject([
      { message: '', ...told, call: 'lights_on', delay_s: 0 },
      { message: 'test.kitchen_light', applied: true },
      { message: '', ...told, call: 'watering_start', delay_s: 600 },
    ])
  })

  test('of what a sentence says of a target twice the last counts', async () => {
    const { say, after } = await speaking({ outputs: light })
    const { values, records } = await say(
      'lights_on kitchen; lights_off kitchen; lights_off kitchen +60; lights_on kitchen +60',
    )
    expect(values).toEqual({ kitchen_light: false })
    expect(records.map(({ applied }) => applied)).toEqual([false, true, false, true])
    expect(await after(60)).toEqual([{ kitchen_light: true }])
  })

  test('a run reports a call with a delay and does not apply it: nothing of it waits', async () => {
    const { rig, say } = await speaking({ mode: 'batch', outputs: light })
    const { values, records } = await say('lights_on kitchen; lights_off kitchen +600')
    expect(values).toEqual({ kitchen_light: true })
    expect(records.map(({ applied, delay_s }) => [applied, delay_s])).toEqual([
      [true, 0],
      [false, 600],
    ])
    expect([rig.timers, rig.logged]).toEqual([
      0,
      ['lights_off kitchen in 600 s is not applied: a run ends before it is due'],
    ])
  })
})

describe('the answer of a model', () => {
  const [sound] = readingsOf('lights_on kitchen')
  test.each([
    ['text', 'the model gave "text" where it has to give a list of readings'],
    [undefined, 'the model gave nothing where it has to give a list of readings'],
    [[null], 'the model gave null where it has to give a reading'],
    [
      [{ ...sound, call: 'lights_dim' }],
      'the model gave "lights_dim" where it has to give one of the calls lights_on,',
    ],
    [[{ ...sound, call: 'toString' }], 'the model gave "toString" where it has to give one of the calls'],
    [[{ ...sound, area: 'cellar' }], 'the model gave "cellar" where it has to give one of the areas living_room,'],
    [
      [{ ...sound, kind: 'media' }],
      'the model gave "media" where it has to give the kind light for the call lights_on',
    ],
    [[{ ...sound, confidence: Number.NaN }], 'the model gave NaN where it has to give a confidence from 0 to 1'],
    [[{ ...sound, confidence: 1.1 }], 'the model gave 1.1 where it has to give a confidence from 0 to 1'],
    [[{ ...sound, confidence: '0.9' }], 'the model gave "0.9" where it has to give a confidence from 0 to 1'],
    [
      [{ ...sound, delay_s: 90 }],
      'the model gave 90 where it has to give a delay of whole minutes in seconds, 0 to 86400',
    ],
    [[{ ...sound, delay_s: -60 }], 'the model gave -60 where it has to give a delay of whole minutes'],
    [[{ ...sound, delay_s: 86_460 }], 'the model gave 86460 where it has to give a delay of whole minutes'],
    [[{ ...sound, delay_s: Number.NaN }], 'the model gave NaN where it has to give a delay of whole minutes'],
    [[{ ...sound, args: 'none' }], 'the model gave "none" where it has to give an object of arguments'],
    [readingsOf('heating_set bedroom'), 'the model gave nothing where it has to give a temperature from 5 to 30'],
    [readingsOf('heating_set bedroom 31'), 'the model gave 31 where it has to give a temperature from 5 to 30'],
    [readingsOf('heating_set bedroom 4.5'), 'the model gave 4.5 where it has to give a temperature from 5 to 30'],
    [Array.from({ length: 101 }, () => sound), 'the model gave 101 readings; one sentence has at most 100'],
  ])('%j fails the node and writes nothing [R334]', async (answer, text) => {
    const { rig } = await speaking({ outputs: light }, () => answer)
    await expect(rig.arrive({ prompt: 'x' })).rejects.toThrow(text)
    expect(rig.emitted).toEqual([])
  })

  test('a hundred readings, a delay of a day and the bounds of temperatures are taken', async () => {
    const { say } = await speaking({ outputs: { bedroom_heat: 'float' } })
    const many = Array.from({ length: 98 }, () => 'lights_on kitchen').join('; ')
    const { records } = await say(`${many}; heating_set bedroom 30; heating_set bedroom 5 +86400`)
    expect(records).toHaveLength(100)
    expect(records.slice(-2)).toMatchObject([{ applied: true }, { applied: true }])
  })
})

describe('without the package', () => {
  test('the type names what to install, and a node that starts all the same is down [R300]', async () => {
    expect(commandsLmNode.missing?.()).toBeNull()
    const absent = createCommandsNode({ missing: () => '@flow-service/commands-lm' })
    expect(absent.missing?.()).toBe('@flow-service/commands-lm')
    const rig = await Rig.start(absent, { inputs: { prompt: 'str' }, outputs: { actions: 'array' } })
    await rig.arrive({ prompt: 'lights_on kitchen' })
    const message = 'the package "@flow-service/commands-lm" is not installed; install it, then start the flow again'
    expect([rig.health, rig.emitted]).toEqual([[{ status: 'down', message }], []])
  })

  test('a node whose model does not load is down and says why [R300]', async () => {
    const broken = createCommandsNode({ missing: () => null, load: () => Promise.reject(new Error('no such file')) })
    const rig = await Rig.start(broken, { inputs: { prompt: 'str' }, outputs: { actions: 'array' } })
    expect(rig.health).toEqual([{ status: 'down', message: 'the model of commands does not load: no such file' }])
  })
})
