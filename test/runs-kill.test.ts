/** Requests about many runs at once, while the engine is killed. */
import { setTimeout as delay } from 'node:timers/promises'

import type { RunSummary } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { publishFlow, scaleFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'

const kills = chosenKills(2)
const seed = chosenSeed()
const RUNS = 200

/** Runs that ended elsewhere, with points and bytes. */
const entriesOf = (batch: number) =>
  Array.from({ length: RUNS }, (_, at) => ({
    flow: 'scale',
    external_id: `${batch}-${at}`,
    status: 'ok' as const,
    created_at: '2024-01-01T00:00:00Z',
    result: { scaled: at },
    metrics: Array.from({ length: 20 }, (_unused, step) => ({ name: 'loss', step, value: step * at })),
    ...(at % 10 === 0 ? { artifacts: [{ name: 'model', data: btoa(`model ${batch}-${at}`) }] } : {}),
  }))

async function runsOf({ client }: EngineProcess): Promise<RunSummary[]> {
  const runs: RunSummary[] = []
  for (;;) {
    const last = runs.at(-1)
    const page = await client.http.runs.list({
      flow: 'scale',
      limit: 500,
      ...(last ? { before: last.created_at } : {}),
    })
    runs.push(...page)
    if (page.length < 500) return runs
  }
}

/** What of a run is not as it was imported. */
async function faultsOf({ client, baseUrl, token }: EngineProcess, { id }: RunSummary): Promise<string[]> {
  const [run, curves] = await Promise.all([client.http.runs.get({ id }), client.http.runs.metrics({ id, stride: 1 })])
  const at = Number(run.external_id?.split('-')[1])
  const faults: string[] = []
  if (run.result?.['scaled'] !== at) faults.push(`${run.external_id} has the result ${JSON.stringify(run.result)}`)
  if (curves[0]?.points.length !== 20) faults.push(`${run.external_id} has ${curves[0]?.points.length} points`)
  for (const { digest } of run.artifacts) {
    const answer = await fetch(`${baseUrl}/artifacts/${digest}`, { headers: { authorization: `Bearer ${token}` } })
    if ((await answer.text()) !== `model ${run.external_id}`) faults.push(`${run.external_id} has lost its bytes`)
  }
  return faults
}

test(
  'an import and a deletion of many runs that a kill ends have been done whole or not, and can be repeated [F8, F9]',
  async () => {
    console.log(`SEED=${seed} KILLS=${kills}`)
    const random = randomFrom(seed)
    using data = new DataDirectory()
    let engine = await data.start()
    await publishFlow(engine.client, 'scale', scaleFlow)
    // how long one takes on this machine
    const begun = performance.now()
    await engine.client.runs.import({ runs: entriesOf(0) as never })
    const importMs = performance.now() - begun
    let expected = RUNS
    for (let batch = 1; batch <= kills; batch += 1) {
      const runs = entriesOf(batch) as never
      const importing = engine.client.runs.import({ runs }).then(
        () => true,
        () => false,
      )
      await delay(random() * importMs * 1.2)
      await engine.end('SIGKILL')
      const isAcknowledged = await importing
      engine = await data.start()
      const found = (await runsOf(engine)).length - expected
      expect([0, RUNS]).toContain(found)
      if (isAcknowledged) expect(found).toBe(RUNS)
      const again = await engine.client.runs.import({ runs })
      expect(again.runs.filter(({ created }) => created)).toHaveLength(RUNS - found)
      expected += RUNS
    }
    const imported = await runsOf(engine)
    expect(new Set(imported.map(({ external_id: id }) => id)).size).toBe(expected)
    expect(imported).toHaveLength(expected)

    const deleting = engine.client.runs.deleteAll({ flow: 'scale', history: true }).catch(() => null)
    await delay(random() * 200)
    await engine.end('SIGKILL')
    await deleting
    engine = await data.start()
    const left = await runsOf(engine)
    expect(left.length).toBeLessThanOrEqual(expected)
    // a portion is gone whole, and of the others nothing is missing
    expect(left.length % RUNS).toBe(0)
    const own = engine
    const sample = left.filter((_, at) => at % 20 === 0)
    expect((await Promise.all(sample.map((run) => faultsOf(own, run)))).flat()).toEqual([])
    expect(await engine.client.runs.deleteAll({ flow: 'scale', history: true })).toEqual({ deleted: left.length })
    expect(await runsOf(engine)).toEqual([])
    expect(await engine.end('SIGTERM')).toBe(0)
  },
  120_000 + kills * 30_000,
)
