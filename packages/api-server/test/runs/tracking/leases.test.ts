import { VirtualClock } from '@flow-service/core/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../engine.ts'
import { double } from '../flows.ts'
import { begin, refusal, silent, tell } from './tracker.ts'

let engine: TestEngine
let clock: VirtualClock
beforeEach(async () => {
  clock = new VirtualClock(Date.now())
  engine = await openEngine({ clock })
})
afterEach(() => engine[Symbol.asyncDispose]())

const statusOf = async (id: string): Promise<string> => (await engine.runs.get(id)).status
const statuses = (id: string): string[] =>
  engine.events.flatMap((event) => (event.type === 'run' && event.run.id === id ? [event.run.status] : []))
/** Lets the engine look for leases that are over. */
async function sweep(): Promise<void> {
  await clock.advance(5000)
  // whatever is told after it has waited for it
  const { id } = (await begin(engine)).run
  await tell(engine, id, { seq: 1, status: 'ok' })
}

describe('a program of which nothing is heard', () => {
  test('has 60 seconds from its last word, then its run is given up', async () => {
    const { id } = (await begin(engine)).run
    const { lease_until: until } = await tell(engine, id, { seq: 1 })
    const [row] = await engine.database.sql<{ left: number }[]>`
      select extract(epoch from ${until}::timestamptz - now())::float8 as left`
    expect(row?.left).toBeGreaterThan(0)
    expect(row?.left).toBeLessThanOrEqual(60)
    await engine.database.sql`update run set lease_until = now() + interval '1 hour'`
    await sweep()
    expect(await statusOf(id)).toBe('running')
    await silent(engine, 3601)
    await sweep()
    expect(await engine.runs.get(id)).toMatchObject({
      status: 'abandoned',
      error: { node: null, type: 'abandoned' },
      nodes: [{ status: 'cancelled' }],
    })
    expect(statuses(id)).toEqual(['running', 'abandoned'])
    expect(engine.deadLetters).toEqual([])
  })

  test('makes its run running again with the next that it tells, and no point is lost or doubled', async () => {
    const { id } = (await begin(engine)).run
    await tell(engine, id, { seq: 1, metrics: [{ name: 'loss', steps: [0, 1], values: [3, 2] }] })
    await silent(engine, 61)
    await sweep()
    // what was stored before brings nothing back
    await tell(engine, id, { seq: 1 })
    expect(await refusal(tell(engine, id, { seq: 3 }))).toMatchObject({ code: 'version_conflict' })
    expect(await statusOf(id)).toBe('abandoned')
    const answer = await tell(engine, id, { seq: 2, metrics: [{ name: 'loss', steps: [1, 2], values: [2, 1] }] })
    expect(answer).toMatchObject({ seq: 2, lease_until: expect.any(String), dropped: { loss: 1 } })
    expect(await engine.runs.get(id)).toMatchObject({ status: 'running', finished_at: null, error: null })
    const [series] = await engine.runs.metrics(id, { stride: 1 })
    expect(series?.points.map(({ step }) => step)).toEqual([0, 1, 2])
    await tell(engine, id, { seq: 3, status: 'ok' })
    expect(statuses(id)).toEqual(['running', 'abandoned', 'running', 'ok'])
  })

  test('may end its run in the request with which it comes back', async () => {
    const { id } = (await begin(engine)).run
    await silent(engine, 61)
    await sweep()
    await tell(engine, id, { seq: 1, status: 'ok' })
    expect(await statusOf(id)).toBe('ok')
    expect(statuses(id)).toEqual(['running', 'abandoned', 'ok'])
  })

  test('does not come back when its run is cancelled meanwhile, or deleted', async () => {
    const cancelled = (await begin(engine)).run
    const deleted = (await begin(engine)).run
    await silent(engine, 61)
    await sweep()
    expect(await engine.runs.cancel(cancelled.id)).toMatchObject({ status: 'cancelled', error: null })
    await engine.runs.history.delete(deleted.id)
    expect(await tell(engine, cancelled.id, { seq: 1 })).toMatchObject({ cancelled: true, seq: 0 })
    expect(await refusal(tell(engine, deleted.id, { seq: 1 }))).toMatchObject({ code: 'not_found' })
  })
})

test('an engine that opens gives no tracked run up, but waits for its program once more', async () => {
  const { id } = (await begin(engine)).run
  await engine.publish('double', double)
  await engine.database.sql`update run set lease_until = now() - interval '1 day' where id = ${id}`
  const flows = engine.flows
  const dataDir = await engine.crash()
  engine = await openEngine({ dataDir, flows, clock })
  await sweep()
  expect(await statusOf(id)).toBe('running')
  await silent(engine, 61)
  await sweep()
  expect(await statusOf(id)).toBe('abandoned')
})
