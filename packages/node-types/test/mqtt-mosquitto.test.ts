import { connect as connectPlain } from 'node:net'

import type { ConnectTarget } from '@flow-service/connector-sdk'
import { mqttNode } from '@flow-service/node-types'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { hasMosquitto, type MosquittoServer, startMosquitto } from '../../../test/components/mosquitto.ts'
import { MqttRigs } from './mqtt-rigs.ts'
import { passing } from './rigs.ts'

const mqtt = new MqttRigs()
afterEach(() => mqtt.close())

describe.skipIf(!hasMosquitto())('with mosquitto', () => {
  let server: MosquittoServer
  beforeAll(async () => (server = await startMosquitto()))
  afterAll(() => server.stop())
  const login = () => ({ username: server.username, password: server.password })

  test('signs in, and a wrong password is told without the password [R175]', async () => {
    const wrong = await mqtt.send(server, { username: server.username, password: 'canary-1234' })
    await expect.poll(() => wrong.health.length).toBe(1)
    expect(wrong.health[0]).toMatchObject({ status: 'degraded', message: expect.stringContaining('Not authorized') })
    expect(JSON.stringify(wrong.health)).not.toContain('canary')
    const late = await mqtt.send(server, { ...login(), retain: true, qos: 2, topic: 'r/1' })
    await late.arrive({ x: { t: 1 } })
    const rig = await mqtt.start(server, { settings: { ...login(), topic: 'r/+', qos: 1 }, outputs: { y: 'object' } })
    await expect.poll(() => rig.emitted).toEqual([{ y: { t: 1 } }])
  })

  test('with a wrong password is down after a minute, knocks ever less often, and stops without a trace [R175]', async () => {
    let knocks = 0
    const connect = ({ host, port }: ConnectTarget) => {
      knocks++
      return connectPlain({ host, port, noDelay: true })
    }
    const settings = { broker_host: '127.0.0.1', broker_port: server.port, username: server.username, timeout: 3600 }
    const rig = await mqtt.run(mqttNode, {
      settings: { ...settings, password: 'canary-1234', topic: 't' },
      outputs: { y: 'any' },
      connect,
    })
    await expect.poll(() => rig.health.length).toBe(1)
    await passing(rig, () => rig.health.at(-1)?.status, 'down')
    expect(rig.health.map(({ status }) => status)).toEqual(['degraded', 'down'])
    expect(rig.health.at(-1)?.message).toBe(`broker 127.0.0.1:${server.port}: Connection refused: Not authorized`)
    expect(JSON.stringify(rig.health)).not.toContain('canary')
    // half of 1, 2, 4, 8, 16 and 30 seconds at the least
    expect(knocks).toBeLessThanOrEqual(10)
    await rig.stop()
    expect([rig.timers, rig.connections]).toEqual([0, 0])
  })

  test.each([0, 1, 2] as const)('carries values from node to node with QoS %i in order', async (qos) => {
    const topic = `q/${qos}`
    const listener = await mqtt.start(server, { settings: { ...login(), topic, qos }, outputs: { y: 'int' } })
    const sender = await mqtt.send(server, { ...login(), topic, qos })
    await expect.poll(() => listener.timers + sender.timers).toBe(0)
    for (let x = 0; x < 200; x++) await sender.arrive({ x })
    await expect.poll(() => listener.emitted.length).toBe(200)
    expect(listener.emitted.map(({ y }) => y)).toEqual(Array.from({ length: 200 }, (_, y) => y))
  })

  test('sends what was in flight again after a crash of the broker', async () => {
    const listener = await mqtt.start(server, { settings: { ...login(), topic: 'c' }, outputs: { y: 'int' } })
    const sender = await mqtt.send(server, { ...login(), topic: 'c', qos: 1 })
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
