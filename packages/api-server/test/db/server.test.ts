import { once } from 'node:events'
import net from 'node:net'

import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { AwakeTime } from '../../../../test/components/awake-time.ts'
import { FrozenProxy } from '../../../../test/components/frozen-proxy.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../../../../test/components/postgres.ts'
import { ConnectionWatch } from '../../src/db/connection-watch.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { openServer } from '../../src/db/server.ts'
import { databaseSuite } from './database-suite.ts'
import { keepingLog } from './log.ts'

const programs = findPostgres()
/** How long a connection may be silent, in place of 20 s. */
const PATIENCE_MS = 600
const log = keepingLog()
let server: PostgresServer

describe.skipIf(!programs)('with a PostgreSQL server', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '')
  })
  afterAll(() => server.stop())

  const place = async (name: string) => {
    const databaseUrl = await server.createDatabase(name)
    return { open: () => openDatabase({ dataDir: '', databaseUrl, log }), remove: async () => {} }
  }

  databaseSuite('on a server', async () => {
    const { remove } = await place('suite')
    const databaseUrl = server.url.replace(/postgres$/, 'suite')
    return { remove, open: (suiteLog) => openDatabase({ dataDir: '', databaseUrl, log: suiteLog }) }
  })

  test('a cut connection ends its transaction without a trace, and listeners hear that they missed something', async () => {
    const database = await (await place('cut')).open()
    const { promise: reconnected, resolve: reconnect } = Promise.withResolvers<void>()
    const heard: string[] = []
    await database.listen('news', (payload) => heard.push(payload), reconnect)
    await database.sql`create table item (id int)`
    let afterwards: unknown
    const cut = database.transaction(async (tx) => {
      await tx`insert into item values (1)`
      await tx`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'cut' and pid <> pg_backend_pid()`
      await tx`select pg_terminate_backend(pg_backend_pid())`.catch(() => {})
      try {
        await tx`insert into item values (2)`
      } catch (error) {
        afterwards = error
      }
    })
    await expect(cut).rejects.toThrow('CONNECTION_CLOSED')
    expect(String(afterwards)).toContain('lost')
    await reconnected
    await database.notify('news', 'again')
    await expect.poll(() => heard).toEqual(['again'])
    expect(await database.sql`select id from item`).toEqual([])
    await database.close()
  })

  test('a server that has been away for long is used again a moment after it is back [F16]', async () => {
    const database = await (await place('away')).open()
    await server.crash()
    const asked: number[] = []
    for (let attempt = 0; attempt < 12; attempt += 1) {
      using awake = new AwakeTime()
      await expect(database.sql`select 1`).rejects.toThrow(/ECONN|CONNECTION_|terminating|starting/)
      asked.push(awake.ms)
    }
    // the driver would wait for up to 20 s by now
    expect(Math.max(...asked)).toBeLessThan(4_000)
    await server.start()
    await expect.poll(() => database.sql`select 1 as one`).toEqual([{ one: 1 }])
    await database.close()
  })

  test('every connection of transactions knows the types of arrays', async () => {
    const database = await (await place('arrays')).open()
    const all = Promise.withResolvers<void>()
    let open = 0
    const lists = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        database.transaction(async (tx) => {
          const [row] = await tx<{ texts: string[]; ids: number[] }[]>`
            select ${['a', 'b,']}::text[] as texts, array[${at}::int] as ids`
          if (++open === 5) all.resolve()
          await all.promise
          return row
        }),
      ),
    )
    expect(lists).toEqual([0, 1, 2, 3, 4].map((at) => ({ texts: ['a', 'b,'], ids: [at] })))
    await database.close()
  })

  test('a server that crashes and comes back is used again, and the process survives', async () => {
    const database = await (await place('crash')).open()
    await database.sql`create table item (id int)`
    const loop = async (): Promise<void> => {
      for (let id = 0; id < 200; id++) {
        // oxlint-disable-next-line no-await-in-loop
        await database.transaction((tx) => tx`insert into item values (${id})`)
      }
    }
    const loops = Promise.allSettled([loop(), loop(), loop()])
    const print = vi.spyOn(console, 'log')
    await server.crash()
    await loops
    await server.start()
    await expect.poll(() => database.sql`select 1 as one`.catch(() => [])).toEqual([{ one: 1 }])
    // what the server tells on its way down is for the log
    expect(print).not.toHaveBeenCalled()
    print.mockRestore()
    await database.transaction((tx) => tx`insert into item values (1000)`)
    await database.close()
  })

  test('an address without a server is named, its password is not', async () => {
    const databaseUrl = 'postgres://me:hidden@127.0.0.1:1/name'
    const opening = openDatabase({ dataDir: '', databaseUrl, log })
    await expect(opening).rejects.toThrow(
      /^cannot use the database server 127\.0\.0\.1:1\/name: .*ECONNREFUSED.*SERVICE_DATABASE_URL$/s,
    )
    await expect(opening).rejects.not.toThrow('hidden')
  })

  test('an address that the system refuses at once is an error like others, not one that ends the process [F19]', async () => {
    // nothing is sent: nobody may connect to all
    const opening = openDatabase({ dataDir: '', databaseUrl: 'postgres://me@255.255.255.255/name', log })
    await expect(opening).rejects.toThrow(/^cannot use the database server 255\.255\.255\.255\/name: /)
  })

  test('a pooler that lets no settings of sessions through is used without them', async () => {
    const databaseUrl = await server.createDatabase('pooled')
    const refused: string[] = []
    const pooler = net.createServer((near) => {
      near.on('error', () => {})
      near.once('data', (greeting) => {
        if (greeting.includes('random_page_cost')) {
          refused.push(greeting.toString())
          const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: random_page_cost', '', ''].join('\0')
          const head = Buffer.from('E\0\0\0\0')
          head.writeInt32BE(fields.length + 4, 1)
          near.end(Buffer.concat([head, Buffer.from(fields)]))
          return
        }
        const far = net.connect(Number(new URL(databaseUrl).port), '127.0.0.1')
        far.on('error', () => {}).on('close', () => near.destroy())
        near.on('close', () => far.destroy())
        far.write(greeting)
        near.pipe(far).pipe(near)
      })
    })
    await once(pooler.listen(0, '127.0.0.1'), 'listening')
    const url = new URL(databaseUrl)
    url.port = String((pooler.address() as net.AddressInfo).port)
    const database = await openDatabase({ dataDir: '', databaseUrl: url.href, log })
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }])
    expect(refused).not.toEqual([])
    await database.close()
    pooler.close()
  })

  test('a missing database is told as the server tells it', async () => {
    const databaseUrl = server.url.replace(/postgres$/, 'missing')
    await expect(openDatabase({ dataDir: '', databaseUrl, log })).rejects.toThrow('database "missing" does not exist')
  })

  test('a server that is too old is told its version, and the one that is needed', async () => {
    const databaseUrl = await server.createDatabase('old')
    const old = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
    // it says of itself what an older one would say
    await old.unsafe(`
      create schema old;
      create function old.current_setting(text) returns text language sql as $$ select '130022' $$;
      alter database old set search_path = old, pg_catalog, public`)
    await old.end()
    await expect(openDatabase({ dataDir: '', databaseUrl, log })).rejects.toThrow(
      /^the database server [\d.:]+\/old is PostgreSQL 13: 14 or newer is needed$/,
    )
  })

  test('a connection that ends with a statement half written is used again a moment later (connection-watch.W4)', async () => {
    const databaseUrl = await server.createDatabase('stuck')
    const watch = new ConnectionWatch(databaseUrl, 20_000)
    const { socket: open, ...options } = watch.forStatements(null) as { socket: (options: object) => net.Socket }
    const sockets: net.Socket[] = []
    const socket = (of: object): net.Socket => {
      const opened = open(of)
      sockets.push(opened)
      return opened
    }
    const sql = postgres(databaseUrl, { ...options, max: 1, fetch_types: false, socket } as object)
    await sql`select 1`
    // the driver writes at the end of the turn, and the end of the socket comes before that
    await new Promise(setImmediate)
    sockets[0]?.destroy()
    await expect(sql`select 2`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }])
    expect(sockets.length).toBeGreaterThan(2)
    await sql.end()
    watch.close()
  })

  describe('a connection that is half-open', () => {
    let proxy: FrozenProxy
    let database: Database
    beforeAll(async () => {
      const url = await server.createDatabase('half')
      proxy = await FrozenProxy.open(Number(new URL(url).port))
      database = await openServer({ dataDir: '', databaseUrl: proxy.urlOf(url), log }, PATIENCE_MS)
      await database.sql`create table item (id int primary key)`
    })
    afterAll(async () => {
      await database.close()
      await proxy[Symbol.asyncDispose]()
    })

    test('is noticed: statements and transactions that wait are refused, later ones work, listeners hear that they missed something [F19]', async () => {
      const heard: string[] = []
      const missed = Promise.withResolvers<void>()
      await database.listen('news', (payload) => heard.push(payload), missed.resolve)
      await database.notify('news', 'before')
      await expect.poll(() => heard).toEqual(['before'])

      const begun = Promise.withResolvers<void>()
      const frozen = Promise.withResolvers<void>()
      const transaction = database.transaction(async (tx) => {
        await tx`insert into item values (1)`
        begun.resolve()
        await frozen.promise
        await tx`insert into item values (2)`
      })
      await begun.promise
      // a connection that was idle for too long would be closed by now, and the statement gets a new one
      await database.sql`select 1`
      using awake = new AwakeTime()
      expect(proxy.freeze()).toBeGreaterThan(2)
      frozen.resolve()
      const waiting = [database.sql`insert into item values (3)`, transaction]
      const results = await Promise.allSettled(waiting)
      expect(results).toMatchObject(waiting.map(() => ({ status: 'rejected', reason: { code: 'CONNECTION_CLOSED' } })))
      // a fifth of the patience and 4 s, and what a busy machine needs
      expect(awake.ms).toBeLessThan(10_000)

      await database.transaction((tx) => tx`insert into item values (4)`)
      await missed.promise
      await database.notify('news', 'after')
      await expect.poll(() => heard).toEqual(['before', 'after'])
      // what was not acknowledged may be there, whole
      const ids = (await database.sql<{ id: number }[]>`select id from item where id < 3 or id = 4`).map(({ id }) => id)
      expect([[4], [1, 2, 4]]).toContainEqual(ids)
    })

    test('is told from one whose statement is slow', async () => {
      const seconds = (4 * PATIENCE_MS) / 1_000
      const slow = database.sql`select 1 as one, pg_sleep(${seconds}::float8)`
      expect(await slow).toMatchObject([{ one: 1 }])
    })

    test('is told from one whose transaction does something else for longer than that, and noticed after it [F19]', async () => {
      const away = () => new Promise((resolve) => setTimeout(resolve, 3 * PATIENCE_MS))
      const [kept] = await Promise.all([
        database.transaction(async (tx) => {
          // a part of a statement is never answered
          await tx`insert into item ${tx`values (10)`}`
          await away()
          return tx`insert into item values (11) returning id`
        }),
        // beside it one that waits for an answer all the time
        database.transaction((tx) => tx`select pg_sleep(${(3 * PATIENCE_MS) / 1_000}::float8)`),
      ])
      expect(kept).toMatchObject([{ id: 11 }])
      const lost = database.transaction(async (tx) => {
        await tx`insert into item values (12)`
        proxy.freeze()
        await away()
        await Promise.all([tx`insert into item values (13)`, tx`insert into item values (14)`])
      })
      await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
      expect(await database.sql`select id from item where id between 10 and 14 order by id`).toEqual([
        { id: 10 },
        { id: 11 },
      ])
    })

    test('is noticed, too, when the server waits for the values of a statement that it has just been told', async () => {
      const lost = database.sql`insert into item select n from generate_series(20, ${20}::int) as n`.execute()
      // the statement is on its way, and what the server makes of it comes to nobody
      await new Promise((resolve) => setImmediate(resolve))
      proxy.freeze()
      await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
      expect(await database.sql`select id from item where id = 20`).toEqual([])
    })

    test('is told from one that was asked late', async () => {
      const pause = (share: number) => (share * PATIENCE_MS) / 1_000
      const meanwhile = database.sql`select pg_sleep(${pause(0.75)}::float8)`.execute()
      const slow = await database.transaction(async (tx) => {
        await tx`select 1`
        await meanwhile
        return tx`select 1 as one, pg_sleep(${pause(0.8)}::float8)`
      })
      expect(slow).toMatchObject([{ one: 1 }])
    })
  })
})
