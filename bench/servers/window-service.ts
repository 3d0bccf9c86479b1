/**
 * What event-worker.bench.ts measures: a service with a live flow, 2,200 of whose messages change five times a second from `start`
 * to `stop`: seldom twice in a window. It answers the CPU time of its main thread when it is asked. Pages of the origin that is
 * its argument may use it.
 */
import { createClient } from '@flow-service/client-sdk'

import { startBenchService } from './bench-service.ts'
import { threadCpuNow } from './usage.ts'

const NODES = 10
const PORTS = 220
const [page = ''] = process.argv.slice(2)
const { baseUrl, token } = await startBenchService(undefined, [], { corsOrigins: [page] })
const client = createClient({ baseUrl, token })
const { version } = await client.http.flows.save({
  name: 'bench',
  flowDocument: {
    mode: 'live',
    nodes: Array.from({ length: NODES }, (_, node) => ({
      id: `inject${node}`,
      type: 'inject',
      settings: { interval: 0.2 },
      ports: Array.from({ length: PORTS }, (__, port) => ({
        direction: 'output' as const,
        name: `m${node * PORTS + port}`,
        dtype: 'float' as const,
      })),
    })),
  },
})
await client.http.flows.publish({ name: 'bench', version })
process.on('message', (order: 'cpu' | 'start' | 'stop') => {
  if (order === 'cpu') process.send?.(threadCpuNow())
  else void client.http.flows[order]({ name: 'bench' }).then(() => process.send?.(order))
})
process.send?.({ api: baseUrl, token })
