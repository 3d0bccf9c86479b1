/**
 * The limit of the flood in event-socket.bench.ts: a bare `ws` server that makes each frame once, and gives it to all its
 * clients as it is, those of a moment in one write. Five times a second it has as many values as `canvas-service.ts`.
 */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'

import * as ws from 'ws'

import { cpuNow } from './usage.ts'

const [VALUES, EVERY_MS] = [2200, 200]
const server = new ws.WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
await once(server, 'listening')
const wires = new Set<Socket>()
server.on('connection', (socket, { socket: wire }) => {
  wires.add(wire)
  socket.once('close', () => wires.delete(wire))
})
const shape = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: false }
// the declarations of the library leave out what each of its servers frames by
const { frame } = (ws as unknown as { Sender: { frame: (data: Buffer, options: typeof shape) => Buffer[] } }).Sender
let seq = 0
function tell(): void {
  const ts = new Date().toISOString()
  const frames = Array.from({ length: VALUES }, (_, at) => {
    const value = {
      message: `bench.m${at}`,
      value: Date.now(),
      flow: 'bench',
      node: `inject${at >> 3}`,
      port: `m${at}`,
    }
    return frame(Buffer.from(JSON.stringify({ type: 'value', seq: ++seq, ts, ...value, run: null, step: null })), shape)
  }).flat()
  for (const wire of wires) {
    wire.cork()
    for (const part of frames) wire.write(part)
    wire.uncork()
  }
}
let timer: NodeJS.Timeout | undefined
process.on('message', (order: 'start' | 'stop' | 'cpu') => {
  if (order === 'cpu') return void process.send?.(cpuNow())
  clearInterval(timer)
  if (order === 'start') timer = setInterval(tell, EVERY_MS)
  process.send?.(order)
})
process.once('SIGTERM', () => process.exit())
process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' })
