import { Duplex } from 'node:stream'

import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import * as nodes from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { codes, Rig, type Setup } from './test-kit.ts'

/** Rejects when it is ended, and not before. */
const untilAborted = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))

const unanswered: typeof fetch = (_url, init) => untilAborted(init?.signal)

/** A connection that takes everything and answers nothing. */
const mute = (): Duplex => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })

/** For each type: a node that has been busy, so that stopping it has something to end. */
const samples: Record<string, { setup: Setup; use: (rig: Rig) => Promise<void>; bad: readonly Setup['settings'][] }> = {
  python: { setup: { inputs: { x: 'float' }, outputs: { y: 'any' } }, use: (rig) => rig.arrive({ x: 1 }), bad: [] },
  code: { setup: { inputs: { x: 'float' }, outputs: { y: 'any' } }, use: (rig) => rig.arrive({ x: 1 }), bad: [] },
  http: {
    setup: { settings: { url: 'alerts' }, outputs: { alert: 'object' } },
    use: (rig) => rig.post('application/json', '{"a":1}'),
    bad: [{ url: 'x', method: 'PATCH' }],
  },
  mqtt: {
    setup: { settings: { broker_host: '127.0.0.1', topic: 't', qos: 1 }, inputs: { x: 'any' }, connect: mute },
    use: (rig) => rig.arrive({ x: 1 }),
    bad: [{ qos: 3 }, { broker_port: 0 }, { timeout: 0 }, { keepalive: -1 }, { send_queue_size: 0 }, { topic: '' }],
  },
  websocket: {
    setup: { settings: { url: 'ws://127.0.0.1:9/' }, inputs: { x: 'any' }, outputs: { y: 'any' }, connect: mute },
    use: (rig) => rig.arrive({ x: 1 }),
    bad: [{}, { url: '' }, { url: '/x', on_connect: 'hello' }, { url: '/x', timeout: 0 }, { url: '/x', json_key: '' }],
  },
  inject: {
    setup: { settings: { interval: 5, cron: '* * * * *', at_start: true, start_delay: 9 }, outputs: { tick: 'str' } },
    use: async (rig) => rig.advance(6),
    bad: [{ interval: -1 }],
  },
  delay: {
    setup: { settings: { delay: 1, interval: 60 }, inputs: { x: 'any' }, outputs: { y: 'any' } },
    use: async (rig) => {
      await rig.arrive({ x: 1 })
      await rig.advance(2)
      await rig.arrive({ x: 2 })
    },
    bad: [{ delay: -1 }, { mapping: [] }],
  },
  debounce: {
    setup: { inputs: { x: 'any' }, outputs: { y: 'bool' } },
    use: (rig) => rig.arrive({ x: 1 }),
    bad: [{ wait: 'long' }],
  },
  switch: {
    setup: {
      settings: { rules: [{ operator: 'gt', value: 1, output: 'high' }], otherwise: 'low' },
      inputs: { x: 'float' },
      outputs: { high: 'float', low: 'float' },
    },
    use: (rig) => rig.arrive({ x: 2 }),
    bad: [{ rules: [{ operator: 'like', value: 1, output: 'high' }] }],
  },
  change: {
    setup: { settings: { scale: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
    use: (rig) => rig.arrive({ x: 2 }),
    bad: [{ round_to: 1.5 }],
  },
  tsdb: {
    setup: {
      settings: {
        url: 'http://127.0.0.1:1',
        org: 'o',
        bucket: 'b',
        writes: { x: { measurement: 'm' } },
        queries: { y: { measurement: 'm', field: 'f', range: '-1d', aggregation: 'mean' } },
      },
      inputs: { x: 'float' },
      outputs: { y: 'float' },
      fetch: unanswered,
    },
    use: async (rig) => void rig.arrive({ x: 1 }).catch(() => {}),
    bad: [{ url: 'http://h', org: 'o', bucket: 'b', write_precision: 'min' }, { url: 'http://h' }],
  },
  push: {
    setup: { settings: { topic: 'alarms' }, inputs: { value: 'any' }, fetch: unanswered },
    use: async (rig) => void rig.arrive({ value: 1 }).catch(() => {}),
    bad: [{}, { topic: 'a b' }, { topic: 'a', priority: 'max' }, { topic: 'a', timeout: 0 }],
  },
  rbe: {
    setup: { settings: { deadband: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
    use: (rig) => rig.arrive({ x: 2 }),
    bad: [{ deadband: -1 }, { deadband_percent: 10 }],
  },
  exec: {
    setup: {
      settings: { command: 'sleep 9' },
      inputs: { x: 'any' },
      outputs: { exit_code: 'int' },
      spawn: ({ signal }) => untilAborted(signal),
    },
    use: async (rig) => void rig.arrive({ x: 1 }).catch(() => {}),
    bad: [{}, { command: '' }, { command: 'true', timeout: -1 }],
  },
  file: {
    setup: { settings: { path: 'a/b.txt', mode: 'append' }, inputs: { x: 'any' } },
    use: (rig) => rig.arrive({ x: 1 }),
    bad: [{}, { path: '' }, { path: 'x', mode: 'delete' }, { path: 'x', format: 'yaml' }],
  },
  mlp: {
    setup: { settings: { seed: 3 }, inputs: { a: 'float', b: 'int' }, outputs: { y: 'float' } },
    use: (rig) => rig.arrive({ a: 1, b: 2 }),
    bad: [{ seed: -1 }, { seed: 0.5 }, { seed: 'x' }],
  },
  join: {
    setup: { inputs: { a: 'int', b: 'str' }, outputs: { both: 'object' } },
    use: (rig) => rig.arrive({ a: 1, b: 'x' }),
    bad: [{ mode: 'list' }],
  },
}

const credentials: Record<string, readonly string[]> = {
  http: ['secret'],
  mqtt: ['password'],
  push: ['token'],
  tsdb: ['token'],
  websocket: ['secret'],
}

test('python is the only type that has a source file [R163]', () => {
  expect(nodes.nodeTypes.filter(({ code }) => code === 'python').map(({ type }) => type)).toEqual(['python'])
})

test('the catalogue holds each exported type once, and each has a sample here', () => {
  const exported = Object.values(nodes).filter((value): value is AnyNodeDefinition => 'type' in value)
  expect(new Set(nodes.nodeTypes)).toEqual(new Set(exported))
  expect(nodes.nodeTypes.map(({ type }) => type).toSorted()).toEqual(Object.keys(samples).toSorted())
})

describe.each(nodes.nodeTypes.map((definition) => [definition.type, definition] as const))('%s', (type, definition) => {
  const sample = samples[type]!
  const free = definition.code !== undefined
  const schema = z.toJSONSchema(definition.settings, { io: 'input' })

  test('has a title, a description and a text for each setting', () => {
    expect(definition.title).not.toBe('')
    expect(definition.description).not.toBe('')
    const texts = Object.values(schema.properties ?? {}).map((item) => typeof item === 'object' && item.description)
    expect(texts.every((text) => typeof text === 'string' && text !== '')).toBe(true)
  })

  test('has settings that survive the trip through JSON Schema [R051]', () => {
    const rebuilt = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)) as z.core.JSONSchema.JSONSchema)
    const given = sample.setup.settings ?? {}
    expect(rebuilt.safeParse(given).success).toBe(true)
    expect(rebuilt.safeParse({ ...given, no_such_setting: 1 }).success).toBe(free)
    expect(sample.bad.filter((bad) => rebuilt.safeParse(bad).success)).toEqual([])
  })

  test('marks each setting that takes a credential, and no other, as a secret', () => {
    const marked = Object.entries(schema.properties ?? {}).filter(([, item]) => Reflect.get(Object(item), 'x-secret'))
    expect(marked.map(([name]) => name)).toEqual(credentials[type] ?? [])
    const given = marked.map(([name]) => [name, { $secret: 'stored' }])
    const settings = { ...sample.setup.settings, ...Object.fromEntries(given) } as object
    expect(definition.settings.safeParse(settings).success).toBe(true)
  })

  test('has a default that its own schema takes for each setting that may be left out', () => {
    const parsed = definition.settings.parse(sample.setup.settings ?? {})
    expect(definition.settings.parse(parsed)).toEqual(parsed)
    expect(definition.settings.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
  })

  test('refuses unknown and bad settings, and finds nothing wrong with good ones', () => {
    expect(definition.settings.safeParse({ ...sample.setup.settings, no_such_setting: 1 }).success).toBe(free)
    expect(sample.bad.filter((bad) => definition.settings.safeParse(bad).success)).toEqual([])
    expect(codes(definition, sample.setup).filter((code) => code !== 'webhook_without_secret')).toEqual([])
  })

  test('stops without having done anything, and when it has just been started', async () => {
    const rig = await Rig.start(definition, sample.setup)
    await rig.stop()
    await rig.stop()
    await rig.advance(1_000_000)
    expect([rig.timers, rig.emitted]).toEqual([0, []])
  })

  test('stops twice, leaves no timer and emits nothing afterwards', async () => {
    const rig = await Rig.start(definition, sample.setup)
    await sample.use(rig)
    await rig.stop()
    await rig.stop()
    const before = rig.emitted.length
    expect(rig.timers).toBe(0)
    await rig.advance(1_000_000)
    expect(rig.emitted).toHaveLength(before)
  })
})
