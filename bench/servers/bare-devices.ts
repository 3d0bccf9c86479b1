/**
 * The baseline of devices.bench.ts: a bare `ws` server that relays what a device says to the two devices beside it, in the
 * frames of the engine.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { type WebSocket, WebSocketServer } from 'ws'

import { cpuNow, memoryNow } from './usage.ts'

const count = Number(process.argv[2])
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
await once(server, 'listening')
const sockets = new Map<number, WebSocket>()

server.on('connection', (socket, request) => {
  const own = Number(request.headers.authorization?.replace('Bearer ', ''))
  sockets.set(own, socket)
  socket.send(JSON.stringify({ type: 'snapshot' }))
  socket.on('message', (data) => {
    const { value } = JSON.parse((data as Buffer).toString()) as { value: number }
    for (const [beside, port] of [
      [own - 1, 'right'],
      [own + 1, 'left'],
    ] as const) {
      const message = `bench.level${own}`
      const frame = { type: 'value', message, port, value, ts: new Date().toISOString() }
      sockets.get((beside + count) % count)?.send(JSON.stringify(frame))
    }
  })
})
process.on('message', (order: 'cpu' | 'memory') => {
  if (order === 'cpu') process.send?.(cpuNow())
  else void memoryNow().then((bytes) => process.send?.(bytes))
})
process.once('SIGTERM', () => process.exit())
const credentials = Array.from({ length: count }, (_, at) => String(at))
process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, credentials })
