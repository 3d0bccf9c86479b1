import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'

import { nodeTypes } from '@flow-service/node-types'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { afterEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'

import { LiveRuntime, NodeRegistry } from '../../core/src/index.ts'
import { type MemoryHost, memoryHost } from '../../core/src/testing.ts'
import { MqttRigs } from './mqtt-rigs.ts'
import { Servers } from './servers.ts'

/** What documents hold, and what peers get. */
const ref = { $secret: 'stored' }
const VALUE = 'value-of-the-secret'

const rigs = new MqttRigs()
const servers = new Servers()
const runtimes: LiveRuntime[] = []
afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close()
  await rigs.close()
  servers.close()
})

/** A live flow of one node with the input `x`, or the output `y`; the secret has a value only in the engine. */
async function start(type: string, settings: object, direction: 'input' | 'output' = 'input') {
  const routes: { secret: string | null }[] = []
  const mount = (_flow: string, route: { secret: string | null }) => {
    routes.push(route)
    return { hold() {}, open() {}, unmount() {} }
  }
  const host: MemoryHost = {
    ...memoryHost({
      secrets: { stored: VALUE },
      fetch,
      connect: (target) => connect({ host: target.host, port: target.port }),
    }),
    webhook: mount,
    socketRoute: mount,
  }
  const runtime = new LiveRuntime(host, new NodeRegistry(nodeTypes))
  runtimes.push(runtime)
  const ports = [{ direction, name: direction === 'input' ? 'x' : 'y', dtype: 'any' }]
  const inputs = direction === 'input' ? [{ name: 'x', dtype: 'any' }] : []
  const input = flowDocumentInputSchema.parse({ mode: 'live', nodes: [{ id: 'n', type, settings, ports }], inputs })
  const document = normalizeDocument('f', input)
  await runtime.start(document)
  expect(JSON.stringify(document)).not.toContain(VALUE)
  return { runtime, routes }
}

test('an mqtt node signs in with the value of the secret [R175]', async () => {
  const broker = await rigs.broker()
  const seen: (string | undefined)[] = []
  broker.aedes.authenticate = (_client, name, password, done) => {
    seen.push(name, password?.toString())
    done(null, true)
  }
  await start('mqtt', { broker_host: '127.0.0.1', broker_port: broker.port, topic: 't', username: 'u', password: ref })
  await expect.poll(() => seen).toEqual(['u', VALUE])
})

test('an http request has the values in its headers and parameters [R197] [R198]', async () => {
  const { url, seen } = await servers.serve((_seen, response) => response.end('{}'))
  const { runtime } = await start('http', { url, headers: { authorization: ref }, query: { key: ref } })
  runtime.publish('f.x', 1)
  await expect.poll(() => seen.length).toBe(1)
  expect([seen[0]?.headers.authorization, seen[0]?.query]).toEqual([VALUE, { key: VALUE }])
})

test.each(['http', 'websocket'])('what %s serves is mounted behind the value [R200] [R211]', async (type) => {
  expect((await start(type, { url: '/x', secret: ref }, 'output')).routes).toMatchObject([{ path: 'x', secret: VALUE }])
})

test('a websocket client has the values in its handshake, and sends them first [R208] [R210]', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  rigs.atEnd(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const seen: unknown[] = []
  server.on('connection', (socket, { headers }) => {
    seen.push(headers.authorization)
    socket.on('message', (data) => seen.push((data as Buffer).toString()))
  })
  const { port } = server.address() as AddressInfo
  const settings = { url: `ws://127.0.0.1:${port}/`, headers: { authorization: ref }, on_connect: ['hello', ref] }
  await start('websocket', settings, 'output')
  await expect.poll(() => seen).toEqual([VALUE, 'hello', VALUE])
})

test.each([
  ['push', (server: string) => ({ server, topic: 't', token: ref }), `Bearer ${VALUE}`],
  [
    'tsdb',
    (url: string) => ({ url, org: 'o', bucket: 'b', token: ref, writes: { x: { measurement: 'm' } } }),
    `Token ${VALUE}`,
  ],
])('a %s node authorizes itself with the value [R222] [R237]', async (type, settingsOf, expected) => {
  const { url, seen } = await servers.serve((_seen, response) => response.end())
  const { runtime } = await start(type, settingsOf(url))
  runtime.publish('f.x', 1)
  await expect.poll(() => seen.length).toBe(1)
  expect(seen[0]?.headers.authorization).toBe(expected)
})
