/** Loads the flows and the dashboard of ./flows, runs the batch flow twice, feeds the live flow by its webhook, and checks all. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'

import { estimatePi } from './flows/estimate-pi.ts'
import { greenhouse } from './flows/greenhouse.ts'
import { overview } from './flows/overview.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'quickstart-'))
const service = await createService({
  dataDir,
  port: 0,
  logLevel: 'warn',
  environment: 'local',
  flows: fileURLToPath(new URL('./flows', import.meta.url)),
})
try {
  const { baseUrl, origin } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })

  const run = await client.submit(estimatePi, { params: { samples: 50_000 }, seed: 7 })
  const { pi, summary } = await run.result()
  assert.ok(Math.abs(pi - Math.PI) < 0.05, `pi is about ${pi}`)
  assert.equal(summary.samples, 50_000)
  const [curve] = await client.runs.metrics(run.id)
  assert.equal(curve?.name, 'estimate_pi.estimate')
  assert.equal(curve.points.length, 20)

  // The same parameters and seed: nothing is executed again.
  const again = await client.submit(estimatePi, { params: { samples: 50_000 }, seed: 7 })
  const finished = await again.wait()
  assert.deepEqual(
    finished.nodes.map((node) => node.cached),
    [true, true],
  )

  await client.flows.start(greenhouse.name)
  const fan = client.subscribe(greenhouse.messages.fan)
  const first = fan.next()
  const answer = await fetch(`${origin}/hooks/greenhouse/temp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ temp: 31.5 }),
  })
  assert.equal(answer.status, 202)
  assert.deepEqual((await first).value?.value, true)
  await fan.return()

  // The dashboard names nothing that nobody has, and its charts are those that the flows have drawn.
  const shown = await client.dashboards.get(overview.name)
  assert.deepEqual([shown.origin, shown.issues], ['code', []])
  const [gauge] = shown.content.widgets
  assert.equal(gauge?.binding?.message, 'greenhouse.temp')
  const [reading] = await client.messages.history(gauge.binding.message)
  assert.equal(reading?.value, 31.5)
  const results = await client.dashboards.fromFlow(estimatePi.name)
  assert.deepEqual(
    results.content.widgets.map(({ type, title }) => `${type} ${title}`),
    ['chart estimate', 'value pi', 'table summary'],
  )
  console.log(`quickstart: pi is about ${pi.toFixed(4)}, the second run came from the cache, the fan is on`)
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
