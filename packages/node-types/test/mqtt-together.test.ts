import { Duplex } from 'node:stream'

import { afterEach, expect, test } from 'vitest'

import { MqttRigs } from './mqtt-rigs.ts'
import { passing } from './rigs.ts'

const rigs = new MqttRigs()
afterEach(() => rigs.close())

/** A broker without a network: it lets everyone in and keeps what it gets, write by write. */
class Peer extends Duplex {
  readonly writes: Buffer[] = []

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#take(chunk)
    done()
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#take(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  /** Bytes come as they do from a socket: in a turn of their own. */
  say(bytes: Buffer): void {
    setImmediate(() => this.push(bytes))
  }

  #take(bytes: Buffer): void {
    this.writes.push(bytes)
    const kind = (bytes[0] ?? 0) >> 4
    if (kind === 1) this.say(Buffer.from([0x20, 2, 0, 0]))
    if (kind === 8) this.say(Buffer.from([0x90, 3, bytes[2] ?? 0, bytes[3] ?? 0, 1]))
  }
}

/** A number below 10 for the topic `t`, with QoS 1. */
const published = (n: number): Buffer => Buffer.from([0x32, 6, 0, 1, 0x74, 0, n + 1, 0x30 + n])
const acknowledged = (n: number): Buffer => Buffer.from([0x40, 2, 0, n + 1])

test('messages that come together are acknowledged in one write, in their order, after the flow has them', async () => {
  const peer = new Peer()
  const rig = await rigs.start(
    { port: 1 },
    { settings: { topic: 't', qos: 1 }, outputs: { x: 'int' }, connect: () => peer },
  )
  await expect.poll(() => peer.writes.length).toBe(2)
  const numbers = Array.from({ length: 10 }, (_, n) => n)
  peer.say(Buffer.concat(numbers.map(published)))
  await expect.poll(() => peer.writes.length).toBeGreaterThan(2)
  expect(rig.emitted).toEqual(numbers.map((x) => ({ x })))
  expect(peer.writes.slice(2)).toEqual([Buffer.concat(numbers.map(acknowledged))])
  // and what comes later is not kept back
  peer.say(published(7))
  await expect.poll(() => peer.writes.slice(3)).toEqual([acknowledged(7)])
  expect(rig.emitted.length).toBe(11)
})

test('two listeners whose filters overlap get each message once, the later one what is retained, and each signs in as itself', async () => {
  const broker = await rigs.broker()
  const users: (string | undefined)[] = []
  broker.aedes.authenticate = (_client, name, _password, done) => {
    users.push(name)
    done(null, true)
  }
  const login = (username: string) => ({ username, password: 'secret' })
  const wide = await rigs.listen(broker, { topic: 'a/#', ...login('wide') }, { x: 'int' })
  await broker.publish('a/b', '1', { retain: true })
  const narrow = await rigs.listen(broker, { topic: 'a/+', ...login('narrow') }, { x: 'int' })
  await expect.poll(() => narrow.emitted).toEqual([{ x: 1 }])
  for (let n = 2; n < 20; n++) await broker.publish('a/b', String(n), { qos: 1 })
  await broker.publish('a/b/c', '20')
  const numbers = (to: number) => Array.from({ length: to }, (_, n) => ({ x: n + 1 }))
  await expect.poll(() => wide.emitted).toEqual(numbers(20))
  expect(narrow.emitted).toEqual(numbers(19))
  await narrow.stop()
  await broker.publish('a/b', '21')
  await expect.poll(() => wide.emitted).toEqual(numbers(21))
  expect([narrow.emitted.length, users, wide.health]).toEqual([19, ['wide', 'narrow'], []])
})

test('a broker that goes takes all its nodes along, with one event each, and brings them back', async () => {
  const broker = await rigs.broker()
  const { port } = broker
  const nodes = [
    await rigs.listen(broker, { topic: 'a/#' }, { x: 'int' }),
    await rigs.listen(broker, { topic: 'a/+' }, { x: 'int' }),
    await rigs.send(broker, { topic: 'a/b', qos: 1 }),
  ]
  await expect.poll(() => broker.clients.length).toBe(3)
  await broker.close()
  const states = () => nodes.map(({ health }) => health.map(({ status }) => status))
  await expect.poll(states).toEqual([['degraded'], ['degraded'], ['degraded']])
  await rigs.broker(port)
  for (const node of nodes) await passing(node, () => node.health.at(-1)?.status, 'ok')
  expect(states().map((each) => [each[0], each.at(-1)])).toEqual(nodes.map(() => ['degraded', 'ok']))
})
