import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { prepareDatabase } from '../../src/ahead.ts'
import { openDatabase, type Sql } from '../../src/db/database.ts'
import { maintain } from '../../src/db/upkeep.ts'
import { LostDirectory } from '../../src/process/held-directory.ts'
import { databaseSuite } from './database-suite.ts'
import { keepingLog } from './log.ts'

const makeDirectory = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-db-'))
const removeDirectory = (directory: string): void => fs.rmSync(directory, { recursive: true, force: true })

databaseSuite('in the process', async () => {
  const dataDir = makeDirectory()
  return { open: (log) => openDatabase({ dataDir, log }), remove: async () => removeDirectory(dataDir) }
})

/** COPY FROM STDIN ends the WebAssembly program of PGlite 0.5.16. */
const dieIn = (sql: Sql): Promise<unknown> => sql.unsafe('copy item from stdin')

/** What a statement is told that meets the loss of the directory, or comes after it. */
const notHeld = /is not what was opened|was removed, moved or replaced/

describe('the embedded database', () => {
  const directories: string[] = []
  const dataDirectory = (): string => {
    const directory = makeDirectory()
    directories.push(directory)
    return directory
  }
  afterEach(() => directories.splice(0).forEach(removeDirectory))

  test('is opened by one engine at a time, and the other is told whom to stop', async () => {
    const dataDir = dataDirectory()
    const open = () => openDatabase({ dataDir, log: keepingLog() })
    const database = await open()
    await expect(open()).rejects.toThrow(`${dataDir} is in use by another engine (process ${process.pid})`)

    const child = spawn(process.execPath, [fileURLToPath(new URL('writer.ts', import.meta.url)), dataDir])
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    const [code] = await once(child, 'close')
    expect(code).not.toBe(0)
    expect(output).toContain(`in use by another engine (process ${process.pid})`)

    await database.close()
    await (await open()).close()
  })

  test('refuses a directory of another PostgreSQL version and leaves it alone', async () => {
    const dataDir = dataDirectory()
    fs.mkdirSync(path.join(dataDir, 'db'))
    fs.writeFileSync(path.join(dataDir, 'db/PG_VERSION'), '17\n')
    await expect(openDatabase({ dataDir, log: keepingLog() })).rejects.toThrow('is of PostgreSQL 17')
    expect(fs.readdirSync(path.join(dataDir, 'db'))).toEqual(['PG_VERSION'])
  })

  test('names a data directory that cannot be written', async () => {
    const file = path.join(dataDirectory(), 'file')
    fs.writeFileSync(file, '')
    await expect(openDatabase({ dataDir: file, log: keepingLog() })).rejects.toThrow(
      `the data directory ${file} cannot`,
    )
  })

  test('a first start that was interrupted is begun again', async () => {
    const dataDir = dataDirectory()
    fs.mkdirSync(path.join(dataDir, 'db.new/global'), { recursive: true })
    const database = await openDatabase({ dataDir, log: keepingLog() })
    await database.close()
    expect(fs.readdirSync(dataDir).toSorted()).toEqual(['db', 'engine.lock.db'])
  })

  test('opens again after its thread has died: running statements fail, nothing else does', async () => {
    const log = keepingLog()
    const database = await openDatabase({ dataDir: dataDirectory(), log })
    await database.sql`create table item (id int primary key)`
    const insert = (id: number): Promise<unknown> => database.sql`insert into item values (${id})`
    await insert(1)

    const dying = database.transaction(async (tx) => {
      await tx`insert into item values (2)`
      await dieIn(tx)
    })
    const waiting = Array.from({ length: 20 }, (_, index) => insert(10 + index))
    await expect(dying).rejects.toThrow('the embedded database stopped')
    await Promise.all(waiting)
    await database.transaction((tx) => tx`insert into item values (3)`)
    const rows = await database.sql`select id from item where id < 10 order by id`
    expect(rows.map((row) => row['id'])).toEqual([1, 3])
    expect(log.lines.some(({ message }) => message.includes('opening it again'))).toBe(true)
    await database.close()
  })

  describe('that is prepared', () => {
    const started: Worker[] = []
    const count = (worker: Worker): void => void started.push(worker)
    beforeEach(() => {
      started.length = 0
      process.on('worker', count)
    })
    afterEach(() => void process.off('worker', count))

    test('is opened in the thread that waits for it; what comes after has threads of its own', async () => {
      prepareDatabase()
      prepareDatabase()
      const dataDir = dataDirectory()
      const database = await openDatabase({ dataDir, log: keepingLog() })
      expect(started).toHaveLength(1)
      await database.sql`create table item (id int primary key)`
      await expect(dieIn(database.sql)).rejects.toThrow('the embedded database stopped')
      expect(await database.sql`select * from item`).toEqual([])
      expect(started).toHaveLength(2)
      const other = await openDatabase({ dataDir: dataDirectory(), log: keepingLog() })
      expect(started).toHaveLength(3)
      await Promise.all([database.close(), other.close()])
    })

    test('is opened without the thread when that has ended before', async () => {
      prepareDatabase()
      const [worker] = (await once(process, 'worker')) as [Worker]
      await worker.terminate()
      const database = await openDatabase({ dataDir: dataDirectory(), log: keepingLog() })
      expect(started).toHaveLength(2)
      expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }])
      await database.close()
    })

    test('lets a process end that opens none', async () => {
      const ahead = new URL('../../src/ahead.ts', import.meta.url).href
      const text = `import { prepareDatabase } from ${JSON.stringify(ahead)}; prepareDatabase(); console.log('done')`
      const source = ['--conditions=@flow-service/source', '--input-type=module', '--eval', text]
      const child = spawn(process.execPath, source, { stdio: ['ignore', 'pipe', 'inherit'] })
      expect(await once(child, 'close')).toEqual([0, null])
    })
  })

  test('once its directory is removed it is lost: nothing is executed any more, and nothing is made anew', async () => {
    const log = keepingLog()
    const dataDir = dataDirectory()
    const database = await openDatabase({ dataDir, log })
    await database.sql`create table item (id int)`
    removeDirectory(dataDir)
    const refusals = await Promise.allSettled([
      database.sql`insert into item values (1)`,
      database.transaction((tx) => tx`insert into item values (2)`),
      database.sql`select 1`,
    ])
    expect(refusals.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await database.failed).toBeInstanceOf(LostDirectory)
    await database.close()
    expect(fs.existsSync(dataDir)).toBe(false)
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', expect.stringContaining(`the data directory ${dataDir} was removed, moved or replaced`)],
    ])
  })

  test('hears that its directory is gone while it has nothing to do', async () => {
    const dataDir = dataDirectory()
    const database = await openDatabase({ dataDir, log: keepingLog() })
    removeDirectory(dataDir)
    expect((await database.failed).message).toContain('put it back, then start the engine again')
    await database.close()
    expect(fs.existsSync(dataDir)).toBe(false)
  })

  test('its lock goes with the directory: renamed it is still in use, and an engine in a new one of its name is left alone [F14]', async () => {
    const dataDir = path.join(dataDirectory(), 'data')
    const elsewhere = `${dataDir}.elsewhere`
    const open = (directory = dataDir) => openDatabase({ dataDir: directory, log: keepingLog() })
    const first = await open()
    await first.sql`create table item (id int)`
    fs.renameSync(dataDir, elsewhere)
    await expect(open(elsewhere)).rejects.toThrow(`${elsewhere} is in use by another engine`)

    const second = await open()
    await second.sql`create table item (id int)`
    await expect(first.sql`insert into item values (1)`).rejects.toThrow(notHeld)
    await first.failed
    await first.close()
    expect(fs.existsSync(path.join(dataDir, 'engine.pid'))).toBe(true)
    await second.sql`insert into item values (2)`
    expect([...(await second.sql`select id from item`)]).toEqual([{ id: 2 }])
    await expect(open()).rejects.toThrow('is in use by another engine')
    await second.close()

    const third = await open(elsewhere)
    expect([...(await third.sql`select id from item`)]).toEqual([])
    await third.close()
  })

  test('whose lock was taken away is lost, for another engine could start in its directory [F14]', async () => {
    const dataDir = dataDirectory()
    const database = await openDatabase({ dataDir, log: keepingLog() })
    fs.rmSync(path.join(dataDir, 'engine.lock.db'))
    await expect(database.sql`select 1`).rejects.toThrow(notHeld)
    expect((await database.failed).message).toContain('engine.lock.db is gone')
    await database.close()
  })

  test('whose folder was taken away is not made anew when its thread dies', async () => {
    const dataDir = dataDirectory()
    const database = await openDatabase({ dataDir, log: keepingLog() })
    await database.sql`create table item (id int)`
    fs.renameSync(path.join(dataDir, 'db'), path.join(dataDir, 'db.elsewhere'))
    await expect(dieIn(database.sql)).rejects.toThrow('the embedded database stopped')
    expect((await database.failed).message).toContain(`${path.join(dataDir, 'db')} is gone`)
    await database.close()
    expect(fs.existsSync(path.join(dataDir, 'db'))).toBe(false)
  })

  test('is vacuumed after many changes and checkpointed after much writing', async () => {
    const database = await openDatabase({ dataDir: dataDirectory(), log: keepingLog() })
    const { sql } = database
    await sql`create table item (text text)`
    await sql`alter table item alter column text set storage external`
    await sql`insert into item select repeat('x', 7000) from generate_series(1, 12000)`
    await sql`delete from item`
    const dead = async () => {
      await sql`select pg_stat_force_next_flush()`
      return sql`select n_dead_tup as n from pg_stat_user_tables where relname = 'item'`
    }
    const redo = () => sql`select redo_lsn as lsn from pg_control_checkpoint()`
    expect(await dead()).toEqual([{ n: 12_000 }])
    const before = await redo()
    await maintain(sql)
    expect(await dead()).toEqual([{ n: 0 }])
    expect(await redo()).not.toEqual(before)
    await database.close()
  })
})
