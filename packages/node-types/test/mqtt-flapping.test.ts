import { afterEach, expect, test } from 'vitest'

import { MqttRigs } from './mqtt-rigs.ts'
import { passing } from './rigs.ts'
import type { Rig } from './test-kit.ts'

const rigs = new MqttRigs()
afterEach(() => rigs.close())

type Broker = Awaited<ReturnType<MqttRigs['broker']>>

/** Sockets that this process has open. */
const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

/** Five minutes in which the broker ends every connection within a second; answers how many there were. */
async function flap(broker: Broker, rig: Rig, each: (second: number) => Promise<void> | void): Promise<number> {
  let connected = 1
  for (let second = 0; second < 300; second++) {
    if (rig.connections > 0) {
      broker.clients.at(-1)?.conn.destroy()
      await expect.poll(() => [rig.connections, broker.aedes.connectedClients]).toEqual([0, 0])
    }
    await each(second)
    await rig.advance(1)
    if (rig.connections > 0) await expect.poll(() => broker.clients.length).toBe(++connected)
    // to connect again, or to see that it is answered; and to be down
    expect([rig.connections <= 1, rig.timers <= 2]).toEqual([true, true])
  }
  return connected
}

test('a broker that drops its clients every second for five minutes has one subscription in the end, and no more sockets or timers [F49]', async () => {
  const before = sockets()
  const broker = await rigs.broker()
  const rig = await rigs.listen(broker, { topic: 't' }, { x: 'int' })
  const connected = await flap(broker, rig, () => {})
  expect(connected).toBeGreaterThan(5)
  await passing(rig, () => rig.health.at(-1)?.status, 'ok')
  // one for each connection that lived to see it
  expect(broker.subscriptions.length).toBeLessThanOrEqual(broker.clients.length)
  await broker.publish('t', '5')
  await expect.poll(() => rig.emitted).toEqual([{ x: 5 }])
  expect([rig.connections, broker.aedes.connectedClients, rig.timers]).toEqual([1, 1, 0])
  const told = rig.health.map(({ status, message }) => `${status} ${message}`)
  expect(told.filter((text, at) => text === told[at - 1])).toEqual([])
  await rig.stop()
  await rigs.close()
  expect(rig.timers).toBe(0)
  await expect.poll(sockets).toBe(before)
})

test('what is sent meanwhile waits in a bounded queue: of 300 the oldest 44 go, the rest arrives once, in order [F48] [F49]', async () => {
  const broker = await rigs.broker()
  const rig = await rigs.send(broker, { qos: 1 })
  await expect.poll(() => broker.clients.length).toBe(1)
  broker.clients[0]?.conn.destroy()
  await expect.poll(() => rig.connections).toBe(0)
  // nobody is let in: the queue is not taken from
  broker.aedes.authenticate = (_client, _name, _password, done) => done(null, false)
  for (let n = 0; n < 256; n++) await rig.arrive({ x: n })
  expect(rig.health.map(({ status }) => status)).toEqual(['degraded'])
  await rig.arrive({ x: 256 })
  for (let n = 257; n < 300; n++) await rig.arrive({ x: n })
  for (let second = 0; second < 300; second++) await rig.advance(1)
  expect(broker.published).toEqual([])
  broker.aedes.authenticate = (_client, _name, _password, done) => done(null, true)
  await passing(rig, () => broker.published.length, 256)
  expect(broker.published.map(({ text }) => Number(text))).toEqual(Array.from({ length: 256 }, (_, at) => at + 44))
  await expect.poll(() => rig.health.at(-1)).toEqual({ status: 'ok', message: null })
  expect(rig.logged).toEqual(['44 payloads were dropped'])
})
