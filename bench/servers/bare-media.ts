/** The baseline of devices-media.bench.ts: a bare `ws` server that sends the frames of its camera to all viewers. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { type WebSocket, WebSocketServer } from 'ws'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
const viewers = new Set<WebSocket>()
server.on('connection', (socket, { url }) => {
  if (url !== '/camera') {
    viewers.add(socket)
    socket.on('close', () => viewers.delete(socket))
    return
  }
  socket.on('message', (data) => {
    for (const viewer of viewers) viewer.send(data, { binary: true })
  })
})
await once(server, 'listening')
process.once('SIGTERM', () => process.exit())
const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
process.send?.({ camera: `${url}/camera`, viewer: url, token: '', credential: '' })
