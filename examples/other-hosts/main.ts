/** The engine below a path of hosts that are not Express: each gets a run, three megabytes and an event socket through. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'

import { fastifyHost } from './fastify.ts'
import { honoHost } from './hono.ts'
import { koaHost } from './koa.ts'
import { nodeHost } from './node.ts'

const double = stage('double', { in: { n: t.int }, out: { twice: t.int }, run: ({ n }) => ({ twice: 2 * n }) })
const doubling = batchFlow('doubling', { n: input(t.int, 21) }, (p, use) => use(double, p))

const hosts = { Fastify: fastifyHost, Hono: honoHost, Koa: koaHost, 'node:http': nodeHost }
for (const [name, open] of Object.entries(hosts)) {
  const dataDir = await mkdtemp(join(tmpdir(), 'host-'))
  const service = await createService({ dataDir, environment: 'local', flows: [doubling], logLevel: 'warn' })
  const server = await open(service)
  if (!server.listening) await once(server, 'listening')
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = createClient({ baseUrl: `${origin}/flow-service/api/v1`, token: await service.superuserToken() })
    // a run is waited for on the event socket, which is an upgrade
    const run = await client.submit(doubling)
    assert.deepEqual(await run.result(), { twice: 42 }, name)
    assert.equal((await client.upload(new Uint8Array(3_000_000), { name: 'zeros' })).size, 3_000_000, name)
    assert.equal((await fetch(`${origin}/flow-service/healthz`)).status, 200, name)
    assert.equal(await (await fetch(`${origin}/own`)).text(), 'the host', name)
  } finally {
    await service.close()
    server.close()
    server.closeAllConnections()
    await rm(dataDir, { recursive: true, force: true })
  }
}
console.log(`other-hosts: the engine answers below a path of ${Object.keys(hosts).join(', ')}`)
