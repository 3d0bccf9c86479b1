/** A stored flow of Python nodes: save the document, publish it, run it, read its curves and its model. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient, type FlowDocument } from '@flow-service/client-sdk'

const dataDir = await mkdtemp(join(tmpdir(), 'python-training-'))
const service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'warn' })
try {
  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })

  const text = await readFile(new URL('train-logreg.json', import.meta.url), 'utf8')
  const flowDocument = JSON.parse(text) as FlowDocument
  const saved = await client.flows.save('train_logreg', flowDocument)
  assert.deepEqual(
    saved.issues.filter(({ severity }) => severity === 'error'),
    [],
  )
  await client.flows.publish('train_logreg', { version: saved.version })

  const submitted = await client.runs.submit('train_logreg', { params: { epochs: 8 }, seed: 3 })
  const run = await submitted.wait()
  assert.equal(run.status, 'ok', run.error?.message)
  const accuracy = Number(run.result?.accuracy)
  assert.ok(accuracy >= 0.75, `accuracy ${accuracy}`)

  const curves = await client.runs.metrics(run.id, { name: 'loss' })
  assert.equal(curves[0]?.points.length, 8)
  const model = run.result?.model as { digest: string }
  const weights = await client.artifacts.get(model.digest, { parseAs: 'text' })
  assert.equal((JSON.parse(weights as unknown as string) as { w: number[] }).w.length, 3)
  console.log(`python-training: accuracy ${accuracy} after ${curves[0]?.points.length} epochs`)
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
