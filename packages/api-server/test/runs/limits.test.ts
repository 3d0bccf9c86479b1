import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createExecutionStore } from '../../src/runs/execution-store.ts'
import { createLeaseStore } from '../../src/runs/lease-store.ts'
import { RunWrites } from '../../src/runs/run-writes.ts'
import { createRunShapes } from '../../src/runs/shapes.ts'
import { openEngine, realClock, type TestEngine } from './engine.ts'
import { double } from './flows.ts'
import { counter, limit } from './limited-runs.ts'

/** Its queue is closed: the tests claim. */
let engine: TestEngine
let writes: RunWrites
const running = counter()
beforeAll(async () => {
  engine = await openEngine({ closed: true, maxRuns: 4, code: { double: running.code } })
  const { database, artifacts } = engine
  const leases = createLeaseStore(database.sql)
  const store = createExecutionStore(database.sql)
  const shapes = createRunShapes(database.sql)
  writes = new RunWrites({ database, leases, shapes, store, artifacts, clock: realClock, log: { error() {} } })
})
afterAll(() => engine[Symbol.asyncDispose]())
const claim = async (most: number) => {
  const { runs } = await writes.claim({
    token: randomUUID(),
    room: { all: most },
    leaseS: 30,
    startedAt: '2026-01-01T00:00:00Z',
    isKeeping: false,
  })
  return runs
}

/** Stores a flow whose runs execute so many at once. */
async function publish(name: string, concurrency: number | null): Promise<void> {
  await engine.publish(name, double)
  await limit(engine.database, name, concurrency)
}

describe('priority', () => {
  test('the most urgent runs are claimed first, and of one priority the oldest', async () => {
    await engine.publish('double', double)
    const submitted: string[] = []
    for (const priority of [0, -5, 100, 0, 100]) submitted.push((await engine.submit('double', { priority })).id)
    const claimed: string[] = []
    for (let count = 0; count < 5; count += 1) {
      claimed.push(...(await claim(1)).map(({ id }) => id))
    }
    expect(claimed).toEqual([2, 4, 0, 3, 1].map((at) => submitted[at]))
  })
})

describe('a flow with a limit', () => {
  test('has no more claimed runs than it allows, and does not hold up others behind it', async () => {
    await publish('limited', 2)
    await publish('free', null)
    const limited = await engine.runs.sweep(
      'limited',
      { runs: [{}, {}, {}, {}], draft: false, no_cache: false, priority: 1 },
      null,
    )
    const free = await engine.submit('free')
    const first = await claim(3)
    expect(new Set(first.map(({ id }) => id))).toEqual(new Set([limited.runs[0]?.id, limited.runs[1]?.id, free.id]))
    expect(await claim(3)).toEqual([])
    await engine.runs.cancel(limited.runs[0]?.id ?? '')
    expect((await claim(3)).map(({ id }) => id)).toEqual([limited.runs[2]?.id])
    // a higher limit counts at once
    await publish('limited', 3)
    expect((await claim(3)).map(({ id }) => id)).toEqual([limited.runs[3]?.id])
  })

  test('takes its limit from what is published, else from the draft; others have none', async () => {
    await publish('sketch', 4)
    const limitOf = async () => {
      const [row] = await engine.database.sql<{ concurrency: number | null }[]>`
        select concurrency from flow where name = 'sketch'`
      return row?.concurrency
    }
    expect(await limitOf()).toBe(4)
    await engine.database.sql`
      update flow set published = '{"mode": "batch", "concurrency": 7}', published_version = 1 where name = 'sketch'`
    expect(await limitOf()).toBe(7)
    for (const content of ['{"mode": "batch"}', '{"concurrency": "many"}', '[]']) {
      await engine.database.sql`update flow set published = ${content}::jsonb where name = 'sketch'`
      expect(await limitOf()).toBeNull()
    }
  })

  test('executes at most so many runs of a sweep at once, and all of them in the end [R515]', async () => {
    await engine.runs.open()
    await publish('executed', 2)
    const { runs } = await engine.runs.sweep(
      'executed',
      { runs: Array.from({ length: 7 }, () => ({})), draft: false, no_cache: true, priority: 0 },
      null,
    )
    for (let ended = 0; ended < 7; ended += 1) {
      await expect.poll(() => running.ends.length).toBeGreaterThan(ended)
      running.ends[ended]?.()
    }
    for (const { id } of runs) expect((await engine.finished(id)).status).toBe('ok')
    expect(running.most()).toBe(2)
  })
})
