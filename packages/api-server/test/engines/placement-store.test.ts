/** The tables in memory that random programs run on are those of the database: both answer any statements alike. */
import fc from 'fast-check'
import { v7 } from 'uuid'
import { expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { createEngineStore } from '../../src/engines/store.ts'
import { createPlacementStore } from '../../src/flows/placement-store.ts'
import type { Wished } from '../../src/flows/store.ts'
import { createWorkStore } from '../../src/work/store.ts'
import { useDatabase } from '../use-database.ts'
import { lose } from './living.ts'
import { PlacementTables } from './placement-tables.ts'

let database: Database
useDatabase((opened) => void (database = opened))

const HOUR_MS = 3_600_000
const ENGINES = 3
const FLOWS = 4

const engine = fc.nat(ENGINES - 1)
const flow = fc.nat(FLOWS - 1)
const flows = fc.uniqueArray(flow)
/** Which lease of an engine makes a statement: the present one, or one before it. */
const back = fc.constantFrom(0, 0, 0, 1, 2)
const wished = fc.constantFrom<Wished | null>('active', 'paused', 'stopped', null)

const statement = fc.oneof(
  fc.record({ do: fc.constant('begin' as const), engine }),
  fc.record({ do: fc.constant('begin again' as const), engine, back }),
  fc.record({ do: fc.constantFrom('expire', 'leave', 'locate'), engine }),
  fc.record({ do: fc.constant('renew' as const), engine, back }),
  fc.record({ do: fc.constant('take' as const), engine, back, flows, wished }),
  fc.record({ do: fc.constant('claim' as const), engine, back, flows, most: fc.nat(FLOWS) }),
  fc.record({ do: fc.constant('release' as const), engine, back, flows, isLate: fc.boolean() }),
  fc.record({ do: fc.constant('renew places' as const), engine }),
  fc.record({ do: fc.constant('count' as const), engine, back, flows }),
  fc.record({ do: fc.constant('write' as const), engine, back, flows }),
  fc.record({ do: fc.constant('owe' as const), flow }),
)
type Statement = typeof statement extends fc.Arbitrary<infer T> ? T : never

/** Both databases, with the same flows; `run` does a statement on both, and answers what each has answered. */
class Both {
  readonly #tables = new PlacementTables(() => 0)
  readonly #engines = createEngineStore(database.sql)
  readonly #places = createPlacementStore(database)
  readonly #work = createWorkStore(database.sql)
  readonly #ids = Array.from({ length: ENGINES }, () => v7())
  /** Of each engine, the latest first. */
  readonly #leases = this.#ids.map(() => [v7()])
  readonly #flows: readonly string[] = Array.from({ length: FLOWS }, () => v7()).toSorted()

  async open(): Promise<void> {
    await database.sql`delete from engine`
    await database.sql`delete from flow`
    for (const [at, id] of this.#flows.entries()) {
      const name = `f${at}`
      // oxlint-disable-next-line no-await-in-loop -- one row after the other
      await database.sql`
        insert into flow (id, name, version, published, published_version, origin)
        values (${id}, ${name}, 1, '{"mode":"live"}', 1, 'api')`
      this.#tables.flows.set(id, { id, name, wished: 'stopped', owes: false })
    }
  }

  async run(each: Statement): Promise<[tables: unknown, database: unknown]> {
    const [ask, asked] = this.#asks(each)
    return [attempt(ask), await asked().then(plain, () => 'refused')]
  }

  /** All that is to be seen. */
  async seen(): Promise<[tables: unknown, database: unknown]> {
    const places = await database.sql`select flow, lease, epoch from placement order by flow`
    const living = await this.#engines.known()
    const rows = await database.sql<{ id: string; wished: string }[]>`select id, wished from flow order by id`
    const here = this.#tables
    return [
      plain([
        here.places(),
        here.known(),
        [...here.flows.values()].map((row) => ({ id: row.id, wished: row.wished })),
        here.owed(),
      ]),
      plain([places, living, rows, (await this.#places.owed()).toSorted((a, b) => (a.id < b.id ? -1 : 1))]),
    ]
  }

  #asks(each: Statement): [() => unknown, () => Promise<unknown>] {
    const [here, engines] = [this.#tables, this.#engines]
    if (each.do === 'owe') return this.#owe(this.#flows[each.flow] ?? '')
    const id = this.#ids[each.engine] ?? ''
    const leases = this.#leases[each.engine] ?? []
    if (each.do === 'begin') leases.unshift(v7())
    const at = 'back' in each ? Math.min(each.back, leases.length - 1) : 0
    const [lease = '', ...earlier] = leases.slice(at)
    const row = { id, lease, name: 'e', address: null, linkUrl: null, attachUrl: null, version: '1', protocol: 1 }
    if ('flows' in each) return this.#ofFlows(each, lease)
    switch (each.do) {
      case 'begin':
      case 'begin again':
        return [() => here.begin(row, HOUR_MS, earlier), () => engines.begin(row, HOUR_MS, earlier)]
      case 'expire':
        return [() => here.expire(id), () => lose(database.sql, id)]
      case 'leave':
        return [() => here.remove(id), () => engines.remove(id)]
      case 'locate': {
        const located = { ...row, address: `http://${lease}/` }
        return [() => here.locate(located), () => engines.locate(located)]
      }
      case 'renew':
        return [() => here.renew(row, HOUR_MS), () => engines.renew(row, HOUR_MS)]
      case 'renew places':
        return [() => here.renewPlaces(lease, earlier), () => this.#places.renew(lease, earlier)]
    }
  }

  #ofFlows(each: Extract<Statement, { flows: unknown }>, lease: string): [() => unknown, () => Promise<unknown>] {
    const [here, places] = [this.#tables, this.#places]
    const ids = each.flows.map((at) => this.#flows[at] ?? '')
    switch (each.do) {
      case 'take':
        return [() => here.take(lease, ids, each.wished), () => places.take(lease, ids, each.wished)]
      case 'claim': {
        const claim = { lease, except: ids, most: each.most }
        return [() => here.claim(claim), () => places.claim(claim)]
      }
      case 'count':
        return [() => here.count({ lease, except: ids }), () => places.count({ lease, except: ids })]
      case 'release': {
        const held = here.places().filter(({ flow: one }) => ids.includes(one))
        const left = held.map((one) => ({ flow: one.flow, epoch: one.epoch - Number(each.isLate), isLeft: true }))
        return [() => here.release(lease, left), () => places.release(lease, left)]
      }
      case 'write':
        return [() => this.#lost(lease, ids), () => this.#written(lease, ids)]
    }
  }

  #lost(lease: string, ids: readonly string[]): string[] {
    const work = ids.map((id) => ({ flow: id, engine: '', turn: 0 }))
    return this.#tables
      .write(lease, work)
      .map((one) => one.flow)
      .toSorted()
  }

  async #written(lease: string, ids: readonly string[]): Promise<string[]> {
    const added = ids.map((id) => ({
      id: v7(),
      flow: this.#tables.flows.get(id)?.name ?? '',
      node: 'n',
      body: '{}',
      cascade: v7(),
      origin: '{}',
      attempts: 0,
      begun: [],
      ended: [],
    }))
    const { lost, unstored } = await this.#work.write(
      { id: v7(), added, changed: [], removed: [], published: [], recorded: [] },
      lease,
    )
    return unstored.length === lost.length
      ? lost.map(({ id }) => id).toSorted()
      : unstored.map(({ flow: name }) => name)
  }

  #owe(id: string): [() => unknown, () => Promise<unknown>] {
    const owing = this.#tables.flows.get(id)
    if (owing) owing.owes = true
    return [
      () => null,
      () => database.sql`insert into published_value (id, flow, body) values (${v7()}, ${id}, '{}')`.then(() => null),
    ]
  }
}

/** Rows without what the driver adds, flows in one order; nothing is null. */
const plain = (value: unknown): unknown => {
  const rows = JSON.parse(JSON.stringify(value ?? null)) as unknown
  const flowOf = (row: unknown): string => (row as { flow?: string }).flow ?? ''
  return Array.isArray(rows) ? rows.toSorted((a, b) => flowOf(a).localeCompare(flowOf(b))) : rows
}

function attempt(ask: () => unknown): unknown {
  try {
    return plain(ask())
  } catch {
    return 'refused'
  }
}

test('whatever is asked in whatever order, places and leases in memory answer and end as those of the database do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { maxLength: 40, size: 'max' }), async (program) => {
      const both = new Both()
      await both.open()
      for (const each of program) {
        // oxlint-disable no-await-in-loop -- one statement after the other
        const [here, there] = await both.run(each)
        expect([each, there]).toEqual([each, here])
        const [seen, stored] = await both.seen()
        expect([each, stored]).toEqual([each, seen])
        // oxlint-enable no-await-in-loop
      }
    }),
    { numRuns: 40 },
  )
})

test('of engines that take the same flows at once each flow has one, whose lease is told to nobody else', async () => {
  const both = new Both()
  await both.open()
  await database.sql`update flow set wished = 'active'`
  const leases = Array.from({ length: 8 }, () => v7())
  const places = createPlacementStore(database)
  const begin = (lease: string) =>
    createEngineStore(database.sql).begin(
      { id: v7(), lease, name: 'e', address: null, linkUrl: null, attachUrl: null, version: '1', protocol: 1 },
      HOUR_MS,
    )
  const taken = await Promise.all(
    leases.map(async (lease) => {
      await begin(lease)
      return (await places.claim({ lease, except: [], most: FLOWS })).map((one) => ({ ...one, lease }))
    }),
  )
  const rows = await database.sql`select flow, epoch, lease from placement order by flow`
  expect(taken.flat().toSorted((a, b) => (a.flow < b.flow ? -1 : 1))).toEqual([...rows])
  expect(rows).toHaveLength(FLOWS)
})

test('a claim that waits for another one does not take what an engine has that came meanwhile', async () => {
  const both = new Both()
  await both.open()
  await database.sql`update flow set wished = 'active'`
  const [early, late] = [v7(), v7()]
  const engines = createEngineStore(database.sql)
  const row = { name: 'e', address: null, linkUrl: null, attachUrl: null, version: '1', protocol: 1 }
  await engines.begin({ ...row, id: v7(), lease: early }, HOUR_MS)
  const places = createPlacementStore(database)
  await places.take(
    v7(),
    (await database.sql<{ id: string }[]>`select id from flow`).map(({ id }) => id),
    null,
  )
  const [taken, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const taking = database.transaction(async (tx) => {
    await tx`update placement set lease = ${late}, epoch = epoch + 1`
    taken.resolve()
    await waiting.promise
    await tx`
      insert into engine (id, lease, name, version, lease_until)
      values (${v7()}, ${late}, 'e', '1', now() + interval '1 h')`
  })
  await taken.promise
  const claimed = places.claim({ lease: early, except: [], most: FLOWS })
  await expect.poll(async () => (await database.sql`select from pg_locks where not granted`).length).toBeGreaterThan(0)
  waiting.resolve()
  await taking
  expect(await claimed).toEqual([])
})
