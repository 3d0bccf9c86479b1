/** Connectors in a live flow, beside their readings: writes, pushed values, bytes, state, and their lives. */
import { Connector, nodeTypeOf } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'

import { flow, input, output } from '../documents.ts'
import { turn } from '../turn.ts'
import { meter, meters, type Reading, readings } from './connector-lab.ts'
import { atCrash, durable, engine as kept } from './kept-work.ts'
import { rebuild } from './rebuilding.ts'

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
