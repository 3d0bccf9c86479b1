/**
 * The weather of a place closes an awning. A server of this program answers as Open-Meteo does; leave `url` out to ask the
 * service itself.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { OpenMeteo } from '@flow-service/connector-open-meteo'
import { liveFlow, nodeType, t } from '@flow-service/flow-sdk'
import { switchOn } from '@flow-service/node-types/flow'

/** Gusts in the answers to come, in m/s. */
const gusts = [6.2, 17.9]
const asked: URL[] = []
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  asked.push(url)
  const current = { time: '2026-01-31T08:00', interval: 900, wind_gusts_10m: gusts.shift() ?? 17.9 }
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify({ latitude: 52.52, longitude: 13.42, current }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const weather = nodeType('open_meteo', {
  settings: { url, latitude: 52.52, longitude: 13.42, poll_interval: 0.2 },
  out: { wind_gusts: t.float, time: t.str },
})
const awning = liveFlow('awning', { gusts: t.float, close: t.float }, (m, use) => {
  use(weather, {}, { id: 'weather', out: { wind_gusts: m.gusts } })
  const rules = [{ operator: 'gt', value: 14, output: 'close' }] as const
  use(switchOn(t.float, { rules }), { in: m.gusts }, { id: 'storm', out: { close: m.close } })
})

const dataDir = await mkdtemp(join(tmpdir(), 'weather-'))
const service = await createService({
  dataDir,
  port: 0,
  logLevel: 'warn',
  environment: 'local',
  flows: [awning],
  connectors: [
    { package: '@flow-service/connector-open-meteo', version: '0.0.0', nodeTypes: { open_meteo: OpenMeteo } },
  ],
})
try {
  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })
  const storm = client.subscribe(awning.messages.close)
  const first = storm.next()
  await client.flows.start(awning.name)
  assert.equal((await first).value?.value, 17.9)
  await storm.return()
  assert.equal(asked[0]?.pathname, '/v1/forecast')
  assert.equal(asked[0].searchParams.get('current'), 'wind_gusts_10m', 'only the ports of the node are asked for')
  const flow = await client.flows.get(awning.name)
  assert.equal(flow.node_states.find(({ node }) => node === 'weather')?.health, 'ok')
  console.log('weather: gusts of 17.9 m/s close the awning')
} finally {
  await service.close()
  server.close()
  server.closeAllConnections()
  await rm(dataDir, { recursive: true, force: true })
}
