import { httpNode, websocketNode } from '@flow-service/node-types'
import { afterEach, expect, test } from 'vitest'

import { MqttRigs } from './mqtt-rigs.ts'
import { Servers } from './servers.ts'

const rigs = new MqttRigs()
const servers = new Servers()
afterEach(async () => {
  await rigs.close()
  servers.close()
})

test('inputs make an mqtt node publish and subscribe to nothing, outputs make it subscribe [R161]', async () => {
  const broker = await rigs.broker()
  const sender = await rigs.send(broker)
  await sender.arrive({ x: 1 })
  await expect.poll(() => broker.published.length).toBe(1)
  expect(broker.subscriptions).toEqual([])
  const listener = await rigs.listen(broker, { topic: 't' }, { y: 'any' })
  await listener.arrive({ y: 1 })
  await sender.arrive({ x: 2 })
  await expect.poll(() => listener.emitted).toEqual([{ y: 2 }])
  expect(broker.published.map(({ text }) => text)).toEqual(['1', '2'])
})

test('inputs make an http node request, outputs alone mount a webhook [R161]', async () => {
  const { url, seen } = await servers.serve((_seen, response) => response.end('{"y":1}'))
  const sender = await rigs.run(httpNode, { settings: { url }, inputs: { x: 'any' }, outputs: { y: 'any' } })
  await sender.arrive({ x: 1 })
  expect([sender.hooks, seen.length, sender.emitted]).toEqual([[], 1, [{ y: 1 }]])
  const listener = await rigs.run(httpNode, { settings: { url: 'x' }, outputs: { y: 'any' } })
  await listener.post('application/json', '{"y":2}')
  expect([listener.hooks.length, seen.length, listener.emitted]).toEqual([1, 1, [{ y: 2 }]])
})

test('a served websocket sends its inputs and hears for its outputs, each without the other [R161]', async () => {
  const taken: string[] = []
  const peer = { waiting: 0, send: (frame: string | Uint8Array) => void taken.push(String(frame)), cut() {} }
  const sender = await rigs.run(websocketNode, { settings: { url: '/x' }, inputs: { x: 'any' } })
  const heard = sender.sockets[0]?.serve(peer)
  await sender.arrive({ x: 1 })
  heard?.heard('{"x":2}')
  const listener = await rigs.run(websocketNode, { settings: { url: '/x' }, outputs: { y: 'any' } })
  listener.sockets[0]?.serve(peer).heard('{"y":3}')
  await listener.idle()
  expect([taken, sender.emitted, listener.emitted]).toEqual([['1'], [], [{ y: 3 }]])
})
