import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

import { mqttNode } from '@flow-service/node-types'
import { Aedes, type Client, type PublishPacket } from 'aedes'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { hasMosquitto, type MosquittoServer, startMosquitto } from '../../../test/components/mosquitto.ts'
import { startWith } from '../src/mqtt.ts'
import { missingPackage } from '../src/optional-package.ts'
import { codes, findings, Rig, type Setup, shapeOf } from './test-kit.ts'

/** A broker in this process, and what it has seen. */
interface Broker {
  readonly port: number
  readonly aedes: Aedes
  readonly published: {
    readonly topic: string
    readonly text: string
    readonly qos: number
    readonly retain: boolean
  }[]
  readonly subscriptions: string[]
  readonly clients: Client[]
  /** To all subscribers. */
  publish(topic: string, payload: string | Buffer, more?: Partial<PublishPacket>): Promise<void>
  close(): Promise<void>
}

const open: (() => unknown)[] = []
const rigs: Rig[] = []
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()))
  await Promise.all(open.splice(0).map((close) => close()))
})

async function startBroker(port = 0): Promise<Broker> {
  const aedes = await Aedes.createBroker()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    aedes.handle(socket)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const broker: Broker = {
    port: (server.address() as AddressInfo).port,
    aedes,
    published: [],
    subscriptions: [],
    clients: [],
    publish: (topic, payload, more) =>
      new Promise((resolve, reject) =>
        aedes.publish(
          { cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false, ...more } as PublishPacket,
          (error) => (error ? reject(error) : resolve()),
        ),
      ),
    close: () => closeServer(server, aedes, sockets),
  }
  aedes.on('publish', ({ topic, payload, qos, retain }, client) => {
    if (client) broker.published.push({ topic, text: String(payload), qos, retain })
  })
  aedes.on('subscribe', (subscriptions) => broker.subscriptions.push(...subscriptions.map(({ topic }) => topic)))
  aedes.on('client', (client) => broker.clients.push(client))
  open.push(() => broker.close())
  return broker
}

async function closeServer(server: Server, aedes: Aedes, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((resolve) => aedes.close(() => resolve()))
  await closed
}

async function start(at: { readonly port: number }, setup: Setup): Promise<Rig> {
  const settings = { broker_host: '127.0.0.1', broker_port: at.port, ...setup.settings }
  const rig = await Rig.start(mqttNode, { ...setup, settings })
  rigs.push(rig)
  return rig
}
const send = (at: { readonly port: number }, settings = {}, inputs: Setup['inputs'] = { x: 'any' }) =>
  start(at, { settings: { topic: 't', ...settings }, inputs })
/** A listener that has subscribed. */
async function listen(broker: Broker, settings: object, outputs: NonNullable<Setup['outputs']>): Promise<Rig> {
  const before = broker.subscriptions.length
  const rig = await start(broker, { settings: settings as Record<string, unknown>, outputs })
  await expect.poll(() => broker.subscriptions.length).toBeGreaterThan(before)
  return rig
}
const texts = (broker: Broker): string[] => broker.published.map(({ text }) => text)
/** Lets time pass until something is so: what connects takes real time. */
const passing = (rig: Rig, read: () => unknown, expected: unknown): Promise<void> =>
  expect
    .poll(async () => {
      await rig.advance(1)
      return read()
    })
    .toEqual(expected)

describe('a listener', () => {
  test('emits what is published to its topics, each message by its own [R168] [R171]', async () => {
    const broker = await startBroker()
    const rig = await listen(
      broker,
      { topic: { 'test.temp': 'plant/temp', room: 'plant/room' } },
      { temp: 'float', room: 'str' },
    )
    await broker.publish('plant/temp', '21.5')
    await broker.publish('plant/room', '7')
    await broker.publish('plant/other', '1')
    await broker.publish('plant/temp', Buffer.from('20'), { qos: 1 })
    await expect.poll(() => rig.emitted).toEqual([{ temp: 21.5 }, { room: '7' }, { temp: 20 }])
    expect(broker.subscriptions.toSorted()).toEqual(['plant/room', 'plant/temp'])
  })

  test('takes "*" as a topic like any other [R170] [R172]', async () => {
    const broker = await startBroker()
    const rig = await listen(broker, {}, { x: 'any' })
    await broker.publish('a', '1')
    await broker.publish('*', '2')
    await expect.poll(() => rig.emitted).toEqual([{ x: 2 }])
    expect(broker.subscriptions).toEqual(['*'])
  })

  test('emits all that a filter matches from one port, and subscribes once for what two ports share [R186] [R187]', async () => {
    const broker = await startBroker()
    const rig = await listen(broker, { topic: { one: 'a/+/c', rest: 'a/#' } }, { one: 'int', rest: 'int' })
    for (const [at, topic] of ['a/b/c', 'a', 'a/x/c', 'a/b/c/d', 'b/b/c', '$SYS/x', 'a//c'].entries())
      await broker.publish(topic, String(at))
    await expect.poll(() => rig.emitted.length).toBe(5)
    expect(rig.emitted).toEqual([
      { one: 0, rest: 0 },
      { rest: 1 },
      { one: 2, rest: 2 },
      { rest: 3 },
      { one: 6, rest: 6 },
    ])
    expect(broker.subscriptions).toEqual(['a/#'])
  })

  test.each([
    ['any', null, '{"x":1}', 1],
    ['any', null, '{"y":1}', { y: 1 }],
    ['any', null, 'hello', 'hello'],
    ['any', 'v', '{"v":[1]}', [1]],
    ['any', { x: 'v', z: 'w' }, '{"v":2}', 2],
    ['any', 'v', '7', 7],
    ['str', null, '{"x":1}', '{"x":1}'],
    ['str', 'v', '{"v":"on"}', 'on'],
    ['object', null, '{"a":1}', { a: 1 }],
    ['any', null, `${'['.repeat(50_000)}${']'.repeat(50_000)}`, `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ] as const)(
    'reads for a port of %s with json_key %j [R183] [R184] [R185]',
    async (dtype, json_key, payload, value) => {
      const broker = await startBroker()
      const rig = await listen(broker, { topic: 't', json_key }, { x: dtype })
      await broker.publish('t', payload)
      await expect.poll(() => rig.emitted).toEqual([{ x: value }])
    },
  )

  test('drops what its port does not take and is degraded until something fits; a missing key is nothing', async () => {
    const broker = await startBroker()
    const rig = await listen(broker, { topic: 't', json_key: 'v' }, { x: 'float' })
    for (const payload of ['warm', '{"v":"1"}', '{"w":1}', '{"v":2}']) await broker.publish('t', payload)
    await expect.poll(() => rig.emitted).toEqual([{ x: 2 }])
    expect(rig.health.map(({ status }) => status)).toEqual(['degraded', 'ok', 'ok'].slice(0, rig.health.length))
    expect(rig.health[0]).toEqual({
      status: 'degraded',
      message: 'what came from the topic "t" is no float for the output "x"; it was dropped',
    })
  })

  test('subscribes again to a broker that comes back, once each time [F49]', async () => {
    const broker = await startBroker()
    const rig = await listen(broker, { topic: 't' }, { x: 'int' })
    await broker.close()
    await expect.poll(() => rig.health.map(({ status }) => status)).toEqual(['degraded'])
    const again = await startBroker(broker.port)
    await passing(rig, () => again.subscriptions, ['t'])
    await again.publish('t', '5')
    await expect.poll(() => rig.emitted).toEqual([{ x: 5 }])
    // kicked again and again: one connection, one subscription each, no timer is left over
    for (let round = 2; round <= 6; round++) {
      again.clients.at(-1)?.conn.destroy()
      await passing(rig, () => again.subscriptions.length, round)
    }
    await again.publish('t', '6')
    await expect.poll(() => rig.emitted).toEqual([{ x: 5 }, { x: 6 }])
    expect(rig.connections).toBe(1)
    expect(again.aedes.connectedClients).toBe(1)
  })
})

describe('a sender', () => {
  test('publishes text as it is and anything else as JSON, each port to its topic [R169] [R171]', async () => {
    const broker = await startBroker()
    const rig = await send(broker, { topic: { 'test.a': 'x/a', b: 'x/b' } }, { a: 'any', b: 'any' })
    await rig.arrive({ a: 'on', b: { k: 1 } })
    await rig.arrive({ b: 'x' })
    await rig.arrive({ a: null })
    await expect
      .poll(() => broker.published.map(({ topic, text }) => [topic, text]))
      .toEqual([
        ['x/a', 'on'],
        ['x/b', '{"k":1}'],
        ['x/b', 'x'],
        ['x/a', 'null'],
      ])
  })

  test.each([0, 1, 2] as const)('publishes with QoS %i and the retain flag [R177] [R178]', async (qos) => {
    const broker = await startBroker()
    const rig = await send(broker, { qos, retain: true })
    for (let n = 0; n < 600; n++) {
      await rig.arrive({ x: n })
      // more than may be in flight at once
      if (n % 100 === 99) await expect.poll(() => broker.published.length).toBe(n + 1)
    }
    expect(texts(broker)).toEqual(Array.from({ length: 600 }, (_, n) => String(n)))
    expect(broker.published[0]).toMatchObject({ qos, retain: true })
    const late = await listen(broker, { topic: 't' }, { x: 'int' })
    await expect.poll(() => late.emitted).toEqual([{ x: 599 }])
    expect(rig.health).toEqual([])
  })

  test('keeps the newest payloads while the broker is away, and is degraded [R181] [R182] [F48]', async () => {
    const broker = await startBroker()
    const { port } = broker
    await broker.close()
    const rig = await send({ port }, { qos: 1 })
    for (let n = 0; n < 300; n++) await rig.arrive({ x: n })
    expect(rig.health.at(-1)).toEqual({
      status: 'degraded',
      message: 'more than 256 payloads wait; the oldest are dropped',
    })
    await expect.poll(() => rig.health.at(-1)?.message).toContain('ECONNREFUSED')
    const again = await startBroker(port)
    await passing(rig, () => again.published.length, 256)
    expect([texts(again)[0], texts(again).at(-1)]).toEqual(['44', '299'])
    await expect.poll(() => rig.health.at(-1)).toEqual({ status: 'ok', message: null })
    expect(rig.logged).toEqual(['44 payloads were dropped'])
  })

  test('gives a broker up that does not answer, and says so once [R180]', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    open.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const rig = await send({ port })
    await expect.poll(() => sockets.length).toBe(1)
    await rig.advance(9.9)
    expect(rig.health).toEqual([])
    await rig.advance(0.2)
    const told = { status: 'degraded', message: `broker 127.0.0.1:${port}: gave no answer within 10 s` }
    expect(rig.health).toEqual([told])
    await rig.advance(40)
    expect(rig.health).toEqual([told])
    await rig.advance(30)
    expect(rig.health.map(({ status }) => status)).toEqual(['degraded', 'down'])
  })

  test('leaves a broker that acknowledges nothing, and gives those payloads up [R180]', async () => {
    const broker = await startBroker()
    broker.aedes.authorizePublish = () => {}
    const rig = await send(broker, { qos: 1, timeout: 3 })
    await expect.poll(() => broker.clients.length).toBe(1)
    await rig.arrive({ x: 1 })
    await passing(rig, () => rig.logged, ['1 payloads were given up: no acknowledgement in 3 s'])
    expect(rig.health.at(-1)).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('took nothing for 3 s'),
    })
  })

  test('in a run waits for the broker, and fails when that takes too long', async () => {
    const broker = await startBroker()
    const rig = await start(broker, { settings: { topic: 't', qos: 1 }, inputs: { x: 'any' }, mode: 'batch' })
    await rig.arrive({ x: 1 })
    expect(texts(broker)).toEqual(['1'])
    await broker.close()
    await expect.poll(() => rig.connections).toBe(0)
    const late = rig.arrive({ x: 2 }).catch((error: unknown) => String(error))
    await rig.advance(10)
    expect(await late).toContain('not published within 10 s')
  })

  test('tells its keepalive and an identifier of its own, or the one it was given [R176] [R179]', async () => {
    const broker = await startBroker()
    const seen: { id: string; keepalive: number | undefined }[] = []
    broker.aedes.preConnect = (_client, packet, done) => {
      seen.push({ id: packet.clientId, keepalive: packet.keepalive })
      done(null, true)
    }
    await send(broker)
    await send(broker, { client_id: 'press-4', keepalive: 7 })
    await expect.poll(() => seen.length).toBe(2)
    expect(seen.toSorted((a, b) => (b.keepalive ?? 0) - (a.keepalive ?? 0))).toEqual([
      { id: expect.stringMatching(/^fs-[0-9a-f]{18}$/), keepalive: 60 },
      { id: 'press-4', keepalive: 7 },
    ])
  })
})

test('nothing is left when a node stops: connected, connecting, waiting, with payloads in flight', async () => {
  const broker = await startBroker()
  const listener = await listen(broker, { topic: 't' }, { x: 'any' })
  const sender = await send(broker, { qos: 2 })
  await expect.poll(() => broker.clients.length).toBe(2)
  for (let x = 0; x < 300; x++) await sender.arrive({ x })
  const [opening, waiting] = [await send(broker), await send({ port: 1 })]
  await expect.poll(() => waiting.health.length).toBe(1)
  for (const rig of [listener, sender, opening, waiting]) {
    await rig.stop()
    const [told, emitted] = [rig.health.length, rig.emitted.length]
    await broker.publish('t', '1')
    await rig.arrive({ x: 1 })
    await rig.advance(100)
    expect([rig.connections, rig.timers, rig.emitted.length, rig.health.length]).toEqual([0, 0, emitted, told])
  }
  await expect.poll(() => broker.aedes.connectedClients).toBe(0)
})

test('a listener of a draft opens nothing', async () => {
  const rig = await start({ port: 1 }, { outputs: { x: 'any' }, listens: false })
  expect([rig.connections, rig.timers]).toEqual([0, 0])
})

describe('without the library', () => {
  test('the type names what to install [R167]', () => {
    expect(mqttNode.missing?.()).toBeNull()
    expect(missingPackage('mqtt')).toBeNull()
    expect(missingPackage('mqtt-that-nobody-has')).toBe('mqtt-that-nobody-has')
  })

  test('a node that starts all the same is down and says so [R167]', async () => {
    const absent = { ...mqttNode, start: (ctx: never) => startWith(ctx, () => Promise.reject(new Error('not found'))) }
    const rig = await Rig.start(absent, { inputs: { x: 'any' } })
    await rig.arrive({ x: 1 })
    await rig.stop()
    expect(rig.health).toEqual([
      { status: 'down', message: 'the package "mqtt" is not installed; install it, then start the flow again' },
    ])
  })
})

describe('settings', () => {
  const check = (settings: object, ports: Partial<Setup> = { outputs: { a: 'any' } }) =>
    codes(mqttNode, { settings: settings as Record<string, unknown>, ...ports })

  test('have the documented defaults [R170] [R173] [R174] [R175] [R176] [R177] [R178] [R179] [R180] [R181] [R183]', () => {
    expect(mqttNode.settings.parse({})).toEqual({
      topic: '*',
      broker_host: 'localhost',
      broker_port: 1883,
      username: null,
      password: null,
      client_id: null,
      qos: 0,
      retain: false,
      keepalive: 60,
      timeout: 10,
      send_queue_size: 256,
      json_key: null,
    })
    expect(mqttNode.settings.safeParse({ qos: 3 }).success).toBe(false)
    expect(mqttNode.settings.safeParse({ password: { $secret: 'broker' } }).success).toBe(true)
    expect(z.toJSONSchema(mqttNode.settings, { io: 'input' }).properties?.['password']).toMatchObject({
      'x-secret': true,
    })
  })

  test.each(['http://h', 'mqtt://u:p@h', 'h:1883', 'h/x', 'a b', 'mqtts://h:8883', 'h\0', '[::1', 'file:///x'])(
    'refuse the broker %j [T75]',
    (broker_host) => expect(check({ broker_host })).toEqual(['bad_setting']),
  )

  test.each(['h', '127.0.0.1', '::1', '[::1]', 'mqtts://broker.example', 'mqtt://h/'])(
    'take the broker %j',
    (broker_host) => expect(check({ broker_host })).toEqual([]),
  )

  test.each(['a/b+/c', 'a/#/c', '#a', '+a', 'a\0', '\ud800', 'x'.repeat(70_000)])('refuse the filter %j', (topic) =>
    expect(check({ topic })).toEqual(['bad_setting']),
  )

  test('refuse to publish to a filter, and ports without a topic', () => {
    expect(check({ topic: 'a/+' }, { inputs: { a: 'any' } })).toEqual(['bad_setting'])
    expect(check({ topic: { b: 'x' } }, { inputs: { a: 'any', b: 'any' } })).toEqual(['bad_setting'])
    expect(check({ password: 'x' })).toEqual(['bad_setting'])
    expect(check({}, {})).toEqual(['unsupported_ports'])
    expect(check({}, { inputs: { a: 'any' }, outputs: { b: 'any' } })).toEqual(['unsupported_ports'])
  })

  test('warn of filters that share topics without one holding the other', () => {
    const of = (a: string, b: string) =>
      findings(mqttNode, { settings: { topic: { a, b } }, outputs: { a: 'any', b: 'any' } }).map(
        ({ severity }) => severity,
      )
    expect(of('a/+/c', '+/b/c')).toEqual(['warning'])
    expect(of('a/+/c', 'a/#')).toEqual([])
    expect(of('a/b', 'a/c')).toEqual([])
    expect(of('$share/g/a/#', 'a/b')).toEqual([])
  })

  test('let senders stand in runs; they are not repeated', () => {
    const shape = (setup: Setup) => shapeOf(mqttNode, setup)
    const modes = mqttNode.modes as (of: ReturnType<typeof shape>) => readonly string[]
    const repeats = mqttNode.idempotent as (of: ReturnType<typeof shape>) => boolean
    const [sender, listener] = [shape({ inputs: { a: 'any' } }), shape({ outputs: { a: 'any' } })]
    expect([modes(sender), modes(listener)]).toEqual([['live', 'batch'], ['live']])
    expect([repeats(sender), repeats(listener)]).toEqual([false, true])
  })
})

describe.skipIf(!hasMosquitto())('with mosquitto', () => {
  let server: MosquittoServer
  beforeAll(async () => (server = await startMosquitto()))
  afterAll(() => server.stop())
  const login = () => ({ username: server.username, password: server.password })

  test('signs in, and a wrong password is told without the password [R175]', async () => {
    const wrong = await send(server, { username: server.username, password: 'canary-1234' })
    await expect.poll(() => wrong.health.length).toBe(1)
    expect(wrong.health[0]).toMatchObject({ status: 'degraded', message: expect.stringContaining('Not authorized') })
    expect(JSON.stringify(wrong.health)).not.toContain('canary')
    const late = await send(server, { ...login(), retain: true, qos: 2, topic: 'r/1' })
    await late.arrive({ x: { t: 1 } })
    const rig = await start(server, { settings: { ...login(), topic: 'r/+', qos: 1 }, outputs: { y: 'object' } })
    await expect.poll(() => rig.emitted).toEqual([{ y: { t: 1 } }])
  })

  test.each([0, 1, 2] as const)('carries values from node to node with QoS %i in order', async (qos) => {
    const topic = `q/${qos}`
    const listener = await start(server, { settings: { ...login(), topic, qos }, outputs: { y: 'int' } })
    const sender = await send(server, { ...login(), topic, qos })
    await expect.poll(() => listener.timers + sender.timers).toBe(0)
    for (let x = 0; x < 200; x++) await sender.arrive({ x })
    await expect.poll(() => listener.emitted.length).toBe(200)
    expect(listener.emitted.map(({ y }) => y)).toEqual(Array.from({ length: 200 }, (_, y) => y))
  })

  test('sends what was in flight again after a crash of the broker', async () => {
    const listener = await start(server, { settings: { ...login(), topic: 'c' }, outputs: { y: 'int' } })
    const sender = await send(server, { ...login(), topic: 'c', qos: 1 })
    await expect.poll(() => listener.timers + sender.timers).toBe(0)
    server.pause()
    for (let x = 0; x < 20; x++) await sender.arrive({ x })
    await server.crash()
    await expect.poll(() => [listener.health.length, sender.health.length]).toEqual([1, 1])
    await server.start()
    await passing(listener, () => listener.health.at(-1)?.status, 'ok')
    await passing(sender, () => sender.health.at(-1)?.status, 'ok')
    await expect.poll(() => listener.emitted.map(({ y }) => y)).toEqual(Array.from({ length: 20 }, (_, y) => y))
  })
})
