/** The lease of an engine on tables in memory: what it counts on when time, its database or its followers fail. */
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { type LeaseStore, openLease } from '../../src/engines/lease.ts'
import { quiet } from '../use-database.ts'
import { PlacementTables } from './placement-tables.ts'

const NO_DIRECTORY = join(import.meta.dirname, 'no-directory')

/** An engine whose clocks are that of the database but for `stoodMs`; what it asks waits for `way`. */
async function open() {
  const clock = new VirtualClock(1_000_000)
  const tables = new PlacementTables(() => clock.now())
  const wire = { stoodMs: 0, way: async (): Promise<void> => {} }
  const asking = async <T>(ask: () => T): Promise<T> => {
    await wire.way()
    return ask()
  }
  const store: LeaseStore = {
    begin: (...args) => asking(() => tables.begin(...args)),
    renew: (...args) => asking(() => tables.renew(...args)),
    locate: (...args) => asking(() => tables.locate(...args)),
    known: () => asking(() => tables.known()),
    remove: (id) => asking(() => tables.remove(id)),
  }
  const lease = await openLease({
    database: { backend: 'server', prompt: null as never },
    store,
    clock,
    clocks: [() => clock.now() + wire.stoodMs],
    dataDir: NO_DIRECTORY,
    version: '1',
    protocol: 1,
    leaseMs: 8_000,
    log: quiet,
  })
  const others = () => tables.begin({ ...tables.known()[0]!, protocol: 1, id: 'other', lease: 'other' }, 3_600_000)
  return { clock, lease, others, tables, wire }
}

const away = async (): Promise<never> => {
  throw new Error('the database is away')
}

test('an engine alone that stood still holds nothing until it has heard again who lives, though it goes on asking (lease.L3)', async () => {
  const { clock, lease, others, wire } = await open()
  wire.stoodMs = 60_000
  others()
  const answer = Promise.withResolvers<void>()
  wire.way = () => answer.promise
  await clock.advance(1_500)
  expect(lease.holds()).toBe(false)
  answer.resolve()
  await lease.held()
  expect(lease.engines).toHaveLength(2)
})

test('an engine alone goes on while its database does not even answer, and stops once it stood still (lease.L3)', async () => {
  const { clock, lease, wire } = await open()
  wire.way = () => new Promise(() => {})
  await clock.advance(60_000)
  expect(lease.holds()).toBe(true)
  wire.stoodMs = 5_000
  await clock.advance(60_000)
  expect(lease.holds()).toBe(false)
})

test('a lease that has returned is renewed while those who follow that take long, and holds when they are done (lease.L1)', async () => {
  const { clock, lease, others, tables, wire } = await open()
  others()
  await clock.advance(1_000)
  const following = Promise.withResolvers<void>()
  const told: string[][] = []
  lease.onReturn((earlier) => {
    told.push([...earlier])
    return following.promise
  })
  wire.way = away
  await clock.advance(9_000)
  wire.way = async () => {}
  await clock.advance(30_000)
  expect([lease.holds(), told.length]).toEqual([false, 1])
  expect(tables.known().map(({ id }) => id)).toContain(lease.id)
  following.resolve()
  await lease.held()
  expect(lease.holds()).toBe(true)
})

test('who follows a return in vain is told again with the next lease, and of all before (lease.L1)', async () => {
  const { clock, lease, others, wire } = await open()
  others()
  await clock.advance(1_000)
  const first = lease.lease
  const told: string[][] = []
  lease.onReturn(async (earlier) => {
    told.push([...earlier])
    if (told.length === 1) await away()
  })
  wire.way = away
  await clock.advance(9_000)
  wire.way = async () => {}
  await clock.advance(3_000)
  expect(lease.holds()).toBe(true)
  expect(told.map((earlier) => earlier[0])).toEqual([first, first])
  expect(told.at(-1)?.length).toBeGreaterThan(told[0]!.length)
})

test('who waits for a lease that ends goes on once, and waits for good when it asks again', async () => {
  const { clock, lease, others, wire } = await open()
  others()
  await clock.advance(1_000)
  wire.way = away
  await clock.advance(9_000)
  let asked = 0
  const ask = (): void => {
    asked += 1
    if (asked < 1_000 && !lease.holds()) void lease.held().then(ask)
  }
  ask()
  await lease.close()
  await clock.advance(1_000)
  expect(asked).toBe(2)
})

test('an engine that tells where it listens keeps the lease that it has, and one that is over stays so (lease.L1)', async () => {
  const { clock, lease, tables, wire } = await open()
  wire.way = away
  await clock.advance(9_000)
  wire.way = async () => {}
  await lease.listensAt('http://127.0.0.1:1/api/v1', 'http://127.0.0.1:1')
  expect(tables.known()).toMatchObject([{ id: lease.id, lives: false }])
  await clock.advance(1_000)
  expect(tables.known()).toMatchObject([{ id: lease.id, address: 'http://127.0.0.1:1/api/v1', lives: true }])
})
