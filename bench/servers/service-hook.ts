/** What webhook.bench.ts measures: a webhook with three built-in nodes behind it; with `durable` it keeps arrivals. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { liveFlow, t } from '@flow-service/flow-sdk'
import { change, http, switchOn } from '@flow-service/node-types/flow'

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
const dataDir = mkdtempSync(join(tmpdir(), 'bench-hook-'))
const service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'silent', flows: [flow] })
const { baseUrl, origin } = await service.listen()
await createClient({ baseUrl, token: await service.superuserToken() }).flows.start({ name: 'bench' })
async function stop(): Promise<void> {
  await service.close()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit()
}
process.once('SIGTERM', () => void stop())
process.send?.(`${origin}/hooks/bench/temp`)
