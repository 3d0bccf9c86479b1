/** The baselines of node-sockets.bench.ts: a bare MQTT client that passes numbers on, and a bare `ws` server that
 * sends what it hears to all its clients. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import mqtt from 'mqtt'
import { WebSocketServer } from 'ws'

const [what = '', brokerUrl = '', level = '0'] = process.argv.slice(2)
const qos = Number(level) as 0 | 1

if (what === 'mqtt') {
  const client = await mqtt.connectAsync(brokerUrl, { protocolVersion: 4, username: 'plant', password: 'pa ss:wörd' })
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
      for (const client of server.clients) client.send(data, { binary: isBinary })
    }),
  )
  await once(server, 'listening')
  process.send?.(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
process.once('SIGTERM', () => process.exit())
