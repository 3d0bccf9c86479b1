/**
 * What the way to a worker in another process costs, against the same flow on the engine's own worker: a run of one node
 * that does nothing, from its submission to its end, and points from one Python process into the database. And what it
 * costs that calls outlive a lost link, where the engine lets them.
 */
import type { ServiceConfig } from '@flow-service/api-server'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { startAgent } from '../test/agent-process.ts'
import { publishFlow } from '../test/documents.ts'
import { startService, type TestService } from '../test/service.ts'

const RUNS = 40
const POINTS = 300_000
const ROUNDS = 3

let at: TestService
let resuming: TestService
beforeAll(async () => {
  at = await opened({})
  resuming = await opened({ workerResumeS: 60 })
})

async function opened(config: ServiceConfig): Promise<TestService> {
  const at = await startService(config)
  for (const [place, worker] of [
    ['here', null],
    ['there', 'lab'],
  ]) {
    await publishFlow(at.client, `idle_${place}`, flow(String(place), worker ?? null, 'def run(): return {"best": 0}'))
    const emits = `def run():\n  for step in range(${POINTS}):\n    emit({"loss": step / 7})\n  return {"best": 0}`
    await publishFlow(at.client, `points_${place}`, flow(String(place), worker ?? null, emits))
  }
  return at
}
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await resuming[Symbol.asyncDispose]()
})

const flow = (place: string, worker: string | null, source: string) => ({
  mode: 'batch',
  outputs: [{ name: 'best' }],
  nodes: [
    {
      id: place,
      type: 'python',
      source,
      worker,
      cache: false,
      ports: [
        { direction: 'output', name: 'loss', dtype: 'float', stream: true },
        { direction: 'output', name: 'best', dtype: 'float' },
      ],
    },
  ],
})

/** Milliseconds from the submission of a run to its end. */
async function took(name: string, on = at): Promise<number> {
  const begun = performance.now()
  const { id } = await on.client.http.runs.submit({ name })
  const run = await on.client.wait(id)
  const ms = performance.now() - begun
  expect(run.status).toBe('ok')
  return ms
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('a worker in another process costs a few milliseconds a call, and takes points nearly as fast', async () => {
  await startAgent(at, 'lab')
  await startAgent(resuming, 'lab')
  const times: Record<string, number[]> = { idle_here: [], idle_there: [], points_here: [], points_there: [] }
  const kept: Record<string, number[]> = { idle_there: [], points_there: [] }
  for (let round = 0; round < RUNS; round++) {
    for (const name of ['idle_here', 'idle_there']) times[name]?.push(await took(name))
    kept['idle_there']?.push(await took('idle_there', resuming))
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ['points_here', 'points_there']) times[name]?.push(await took(name))
    kept['points_there']?.push(await took('points_there', resuming))
  }
  const [idle, points] = ['idle_there', 'points_there'].map(
    (name) => median(kept[name] ?? []) / median(times[name] ?? []),
  )
  console.log(
    `frames that are kept for a lost link: a run takes ${idle?.toFixed(2)}, points ${points?.toFixed(2)} times as long`,
  )
  const [here, there] = [median(times['idle_here'] ?? []), median(times['idle_there'] ?? [])]
  const [near, far] = ['points_here', 'points_there'].map((name) => (POINTS / median(times[name] ?? [])) * 1000)
  console.log(
    `a run of one idle node, p50: engine ${here.toFixed(1)}, worker ${there.toFixed(1)} ms; ` +
      `points a second: engine ${near?.toFixed(0)}, worker ${far?.toFixed(0)}`,
  )
  expect(there / here).toBeLessThan(2)
  expect((far ?? 0) / (near ?? 0)).toBeGreaterThan(0.5)
  expect(idle).toBeLessThan(1.5)
  expect(points).toBeLessThan(1.5)
})
