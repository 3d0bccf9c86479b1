/** Connectors in a live flow: readings, writes, pushed values, health, state, and their lives. */
import { Connector, type ConnectorContext, ConnectorParams, nodeTypeOf, secret } from '@flow-service/connector-sdk'
import type { FlowDocumentInput } from '@flow-service/protocol'
import { expect, test } from 'vitest'
import * as z from 'zod'

import type { MemoryHostOptions } from '../../src/testing.ts'
import { flow, input, output, recorder } from '../documents.ts'
import { turn } from '../turn.ts'
import { atCrash, durable, engine as kept } from './kept-work.ts'
import { engine } from './live-engine.ts'
import { rebuild } from './rebuilding.ts'

type Node = NonNullable<FlowDocumentInput['nodes']>[number]
type Reading = Record<string, unknown> | null

/** What a test does with the meters of its flow. */
interface Lab {
  /** Answers readings, in place of the one below. */
  read: () => Reading | Promise<Reading>
  write: (inputs: Readonly<Record<string, unknown>>) => Promise<Reading | void>
  start: () => void | Promise<void>
  stop: () => void
  readonly meters: Meter[]
  readonly told: string[]
}

const labs: Lab[] = []
const lab = (): Lab => labs.at(-1)!

class Meter extends Connector<typeof Meter.Params> {
  static readonly contract = 1
  static override readonly Params = ConnectorParams.extend({
    host: z.string().default('meter.local'),
    token: secret().optional(),
  })
  readonly #lab = lab()

  constructor(context: ConnectorContext) {
    super(context)
    this.#lab.meters.push(this)
  }

  override async poll() {
    this.#lab.told.push('poll')
    return this.#lab.read()
  }

  override async write(inputs: Readonly<Record<string, unknown>>) {
    return this.#lab.write(inputs)
  }

  override async start() {
    this.#lab.told.push(`start ${this.config.host}`)
    await this.#lab.start()
    await super.start()
  }

  override async stop() {
    this.#lab.told.push('stop')
    this.#lab.stop()
    await super.stop()
  }
}

function meters(options: MemoryHostOptions = {}) {
  const own: Lab = {
    read: () => null,
    write: async () => undefined,
    start: () => {},
    stop: () => {},
    meters: [],
    told: [],
  }
  labs.push(own)
  const { calls, definition } = recorder('end')
  return { lab: own, calls, ...engine([nodeTypeOf('meter', Meter), definition], options) }
}

const meter = (settings: Node['settings'], ports: Node['ports'], id = 'meter'): Node => ({
  id,
  type: 'meter',
  settings,
  ports: ports ?? [],
})
const readings = (host: { values(message: string): unknown[] }): unknown[] => host.values('f.t')
const healthOf = (live: { nodeStates(): { health: string; message: string | null }[] }) =>
  live.nodeStates().map(({ health, message }) => [health, message])

test('readings are taken at the start and each interval, and only changes are published, on the messages that ports are wired to [R361, R362, R366, R369]', async () => {
  const { lab, host, start } = meters()
  const given: Reading[] = [{ t: 1 }, { t: 1 }, null, { t: 2 }, { t: 2 }, { t: 1 }]
  lab.read = () => given.shift() ?? null
  await start(flow([meter({ poll_interval: 10 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  expect(readings(host)).toEqual([1])
  await host.advance(60_000)
  expect(readings(host)).toEqual([1, 2, 1])
  expect(host.cascades.map(({ origin }) => origin.kind)).toContain('reading')
})

test('a connector to which values come by themselves takes readings on request alone [R355]', async () => {
  const told: string[] = []
  class Stream extends Connector {
    static readonly contract = 1
    protected override get pollInterval() {
      return 0
    }
    override async poll() {
      told.push('poll')
      return null
    }
  }
  const { host, start } = engine([nodeTypeOf('stream', Stream)])
  const live = await start(
    flow([{ id: 'stream', type: 'stream', settings: { poll_interval: 1 }, ports: [output('t')] }]),
  )
  await host.advance(60_000)
  expect(told).toEqual([])
  live.trigger('stream', {})
  await turn()
  expect(told).toEqual(['poll'])
})

test('changes are told from what a port of a list was, even when the connector changes the same list', async () => {
  const { lab, host, start } = meters()
  const list = [1]
  lab.read = () => ({ t: list })
  await start(flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'array' })])]))
  await host.advance(1000)
  list.push(2)
  await host.advance(2000)
  expect(readings(host)).toHaveLength(2)
})

test('a reading that was published before the node was made is no news', async () => {
  const { lab, host, start } = meters()
  lab.read = () => ({ t: 5 })
  const document = flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'float' })])])
  const live = await start(document)
  await host.advance(1000)
  await rebuild({ host }, live, document, { restart: true })
  expect([readings(host), lab.meters.length]).toEqual([[5], 2])
})

test('an interval of 0 turns readings off [R355]', async () => {
  const { lab, host, start } = meters()
  await start(flow([meter({}, [output('t')])]))
  await host.advance(3_600_000)
  expect(lab.told).toEqual(['start meter.local'])
})

test('a reading that fails publishes nothing, and the next tick tries again [R365, R367, R370, R678]', async () => {
  const { lab, host, start } = meters()
  const given = [{ zz: 1 }, { t: 'warm' }, { t: 1, zz: 2 }, { t: 3 }]
  lab.read = () => given.shift() ?? null
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  expect(healthOf(live)).toEqual([['degraded', 'there is no output port "zz"; the node has "t"']])
  await host.advance(1000)
  expect(healthOf(live)).toEqual([['degraded', 'output "t" is float, which "warm" is not']])
  await host.advance(1000)
  expect([healthOf(live)[0]?.[0], readings(host), live.nodeStates()[0]?.error]).toEqual(['down', [], null])
  await host.advance(1000)
  expect([healthOf(live), readings(host)]).toEqual([[['ok', null]], [3]])
})

test('a publication that fails is made again at the next tick [R371]', async () => {
  const { lab, host, start } = meters()
  lab.read = () => ({ t: 4 })
  const record = host.record.bind(host)
  let faults = 1
  Object.assign(host, {
    record: (...args: Parameters<typeof record>) => {
      if (faults-- > 0) throw new Error('the disk is full')
      record(...args)
    },
  })
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  expect([healthOf(live), readings(host)]).toEqual([[['degraded', 'the disk is full']], []])
  await host.advance(1000)
  expect([healthOf(live), readings(host)]).toEqual([[['ok', null]], [4]])
})

test('health: one failure degrades, three are down, a success is ok; equal states are one event [R372, R398, R399, R443]', async () => {
  const { lab, host, start } = meters()
  let tries = 0
  lab.read = () => {
    throw new Error(`no answer ${++tries}`)
  }
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t')])]))
  await host.advance(5000)
  const told = () => host.events.flatMap((event) => (event.type === 'health' ? [[event.status, event.message]] : []))
  expect(told()).toEqual([
    ['degraded', 'no answer 1'],
    ['down', 'no answer 3'],
  ])
  expect(healthOf(live)).toEqual([['down', 'no answer 6']])
  lab.read = () => null
  await host.advance(1000)
  expect(told().at(-1)).toEqual(['ok', null])
  const [own] = lab.meters
  own?.reportHealth('degraded', 'the battery is low')
  own?.reportHealth('degraded', 'the battery is low')
  expect(told().slice(3)).toEqual([['degraded', 'the battery is low']])
  // what a connector says while it is read holds
  lab.read = () => {
    own?.reportHealth('degraded', 'the battery is very low')
    return null
  }
  await host.advance(3000)
  expect([told().length, healthOf(live)]).toEqual([4, [['degraded', 'the battery is very low']]])
})

test('what is told of a reading that fails is its cause, where fetch says nothing [R372]', async () => {
  const { lab, host, start } = meters()
  const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:80'), new Error('the other')])
  lab.read = () => {
    throw new TypeError('fetch failed', { cause: refused })
  }
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t')])]))
  await host.advance(0)
  expect(healthOf(live)).toEqual([['degraded', 'connect ECONNREFUSED ::1:80']])
})

test('a reading that does not end is told and replaced, and never has a second beside it: readings are awaited [R373, F71]', async () => {
  const { lab, host, start } = meters()
  const ends: ((reading: Reading) => void)[] = []
  lab.read = () => new Promise((resolve) => ends.push(resolve))
  const live = await start(flow([meter({ poll_interval: 2 }, [output('t', { dtype: 'float' })])]))
  await host.advance(60_000)
  expect([lab.told.filter((word) => word === 'poll'), healthOf(live)]).toEqual([['poll'], [['ok', null]]])
  await host.advance(4000)
  expect(ends).toHaveLength(2)
  expect(healthOf(live)).toEqual([['down', 'a reading has taken longer than 60 s; it is given up']])
  ends[0]?.({ t: 1 })
  await turn()
  expect([readings(host), healthOf(live)[0]?.[0]]).toEqual([[], 'down'])
  ends[1]?.({ t: 2 })
  await turn()
  expect([readings(host), healthOf(live)[0]?.[0]]).toEqual([[2], 'ok'])
})

test('writes get input ports alone, follow each other, and do not wait for readings nor these for them [R363, R364, R375, R376]', async () => {
  const { lab, host, runtime, calls, start } = meters()
  const writes: { inputs: unknown; end: (answer: Reading) => void }[] = []
  lab.write = (inputs) => new Promise((resolve) => writes.push({ inputs, end: resolve }))
  let t = 0
  lab.read = () => ({ t: ++t })
  const ports = [input('a'), input('b'), output('t', { dtype: 'float' }), output('done', { dtype: 'str' })]
  await start(flow([meter({ poll_interval: 1 }, ports), { id: 'end', type: 'end', ports: [input('done')] }]))
  runtime.publish('f.a', 1)
  runtime.publish('f.b', 2)
  await host.advance(3000)
  expect([writes.map(({ inputs }) => inputs), readings(host)]).toEqual([[{ a: 1 }], [1, 2, 3, 4]])
  writes[0]?.end({ done: 'a' })
  await turn()
  expect([writes.map(({ inputs }) => inputs), calls]).toEqual([[{ a: 1 }, { b: 2 }], [['end', 'done', 'a']]])
  writes[1]?.end(null)
  await turn()
})

test('what a write throws is a failure of the node, and says nothing of the connection', async () => {
  const { lab, runtime, start } = meters()
  lab.write = () => Promise.reject(new Error('the valve is stuck'))
  const live = await start(flow([meter({}, [input('a')])]))
  runtime.publish('f.a', 1)
  await turn()
  const [state] = live.nodeStates()
  expect([state?.status, state?.error?.message, state?.health]).toEqual(['failed', 'the valve is stuck', 'ok'])
})

test('pushed values are published as one delivery, with the checks of readings [R374]', async () => {
  const { lab, host, start } = meters()
  await start(flow([meter({}, [output('t', { dtype: 'float' }), output('u', { dtype: 'float' })])]))
  const [own] = lab.meters
  own?.inject({ t: 1, u: 2 })
  own?.inject({ t: 1 })
  expect([readings(host), host.values('f.u')]).toEqual([[1, 1], [2]])
  expect(() => own?.inject({ t: 'warm', u: 3 })).toThrow('output "t" is float')
  expect(() => own?.inject({ v: 1 })).toThrow('there is no output port "v"')
  expect([readings(host), host.values('f.u')]).toEqual([[1, 1], [2]])
})

test('the interval of a port thins what is published: the first at once, the latest at the end [R368]', async () => {
  const { lab, host, start } = meters()
  let t = 0
  lab.read = () => ({ t: ++t, u: t })
  const ports = [output('t', { dtype: 'float', interval: 1 }), output('u', { dtype: 'float' })]
  const live = await start(flow([meter({ poll_interval: 0.1 }, ports)]))
  await host.advance(2450)
  expect(readings(host)).toEqual([1, 10, 20])
  expect(host.values('f.u')).toHaveLength(25)
  // what waits is not lost when the node ends
  await live.stop()
  expect(readings(host)).toEqual([1, 10, 20, 25])
  await host.advance(10_000)
  expect(readings(host)).toHaveLength(4)
})

test('settings come parsed, with defaults and the values of secrets [R358, R359]', async () => {
  const { lab, start } = meters({ secrets: { meter_token: 'open sesame' } })
  await start(flow([meter({ token: { $secret: 'meter_token' } }, [output('t')])]))
  expect(lab.meters[0]?.config).toEqual({ poll_interval: 0, host: 'meter.local', token: 'open sesame' })
})

test('bytes are stored once the connector has started [R378, R379, R380]', async () => {
  const { lab, host, start } = meters()
  lab.start = async () => {
    await expect(lab.meters[0]?.saveArtifact(new Uint8Array(1))).rejects.toThrow('call super.start() before')
  }
  await start(flow([meter({}, [output('t', { dtype: 'image' })])]))
  const [own] = lab.meters
  const bytes = new Uint8Array([1, 2, 3])
  const plain = await own!.saveArtifact(bytes)
  expect(plain).toMatchObject({ name: '', media_type: 'application/octet-stream', volatile: false, size: 3 })
  const frame = await own!.saveArtifact(bytes, { name: 'f.jpg', mediaType: 'image/jpeg', volatile: true })
  own?.inject({ t: frame })
  expect(readings(host)).toEqual([frame])
  expect(await host.artifacts.load(frame.digest)).toEqual(bytes)
})

test('the store is there before the start, common to all nodes, and within its limits [R382, R383, R384, R385, R386, R387, R686, R687, R688]', async () => {
  const { lab, start } = meters()
  lab.start = async () => {
    await lab.meters[0]?.store.set('seen', 'yes')
  }
  await start(flow([meter({}, [output('t')]), meter({}, [output('u')], 'other')]))
  const [, other] = lab.meters
  const store = other!.store
  expect([await store.get('seen'), await store.get('unseen')]).toEqual(['yes', null])
  expect([await store.delete('seen'), await store.delete('seen')]).toEqual([true, false])
  for (const key of ['', 'x'.repeat(201), 'a/b', 'a b', 'a\nb', '\ud800']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect(store.set(key, '')).rejects.toThrow(RangeError)
  }
  await expect(store.get('a/b')).rejects.toMatchObject({ name: 'StoreLimitError' })
  await store.set('x'.repeat(200), 'é'.repeat(32 * 1024))
  await expect(store.set('big', 'x'.repeat(65_537))).rejects.toThrow('has 65537 bytes; at most 65536')
  await expect(store.set('number', 1 as never)).rejects.toThrow('is a number; store a text')
  for (let key = 1; key < 256; key++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await store.set(`k${key}`, 'v')
  }
  await expect(store.set('one-more', 'v')).rejects.toThrow('would be key 257')
  await store.set('k1', 'again')
  expect(await store.get('k1')).toBe('again')
})

test('start and stop are called for what is made anew, also after a start that failed [R393, R394, R395]', async () => {
  const { lab, host, start } = meters()
  const document = (name: string) => flow([meter({ host: name }, [output('t')])])
  const live = await start(document('one'))
  await rebuild({ host }, live, document('one'))
  expect(lab.told).toEqual(['start one'])
  await rebuild({ host }, live, document('two'))
  expect(lab.told.splice(0)).toEqual(['start one', 'stop', 'start two'])
  lab.start = () => {
    throw new Error('nobody answers')
  }
  const refused = await rebuild({ host }, live, document('three')).catch((error: unknown) => error)
  expect(String(refused)).toContain('nobody answers')
  expect(lab.told.splice(0, 4)).toEqual(['stop', 'start three', 'stop', 'start two'])
  lab.stop = () => {
    throw new Error('cannot let go')
  }
  await live.stop()
  expect(lab.told.filter((word) => word === 'stop')).not.toEqual([])
})

test('a start that takes too long is ended by a stop [R394]', async () => {
  const { lab, host, start } = meters()
  const begun = Promise.withResolvers<void>()
  lab.start = () => begun.promise
  const failed = start(flow([meter({}, [output('t')])])).catch((error: unknown) => String(error))
  await turn()
  await host.advance(10_000)
  expect(await failed).toContain('took longer than 10 s to start')
  expect(lab.told).toEqual(['start meter.local', 'stop'])
})

test('nothing comes after the stop [F71]', async () => {
  const { lab, host, start } = meters()
  const late = Promise.withResolvers<Reading>()
  lab.read = () => late.promise
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  await live.stop()
  late.resolve({ t: 1 })
  lab.meters[0]?.inject({ t: 2 })
  lab.meters[0]?.reportHealth('down')
  await turn()
  await host.advance(10_000)
  expect([readings(host), lab.told]).toEqual([[], ['start meter.local', 'poll', 'stop']])
})

test('what is forgotten of a package is learned anew at the next publication [R388]', async () => {
  const { lab, host, start } = meters()
  lab.start = async () => {
    const { store } = lab.meters.at(-1)!
    lab.told.push((await store.get('pairing')) ?? 'pairs')
    await store.set('pairing', 'paired')
  }
  const document = flow([meter({}, [output('t')])])
  const live = await start(document)
  await rebuild({ host }, live, document)
  host.stores.forget('(built-in)', 'pairing')
  expect(await rebuild({ host }, live, document)).toEqual(['meter'])
  expect(await rebuild({ host }, live, document)).toEqual([])
  expect(lab.told).toEqual(['start meter.local', 'pairs', 'stop', 'start meter.local', 'pairs'])
})

test('a request to act takes a reading now', async () => {
  const { lab, host, start } = meters()
  lab.read = () => ({ t: 7 })
  const live = await start(flow([meter({ poll_interval: 3600 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  lab.read = () => ({ t: 8 })
  live.trigger('meter', {})
  await turn()
  expect(readings(host)).toEqual([7, 8])
})

test('values of declared ports that the node does not have are left out, and of others fail the reading [R365]', async () => {
  const given: Reading[] = [{ power: 1, energy: 2 }, { energy: 3 }, { voltage: 230 }]
  class Declared extends Connector<typeof ConnectorParams, typeof Declared.ports> {
    static readonly contract = 1
    static override readonly ports = {
      outputs: { power: 'float', energy: 'float', done: 'bool' },
      inputs: { limit: 'float' },
    } as const
    override async poll() {
      return (given.shift() ?? null) as { power?: number } | null
    }
    override async write() {
      this.inject({ energy: 1, power: 5 })
      return { done: true, power: 6 }
    }
  }
  const { host, runtime, start } = engine([nodeTypeOf('declared', Declared)])
  const ports = [output('power', { dtype: 'float' }), input('limit', { dtype: 'float' })]
  const live = await start(flow([{ id: 'n', type: 'declared', settings: { poll_interval: 1 }, ports }]))
  await host.advance(1000)
  expect([host.values('f.power'), healthOf(live)]).toEqual([[1], [['ok', null]]])
  await host.advance(1000)
  expect(healthOf(live)).toEqual([['degraded', 'there is no output port "voltage"; the node has "power"']])
  runtime.publish('f.limit', 10)
  await turn()
  expect([host.values('f.power'), live.nodeStates()[0]?.error]).toEqual([[1, 5, 6], null])
})

test('without the start of the base class no readings are taken [R396]', async () => {
  const polls: number[] = []
  class Silent extends Connector {
    static readonly contract = 1
    override async poll() {
      polls.push(1)
      return null
    }
    override async start() {}
  }
  const { host, start } = engine([nodeTypeOf('silent', Silent)])
  await start(flow([{ id: 'n', type: 'silent', settings: { poll_interval: 1 }, ports: [output('t')] }]))
  await host.advance(10_000)
  expect(polls).toEqual([])
})

test.each([
  [true, ['10', '10'], []],
  [false, ['10'], ['crash']],
])('a write that a crash has cut off is made again: %s [R349]', async (idempotent, writes, lost) => {
  const told: string[] = []
  class Valve extends Connector {
    static readonly contract = 1
    static override readonly idempotent: boolean = idempotent
    override write(inputs: Readonly<Record<string, unknown>>) {
      told.push(String(inputs['x']))
      return new Promise<null>(() => {})
    }
  }
  const { accept, definition } = durable()
  const types = [definition, nodeTypeOf('valve', Valve)]
  const document = flow([
    { id: 's', type: 'source', ports: [output('x')] },
    { id: 'v', type: 'valve', ports: [input('x')] },
  ])
  const first = kept(types)
  await first.start(document)
  await accept({ x: 10 })
  await turn()
  const second = kept(types, atCrash(first.host))
  await second.start(document)
  await turn()
  expect([told, second.host.deadLetters.map(({ reason }) => reason)]).toEqual([writes, lost])
})
