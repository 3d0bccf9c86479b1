import { mqttNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'

import { missingPackage } from '../src/optional-package.ts'
import { startWith } from '../src/types/mqtt/node.ts'
import { MqttRigs, texts } from './mqtt-rigs.ts'
import { passing } from './rigs.ts'
import { silentServer } from './silent-server.ts'
import { Rig } from './test-kit.ts'

const mqtt = new MqttRigs()
afterEach(() => mqtt.close())

describe('a listener', () => {
  test('emits what is published to its topics, each message by its own [R168] [R171]', async () => {
    const broker = await mqtt.broker()
    const rig = await mqtt.listen(
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
    const broker = await mqtt.broker()
    const rig = await mqtt.listen(broker, {}, { x: 'any' })
    await broker.publish('a', '1')
    await broker.publish('*', '2')
    await expect.poll(() => rig.emitted).toEqual([{ x: 2 }])
    expect(broker.subscriptions).toEqual(['*'])
  })

  test('emits all that a filter matches from one port, and subscribes once for what two ports share [R186] [R187]', async () => {
    const broker = await mqtt.broker()
    const rig = await mqtt.listen(broker, { topic: { one: 'a/+/c', rest: 'a/#' } }, { one: 'int', rest: 'int' })
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
      const broker = await mqtt.broker()
      const rig = await mqtt.listen(broker, { topic: 't', json_key }, { x: dtype })
      await broker.publish('t', payload)
      await expect.poll(() => rig.emitted).toEqual([{ x: value }])
    },
  )

  test('drops what its port does not take and is degraded until something fits; a missing key is nothing', async () => {
    const broker = await mqtt.broker()
    const rig = await mqtt.listen(broker, { topic: 't', json_key: 'v' }, { x: 'float' })
    for (const payload of ['warm', '{"v":"1"}', '{"w":1}', '{"v":2}']) await broker.publish('t', payload)
    await expect.poll(() => rig.emitted).toEqual([{ x: 2 }])
    expect(rig.health.map(({ status }) => status)).toEqual(['degraded', 'ok', 'ok'].slice(0, rig.health.length))
    expect(rig.health[0]).toEqual({
      status: 'degraded',
      message: 'what came from the topic "t" is no float for the output "x"; it was dropped',
    })
  })

  test('subscribes again to a broker that comes back, once each time [F49]', async () => {
    const broker = await mqtt.broker()
    const rig = await mqtt.listen(broker, { topic: 't' }, { x: 'int' })
    await broker.close()
    await expect.poll(() => rig.health.map(({ status }) => status)).toEqual(['degraded'])
    const again = await mqtt.broker(broker.port)
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
    const broker = await mqtt.broker()
    const rig = await mqtt.send(broker, { topic: { 'test.a': 'x/a', b: 'x/b' } }, { a: 'any', b: 'any' })
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
    const broker = await mqtt.broker()
    const rig = await mqtt.send(broker, { qos, retain: true })
    for (let n = 0; n < 600; n++) {
      await rig.arrive({ x: n })
      // more than may be in flight at once
      if (n % 100 === 99) await expect.poll(() => broker.published.length).toBe(n + 1)
    }
    expect(texts(broker)).toEqual(Array.from({ length: 600 }, (_, n) => String(n)))
    expect(broker.published[0]).toMatchObject({ qos, retain: true })
    const late = await mqtt.listen(broker, { topic: 't' }, { x: 'int' })
    await expect.poll(() => late.emitted).toEqual([{ x: 599 }])
    expect(rig.health).toEqual([])
  })

  test('keeps the newest payloads while the broker is away, and is degraded [R181] [R182] [F48]', async () => {
    const broker = await mqtt.broker()
    const { port } = broker
    await broker.close()
    const rig = await mqtt.send({ port }, { qos: 1 })
    for (let n = 0; n < 300; n++) await rig.arrive({ x: n })
    expect(rig.health.at(-1)).toEqual({
      status: 'degraded',
      message: 'more than 256 payloads wait; the oldest are dropped',
    })
    await expect.poll(() => rig.health.at(-1)?.message).toContain('ECONNREFUSED')
    const again = await mqtt.broker(port)
    await passing(rig, () => again.published.length, 256)
    expect([texts(again)[0], texts(again).at(-1)]).toEqual(['44', '299'])
    await expect.poll(() => rig.health.at(-1)).toEqual({ status: 'ok', message: null })
    expect(rig.logged).toEqual(['44 payloads were dropped'])
  })

  test('gives a broker up that does not answer, and says so once [R180]', async () => {
    const { port, sockets } = await silentServer(mqtt)
    const rig = await mqtt.send({ port })
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
    const broker = await mqtt.broker()
    broker.aedes.authorizePublish = () => {}
    const rig = await mqtt.send(broker, { qos: 1, timeout: 3 })
    await expect.poll(() => broker.clients.length).toBe(1)
    await rig.arrive({ x: 1 })
    await passing(rig, () => rig.logged, ['1 payloads were given up: no acknowledgement in 3 s'])
    expect(rig.health.at(-1)).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('took nothing for 3 s'),
    })
  })

  test('in a run waits for the broker, and fails when that takes too long', async () => {
    const broker = await mqtt.broker()
    const rig = await mqtt.start(broker, { settings: { topic: 't', qos: 1 }, inputs: { x: 'any' }, mode: 'batch' })
    await rig.arrive({ x: 1 })
    expect(texts(broker)).toEqual(['1'])
    await broker.close()
    await expect.poll(() => rig.connections).toBe(0)
    const late = rig.arrive({ x: 2 }).catch((error: unknown) => String(error))
    await rig.advance(10)
    expect(await late).toContain('not published within 10 s')
  })

  test('tells its keepalive and an identifier of its own, or the one it was given [R176] [R179]', async () => {
    const broker = await mqtt.broker()
    const seen: { id: string; keepalive: number | undefined }[] = []
    broker.aedes.preConnect = (_client, packet, done) => {
      seen.push({ id: packet.clientId, keepalive: packet.keepalive })
      done(null, true)
    }
    await mqtt.send(broker)
    await mqtt.send(broker, { client_id: 'press-4', keepalive: 7 })
    await expect.poll(() => seen.length).toBe(2)
    expect(seen.toSorted((a, b) => (b.keepalive ?? 0) - (a.keepalive ?? 0))).toEqual([
      { id: expect.stringMatching(/^fs-[0-9a-f]{18}$/), keepalive: 60 },
      { id: 'press-4', keepalive: 7 },
    ])
  })
})

test('nothing is left when a node stops: connected, connecting, waiting, with payloads in flight', async () => {
  const broker = await mqtt.broker()
  const listener = await mqtt.listen(broker, { topic: 't' }, { x: 'any' })
  const sender = await mqtt.send(broker, { qos: 2 })
  await expect.poll(() => broker.clients.length).toBe(2)
  for (let x = 0; x < 300; x++) await sender.arrive({ x })
  const [opening, waiting] = [await mqtt.send(broker), await mqtt.send({ port: 1 })]
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
  const rig = await mqtt.start({ port: 1 }, { outputs: { x: 'any' }, listens: false })
  expect([rig.connections, rig.timers]).toEqual([0, 0])
})

describe('without the library', () => {
  test('the type names what to install [R167]', () => {
    expect(mqttNode.missing?.()).toBeNull()
    expect(missingPackage('mqtt')).toBeNull()
    expect(missingPackage('mqtt-that-nobody-has')).toBe('mqtt-that-nobody-has')
  })

  test('a password that the library repeats is not told', async () => {
    class MqttClient {
      constructor() {
        throw new Error('cannot open mqtt://ann:s3cr3t@h')
      }
    }
    const start = (ctx: never) => startWith(ctx, async () => ({ MqttClient }) as never)
    const settings = { username: 'ann', password: 's3cr3t' }
    const rig = await Rig.start({ ...mqttNode, start }, { settings, outputs: { x: 'any' } })
    expect(rig.health[0]?.message).toBe('broker localhost:1883: cannot open mqtt://ann:***@h')
    await rig.stop()
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
