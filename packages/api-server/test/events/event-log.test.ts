import type { DeadLetter } from '@flow-service/core'
import { timestampOfMs } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { createDeadLetters } from '../../src/events/dead-letters.ts'
import { createEventLog } from '../../src/events/event-log.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
useDatabase((opened) => {
  database = opened
})

const actor = {
  id: '01900000-0000-7000-8000-000000000001',
  email: 'ann@example.org',
  via: 'session',
  name: null,
} as const

test('an audit entry is committed with the change it is about, or not at all [R425]', async () => {
  const events = createEventLog({ database, log: quiet })
  await database.transaction((tx) =>
    events.audit(tx, { action: 'flow.publish', flow: 'f', actor, detail: { version: 3 } }),
  )
  await expect(
    database.transaction(async (tx) => {
      await events.audit(tx, { action: 'flow.publish', flow: 'undone', actor })
      throw new Error('undo')
    }),
  ).rejects.toThrow('undo')
  const rows = await database.sql`select kind, level, flow, node, action, actor, detail from engine_event`
  expect([...rows]).toEqual([
    { kind: 'audit', level: 'info', flow: 'f', node: null, action: 'flow.publish', actor, detail: { version: 3 } },
  ])
})

test('news of the engine are kept; what cannot be kept goes to the log', async () => {
  const failures: object[] = []
  const events = createEventLog({ database, log: { error: (fields) => failures.push(fields) } })
  events.report({ kind: 'engine', level: 'error', action: 'artifact.corrupt', detail: { digest: 'sha256:00' } })
  const rows = () => database.sql`select level, detail from engine_event where action = 'artifact.corrupt'`
  await expect.poll(async () => [...(await rows())]).toEqual([{ level: 'error', detail: { digest: 'sha256:00' } }])
  events.report({ kind: 'engine', level: 'error', action: 'odd', flow: 'a\0b' })
  await expect.poll(() => failures).toHaveLength(1)
})

const letter: DeadLetter = { flow: 'f', node: 'n', message: 'f.x', value: { a: 1 }, reason: 'overflow', cascade: null }

test('dead letters are kept with their value as it was, in few commits', async () => {
  const letters = createDeadLetters({ database, log: quiet })
  const odd = 'nul \0, half a pair \ud800'
  letters.record({ ...letter, node: 'big', value: 'x'.repeat(300_000) }, 5)
  letters.record({ ...letter, node: 'odd', value: 1n }, 5)
  for (let i = 0; i < 2000; i++) letters.record({ ...letter, value: i === 5 ? odd : { i } }, 1_000_000 + i)
  await letters.flush()
  const rows = await database.sql<
    { ts: string; node: string; value: string | null; reason: string; attempts: number }[]
  >`
    select ts, node, value, reason, attempts from dead_letter order by ts`
  expect(rows).toHaveLength(2002)
  expect(rows.slice(0, 2).map(({ value }) => value)).toEqual([null, null])
  expect(rows[2]).toEqual({
    ts: timestampOfMs(1_000_000),
    node: 'n',
    value: '{"i":0}',
    reason: 'overflow',
    attempts: 1,
  })
  expect(JSON.parse(rows[7]?.value ?? '')).toBe(odd)
})

test('a flood beyond what may wait is counted in the log instead of filling the memory', async () => {
  const failures: object[] = []
  const letters = createDeadLetters({ database, log: { error: (fields) => failures.push(fields) } })
  for (let i = 0; i < 10_500; i++) letters.record({ ...letter, node: 'flood' }, i)
  await letters.flush()
  await expect.poll(() => failures).toEqual([{ lost: 500 }])
  const [row] = await database.sql<{ n: number }[]>`select count(*)::int as n from dead_letter where node = 'flood'`
  expect(row?.n).toBe(10_000)
})

test('a flood of large values is bounded by their size', async () => {
  const failures: object[] = []
  const letters = createDeadLetters({ database, log: { error: (fields) => failures.push(fields) } })
  const value = 'x'.repeat(262_142)
  for (let i = 0; i < 150; i++) letters.record({ ...letter, node: 'heavy', value }, i)
  expect(await letters.flush()).toBe(128)
  await expect.poll(() => failures).toEqual([{ lost: 22 }])
  letters.record({ ...letter, node: 'heavy', value }, 200)
  expect(await letters.flush()).toBe(1)
})

test('dead letters of one moment have times of their own, so that lists can be paged by them', async () => {
  const letters = createDeadLetters({ database, log: quiet })
  for (let i = 0; i < 20; i++) letters.record({ ...letter, flow: 'moment', value: i }, 5_000_000)
  const listed = await letters.list({ flows: ['moment'] }, 100)
  expect(new Set(listed.map(({ ts }) => ts)).size).toBe(20)
  expect(listed.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, i) => 19 - i))
})

test('a dead letter that dies while it is delivered again keeps its id, once and for its own node only', async () => {
  const letters = createDeadLetters({ database, log: quiet })
  const cascade = '01900000-0000-7000-8000-0000000000cc'
  letters.record({ ...letter, flow: 'again' }, 6_000_000)
  const [first] = await letters.list({ flows: ['again'] }, 1)
  const kept = await letters.find(first?.id ?? '')
  if (!kept) throw new Error('it is not kept')
  await database.transaction((tx) => letters.take(tx, kept.id))
  const dead = { ...letter, flow: 'again', cascade }
  letters.redelivered(kept, cascade)
  letters.record({ ...dead, node: 'other' }, 6_000_001)
  letters.record(dead, 6_000_002)
  letters.record(dead, 6_000_003)
  const listed = (await letters.list({ flows: ['again'] }, 10)).toReversed()
  expect(listed.map(({ node, attempts }) => [node, attempts])).toEqual([
    ['other', 1],
    ['n', 2],
    ['n', 1],
  ])
  expect(listed.findIndex(({ id }) => id === kept.id)).toBe(1)
})

test('news that come in a flood are counted in the log beyond what may wait', async () => {
  const failures: object[] = []
  const events = createEventLog({ database, log: { error: (fields) => failures.push(fields) } })
  for (let i = 0; i < 10_100; i++) events.report({ kind: 'device', level: 'info', action: 'flood' })
  expect(await events.flush()).toBe(10_000)
  await expect.poll(() => failures).toEqual([{ lost: 100 }])
  expect(await events.list({ kinds: ['device'] }, 500)).toHaveLength(500)
})

test('one entry among very many is found by who did it, and by what was done, with an index', async () => {
  const events = createEventLog({ database, log: quiet })
  await database.sql`
    insert into engine_event (id, ts, kind, level, action, actor, detail)
    select gen_random_uuid(), now() - make_interval(secs => n), 'audit', 'info', 'flow.publish',
      json_build_object('id', gen_random_uuid(), 'email', n % 100 || '@example.org', 'via', 'session', 'name', null), '{}'
    from generate_series(1, 10000) as n`
  await database.sql`analyze engine_event`
  await database.transaction((tx) => events.audit(tx, { action: 'flow_rename', actor }))
  const one = [expect.objectContaining({ action: 'flow_rename', actor })]
  expect(await events.list({ actor: actor.id.toUpperCase() }, 50)).toEqual(expect.arrayContaining(one))
  expect(await events.list({ action: 'flow_' }, 50)).toEqual(one)
  expect(await events.list({ actor: '7@example.org', action: 'flow.p' }, 500)).toHaveLength(100)
  const plan = async (where: string): Promise<string> => {
    const lines = await database.sql.unsafe(
      `explain select id from engine_event where ${where} order by ts desc, id desc limit 50`,
    )
    return JSON.stringify(lines)
  }
  const byEmail = await plan(`actor is not null and actor ->> 'email' = 'ann@example.org'`)
  const byId = await plan(`actor is not null and actor ->> 'id' = '${actor.id}'`)
  const byAction = await plan(`action collate "C" >= 'flow_' and action collate "C" <= 'flow_\u{10FFFF}'`)
  expect([byEmail, byId, byAction]).toEqual([
    expect.stringContaining('engine_event_actor_email'),
    expect.stringContaining('engine_event_actor_id'),
    expect.stringContaining('engine_event_action'),
  ])
})

/** The database, which is away as long as it is said so; a commit may be done while its answer is lost. */
function unsteady() {
  const now = { isAway: false, losesAnswers: false }
  const lost = () => Object.assign(new Error('the connection is closed'), { code: 'CONNECTION_CLOSED' })
  const transaction: Database['transaction'] = async (fn) => {
    if (now.isAway) throw lost()
    const result = await database.transaction(fn)
    if (now.losesAnswers) throw lost()
    return result
  }
  const unsure = Object.create(database, { transaction: { value: transaction } }) as Database
  return { now, database: unsure }
}

test('dead letters and news that come while the database is away are written when it is back, once and in their order (work.W7)', async () => {
  const { now, database: unsure } = unsteady()
  const told: object[] = []
  const log = { error: (fields: object) => void told.push(fields) }
  const [letters, events] = [createDeadLetters({ database: unsure, log }), createEventLog({ database: unsure, log })]
  now.isAway = true
  for (let i = 0; i < 3; i++) letters.record({ ...letter, flow: 'outage', value: i }, 2_000_000 + i)
  events.report({ kind: 'engine', level: 'error', action: 'outage' })
  // who asks meanwhile is told
  await expect(letters.list({ flows: ['outage'] }, 10)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  await expect(events.flush()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  now.isAway = false
  now.losesAnswers = true
  letters.record({ ...letter, flow: 'outage', value: 3 }, 2_000_003)
  await expect(letters.flush()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  now.losesAnswers = false
  await letters.written()
  expect(await letters.flush()).toBe(0)
  expect((await letters.list({ flows: ['outage'] }, 10)).map(({ value }) => value)).toEqual([3, 2, 1, 0])
  await events.flush()
  expect([...(await database.sql`select kind from engine_event where action = 'outage'`)]).toEqual([{ kind: 'engine' }])
  expect(told).toEqual([])
})

test('what the database does not take at the end of the engine is told', async () => {
  const { now, database: unsure } = unsteady()
  const told: object[] = []
  const letters = createDeadLetters({ database: unsure, log: { error: (fields) => void told.push(fields) } })
  now.isAway = true
  letters.record({ ...letter, flow: 'end' }, 3_000_000)
  await expect(letters.flush()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  await letters.close()
  expect(told).toMatchObject([{ flow: 'end', node: 'n', reason: 'overflow' }])
})
