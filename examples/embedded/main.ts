/** Two services in one process, mounted in a host's Express app: the flows are objects of the host's own code. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'
import express from 'express'

const greet = stage('greet', {
  in: { name: t.str },
  out: { text: t.str },
  run: ({ name }) => ({ text: `Hello, ${name}!` }),
})
const greeting = batchFlow('greeting', { name: input(t.str, 'world') }, (p, use) => use(greet, p))

const dirs = [await mkdtemp(join(tmpdir(), 'north-')), await mkdtemp(join(tmpdir(), 'south-'))] as const
const make = (dataDir: string) => createService({ dataDir, environment: 'local', flows: [greeting], logLevel: 'warn' })
const [north, south] = await Promise.all([make(dirs[0]), make(dirs[1])])

const app = express()
app.get('/', (_request, response) => void response.send('the host'))
app.use('/north', north.router)
app.use('/south', south.router)
const server = createServer(app).listen(0, '127.0.0.1')
await once(server, 'listening')
north.attach(server, '/north')
south.attach(server, '/south')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

try {
  assert.equal(await (await fetch(origin)).text(), 'the host')
  const clientOf = async (service: typeof north, mount: string) =>
    createClient({ baseUrl: `${origin}${mount}/api/v1`, token: await service.superuserToken() })
  const inNorth = await clientOf(north, '/north')
  const inSouth = await clientOf(south, '/south')

  const run = await inNorth.submit(greeting, { params: { name: 'embedder' } })
  assert.deepEqual(await run.result(), { text: 'Hello, embedder!' })
  assert.equal((await inNorth.runs.list()).length, 1)
  assert.equal((await inSouth.runs.list()).length, 0, 'the services know nothing of each other')
  console.log('embedded: two services answer beside the host’s own routes')
} finally {
  await Promise.all([north.close(), south.close()])
  server.close()
  server.closeAllConnections()
  await Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true })))
}
