/**
 * What console-canvas.bench.ts and the flood of event-socket.bench.ts look at: a service with its console and a live flow of 275
 * nodes, 2,200 of whose messages change five times a second from `start` to `stop`: 11,000 values a second.
 */
import { createClient } from '@flow-service/client-sdk'

import { startBenchService } from './bench-service.ts'
import { cpuNow } from './usage.ts'

const [NODES, PORTS, COLUMNS] = [275, 8, 15]
const { baseUrl, origin, token } = await startBenchService()
const client = createClient({ baseUrl, token })
const ids = Array.from({ length: NODES }, (_, node) => `inject${node}`)
const place = (at: number) => ({ x: (at % COLUMNS) * 260, y: Math.floor(at / COLUMNS) * 260 })
const { version } = await client.http.flows.save({
  name: 'bench',
  flowDocument: {
    mode: 'live',
    nodes: ids.map((id, node) => ({
      id,
      type: 'inject',
      settings: { interval: 0.2 },
      ports: Array.from({ length: PORTS }, (_, port) => ({
        direction: 'output' as const,
        name: `m${node * PORTS + port}`,
        dtype: 'float' as const,
      })),
    })),
    layout: { nodes: Object.fromEntries(ids.map((id, at) => [id, place(at)])) },
  },
})
await client.http.flows.publish({ name: 'bench', version })
process.on('message', (order: 'start' | 'stop' | 'cpu') => {
  if (order === 'cpu') process.send?.(cpuNow())
  else void client.http.flows[order]({ name: 'bench' }).then(() => process.send?.(order))
})
process.send?.({ origin, token, url: `${baseUrl.replace('http', 'ws')}/flows/ws` })
