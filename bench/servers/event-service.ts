/**
 * What event-socket.bench.ts measures: a service with a live flow. Publishes a value when it is told `publish`, fills
 * the kernel's and its own buffers of slow readers when it is told `flood`, and answers its memory and CPU time when asked.
 */
import { createClient } from '@flow-service/client-sdk'
import { liveFlow, t } from '@flow-service/flow-sdk'

import { startBenchService } from './bench-service.ts'
import { cpuNow, memoryNow } from './usage.ts'

/** Nodes behind the webhook of the flood: each passes its value on, so that a request shows that many values. */
const RELAYS = 20
const REQUESTS = 1500
const PARALLEL = 8
const ports = (from: number) => [
  { direction: 'input' as const, name: `m${from}` },
  { direction: 'output' as const, name: `m${from + 1}` },
]

const bench = liveFlow('bench', { level: t.float }, () => {})
const { baseUrl, origin, token } = await startBenchService([bench])
const client = createClient({ baseUrl, token })
const { version } = await client.http.flows.save({
  name: 'flood',
  flowDocument: {
    mode: 'live',
    nodes: [
      { id: 'hook', type: 'http', settings: { url: 'in' }, ports: [{ direction: 'output', name: 'm0' }] },
      ...Array.from({ length: RELAYS }, (_, at) => ({
        id: `relay${at}`,
        type: 'change',
        settings: {},
        ports: ports(at),
      })),
    ],
  },
})
await client.http.flows.publish({ name: 'flood', version })
await client.http.flows.start({ name: 'flood' })

async function flood(): Promise<void> {
  let left = REQUESTS
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await fetch(`${origin}/hooks/flood/in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ m0: left }),
      })
      if (answer.status !== 202) throw new Error(`the webhook answers ${answer.status}: ${await answer.text()}`)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, send))
}

let level = 0
process.on('message', (order: 'publish' | 'flood' | 'memory' | 'cpu') => {
  if (order === 'publish') void client.publish(bench.messages.level, level++)
  else if (order === 'cpu') process.send?.(cpuNow())
  else if (order === 'memory') void memoryNow().then((bytes) => process.send?.(bytes))
  else void flood().then(() => process.send?.('flooded'))
})
process.send?.({ url: `${baseUrl.replace('http', 'ws')}/flows/ws`, token })
