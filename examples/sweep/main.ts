/** Searches over learning rates and seeds, with stages in TypeScript and in Python, and explains what was not executed. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'

import { moonsInPython, moonsInTypeScript } from './flows/moons.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'sweep-'))
const flows = fileURLToPath(new URL('./flows', import.meta.url))
const service = await createService({ dataDir, port: 0, logLevel: 'warn', environment: 'local', flows })
try {
  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })

  for (const flow of [moonsInTypeScript, moonsInPython]) {
    const search = { grid: { lr: [0.003, 0.03, 0.3] }, seeds: [1, 2] }
    const plan = await client.plan(flow, search)
    // six runs, over points that are made once; which trainings are known depends on the points
    assert.deepEqual(
      plan.stages.map(({ node, runs, unique, hits, unknown }) => ({ node, runs, unique, hits, unknown })),
      flow === moonsInTypeScript
        ? [
            { node: 'moons', runs: 6, unique: 1, hits: 0, unknown: 0 },
            { node: 'train', runs: 6, unique: 0, hits: 0, unknown: 6 },
          ]
        : [
            { node: 'moons', runs: 6, unique: 1, hits: 6, unknown: 0 },
            { node: 'train', runs: 6, unique: 6, hits: 0, unknown: 0 },
          ],
    )
    const { groupId, runs } = await client.sweep(flow, search)
    const results = await Promise.all(runs.map((run) => run.result()))
    const best = results.reduce((one, other) => (other.accuracy > one.accuracy ? other : one))
    assert.ok(best.accuracy > 0.9, `the best accuracy is ${best.accuracy}`)

    const records = await Promise.all(runs.map(({ id }) => client.runs.get(id)))
    assert.ok(records.every(({ group_id }) => group_id === groupId))
    const made = records.filter(({ nodes }) => nodes.some(({ node, cached }) => node === 'moons' && !cached))
    assert.equal(made.length, flow === moonsInTypeScript ? 1 : 0)

    // the curves beside each other: a good learning rate has the lower loss in the end
    const { series } = await client.compare(runs, `${flow.name}.loss`)
    const last = series.map(({ params, points }) => ({ lr: params.lr, loss: Number(points.at(-1)?.y) }))
    const mean = (lr: number) => last.filter((item) => item.lr === lr).reduce((sum, { loss }) => sum + loss / 2, 0)
    assert.ok(mean(0.3) < mean(0.003), `loss ${mean(0.3)} at 0.3, ${mean(0.003)} at 0.003`)

    // the same seed gives the same run; the cache knows it, and the plan says so
    const again = await client.plan(flow, search)
    assert.deepEqual(
      again.stages.map(({ hits }) => hits),
      [6, 6],
    )
    console.log(`sweep: ${flow.name} reached ${(100 * best.accuracy).toFixed(1)} % in one of ${runs.length} runs`)
  }
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
