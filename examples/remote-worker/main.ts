/** A stage that names a label executes on the worker that has it: another machine, which dials out to the engine. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { runWorker } from '@flow-service/worker-agent'

import { scan } from './flows/scan.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'remote-worker-'))
const flows = join(import.meta.dirname, 'flows')
const service = await createService({ dataDir, port: 0, environment: 'local', flows, logLevel: 'warn' })
const leave = new AbortController()

try {
  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })

  const run = await client.submit(scan, { params: { size: 256 }, seed: 7 })
  let waiting = null
  while (!(waiting ??= (await client.runs.get(run.id)).nodes.find(({ waiting_for }) => waiting_for !== null)))
    await pause(20)
  assert.equal(waiting.waiting_for, 'gpu')

  // elsewhere that is: SERVICE_WORKER_TOKEN=... npx service-worker --url wss://.../api/v1/workers/attach
  const { token } = await client.workers.mintToken({ name: 'machine-room', labels: ['gpu'] })
  const url = `${baseUrl.replace('http', 'ws')}/workers/attach`
  const worker = runWorker({ url, token, python: null, signal: leave.signal })

  const { bright } = await run.result()
  const { nodes } = await client.runs.get(run.id)
  assert.deepEqual(
    nodes.map((node) => [node.node, node.worker]),
    [
      ['expose', 'engine'],
      ['search', 'machine-room'],
    ],
  )
  const [curve] = await client.runs.metrics(run.id)
  assert.equal(curve?.points.at(-1)?.value, 1)

  leave.abort()
  assert.equal((await worker).kind, 'stopped')
  assert.deepEqual(await client.workers.list(), [])
  console.log(`remote-worker: machine-room found ${bright} bright points of 65536`)
} finally {
  leave.abort()
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
