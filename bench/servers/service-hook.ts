/** What webhook.bench.ts measures: a webhook with three built-in nodes behind it; with `durable` it keeps arrivals. */
import { createClient } from '@flow-service/client-sdk'
import { liveFlow, t } from '@flow-service/flow-sdk'
import { change, http, switchOn } from '@flow-service/node-types/flow'

import { startBenchService } from './bench-service.ts'

const flow = liveFlow('bench', { temp: t.float }, (m, use) => {
  use(
    http.webhook({ url: 'temp', durable: process.argv.includes('durable'), out: { temp: t.float } }),
    {},
    { out: { temp: m.temp } },
  )
  const { hot } = use(switchOn(t.float, { rules: [{ operator: 'gt', value: 28, output: 'hot' }] }), { in: m.temp })
  const { out } = use(change(t.float, { scale: 1.8, offset: 32 }), { in: hot }, { id: 'fahrenheit' })
  use(change(t.float, { roundTo: 1 }), { in: out }, { id: 'rounded', out: { out: 'rounded' } })
})
const { baseUrl, origin, token } = await startBenchService([flow])
await createClient({ baseUrl, token }).http.flows.start({ name: 'bench' })
process.send?.(`${origin}/hooks/bench/temp`)
