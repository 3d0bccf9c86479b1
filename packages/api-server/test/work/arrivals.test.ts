/**
 * Durable arrivals in the database: published before their commit, and what they publish is owed until it is recorded.
 */
import type { KeptWork } from '@flow-service/core'
import { v7 } from 'uuid'
import { expect, test, vi } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import type { OwedValue } from '../../src/work/owed-values.ts'
import { createWork, type WorkDeps } from '../../src/work/work.ts'
import { between } from '../faulty-database.ts'
import { useFlowDatabase } from '../flows/flow-database.ts'
import { quiet } from '../use-database.ts'

let database: Database
useFlowDatabase((opened) => {
  database = opened
})

const arrival = (value: unknown, atMs = 1_700_000_000_000.5): KeptWork => ({
  id: v7(),
  flow: 'f',
  node: 'hook',
  body: { is: 'arrival', values: { x: value }, messages: { x: 'order' }, atMs },
  cascade: v7(),
  origin: { kind: 'webhook', node: 'hook', message: null },
  attempts: 0,
  begun: [],
  ended: [],
})

/** Kept work on the database; nothing is recorded until the test says so. */
function open(options: Partial<WorkDeps> = {}) {
  const recording = Promise.withResolvers<void>()
  const work = createWork({ database, log: quiet, recorded: () => recording.promise, ...options })
  /** An arrival whose executions are over as soon as it is published. */
  const pass = (one: KeptWork): Promise<void> => work.arrive(one, () => work.drop(one.id))
  return { work, pass, recording }
}

const kept = async (): Promise<number> =>
  (await database.sql<{ n: number }[]>`select count(*)::int as n from live_work`)[0]?.n ?? Number.NaN
const owed = async (): Promise<string[]> =>
  (await database.sql<{ body: string }[]>`select body from published_value order by id`).map(({ body }) => body)

async function recovered(options: Partial<WorkDeps> = {}): Promise<readonly OwedValue[]> {
  const { work } = open(options)
  let found: readonly OwedValue[] = []
  await work.recover((values) => (found = values))
  await work.close()
  return found
}

test('what arrivals have published is in the database when they are acknowledged, in one row, and not as work', async () => {
  const { work, pass } = open()
  await Promise.all([1, 2, 3].map((value) => pass(arrival(value))))
  expect(await kept()).toBe(0)
  expect(await owed()).toHaveLength(1)
  const source = { message: 'f.order', flow: 'f', node: 'hook', port: 'x' }
  expect(await recovered()).toEqual([1, 2, 3].map((value) => ({ source, value, atMs: 1_700_000_000_000.5 })))
  await work.close()
})

test('it goes when it is recorded, also what an earlier life has left', async () => {
  const first = open()
  await first.pass(arrival(1))
  await first.work.close()
  const second = open()
  const record = vi.fn<(values: readonly OwedValue[]) => void>()
  await second.work.recover(record)
  expect(record.mock.calls).toMatchObject([[[{ value: 1 }]]])
  await second.pass(arrival(2))
  expect(await owed()).toHaveLength(2)
  second.recording.resolve()
  await expect.poll(owed).toEqual([])
  await second.work.close()
})

test('an arrival that is still executed is kept as work, and leaves what it published when it ends', async () => {
  const { work } = open()
  const one = arrival('slow')
  await work.arrive(one, () => {})
  expect(await work.left('f')).toEqual([one])
  expect(await owed()).toEqual([])
  work.drop(one.id)
  await work.written()
  expect(await kept()).toBe(0)
  expect((await recovered()).map(({ value }) => value)).toEqual(['slow'])
  await work.close()
})

test('all that was published is recovered in the order of its times, ended or not', async () => {
  const { pass, work } = open()
  const slow = [arrival('first', 1), arrival('third', 3)]
  await Promise.all(slow.map((one) => work.arrive(one, () => {})))
  await pass(arrival('second', 2))
  work.drop(slow[1]!.id)
  await work.keep({ ...arrival('none'), body: { is: 'delivery', arrivals: [['in', 'held']] } })
  await work.written()
  expect((await recovered()).map(({ value }) => value)).toEqual(['first', 'second', 'third'])
  await work.close()
})

test('it is published at once, and acknowledged when it is committed', async () => {
  const { work } = open()
  const order: string[] = []
  const arriving = work.arrive(arrival(1), () => order.push('published')).then(() => order.push('committed'))
  expect(order).toEqual(['published'])
  await arriving
  expect(order).toEqual(['published', 'committed'])
  await work.close()
})

test('while writes fail it is published when it is committed, and not at all when it is refused', async () => {
  let isDown = true
  const failing = between(async () => {
    if (isDown) throw new Error('the connection is lost')
  })
  const { work } = open({ database: failing(database), patienceMs: 200 })
  const [first, refused, later] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()]
  // nobody can know yet
  const ended = arrival(0)
  const arriving = [work.arrive(arrival(1), first), work.arrive(ended, () => work.drop(ended.id))]
  for (const one of arriving) await expect(one).rejects.toThrow(/committed nothing/)
  expect(first).toHaveBeenCalledOnce()
  const one = arrival(2)
  await expect(work.arrive(one, refused)).rejects.toThrow(/committed nothing/)
  work.drop(one.id)
  const last = work.arrive(arrival(3), later)
  expect(later).not.toHaveBeenCalled()
  isDown = false
  await last
  expect([refused.mock.calls.length, later.mock.calls.length]).toEqual([0, 1])
  expect((await work.left('f')).map(({ body }) => body.is === 'arrival' && body.values)).toEqual([{ x: 1 }, { x: 3 }])
  await work.close()
})

test('behind a write that takes long it waits for its commit', async () => {
  const slow = Promise.withResolvers<void>()
  const { work } = open({ database: between(() => slow.promise)(database) })
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()]
  const arriving = [work.arrive(arrival(1), first)]
  now.mockReturnValue(1_001)
  arriving.push(work.arrive(arrival(2), second))
  now.mockRestore()
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0])
  slow.resolve()
  await Promise.all(arriving)
  expect(second).toHaveBeenCalledOnce()
  await work.close()
})

test('beyond its room nothing is published', async () => {
  const { work } = open({ maxOperations: 0 })
  const publish = vi.fn<() => void>()
  await expect(work.arrive(arrival(1), publish)).rejects.toMatchObject({ code: 'unavailable' })
  expect(publish).not.toHaveBeenCalled()
  await work.close()
})

test('what is owed follows its flow to another name, and goes with it', async () => {
  const { pass, work } = open()
  const foreign = { is: 'arrival', values: { y: 0 }, messages: { y: 'other.m' }, atMs: 3 } as const
  await pass(arrival(1, 1))
  await work.arrive(arrival(2, 2), () => {})
  await pass({ ...arrival(0), body: foreign })
  await database.sql`update flow set name = 'g' where name = 'f'`
  expect((await recovered()).map(({ source }) => [source.flow, source.message])).toEqual([
    ['g', 'g.order'],
    ['g', 'g.order'],
    ['g', 'other.m'],
  ])
  await database.sql`delete from flow where name = 'g'`
  expect(await owed()).toEqual([])
  await work.close()
})

test('it waits for the dead letters of its executions, and is sealed where it holds a secret', async () => {
  const letters = Promise.withResolvers<void>()
  const seals = {
    seal: (place: string, text: string) => (text.includes('secret') ? `${place}#${btoa(text)}` : text),
    unseal: (place: string, stored: string) =>
      stored.startsWith(`${place}#`) ? atob(stored.slice(place.length + 1)) : null,
  }
  const { pass, work } = open({ beforeDrops: () => letters.promise, seals })
  const told = vi.fn<() => void>()
  const passing = pass(arrival('a secret')).then(told)
  expect(await owed()).toEqual([])
  expect(told).not.toHaveBeenCalled()
  letters.resolve()
  await passing
  expect((await owed())[0]).toMatch(/^published_value\/[\w-]{36}#/)
  expect((await recovered({ seals })).map(({ value }) => value)).toEqual(['a secret'])
  // under another key it is left, and keeps nobody from going on
  expect(await recovered({ seals: { ...seals, unseal: () => null } })).toEqual([])
  expect(await owed()).toHaveLength(1)
  await work.close()
})
