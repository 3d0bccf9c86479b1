import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'

import { type KeptWork, type LiveFlow, LiveRuntime, NodeRegistry } from '../../core/src/index.ts'
import { type MemoryHost, memoryHost } from '../../core/src/testing.ts'
import { readingsOf, speaking, spokenNode } from './spoken.ts'

const devices = {
  kitchen_light: 'bool',
  office_light: 'bool',
  bedroom_heating: 'str',
  bedroom_setpoint: 'float',
  office_blind: 'str',
  kitchen_tv: 'str',
  garden_water: 'bool',
} as const

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

/** `call device at` of what is written after the second prompt, in order; `-` is what it supersedes. */
const pairs: readonly (readonly [first: string, second: string, written: string, superseded: string])[] = [
  // equal, whenever it is due
  ['lights_on kitchen +600', 'lights_on kitchen', 'kitchen_light=true@0', 'lights_on+600'],
  ['lights_on kitchen +600', 'lights_on kitchen +300', 'kitchen_light=true@300', 'lights_on+600'],
  ['lights_on kitchen +300', 'lights_on kitchen +600', 'kitchen_light=true@600', 'lights_on+300'],
  ['lights_on kitchen +300', 'lights_on kitchen +300', 'kitchen_light=true@300', 'lights_on+300'],
  // contrary, due at or after it
  ['lights_off kitchen +600', 'lights_on kitchen', 'kitchen_light=true@0', 'lights_off+600'],
  ['lights_off kitchen +600', 'lights_on kitchen +300', 'kitchen_light=true@300', 'lights_off+600'],
  ['lights_off kitchen +600', 'lights_on kitchen +600', 'kitchen_light=true@600', 'lights_off+600'],
  // contrary, due before it: both are meant
  ['lights_off kitchen +300', 'lights_on kitchen +600', 'kitchen_light=false@300 kitchen_light=true@600', ''],
  // another device, or another kind in the same area
  ['lights_off kitchen +600', 'lights_on office', 'office_light=true@0 kitchen_light=false@600', ''],
  ['lights_off kitchen +600', 'media_play kitchen', 'kitchen_tv=play@0 kitchen_light=false@600', ''],
  // one prompt with both: from the moment they are said they belong together
  [
    'watering_start garden; watering_stop garden +600',
    'lights_on kitchen',
    'kitchen_light=true@0 garden_water=false@600',
    '',
  ],
  [
    'watering_start garden; watering_stop garden +600',
    'watering_stop garden',
    'garden_water=false@0',
    'watering_stop+600',
  ],
  [
    'watering_start garden; watering_stop garden +600',
    'watering_start garden',
    'garden_water=true@0',
    'watering_stop+600',
  ],
  [
    'watering_start garden +300; watering_stop garden +900',
    'watering_stop garden +600',
    'garden_water=true@300 garden_water=false@600',
    'watering_stop+900',
  ],
  [
    'watering_start garden +300; watering_stop garden +900',
    'watering_start garden',
    'garden_water=true@0',
    'watering_start+300 watering_stop+900',
  ],
  ['', 'media_play kitchen; media_stop kitchen +600', 'kitchen_tv=play@0 kitchen_tv=stop@600', ''],
  ['', 'media_stop kitchen +600; media_play kitchen +300', 'kitchen_tv=play@300 kitchen_tv=stop@600', ''],
  [
    'media_stop kitchen +600',
    'media_play kitchen; media_stop kitchen +1200',
    'kitchen_tv=play@0 kitchen_tv=stop@1200',
    'media_stop+600',
  ],
  // heating: other temperatures, boost and off are contrary to each other
  ['heating_set bedroom 21 +600', 'heating_set bedroom 21', 'bedroom_setpoint=21@0', 'heating_set+600'],
  ['heating_set bedroom 21 +600', 'heating_set bedroom 19', 'bedroom_setpoint=19@0', 'heating_set+600'],
  ['heating_set bedroom 21 +300', 'heating_set bedroom 19 +600', 'bedroom_setpoint=21@300 bedroom_setpoint=19@600', ''],
  ['heating_boost bedroom +600', 'heating_set bedroom 19', 'bedroom_setpoint=19@0', 'heating_boost+600'],
  ['heating_set bedroom 21 +600', 'heating_off bedroom', 'bedroom_heating=off@0', 'heating_set+600'],
  ['heating_off bedroom +600', 'heating_boost bedroom +300', 'bedroom_heating=boost@300', 'heating_off+600'],
  ['heating_off bedroom +300', 'heating_boost bedroom +600', 'bedroom_heating=off@300 bedroom_heating=boost@600', ''],
  // shutters: a stop is contrary to both ways, and each way to a stop
  ['shutters_up office +600', 'shutters_stop office', 'office_blind=stop@0', 'shutters_up+600'],
  ['shutters_up office; shutters_stop office +60', 'shutters_down office', 'office_blind=down@0', 'shutters_stop+60'],
  [
    'shutters_down office +600',
    'shutters_up office; shutters_stop office +60',
    'office_blind=up@0 office_blind=stop@60',
    'shutters_down+600',
  ],
  // what is not applied supersedes nothing
  ['lights_off kitchen +600', '~lights_on kitchen', 'kitchen_light=false@600', ''],
  ['lights_off kitchen +600', 'heating_boost kitchen', 'kitchen_light=false@600', ''],
  ['shutters_up office +600', '~shutters_up office', 'office_blind=up@600', ''],
]

test.each(pairs)('%j, then %j: %s; superseded: %j [R331]', async (first, second, written, superseded) => {
  const { rig, say } = await speaking({ outputs: devices })
  await say(first)
  const told = await say(second)
  const seen = Object.entries(told.values).map(([port, value]) => `${port}=${String(value)}@0`)
  for (let at = 60; at <= 1800; at += 60) {
    const before = rig.emitted.length
    // oxlint-disable-next-line no-await-in-loop -- time passes minute by minute
    await rig.advance(60)
    for (const values of rig.emitted.slice(before))
      seen.push(...Object.entries(values).map(([port, value]) => `${port}=${String(value)}@${at}`))
  }
  const gone = told.records.filter((record) => record['superseded'] === true)
  expect([seen.join(' '), gone.map(({ call, delay_s }) => `${String(call)}+${String(delay_s)}`).join(' ')]).toEqual([
    written,
    superseded,
  ])
  expect(gone.every(({ applied }) => applied === false)).toBe(true)
})

test('what is superseded is told as it was, one record for each target, behind what is new', async () => {
  const { rig, say } = await speaking({ outputs: { kitchen_light: 'bool', kitchen_lamp: 'str' } })
  await say('lights_off kitchen +600')
  await rig.advance(120)
  const { records } = await say('lights_on kitchen')
  const off = { applied: false, delay_s: 600, call: 'lights_off', superseded: true }
  expect(records).toMatchObject([
    { message: 'test.kitchen_light', value: true, applied: true },
    { message: 'test.kitchen_lamp', value: 'on', applied: true },
    { ...off, message: 'test.kitchen_light', value: false },
    { ...off, message: 'test.kitchen_lamp', value: 'off' },
  ])
  expect(records.slice(0, 2).every((record) => !('superseded' in record))).toBe(true)
})

test('due is reckoned from when a prompt was said, however long the model thinks', async () => {
  const asked: (() => void)[] = []
  const { definition } = spokenNode((prompt) => new Promise((resolve) => asked.push(() => resolve(readingsOf(prompt)))))
  const home = new Home(definition)
  await home.start()
  home.say('lights_off kitchen +60')
  await home.pass(20, asked)
  expect(home.written('kitchen_light')).toEqual([])
  await home.pass(40)
  expect(home.written('kitchen_light')).toEqual([false])
})

test('a call that becomes due while the model thinks is taken back by the prompt that is contrary to it', async () => {
  const asked: (() => void)[] = []
  const { definition } = spokenNode((prompt) =>
    prompt.includes('+') ? readingsOf(prompt) : new Promise((resolve) => asked.push(() => resolve(readingsOf(prompt)))),
  )
  const home = new Home(definition)
  await home.start()
  home.say('lights_off kitchen +60; lights_off office +60')
  await home.pass(59)
  home.say('lights_on kitchen')
  await home.pass(2, asked)
  await home.pass(600)
  expect([home.written('kitchen_light'), home.written('office_light')]).toEqual([[true], [false]])
  expect(home.records().filter(({ superseded }) => superseded === true)).toMatchObject([{ call: 'lights_off' }])
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

/** A flow `home` whose prompts come in as `said`, and a flow `lights` with a lamp of its own. */
class Home {
  host: MemoryHost
  #runtime: LiveRuntime
  #flow: LiveFlow | null = null
  readonly #definition: ReturnType<typeof spokenNode>['definition']

  constructor(definition = spokenNode().definition) {
    this.#definition = definition
    this.host = memoryHost({ startMs: 0 })
    this.#runtime = new LiveRuntime(this.host, new NodeRegistry([definition]))
    onTestFinished(() => void this.#runtime.close())
  }

  async start(more: Parameters<typeof homeOf>[0] = {}): Promise<void> {
    await this.#runtime.start(lights)
    this.#flow = await this.#runtime.start(homeOf(more))
  }

  say(prompt: string): void {
    this.#runtime.publish('home.said', prompt)
  }

  async pass(seconds: number, then: readonly (() => void)[] = []): Promise<void> {
    await this.host.advance(seconds * 1000)
    for (const act of then) act()
    await this.host.advance(0)
  }

  async publish(more: Parameters<typeof homeOf>[0]): Promise<void> {
    const rebuilt = this.#flow?.rebuild(homeOf(more))
    await this.host.advance(0)
    await rebuilt
    await this.host.advance(0)
  }

  /** The engine dies now, and another one starts with what this one has kept. */
  async crash(awaySeconds: number): Promise<void> {
    const kept: KeptWork[] = structuredClone([...this.host.work.items.values()])
    const atMs = this.host.clock.now() + awaySeconds * 1000
    this.host = memoryHost({ kept, startMs: atMs })
    const old = this.#runtime
    this.#runtime = new LiveRuntime(this.host, new NodeRegistry([this.#definition]))
    onTestFinished(() => void old.close())
    await this.start()
    await this.host.advance(0)
  }

  async stop(): Promise<void> {
    const stopped = this.#flow?.stop()
    await this.host.advance(0)
    await stopped
  }

  /** Values of a message of `home`, or of another flow. */
  written(message: string): unknown[] {
    const name = message.includes('.') ? message : `home.${message}`
    return this.host.records
      .filter((record) => record.message === name && record.node !== null)
      .map(({ value }) => value)
  }

  records(): Record<string, unknown>[] {
    return this.written('actions').flat() as Record<string, unknown>[]
  }
}

const parsed = (name: string, document: object) =>
  normalizeDocument(name, flowDocumentInputSchema.parse({ mode: 'live', ...document }))
const lights = parsed('lights', { inputs: [{ name: 'k1', dtype: 'bool' }] })
const homeOf = ({
  targets = ['kitchen_light', 'office_light'],
  apply = true,
}: {
  targets?: readonly string[]
  apply?: boolean
}) =>
  parsed('home', {
    inputs: [{ name: 'said', dtype: 'str' }],
    nodes: [
      {
        id: 'lm',
        type: 'commands_lm',
        settings: { apply },
        ports: [
          { direction: 'input', name: 'said', port: 'prompt', dtype: 'str' },
          { direction: 'output', name: 'actions', dtype: 'array' },
          { direction: 'output', name: 'lights.k1', port: 'garden_light', dtype: 'bool' },
          ...targets.map((name) => ({ direction: 'output', name, dtype: 'bool' })),
        ],
      },
    ],
  })

describe('in flows that come and go', () => {
  test('a held call survives the end of the engine, is written once, and can still be superseded [R331, R332]', async () => {
    const home = new Home()
    await home.start()
    home.say('lights_on kitchen +600; lights_off office +600')
    await home.pass(300)
    await home.crash(60)
    home.say('lights_on office')
    await home.pass(0)
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
    const home = new Home()
    await home.start()
    home.say('lights_off kitchen +120; lights_on kitchen +60')
    await home.pass(0)
    await home.crash(3600)
    expect(home.written('kitchen_light')).toEqual([true, false])
  })

  test('a device of another flow is read and written by its message [R308, R319]', async () => {
    const { definition, contexts } = spokenNode()
    const home = new Home(definition)
    await home.start()
    home.say('lights_on garden')
    await home.pass(0)
    home.say('look')
    await home.pass(0)
    expect(home.written('lights.k1')).toEqual([true])
    expect(contexts.map(({ devices }) => devices[0]?.value)).toEqual([null, true])
    expect(home.records()).toMatchObject([{ message: 'lights.k1', applied: true }])
  })

  test('a held call is written by the node that has taken the place of its own, as far as that has the target', async () => {
    const home = new Home()
    await home.start()
    home.say('lights_on kitchen +600; lights_on office +600')
    await home.pass(0)
    await home.publish({ targets: ['office_light', 'bedroom_light'] })
    await home.pass(600)
    expect([home.written('kitchen_light'), home.written('office_light')]).toEqual([[], [true]])
    expect(home.host.logs.map(({ text }) => text)).toEqual([
      'lights_on kitchen is due, and not written to "home.kitchen_light": the node may not any more',
    ])
  })

  test('nothing that was held is written once the node only reports', async () => {
    const home = new Home()
    await home.start()
    home.say('lights_on kitchen +600')
    await home.pass(0)
    await home.publish({ apply: false })
    await home.pass(600)
    expect(home.written('kitchen_light')).toEqual([])
  })

  test('what a stop gives up is a dead letter with the value and its message', async () => {
    const home = new Home()
    await home.start()
    home.say('lights_on kitchen +600')
    await home.pass(0)
    await home.stop()
    expect(home.host.deadLetters).toMatchObject([
      { flow: 'home', node: 'lm', message: 'home.kitchen_light', value: true, reason: 'stopped' },
    ])
  })
})
