/**
 * The baseline of event-worker.bench.ts: a bare `ws` server that sends 10,000 values a second, each as a frame of its own, or
 * with `?batch` the same in arrays, ten a second. It answers the CPU time of its main thread when it is asked.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { type WebSocket, WebSocketServer } from 'ws'

import { threadCpuNow } from './usage.ts'

/** As many messages change ten times a second. */
const MESSAGES = 1000
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
await once(server, 'listening')
let seq = 0

const frames = (): string[] =>
  Array.from({ length: MESSAGES }, (_, at) =>
    JSON.stringify({
      type: 'value',
      seq: ++seq,
      ts: new Date().toISOString(),
      message: `bench.m${at}`,
      value: Date.now() / 1000,
      flow: 'bench',
      node: `inject${at % 10}`,
      port: `m${at}`,
      run: null,
      step: null,
    }),
  )

server.on('connection', (socket: WebSocket, { url }) => {
  const timer = setInterval(() => {
    if (url?.endsWith('?batch')) socket.send(`[${frames().join(',')}]`)
    else for (const frame of frames()) socket.send(frame)
  }, 100)
  socket.on('close', () => clearInterval(timer))
})
process.on('message', () => process.send?.(threadCpuNow()))
process.once('SIGTERM', () => process.exit())
process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' })
