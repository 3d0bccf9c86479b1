import { setImmediate } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { affected } from '../../src/db/affected.ts'
import type { Database, Sql } from '../../src/db/database.ts'
import { createGroupWriter } from '../../src/db/group-writer.ts'
import { migrate } from '../../src/db/migrate.ts'
import { problemOf } from '../../src/http/errors.ts'
import type { Log } from '../../src/process/log.ts'
import { keepingLog } from './log.ts'

/** A place that holds one database. */
export interface Place {
  open(log: Log): Promise<Database>
  remove(): Promise<void>
}

/** What both backends promise. */
export function databaseSuite(name: string, makePlace: () => Promise<Place>): void {
  describe(`a database ${name}`, () => {
    const log = keepingLog()
    let place: Place
    let database: Database
    beforeAll(async () => {
      place = await makePlace()
      database = await place.open(log)
      await database.sql`create table item (id int8 primary key, name text)`
    })
    afterAll(async () => {
      await database.close()
      await place.remove()
    })

    const names = async (from: number, to: number): Promise<unknown[]> =>
      (await database.sql`select name from item where id between ${from} and ${to} order by id`).map(
        (row) => row['name'],
      )
    const add = (sql: Sql, id: number, value = 'x'): Promise<unknown> =>
      sql`insert into item (id, name) values (${id}, ${value})`

    test('what was committed is there after closing and opening again', async () => {
      await add(database.sql, 1, 'kept')
      await database.close()
      database = await place.open(log)
      expect(await names(1, 1)).toEqual(['kept'])
    })

    test('every session plans for a disk that finds a row by an index as fast as it reads the next one', async () => {
      const cost = (sql: Sql) => sql`select current_setting('random_page_cost') as cost`
      expect([...(await cost(database.sql)), ...(await database.transaction(cost))]).toEqual([
        { cost: '1.1' },
        { cost: '1.1' },
      ])
    })

    test('50 statements and 50 transactions at once all finish', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => 100 + index)
      await Promise.all([
        ...ids.map((id) => add(database.sql, id)),
        ...ids.map((id) => database.transaction((tx) => add(tx, id + 50))),
      ])
      expect(await names(100, 199)).toHaveLength(100)
    })

    test('transactions get their turn while single statements never stop', async () => {
      let running = true
      const stream = Array.from({ length: 30 }, async () => {
        // oxlint-disable-next-line no-await-in-loop, no-unmodified-loop-condition
        while (running) await database.sql`select 1`
      })
      await database.transaction((tx) => add(tx, 200))
      running = false
      await Promise.all(stream)
      expect(await names(200, 200)).toEqual(['x'])
    })

    describe('transactions', () => {
      test('an error rolls back and reaches the caller', async () => {
        const failing = database.transaction(async (tx) => {
          await add(tx, 300)
          throw new Error('no')
        })
        await expect(failing).rejects.toThrow('no')
        await expect(database.transaction((tx) => add(tx, 1))).rejects.toMatchObject({ code: '23505' })
        expect(await names(300, 300)).toEqual([])
      })

      test('the root handle and a second transaction are refused inside one', async () => {
        await database.transaction(async (tx) => {
          expect(() => database.sql`select 1`).toThrow('use the transaction handle')
          expect(() => database.sql.unsafe('select 1')).toThrow('use the transaction handle')
          await expect(database.transaction(async () => {})).rejects.toThrow('use the transaction handle')
          await tx`select 1`
        })
        await database.sql`select 1`
      })

      test('the handle is dead after the end', async () => {
        const kept = await database.transaction(async (tx) => ({ tx }))
        expect(() => kept.tx`select 1`).toThrow('has ended')
      })

      test('a swallowed error does not pass for a commit', async () => {
        const swallowing = database.transaction(async (tx) => {
          await add(tx, 301)
          await tx`select 1 / 0`.catch(() => {})
        })
        await expect(swallowing).rejects.toThrow('division by zero')
        expect(await names(301, 301)).toEqual([])
      })

      test('a serialization failure is tried again three times at most [F22]', async () => {
        let calls = 0
        const failUntil = (good: number) => async (tx: Sql) => {
          if (++calls < good) await tx.unsafe(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`)
          return calls
        }
        expect(await database.transaction(failUntil(4))).toBe(4)
        calls = 0
        await expect(database.transaction(failUntil(9))).rejects.toMatchObject({ code: '40001' })
        expect(calls).toBe(4)
      })

      test.each([
        ['40001', 4],
        ['40P01', 4],
        ['57P01', 1],
        ['53300', 1],
      ])('the transient failure %s is tried %i times at most, and is 503 then [F22]', async (code, most) => {
        let calls = 0
        const failing = database.transaction(async (tx) => {
          calls++
          await add(tx, 303)
          await tx.unsafe(`do $$ begin raise exception 'not now' using errcode = '${code}'; end $$`)
        })
        const error: unknown = await failing.catch((reason: unknown) => reason)
        expect(problemOf(error, log)).toMatchObject({ status: 503, code: 'unavailable' })
        expect(calls).toBe(most)
        expect(await names(303, 303)).toEqual([])
      })

      test('one that stays open for 5 s is told with the place that started it', async () => {
        await database.sql`select 1`
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        try {
          await database.transaction(async () => void vi.advanceTimersByTime(5_000))
        } finally {
          vi.useRealTimers()
        }
        const line = log.lines.findLast(({ level }) => level === 'warn')
        expect(line?.message).toContain('open for 5 s')
        expect(JSON.stringify(line?.fields)).toContain('database-suite')
      })

      test('closing waits for open ones and refuses new ones', async () => {
        const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
        const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
        const open = database.transaction(async (tx) => {
          begin()
          await allowed
          await add(tx, 302)
        })
        await begun
        const closed = database.close()
        await expect(database.transaction(async () => {})).rejects.toThrow('the database is closed')
        allow()
        await Promise.all([open, closed])
        database = await place.open(log)
        expect(await names(302, 302)).toEqual(['x'])
      })
    })

    describe('values', () => {
      const roundTrip = async (type: string, value: unknown): Promise<unknown> => {
        const [row] = await database.sql`select ${value as string}::${database.sql.unsafe(type)} as value`
        return row?.['value']
      }

      test('a time keeps its microseconds and comes back in UTC with six decimals', async () => {
        const time = '2026-01-31T08:00:00.000001+00:00'
        expect(await roundTrip('timestamptz', time)).toBe(time)
        expect(await roundTrip('timestamptz', '2026-01-31T10:00:00.5+02:00')).toBe('2026-01-31T08:00:00.500000+00:00')
        expect(await roundTrip('timestamptz', '2026-01-31T08:00:00Z')).toBe('2026-01-31T08:00:00.000000+00:00')
        expect(await roundTrip('timestamptz', new Date(0))).toBe('1970-01-01T00:00:00.000000+00:00')
      })

      test('int8 is a number while it is exact', async () => {
        expect(await roundTrip('int8', Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER)
        expect(await roundTrip('int8', '9007199254740993')).toBe(9_007_199_254_740_993n)
        const [row] = await database.sql`select count(*) as n from item where id < 0`
        expect(row).toEqual({ n: 0 })
      })

      test.each([[{ a: [1, 'ü', null, { b: false }] }], ['text'], ['"quoted"'], [null], [0.5], [[]]])(
        'jsonb keeps %j',
        async (value) => {
          const [row] = await database.sql`select ${database.sql.json(value)}::jsonb as value`
          expect(row).toEqual({ value })
          const text = JSON.stringify(value)
          const [again] = await database.sql`select ${text}::jsonb as value, jsonb_typeof(${text}::jsonb) as type`
          expect(again?.['value']).toEqual(value)
          expect(again?.['type']).not.toBe(typeof value === 'string' ? 'object' : 'string')
        },
      )

      test('many rows travel as one json parameter', async () => {
        const rows = [
          { id: 400, name: 'a' },
          { id: 401, name: 'b' },
        ]
        await database.sql`
          insert into item select * from jsonb_to_recordset(${database.sql.json(rows)}) as row(id int8, name text)`
        expect(await names(400, 401)).toEqual(['a', 'b'])
      })

      test('arrays and bytes come back as they went', async () => {
        const texts = ['a', 'b "c"', 'NULL', '\\', '']
        expect(await roundTrip('text[]', texts)).toEqual(texts)
        expect(await roundTrip('int8[]', [1, 2])).toEqual([1, 2])
        const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
        expect(await roundTrip('bytea', bytes)).toEqual(bytes)
      })

      test('json nested too deeply is refused, and the database goes on', async () => {
        const deep = '['.repeat(300_000) + ']'.repeat(300_000)
        await expect(database.sql`select ${deep}::jsonb`).rejects.toMatchObject({ code: '54001' })
        expect(await roundTrip('int8', 1)).toBe(1)
      })

      test('a large value passes in both directions', async () => {
        const large = 'ü'.repeat(3 * 2 ** 20)
        expect((await roundTrip('text', large)) === large).toBe(true)
      })

      test('a write that changed another number of rows than expected throws', async () => {
        const change = (id: number): Promise<{ count: number }> =>
          database.sql`update item set name = 'y' where id = ${id}`
        expect(affected(await change(400), 1).count).toBe(1)
        await expect(change(-1).then((result) => affected(result, 1))).rejects.toThrow('changed 0 rows')
      })
    })

    describe('notifications', () => {
      test('reach every listener of the channel until it ends', async () => {
        const heard: string[] = []
        const hears = async (...payloads: string[]): Promise<void> => {
          await expect.poll(() => heard, { interval: 2 }).toEqual(payloads)
          heard.length = 0
        }
        const end = await database.listen('news', (payload) => heard.push(`a ${payload}`))
        const endOther = await database.listen('news', (payload) => heard.push(`b ${payload}`))
        await database.notify('other', 'not heard')
        await database.notify('news', 'first ü')
        await hears('a first ü', 'b first ü')
        await end()
        await database.notify('news', 'second')
        await hears('b second')
        await endOther()
      })

      test('a listener may use the root handle whoever notified', async () => {
        const { promise, resolve } = Promise.withResolvers<unknown>()
        const end = await database.listen('context', () =>
          resolve(database.sql`select 1 as one`.then((rows) => [...rows])),
        )
        const heard = database.transaction(async (tx) => {
          await database.notify('context', '')
          await setImmediate()
          await tx`select 1`
        })
        await heard
        expect(await promise).toEqual([{ one: 1 }])
        await end()
      })

      test('a payload over 7,999 bytes is refused with its size', async () => {
        await database.notify('news', 'x'.repeat(7_999))
        await expect(database.notify('news', 'ü'.repeat(4_000))).rejects.toThrow('8000 bytes')
      })
    })

    describe('migrations', () => {
      const migrations = [
        { id: '9001-first', text: 'create table first (id int); insert into first values (1);' },
        { id: '9002-second', text: 'insert into first select id + 1 from first;' },
      ]
      /** Those of the service were applied when the database was opened. */
      const own = async (): Promise<Parameters<typeof migrate>[1]> =>
        (await import('../../src/db/migrate.ts')).readMigrations()

      test('apply once, in order, also when several engines start together', async () => {
        const all = [...(await own()), ...migrations]
        await Promise.all([migrate(database, all), migrate(database, all), migrate(database, all)])
        await migrate(database, all)
        expect(await database.sql`select id from first order by id`).toEqual([{ id: 1 }, { id: 2 }])
      })

      test('one that fails leaves nothing behind', async () => {
        const bad = { id: '9003-bad', text: 'create table bad (id int); select 1 / 0;' }
        const all = [...(await own()), ...migrations, bad]
        await expect(migrate(database, all)).rejects.toThrow(
          'the migration 9003-bad failed: PostgresError: division by zero',
        )
        const [row] =
          await database.sql`select to_regclass('bad') as bad, count(*) as n from migration where id = '9003-bad'`
        expect(row).toEqual({ bad: null, n: 0 })
      })

      test('a file that changed after it was applied is refused', async () => {
        const [first, second] = migrations
        if (!first || !second) throw new Error('two migrations expected')
        const changed = [...(await own()), { ...first, text: `${first.text}\n` }, second]
        await expect(migrate(database, changed)).rejects.toThrow('9001-first has changed')
      })

      test('a database of a newer version is refused', async () => {
        await expect(migrate(database, await own())).rejects.toThrow('9001-first, unknown to this version')
      })
    })

    describe('a group writer', () => {
      const insert = async (tx: Sql, items: { id: number; name: string }[]): Promise<void> => {
        const rows = tx.json(items)
        await tx`insert into item select * from jsonb_to_recordset(${rows}) as row(id int8, name text)`
      }

      test('writes what is asked for in one turn at once, and what gathers during a commit in the next one', async () => {
        const sizes: number[] = []
        const items = Array.from({ length: 100 }, (_, index) => ({ id: 500 + index, name: 'g' }))
        const writer = createGroupWriter<{ id: number; name: string }>(database, async (tx, batch) => {
          sizes.push(batch.length)
          await insert(tx, batch)
        })
        const first = items.slice(0, 2).map((item) => writer.write(item))
        // the commit of these two begins in the turn after this one
        await setImmediate()
        await Promise.all([...first, ...items.slice(2).map((item) => writer.write(item))])
        expect(sizes).toEqual([2, 98])
        expect(await names(500, 599)).toHaveLength(100)
        await writer.write({ id: 600, name: 'alone' })
        expect(await names(600, 600)).toEqual(['alone'])
      })

      test('a bad item fails alone', async () => {
        const writer = createGroupWriter(database, insert)
        const write = (id: number): Promise<void> => writer.write({ id, name: 'b' })
        const results = await Promise.allSettled([write(610), write(611), write(1), write(612)])
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
        expect(await names(610, 612)).toHaveLength(3)
      })

      test('refuses to be used inside a transaction, which it would wait for', async () => {
        const writer = createGroupWriter(database, insert)
        await database.transaction(async () => {
          expect(() => writer.write({ id: 620, name: 'x' })).toThrow('use the transaction handle')
        })
      })
    })
  })
}
