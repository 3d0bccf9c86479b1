import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Admission, Backlog, type RunNumbers } from '../../src/runs/admission.ts'
import { createExecutionStore } from '../../src/runs/execution-store.ts'
import { claimed, claimParts, createLeaseStore, firstClaimable } from '../../src/runs/lease-store.ts'
import { RunWrites } from '../../src/runs/run-writes.ts'
import { runNumbers } from '../../src/runs/settings.ts'
import { createRunShapes } from '../../src/runs/shapes.ts'
import { openEngine, realClock, type TestEngine } from './engine.ts'
import { double, light } from './flows.ts'
import { counter, limit } from './limited-runs.ts'

describe('places', () => {
  test('are of each class, and as many again may wait for the commit of their end', () => {
    const admission = new Admission({ heavy: 2, light: 3 })
    const [first, second] = [admission.take({ heavy: true }), admission.take({ heavy: true })]
    admission.take({ heavy: false })
    expect(admission.room).toEqual({ heavy: 0, light: 2 })
    first.executed()
    second.executed()
    expect(admission.room).toEqual({ heavy: 2, light: 2 })
    const more = [admission.take({ heavy: true }), admission.take({ heavy: true })]
    for (const place of more) place.executed()
    expect(admission.room).toEqual({ heavy: 0, light: 2 })
    first.over()
    expect(admission.room).toEqual({ heavy: 1, light: 2 })
  })

  test('may be those of both classes', () => {
    const admission = new Admission({ all: 2 })
    admission.take({ heavy: true })
    const place = admission.take({ heavy: false })
    expect(admission.room).toEqual({ all: 0 })
    place.executed()
    place.over()
    expect(admission.room).toEqual({ all: 1 })
  })

  test('are not taken by runs that wait for attached workers, of which there are at most 1,000', () => {
    const admission = new Admission({ heavy: 1, light: 5 })
    const waiting = Array.from({ length: 999 }, () => admission.take({ heavy: true }))
    for (const place of waiting) place.waits(true)
    expect(admission.room).toEqual({ heavy: 1, light: 1 })
    admission.take({ heavy: false }).waits(true)
    expect(admission.room).toEqual({ heavy: 0, light: 0 })
    // what a worker takes goes on, though there is one place
    for (const place of waiting.slice(0, 2)) place.waits(false)
    expect(admission.room).toEqual({ heavy: 0, light: 2 })
    for (const place of waiting.slice(0, 2)) {
      place.executed()
      place.over()
    }
    expect(admission.room).toEqual({ heavy: 1, light: 2 })
  })

  test('are 4 and 64 unless set, and shared where only SERVICE_MAX_RUNS is [R515]', () => {
    const numbers = (maxRuns: number | null, maxLightRuns: number | null): RunNumbers =>
      runNumbers({ maxRuns, maxLightRuns })
    expect(numbers(null, null)).toEqual({ heavy: 4, light: 64 })
    expect(numbers(7, null)).toEqual({ all: 7 })
    expect(numbers(null, 9)).toEqual({ heavy: 4, light: 9 })
    expect(numbers(7, 9)).toEqual({ heavy: 7, light: 9 })
  })
})

describe('of what is queued', () => {
  const [heavy, light] = [{ heavy: true }, { heavy: false }]

  test('there may be more of a class whose room a claim has filled, and of one that it had no room for', () => {
    const backlog = new Backlog()
    const room = { heavy: 2, light: 3 }
    expect(backlog.within(room)).toEqual(room)
    backlog.claimed(room, [heavy, light, light, light])
    expect(backlog.within(room)).toEqual({ heavy: 0, light: 3 })
    backlog.claimed({ heavy: 0, light: 3 }, [light])
    expect(backlog.within(room)).toEqual({ heavy: 0, light: 0 })
    backlog.grown()
    backlog.claimed({ heavy: 0, light: 3 }, [light])
    expect(backlog.within(room)).toEqual({ heavy: 2, light: 0 })
  })

  test('there may be more after a claim that has filled the places of both', () => {
    const backlog = new Backlog()
    backlog.claimed({ all: 2 }, [heavy, light])
    expect(backlog.within({ all: 1 })).toEqual({ all: 1 })
    backlog.claimed({ all: 2 }, [heavy])
    expect(backlog.within({ all: 1 })).toEqual({ all: 0 })
  })
})

/** A node of a plan, as the database explains it. */
interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Operation?: string
  readonly Plans?: readonly PlanNode[]
}

/** What a plan reads; a table that is read whole has no index. */
function readsOf(node: PlanNode): { relation: string; index: string | null }[] {
  const { 'Relation Name': relation, 'Index Name': index = null, Operation: writes, Plans: parts = [] } = node
  const own = relation === undefined || writes !== undefined ? [] : [{ relation, index }]
  return [...own, ...parts.flatMap(readsOf)]
}

describe('a claim', () => {
  /** Its queue is closed: the tests claim. */
  let engine: TestEngine
  let writes: RunWrites
  beforeAll(async () => {
    engine = await openEngine({ closed: true })
    const { database, artifacts } = engine
    const leases = createLeaseStore(database.sql)
    const store = createExecutionStore(database.sql)
    const shapes = createRunShapes(database.sql)
    writes = new RunWrites({ database, leases, shapes, store, artifacts, clock: realClock, log: { error() {} } })
    await engine.publish('heavy', double)
    await engine.publish('light', light)
  })
  afterAll(() => engine[Symbol.asyncDispose]())
  const claim = async (room: RunNumbers) => {
    const token = randomUUID()
    const { runs } = await writes.claim({
      token,
      room,
      leaseS: 30,
      startedAt: '2026-01-01T00:00:00Z',
      isKeeping: false,
    })
    return runs.map(({ id, heavy }) => ({ id, heavy }))
  }
  const submitted = async (flow: string, ...priorities: number[]): Promise<string[]> => {
    const ids: string[] = []
    for (const priority of priorities) ids.push((await engine.submit(flow, { priority })).id)
    return ids
  }
  const rest = () => claim({ all: 1000 })

  test('takes each class in its own order, whatever waits in front of it', async () => {
    const heavy = await submitted('heavy', 0, 9, 5)
    const light = await submitted('light', -3, 0, -9)
    expect(new Set(await claim({ heavy: 1, light: 2 }))).toEqual(
      new Set([
        { id: heavy[1], heavy: true },
        { id: light[1], heavy: false },
        { id: light[0], heavy: false },
      ]),
    )
    expect(await claim({ heavy: 0, light: 5 })).toEqual([{ id: light[2], heavy: false }])
    expect(new Set((await claim({ heavy: 9, light: 0 })).map(({ id }) => id))).toEqual(new Set([heavy[0], heavy[2]]))
  })

  test.each([
    [{ heavy: 4, light: 64 }, ['run_admission_of_heavy', 'run_admission_of_light', 'run_pkey']],
    [{ all: 64 }, ['run_admission', 'run_pkey']],
  ])(
    'finds runs by indexes of just those, also in a new database that knows nothing of them: %j',
    async (room, indexes) => {
      const { sql } = engine.database
      const token = randomUUID()
      const parts = claimParts(sql, {
        token,
        room,
        leaseS: 30,
        startedAt: '2026-01-01T00:00:00Z',
        isKeeping: false,
        known: [],
      })
      const [row] = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>`
        explain (format json) with ${parts} select rule.is_limited, claimed.* from ${claimed(sql)}`
      const used = readsOf(row!['QUERY PLAN'][0].Plan).filter(({ relation }) => relation === 'run')
      expect(new Set(used.map(({ index }) => index))).toEqual(new Set(indexes))
    },
  )

  test.each(['at once', 'within limits'])('brings no document that the engine has: %s', async (way) => {
    const { sql } = engine.database
    const leases = createLeaseStore(sql)
    await submitted('light', 0, 0)
    const taken = async (known: readonly string[]) => {
      const asked = { token: randomUUID(), room: { all: 1 }, leaseS: 30, startedAt: '2026-01-01T00:00:00Z', known }
      const tell = { ...asked, isKeeping: false }
      const runs =
        way === 'at once'
          ? await leases.claim(sql, tell)
          : await engine.database.transaction((tx) => leases.claimWithinLimits(tx, tell))
      return runs![0]!
    }
    const first = await taken(['another'])
    expect(first.document).toMatchObject({ name: 'light' })
    const second = await taken(['another', first.digest!])
    expect([second.digest, second.document]).toEqual([first.digest, null])
  })

  test('takes both in one order where they share their places', async () => {
    const heavy = await submitted('heavy', 0, 9)
    const light = await submitted('light', 5, -1)
    expect(new Set((await claim({ all: 2 })).map(({ id }) => id))).toEqual(new Set([heavy[1], light[0]]))
    expect((await claim({ all: 1 })).map(({ id }) => id)).toEqual([heavy[0]])
    expect((await claim({ all: 9 })).map(({ id }) => id)).toEqual([light[1]])
  })

  test('takes no more of a flow than it allows, of both classes together', async () => {
    await engine.publish('limited', light)
    await limit(engine.database, 'limited', 3)
    const first = await submitted('limited', 0, 0)
    // what was published meanwhile has code
    await engine.publish('limited', double)
    await limit(engine.database, 'limited', 3)
    const second = await submitted('limited', 1, 1, 1)
    const free = await submitted('light', -50)
    expect((await claim({ heavy: 1, light: 0 })).map(({ id }) => id)).toEqual([second[0]])
    expect(new Set((await claim({ heavy: 0, light: 64 })).map(({ id }) => id))).toEqual(new Set([...first, ...free]))
    expect(await claim({ heavy: 9, light: 9 })).toEqual([])
    await engine.runs.cancel(first[0]!)
    await engine.runs.cancel(second[0]!)
    expect((await claim({ heavy: 9, light: 9 })).map(({ id }) => id).toSorted()).toEqual(second.slice(1).toSorted())
    await engine.database.sql`update flow set draft = '{"mode": "batch"}' where name = 'limited'`
  })

  test('knows the class of a draft as it is by then', async () => {
    await engine.draft('sketch', light)
    const setDraft = (type: string) =>
      engine.database.sql`update flow set draft = ${JSON.stringify({ nodes: [{ type }] })}::jsonb where name = 'sketch'`
    await setDraft('change')
    const ids = await Promise.all([0, 0, 0].map(async () => (await engine.submit('sketch', { draft: true })).id))
    expect(await claim({ heavy: 9, light: 1 })).toMatchObject([{ heavy: false }])
    await setDraft('exec')
    expect(await claim({ heavy: 1, light: 9 })).toMatchObject([{ heavy: true }])
    await setDraft('change')
    expect(await claim({ heavy: 9, light: 0 })).toEqual([])
    const [last] = await rest()
    expect(last).toMatchObject({ heavy: false })
    expect(ids).toContain(last?.id)
  })

  test('only what there is room for can have stalled', async () => {
    const [heavy] = await submitted('heavy', 0)
    const [light] = await submitted('light', 0)
    const { sql } = engine.database
    expect((await firstClaimable(sql, { heavy: 1, light: 0 }))?.id).toBe(heavy)
    expect((await firstClaimable(sql, { heavy: 0, light: 1 }))?.id).toBe(light)
    expect((await firstClaimable(sql, { all: 1 }))?.id).toBe(heavy)
    expect(await firstClaimable(sql, { all: 0 })).toBeNull()
    await rest()
  })
})

test('code in processes holds up no other run, and the other way round', async () => {
  const slow = counter()
  await using engine = await openEngine({ maxRuns: 1, maxLightRuns: 2, code: { double: slow.code } })
  await engine.publish('heavy', double)
  await engine.publish('light', light)
  const heavy = await Promise.all([1, 2, 3].map(() => engine.submit('heavy')))
  await expect.poll(() => slow.ends.length).toBe(1)
  for (let count = 0; count < 5; count++)
    expect((await engine.finished((await engine.submit('light')).id)).status).toBe('ok')
  expect(slow.ends.length).toBe(1)
  for (let ended = 0; ended < 3; ended++) {
    await expect.poll(() => slow.ends.length).toBeGreaterThan(ended)
    slow.ends[ended]?.()
  }
  for (const { id } of heavy) expect((await engine.finished(id)).status).toBe('ok')
  expect(slow.most()).toBe(1)
})
