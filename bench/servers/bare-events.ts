/** The baseline of event-socket.bench.ts: a bare `ws` server that broadcasts the same frame when it is told `publish`. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { WebSocketServer } from 'ws'

import { cpuNow } from './usage.ts'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
await once(server, 'listening')
let seq = 0
process.on('message', (order: 'publish' | 'cpu') => {
  if (order === 'cpu') {
    process.send?.(cpuNow())
    return
  }
  const ts = new Date().toISOString()
  const frame = JSON.stringify({
    type: 'value',
    seq: ++seq,
    ts,
    message: 'bench.level',
    value: seq,
    flow: 'bench',
    node: null,
    port: null,
    run: null,
    step: null,
  })
  for (const client of server.clients) client.send(frame)
})
process.once('SIGTERM', () => process.exit())
process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' })
