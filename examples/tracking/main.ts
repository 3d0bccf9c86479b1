/** A training in a Python program, tracked live: three rates, compared, and the weights of the best one fetched. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const python = [here('../../.python-tests/bin/python'), 'python3'].find(
  (program) =>
    (program === 'python3' || existsSync(program)) && spawnSync(program, ['-c', 'import numpy']).status === 0,
)
if (python === undefined) {
  console.log('tracking: skipped, no Python has numpy: pip install numpy')
  process.exit(process.env['CI'] ? 1 : 0)
}

const dataDir = await mkdtemp(join(tmpdir(), 'tracking-'))
const service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'warn' })
try {
  const { baseUrl } = await service.listen()
  const token = await service.superuserToken()

  // elsewhere `pip install flow-service` has the module, and `service login` the address and the token
  const env = { ...process.env, PYTHONPATH: here('../../packages/python'), SERVICE_URL: baseUrl, SERVICE_TOKEN: token }
  await promisify(execFile)(python, [here('train.py'), '0.01', '0.1', '0.5'], { cwd: dataDir, env })

  const client = createClient({ baseUrl, token })
  const ranked = await client.runs.list({ flow: 'fit_plane', sort: 'metrics.loss:min', include: 'params,metrics' })
  assert.deepEqual(
    ranked.map(({ status, params }) => [status, params?.['lr']]),
    [0.5, 0.1, 0.01].map((rate) => ['ok', rate]),
  )
  const best = await client.runs.get(ranked[0]?.id ?? '')
  const [curve] = await client.runs.metrics(best.id, { name: 'loss' })
  assert.equal(curve?.points.length, 40)

  const [weights] = best.artifacts
  assert.equal(weights?.name, 'weights.npy')
  const bytes = await client.artifacts.get(weights.digest, { parseAs: 'arrayBuffer' })
  assert.equal((bytes as unknown as ArrayBuffer).byteLength, 128 + 3 * 8)
  const rate = Number(ranked[0]?.params?.['lr'])
  console.log(`tracking: of ${ranked.length} runs lr ${rate} is the best, and its weights are here`)
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
