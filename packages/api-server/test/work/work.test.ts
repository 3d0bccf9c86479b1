import type { KeptWork } from '@flow-service/core'
import { v7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { createWork, type LiveWork, type WorkDeps } from '../../src/work/work.ts'
import { through } from '../faulty-database.ts'
import { useFlowDatabase } from '../flows/flow-database.ts'
import { quiet } from '../use-database.ts'

let database: Database
useFlowDatabase((opened) => {
  database = opened
})

const open = (options: Partial<WorkDeps> = {}): LiveWork => createWork({ database, log: quiet, ...options })

let cascade = ''
beforeEach(() => {
  cascade = v7()
})
const item = (value: unknown, more: Partial<KeptWork> = {}): KeptWork => ({
  id: v7(),
  flow: 'f',
  node: 'n',
  body: { is: 'delivery', arrivals: [['in', value]] },
  cascade,
  origin: { kind: 'publish', node: null, message: 'f.m' },
  attempts: 0,
  begun: [],
  ended: [],
  ...more,
})
const valuesOf = (left: readonly KeptWork[]): unknown[] =>
  left.map(({ body }) => (body.is === 'delivery' ? body.arrivals[0]?.[1] : body))
const idsStored = async (): Promise<string[]> =>
  (await database.sql<{ id: string }[]>`select id from live_work order by position`).map(({ id }) => id)

/** A database that counts statements, and loses those that `lose` names: before they are done, or their answer. */
function faulty(
  lose: (statement: number) => 'before' | 'answer' | null,
): WorkDeps['database'] & { statements: number } {
  const counted = { statements: 0 }
  const { sql, assertOutsideTransaction } = through(async (ask) => {
    const fate = lose(++counted.statements)
    if (fate === 'before') throw new Error('the connection is lost')
    const rows = await ask()
    if (fate === 'answer') throw new Error('the answer is lost')
    return rows
  })(database)
  return Object.assign(counted, { sql, assertOutsideTransaction })
}

test('work is what it was for the next engine, in the order in which it was kept', async () => {
  const work = open()
  const values = [{ a: [1, null, 'ä'] }, 'nul \u0000 and \ud800', 0.1, null, true]
  const bodies: KeptWork['body'][] = [
    ...values.map((value) => ({ is: 'delivery', arrivals: [['in', value]] }) as const),
    { is: 'trigger' },
    { is: 'arrival', values: { out: 1 }, messages: { out: 'm' }, atMs: 1_700_000_000_000.123 },
    { is: 'timer', key: 'k', dueMs: 5, data: { n: 1 } },
    { is: 'execution', arrivals: [] },
  ]
  // not in the order of their ids
  const kept = bodies.map((body) => item(null, { body, begun: ['a', 'b'], ended: ['c'], attempts: 2 })).toReversed()
  await Promise.all(kept.map((one) => work.keep(one)))
  await work.close()
  expect(await open().left('f')).toEqual(kept)
  expect(await open().left('g')).toEqual([])
})

test('what is left holds all that was asked for before, awaited or not', async () => {
  const work = open()
  const [first, second, third] = [item(1), item(2), item(3)]
  void work.keep(first)
  void work.keep(second)
  void work.keep(third)
  work.drop(second.id)
  expect(valuesOf(await work.left('f'))).toEqual([1, 3])
  void work.begin(third.id, 'send')
  void work.attempt([first.id, third.id])
  work.drop(first.id)
  expect(await work.left('f')).toEqual([{ ...third, begun: ['send'], attempts: 1 }])
  void work.begin(third.id, 'write')
  work.end(third.id, 'send')
  expect((await work.left('f'))[0]).toMatchObject({ begun: ['write'], ended: ['send'] })
  await work.close()
})

test('hundreds of keeps that are asked for together share one statement', async () => {
  const counted = faulty(() => null)
  const work = open({ database: counted })
  await Promise.all(Array.from({ length: 500 }, (_, at) => work.keep(item(at))))
  expect(counted.statements).toBe(1)
  expect(await idsStored()).toHaveLength(500)
  await work.close()
})

test('work that is dropped before it is written is never written, and of notes about one reader the last counts', async () => {
  const counted = faulty(() => null)
  const work = open({ database: counted })
  const [short, noted] = [item(1), item(2)]
  const keeping = work.keep(short)
  work.drop(short.id)
  await keeping
  expect(counted.statements).toBe(0)

  await work.keep(noted)
  const begun = work.begin(noted.id, 'send')
  work.end(noted.id, 'send')
  await begun
  expect(counted.statements).toBe(2)
  expect((await work.left('f'))[0]).toMatchObject({ begun: [], ended: ['send'] })
  await work.close()
})

test('readers that are noted follow their flow to its new name', async () => {
  const work = open()
  await work.keep(item(1, { begun: ['f/a', 'g/a'], ended: ['f/b', 'ff/b'] }))
  await database.transaction((tx) => work.rename(tx, { from: 'f', to: 'new' }))
  expect(await work.left('f')).toMatchObject([{ begun: ['new/a', 'g/a'], ended: ['new/b', 'ff/b'] }])
  await work.close()
})

test('work that is dropped and kept again under its id is kept', async () => {
  const work = open()
  const one = item(1)
  await work.keep(one)
  work.drop(one.id)
  await work.keep({ ...one, node: 'other' })
  expect(await work.left('f')).toEqual([{ ...one, node: 'other' }])
  await work.close()
})

test('a note about work that is not kept changes nothing', async () => {
  const work = open()
  const one = item(1)
  await work.begin(one.id, 'send')
  work.end(one.id, 'send')
  await work.attempt([one.id])
  expect(await work.left('f')).toEqual([])
  await work.close()
})

test('a failed write is repeated until it is committed, in order, and nobody is told otherwise', async () => {
  const work = open({ database: faulty((statement) => (statement <= 2 ? 'before' : null)) })
  const [first, second] = [item(1), item(2)]
  const keeping = work.keep(first)
  await work.written()
  await keeping
  await work.keep(second)
  expect(await idsStored()).toEqual([first.id, second.id])
  await work.close()
})

test('a commit whose answer is lost is repeated without a second effect', async () => {
  const lost = new Set([1, 3, 5])
  const work = open({ database: faulty((statement) => (lost.has(statement) ? 'answer' : null)) })
  const one = item(1)
  await work.keep(one)
  await work.attempt([one.id])
  await work.begin(one.id, 'send')
  expect(await work.left('f')).toEqual([{ ...one, attempts: 1, begun: ['send'] }])
  await work.attempt([one.id])
  expect((await work.left('f'))[0]?.attempts).toBe(2)
  await work.close()
})

test('who waits for a database that does not answer is told; what nobody gave up is kept later', async () => {
  let isDown = true
  const work = open({ database: faulty(() => (isDown ? 'before' : null)), patienceMs: 200 })
  const [given, timer] = [item('given up'), item('timer')]
  const unheard = work.keep(timer).catch(() => undefined)
  await expect(work.keep(given)).rejects.toThrow(/committed nothing for 0.2 s/)
  work.drop(given.id)
  await expect(work.written()).rejects.toThrow(/committed nothing/)
  await expect(work.begin(timer.id, 'send')).rejects.toThrow(/committed nothing/)
  await unheard
  isDown = false
  await expect.poll(idsStored).toEqual([timer.id])
  // a new commit is not told what an old one was
  await work.keep(item('later'))
  await work.close()
})

test('when too much waits nothing more is kept, with what to do, and drops are still taken', async () => {
  let isDown = true
  const work = open({ database: faulty(() => (isDown ? 'before' : null)), maxOperations: 3 })
  const kept = [item(1), item(2), item(3)]
  const keeping = kept.map((one) => work.keep(one))
  await expect(work.keep(item(4))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/3 changes .*"f"; try again/),
  })
  work.drop(kept[0]!.id)
  isDown = false
  await Promise.all(keeping)
  expect(valuesOf(await work.left('f'))).toEqual([2, 3])
  await work.keep(item(5))
  await work.close()
})

test('work of a flow that does not exist is refused alone', async () => {
  const work = open()
  const one = item(1)
  const refused = work.keep(item(2, { flow: 'gone' }))
  await Promise.all([work.keep(one), expect(refused).rejects.toThrow('there is no flow "gone"')])
  expect(await idsStored()).toEqual([one.id])
  await work.close()
})

test('work that PostgreSQL cannot store is refused alone, and holds nothing up', async () => {
  const work = open()
  const [first, last] = [item(1), item(3)]
  const kept = [work.keep(first), work.keep(item(2, { node: 'a\u0000' })), work.keep(last)]
  const outcomes = await Promise.allSettled(kept)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await idsStored()).toEqual([first.id, last.id])
  await work.close()
})

test('a value without JSON is refused at once', async () => {
  const work = open()
  await expect(work.keep(item(1n))).rejects.toThrow(TypeError)
  await work.close()
})

test('work follows its flow to another name and goes with it when it is deleted', async () => {
  const work = open()
  await work.keep(item(1))
  await database.sql`update flow set name = 'g' where name = 'f'`
  expect(await work.left('f')).toEqual([])
  expect((await work.left('g')).map(({ flow }) => flow)).toEqual(['g'])
  await database.sql`delete from flow where name = 'g'`
  expect(await idsStored()).toEqual([])
  await work.close()
})

test('work is dropped only after what its end has left elsewhere is committed', async () => {
  const letters = Promise.withResolvers<void>()
  const work = open({ beforeDrops: () => letters.promise })
  const one = item(1)
  await work.keep(one)
  work.drop(one.id)
  const written = work.written()
  expect(await idsStored()).toEqual([one.id])
  letters.resolve()
  await written
  expect(await idsStored()).toEqual([])
  await work.close()
})

test('asked for inside a transaction it is written outside of it, and waiting there is refused', async () => {
  const work = open()
  const one = item(1)
  const keeping = await database.transaction(async () => {
    await expect(work.written()).rejects.toThrow(/transaction/)
    return { done: work.keep(one) }
  })
  await keeping.done
  expect(await idsStored()).toEqual([one.id])
  await work.close()
})

test('closing writes what waits; afterwards nothing is kept', async () => {
  const work = open()
  const one = item(1)
  void work.keep(one)
  await work.close()
  expect(await idsStored()).toEqual([one.id])
  await expect(work.keep(item(2))).rejects.toThrow(/the engine stops/)
})

test('closing without a database ends in time and says what is lost', async () => {
  const lost: object[] = []
  const log = { error: (fields: object) => void lost.push(fields) }
  const work = open({ database: faulty(() => 'before'), patienceMs: 50, log })
  void work.keep(item(1)).catch(() => undefined)
  await work.close()
  expect(lost.at(-1)).toEqual({ operations: 1 })
})

test('what belongs together is in one commit, however full that is', async () => {
  let commits = 0
  const lost = faulty(() => (++commits > 1 ? 'before' : null))
  const work = open({ database: lost, patienceMs: 200 })
  const [before, part] = [item('shared'), item('part')]
  void work.keep(before).catch(() => {})
  for (let n = 0; n < 4_998; n++) work.end(before.id, `f/r${n}`)
  // the keep fills the batch: the note would be in the next one, which is never written
  work.together(() => {
    void work.keep(part).catch(() => {})
    work.end(before.id, 'f/last')
  })
  work.end(before.id, 'f/later')
  await expect.poll(idsStored).toEqual([before.id, part.id])
  const [row] = await database.sql<{ ended: string[] }[]>`select ended from live_work where id = ${before.id}`
  expect(row?.ended).toContain('f/last')
  expect(row?.ended).not.toContain('f/later')
  await work.close()
})

test('work that is kept in a transaction is there if that is, and for flows only that there are', async () => {
  const work = open()
  const [one, two, three] = [item(1), item(2), item(3)]
  await database.transaction((tx) => work.keepIn(tx, [one, two]))
  expect(valuesOf(await work.left('f'))).toEqual([1, 2])
  await expect(database.transaction((tx) => work.keepIn(tx, [three, item(4, { flow: 'gone' })]))).rejects.toThrow(
    'there is no flow "gone" any more',
  )
  work.drop(one.id)
  await work.written()
  expect(await idsStored()).toEqual([two.id])
  await work.close()
})

test('what seals has is stored in its words, and read again; what does not open is told and left', async () => {
  const told: object[] = []
  const seals = {
    seal: (place: string, text: string) => (text.includes('secret') ? `${place}#${btoa(text)}` : text),
    unseal: (place: string, stored: string) => {
      const [sealedFor, text = ''] = stored.split('#')
      return text === '' ? stored : sealedFor === place ? atob(text) : null
    },
  }
  const log = { error: (fields: object) => void told.push(fields) }
  const work = open({ seals, log })
  const [sealed, plain, moved] = [item('a secret'), item('plain'), item('one more secret')]
  await Promise.all([sealed, plain].map((one) => work.keep(one)))
  await database.transaction((tx) => work.keepIn(tx, [moved]))
  const bodies = async () =>
    (await database.sql<{ body: string }[]>`select body from live_work order by position`).map(({ body }) => body)
  expect((await bodies()).map((body) => body.includes('live_work/'))).toEqual([true, false, true])
  expect(valuesOf(await work.left('f'))).toEqual(['a secret', 'plain', 'one more secret'])
  // the bytes of one under the name of another
  await database.sql`update live_work set body = ${(await bodies())[0] ?? ''} where id = ${moved.id}`
  expect(valuesOf(await work.left('f'))).toEqual(['a secret', 'plain'])
  expect(told).toMatchObject([{ flow: 'f', node: 'n', work: moved.id }])
  expect(await idsStored()).toEqual([sealed.id, plain.id, moved.id])
  await work.close()
})
