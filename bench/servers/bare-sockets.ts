/**
 * The baselines of node-sockets.bench.ts: a bare MQTT client that passes numbers on, a bare `ws` server that sends what
 * it hears to all its clients, and one that asks an HTTP server first, one frame after the other.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import mqtt from 'mqtt'
import { Agent } from 'undici'
import { type WebSocket, WebSocketServer } from 'ws'

const [what = '', peer = '', level = '0'] = process.argv.slice(2)
const qos = Number(level) as 0 | 1

const agent = new Agent()
// what a flow's request says, so that both are as long
const headers = {
  'content-type': 'application/json',
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'flow-service',
}
let asked = Promise.resolve()
async function ask(socket: WebSocket, heard: number): Promise<void> {
  const { body } = await agent.request({
    origin: peer,
    path: '/',
    method: 'POST',
    headers,
    body: JSON.stringify({ heard }),
  })
  socket.send(String(((await body.json()) as { said: number }).said))
}

if (what === 'mqtt') {
  const client = await mqtt.connectAsync(peer, { protocolVersion: 4, username: 'plant', password: 'pa ss:wörd' })
  ;(client.stream as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true)
  client.on('message', (_topic, payload) => {
    const value = Number(payload)
    if (value > 28) client.publish('bare/out', String(value), { qos })
  })
  await client.subscribeAsync('bare/in', { qos })
  process.send?.('bare')
} else {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  server.on('connection', (socket) =>
    socket.on('message', (data, isBinary) => {
      if (what === 'http') return void (asked = asked.then(() => ask(socket, Number(data))))
      for (const client of server.clients) client.send(data, { binary: isBinary })
    }),
  )
  await once(server, 'listening')
  process.send?.(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
process.once('SIGTERM', () => process.exit())
