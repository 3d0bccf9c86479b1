import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { execNode, tsdbNode, websocketNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'

import { MqttRigs } from './mqtt-rigs.ts'
import { passing } from './rigs.ts'
import { Servers } from './servers.ts'

const FIFTY_MB = 50_000_000
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
const rigs = new MqttRigs()
const servers = new Servers()
afterEach(async () => {
  await rigs.close()
  servers.close()
})

describe('mqtt', () => {
  test('drops a payload of 50 MB and says so; the next one arrives, on the same connection [F61]', async () => {
    const broker = await rigs.broker()
    const rig = await rigs.listen(broker, { topic: 't' }, { x: 'any' })
    await broker.publish('t', Buffer.alloc(FIFTY_MB, 'x'))
    await broker.publish('t', '5')
    await expect.poll(() => rig.emitted).toEqual([{ x: 5 }])
    const message = `what came from the topic "t" has ${FIFTY_MB} bytes, more than 10485760; it was dropped`
    expect(rig.health).toEqual([
      { status: 'degraded', message },
      { status: 'ok', message: null },
    ])
    expect(broker.clients).toHaveLength(1)
  })

  test('tells once of payloads that cannot be read, however many come and whatever is wrong with each [F61]', async () => {
    const broker = await rigs.broker()
    const rig = await rigs.listen(broker, { topic: 't/#' }, { x: 'float' })
    const limit = 10_485_760
    for (const more of [1, 2, 3]) await broker.publish(`t/${more}`, Buffer.alloc(limit + more, 'x'))
    await broker.publish('t/other', 'no number')
    await broker.publish('t/1', '5')
    await broker.publish('t/other', 'no number')
    await broker.publish('t/1', '6')
    await expect.poll(() => rig.emitted).toEqual([{ x: 5 }, { x: 6 }])
    const bad = (what: string) => ({
      status: 'degraded',
      message: `what came from the topic "t/${what}; it was dropped`,
    })
    const good = { status: 'ok', message: null }
    expect(rig.health).toEqual([
      bad(`1" has ${limit + 1} bytes, more than ${limit}`),
      good,
      bad('other" is no float for the output "x"'),
      good,
    ])
  })

  test('drops 100,000 levels where JSON is wanted, and keeps their text where anything is [F61]', async () => {
    const broker = await rigs.broker()
    const rig = await rigs.listen(broker, { topic: 't' }, { list: 'array', any: 'any' })
    await broker.publish('t', deep)
    await expect.poll(() => rig.emitted).toEqual([{ any: deep }])
    expect(rig.health).toMatchObject([{ status: 'degraded', message: expect.stringContaining('is no array') }])
  })
})

test('a websocket client leaves a server that sends a frame of 50 MB, says so, and comes back [F61]', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  rigs.atEnd(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const frames = ['x'.repeat(FIFTY_MB), '5']
  const codes: number[] = []
  server.on('connection', (client) => {
    client.on('error', () => {})
    client.on('close', (code) => codes.push(code))
    client.send(frames.shift() ?? '')
  })
  const { port } = server.address() as AddressInfo
  const rig = await rigs.run(websocketNode, { settings: { url: `ws://127.0.0.1:${port}/` }, outputs: { x: 'any' } })
  await passing(rig, () => rig.emitted, [{ x: 5 }])
  expect(rig.health).toEqual([
    { status: 'degraded', message: `ws://127.0.0.1:${port}/: Max payload size exceeded` },
    { status: 'ok', message: null },
  ])
})

test('exec fails at a payload of 50 MB, and starts nothing [F61]', async () => {
  let started = 0
  const spawn = (): Promise<never> => {
    started += 1
    return Promise.reject(new Error('not here'))
  }
  const rig = await rigs.run(execNode, {
    settings: { command: 'echo', append_payload: true },
    inputs: { x: 'any' },
    outputs: { stdout: 'str' },
    spawn,
  })
  await expect(rig.arrive({ x: 'x'.repeat(FIFTY_MB) })).rejects.toMatchObject({
    name: 'bad_payload',
    message: `the value has ${FIFTY_MB} bytes, and an argument fewer than 131072; hand it over in a file`,
  })
  expect([started, rig.timers]).toEqual([0, 0])
})

test('tsdb fails at an answer of 50 MB without reading it to its end [F61]', async () => {
  const { url } = await servers.serve((_seen, response) => response.end(Buffer.alloc(FIFTY_MB, 'x')))
  const queries = { y: { measurement: 'm', field: 'f' } }
  const settings = { url, org: 'o', bucket: 'b', queries }
  const rig = await rigs.run(tsdbNode, { settings, outputs: { y: 'float' } })
  await expect(rig.trigger()).rejects.toMatchObject({ name: 'answer_too_large' })
  expect(rig.timers).toBe(0)
})
