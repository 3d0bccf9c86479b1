import { timestampOfMs } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { follows, startDeviceSockets, type TestSockets, wire } from './sockets.ts'

let at: TestSockets
beforeEach(async () => {
  at = await startDeviceSockets()
})
afterEach(() => at[Symbol.asyncDispose]())

test('the snapshot has the wiring, the values that the device follows, its demand and its uplink [R654, R655]', async () => {
  at.tell('f.relay', true)
  at.tell('f.lux', 3)
  at.values.set('f.first', { value: 7, ts: null })
  at.viewed.add('f.camera')
  const bindings = [
    follows('relay', { config: { active_low: true } }),
    follows('first'),
    follows('silent'),
    wire('lux'),
    wire('camera', { on_demand: true }),
    wire('other', { on_demand: true }),
  ]
  const device = await at.connect('panel', bindings)
  expect(device.frames).toEqual([
    {
      type: 'snapshot',
      device: 'panel',
      bindings,
      values: [
        { message: 'f.relay', port: 'relay', value: true, ts: timestampOfMs(at.clock.now()) },
        { message: 'f.first', port: 'first', value: 7, ts: null },
      ],
      demand: ['camera'],
      uplink: 'binary',
    },
  ])
})

test('through the portal pictures go by requests, and a header without its token is none [R655, T59]', async () => {
  const uplinkOf = async (token: string) =>
    (await at.connect('panel', [], { headers: { 'x-service-portal': token } })).frames[0]
  expect(await uplinkOf('portal')).toMatchObject({ uplink: 'http' })
  expect(await uplinkOf('forged')).toMatchObject({ uplink: 'binary' })
})

test('a device hears the messages of its out ports, and no others [R130, R629, T50]', async () => {
  const [first, second] = [await at.connect('one', [follows('a')]), await at.connect('two', [follows('ab'), wire('a')])]
  for (const message of ['f.a', 'f.ab', 'f.abc', 'g.a', 'f.a ']) at.tell(message, message)
  at.tell('f.a', 'last')
  const ts = timestampOfMs(at.clock.now())
  expect((await first.settled()).slice(1)).toEqual([
    { type: 'value', message: 'f.a', port: 'a', value: 'f.a', ts },
    { type: 'value', message: 'f.a', port: 'a', value: 'last', ts },
  ])
  expect((await second.settled()).slice(1)).toEqual([{ type: 'value', message: 'f.ab', port: 'ab', value: 'f.ab', ts }])
})

test('10,000 values of others reach no device [R629, T50]', async () => {
  const device = await at.connect('one', [follows('a'), wire('b')])
  for (let n = 0; n < 10_000; n++) at.tell(`f.a${n}`, n)
  for (let n = 0; n < 10; n++) at.tell('f.b', n)
  expect((await device.settled()).slice(1)).toEqual([])
})

test('a port that takes less than its message hears what fits', async () => {
  at.tell('f.a', 'none')
  const device = await at.connect('panel', [follows('a', { dtype: 'float' })])
  at.tell('f.a', true)
  at.tell('f.a', 2)
  expect(await device.settled()).toMatchObject([{ values: [] }, { value: 2 }])
})

test('ports of one message hear it each under their own name, and devices that share it too', async () => {
  const shared = follows('x', { message: 'f.m' })
  const [first, second] = [
    await at.connect('one', [shared, follows('y', { message: 'f.m' })]),
    await at.connect('two', [shared]),
  ]
  at.tell('f.m', 1)
  const portsOf = (frames: readonly object[]) => frames.slice(1).map((frame) => 'port' in frame && frame.port)
  expect(portsOf(await first.settled())).toEqual(['x', 'y'])
  expect(portsOf(await second.settled())).toEqual(['x'])
})

test('a port with an interval hears the first value of a window at once, and the latest at its end', async () => {
  const device = await at.connect('panel', [follows('relay', { interval: 2 })])
  for (const value of [1, 2, 3]) at.tell('f.relay', value)
  const valuesOf = (frames: readonly object[]) => frames.slice(1).map((frame) => 'value' in frame && frame.value)
  expect(valuesOf(await device.settled())).toEqual([1])
  await at.clock.advance(2_000)
  expect(valuesOf(await device.settled())).toEqual([1, 3])
})

test('a publication of a flow that wires the device sends a new snapshot, and what follows is of the new wiring', async () => {
  const [panel, other] = [
    await at.connect('panel', [follows('a')]),
    await at.connect('other', [follows('a', { flow: 'g' })]),
  ]
  at.wires.set('panel', [follows('b', { config: { x: 1 } })])
  at.publishedFlow('f')
  await panel.next(2)
  at.tell('f.a', 1)
  at.tell('f.b', 2)
  expect((await panel.settled()).slice(1)).toMatchObject([
    { type: 'snapshot', bindings: [{ port: 'b', config: { x: 1 } }], values: [] },
    { type: 'value', message: 'f.b', value: 2 },
  ])
  expect((await other.settled()).slice(1)).toMatchObject([{ type: 'value', message: 'f.a' }])
})

test('a device that no flow wires any more is told so, and a renaming is one snapshot', async () => {
  const panel = await at.connect('panel', [follows('a')])
  at.wires.set('panel', [follows('a', { flow: 'g', message: 'g.a' })])
  at.publishedFlow('f')
  at.publishedFlow('g')
  expect((await panel.next(2))[1]).toMatchObject({ type: 'snapshot', bindings: [{ message: 'g.a' }] })
  at.wires.set('panel', [])
  at.publishedFlow('g')
  expect((await panel.settled()).slice(2)).toMatchObject([{ type: 'snapshot', bindings: [], values: [] }])
})

test('demand begins with a viewer or reader, and ends five seconds after the last one [R076, R654, R656]', async () => {
  const device = await at.connect('panel', [wire('camera', { on_demand: true }), wire('lux', { on_demand: true })])
  const demands = async () =>
    (await device.settled()).flatMap((frame) => (frame.type === 'demand' ? [frame.ports] : []))
  const change = async (edit: () => void, wait = 0) => {
    edit()
    at.sockets.reviewDemand()
    await at.clock.advance(wait)
    return demands()
  }
  expect(await change(() => at.viewed.add('f.camera'))).toEqual([['camera']])
  expect(await change(() => at.reads.add('f.lux'))).toEqual([['camera'], ['camera', 'lux']])
  // a viewer who comes back before the end starts nothing anew
  expect(await change(() => at.viewed.clear(), 4_999)).toHaveLength(2)
  expect(await change(() => at.viewed.add('f.camera'), 10_000)).toHaveLength(2)
  expect(await change(() => at.viewed.clear(), 5_000)).toEqual([['camera'], ['camera', 'lux'], ['lux']])
  expect(await change(() => at.reads.clear(), 4_999)).toHaveLength(3)
  await at.clock.advance(1)
  expect((await demands()).at(-1)).toEqual([])
  expect(at.clock.pending).toBe(0)
})

test('ports that are not on demand are in no demand, and what flows start and stop counts [R657, R658]', async () => {
  const device = await at.connect('panel', [wire('lux'), wire('camera', { on_demand: true })])
  at.reads.add('f.lux').add('f.camera')
  at.reviewed()
  expect((await device.next(2))[1]).toEqual({ type: 'demand', ports: ['camera'] })
})

test('a newer socket of a device takes over, and the older one is closed with 4000', async () => {
  const old = await at.connect('panel', [follows('a')])
  const newer = await at.connect('panel')
  expect(await old.closed).toEqual({ code: 4000, reason: 'a newer socket of the device has taken over' })
  at.tell('f.a', 1)
  expect(await newer.next(2)).toHaveLength(2)
  expect(at.sockets.count()).toBe(1)
  expect(at.presence.isOnline('panel')).toBe(true)
})

test('of two sockets at two engines the newer one stays, whichever is heard of first', async () => {
  const here = await at.connect('panel', [])
  const [own = ''] = at.notices.map((notice) => notice.split(' ')[1] ?? '')
  await at.sockets.heard('panel 00000000-0000-7000-8000-000000000000')
  await at.sockets.heard(`panel ${own}`)
  expect(await here.settled()).toHaveLength(1)
  await at.sockets.heard('panel ffffffff-ffff-7fff-bfff-ffffffffffff')
  expect((await here.closed).code).toBe(4000)
})

test('other engines hear of a device once its presence is written, and an older socket stays until it is known elsewhere [R118]', async () => {
  const [written, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  at.written = () => written.promise
  at.heard = () => heard.promise
  const here = await at.connect('panel')
  expect(at.notices).toEqual([])
  written.resolve()
  await expect.poll(() => at.notices).toHaveLength(1)
  const replaced = at.sockets.heard('panel ffffffff-ffff-7fff-bfff-ffffffffffff')
  expect(await here.settled()).toHaveLength(1)
  expect(at.presence.isOnline('panel')).toBe(true)
  heard.resolve()
  await replaced
  expect((await here.closed).code).toBe(4000)
})

test('a socket that has closed leaves nothing behind [R118]', async () => {
  const changes: boolean[] = []
  at.presence.onChange((device) => changes.push(at.presence.isOnline(device)))
  const device = await at.connect('panel', [follows('a', { interval: 2 }), wire('camera', { on_demand: true })])
  at.viewed.add('f.camera')
  at.sockets.reviewDemand()
  at.tell('f.a', 1)
  at.tell('f.a', 2)
  device.socket.close()
  await device.closed
  await expect.poll(() => at.sockets.count()).toBe(0)
  expect(changes).toEqual([true, false])
  expect(at.clock.pending).toBe(0)
})

test('values are listened to only while a device follows some', async () => {
  await at.connect('camera', [wire('camera')])
  expect(at.subscribers.size).toBe(0)
  const panel = await at.connect('panel', [follows('a')])
  expect(at.subscribers.size).toBe(1)
  panel.socket.close()
  await panel.closed
  await expect.poll(() => at.subscribers.size).toBe(0)
})

test('a query has no meaning for a device and is refused before the socket opens', async () => {
  await expect(at.connect('panel', [], {}, '?flows=f')).rejects.toThrow('422')
})
