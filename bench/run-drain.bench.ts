/**
 * Queued runs of one built-in node, drained: on the embedded database and on a PostgreSQL server (with fsync), beside
 * the bare group commit that the same number of runs comes to: rows that change their state twice, a hundred to a
 * statement. Meanwhile others submit, one after the other.
 */
import { afterAll, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../packages/api-server/test/runs/engine.ts'
import { light } from '../packages/api-server/test/runs/flows.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../test/components/postgres.ts'
import { bareGroupRate } from './bare-commits.ts'

/** As an engine has them unless they are set. */
const places = { maxRuns: 4, maxLightRuns: 64 }

let server: PostgresServer | null = null
afterAll(() => server?.stop())

async function open(backend: 'embedded' | 'server'): Promise<TestEngine> {
  if (backend === 'embedded') return openEngine({ closed: true, ...places })
  server ??= await startPostgres(findPostgres() ?? '', { fsync: true })
  return openEngine({ closed: true, ...places, databaseUrl: await server.createDatabase(`drain_${Date.now()}`) })
}

interface Drained {
  /** Runs from the opening of the queue to the last end. */
  readonly perSecond: number
  /** Of submissions meanwhile: 95 of 100 took less, in milliseconds. */
  readonly submitMs: number
}

async function drain(engine: TestEngine, runs: number): Promise<Drained> {
  await engine.publish('trivial', light)
  const body = { params: {}, draft: false, no_cache: true }
  for (let left = runs; left > 0; left -= 500) {
    await Promise.all(Array.from({ length: Math.min(500, left) }, () => engine.submit('trivial', body)))
  }
  engine.events.length = 0
  let ended = 0
  const startedMs = performance.now()
  let isOver = false
  const over = engine
    .event((event) => event.type === 'run' && event.run.status === 'ok' && ++ended === runs)
    .then(() => (isOver = true))
  await engine.runs.open()
  const submissions: number[] = []
  while (!isOver) {
    const submittedMs = performance.now()
    await engine.submit('trivial', { ...body, priority: -1 })
    submissions.push(performance.now() - submittedMs)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await over
  const submitMs = submissions.toSorted((a, b) => a - b)[Math.floor(submissions.length * 0.95)] ?? 0
  return { perSecond: (runs * 1000) / (performance.now() - startedMs), submitMs }
}

for (const { backend, least } of [
  { backend: 'embedded', least: 1000 },
  { backend: 'server', least: 2000 },
] as const) {
  for (const runs of [1_000, 10_000]) {
    test(`${runs} queued runs are drained, on the ${backend} database`, async () => {
      await using engine = await open(backend)
      const bare = await bareGroupRate(engine.database.sql, runs)
      const { perSecond, submitMs } = await drain(engine, runs)
      console.log(
        `${backend}, ${runs} runs: ${Math.round(perSecond)}/s; bare group commit ${Math.round(bare)}/s: ` +
          `ratio ${(perSecond / bare).toFixed(2)}; submissions meanwhile p95 ${submitMs.toFixed(1)} ms`,
      )
      expect(perSecond).toBeGreaterThan(least)
      // a submission shares its commit with a group of runs, and waits for the one before
      expect(submitMs).toBeLessThan((2 * places.maxLightRuns * 1000) / perSecond)
    })
  }
}
