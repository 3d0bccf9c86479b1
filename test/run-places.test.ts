import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { publishFlow, pythonFlow } from './documents.ts'
import { startService } from './service.ts'

/** Ends when four nodes have come to the same directory. */
const meet = `import os, time
def run(n, place):
    open(os.path.join(place, str(n)), "w").close()
    while len(os.listdir(place)) < 4:
        time.sleep(0.01)
    return {"out": n}
`

test('four runs whose nodes wait for each other go on at once, however few processors there are', async () => {
  await using at = await startService()
  const place = await mkdtemp(join(tmpdir(), 'meeting-'))
  const flow = pythonFlow(meet)
  const nodes = flow.nodes.map((node) => ({ ...node, timeout: 60, settings: { place } }))
  await publishFlow(at.client, 'meet', { ...flow, nodes })
  const sweep = await at.client.http.runs.sweep({ name: 'meet', runs: [1, 2, 3, 4].map((n) => ({ n })) })
  const ended = await Promise.all(sweep.runs.map(({ id }) => at.client.wait(id)))
  expect(ended.map(({ status, result }) => [status, result])).toEqual([1, 2, 3, 4].map((n) => ['ok', { out: n }]))
  await rm(place, { recursive: true })
})
