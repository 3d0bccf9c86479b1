import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { startFailure } from '../../src/db/damage.ts'
import { openDatabase } from '../../src/db/database.ts'
import { createService } from '../../src/index.ts'
import { keepingLog } from './log.ts'

let home: string
/** A data directory that was closed. */
let whole: string
/** Where a table of each kind is, in its database. */
let tables: { migrations: string; users: string }
let dataDir: string
const inDatabase = (name: string): string => path.join(dataDir, 'db', name)
const open = (log = keepingLog()) => openDatabase({ dataDir, log })

/** What a new database would have. */
const tree = (): string[] =>
  fs
    .readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?:db\.new|db\/(?:base|global|pg_wal|PG_VERSION|postgresql\.conf))/.test(name))
    // what PostgreSQL remembers of its tables from start to start
    .filter((name) => !name.endsWith('.init'))

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'damage-'))
  whole = path.join(home, 'whole')
  const database = await openDatabase({ dataDir: whole, log: keepingLog() })
  const [row] = await database.sql<(typeof tables)[]>`
    select pg_relation_filepath('migration') as migrations, pg_relation_filepath('account') as users`
  tables = row ?? { migrations: '', users: '' }
  await database.close()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))
beforeEach(() => {
  dataDir = path.join(home, 'data')
  fs.cpSync(whole, dataDir, { recursive: true })
})
afterEach(() => fs.rmSync(dataDir, { recursive: true, force: true }))

const remove = (name: string) => () => fs.rmSync(inDatabase(name), { recursive: true })
const write = (name: string, text: string) => () => fs.writeFileSync(inDatabase(name), text)
const cut = (name: string) => () => fs.truncateSync(inDatabase(name), 100)
const fill = (name: string, byte: number) => () =>
  fs.writeFileSync(inDatabase(name), Buffer.alloc(fs.statSync(inDatabase(name)).size, byte))
const wal = 'pg_wal/000000010000000000000001'

test.each([
  ['without PG_VERSION', remove('PG_VERSION'), /it has files, but no PG_VERSION among them/],
  ['with an empty PG_VERSION', write('PG_VERSION', ''), /its PG_VERSION holds no number/],
  ['with a garbled PG_VERSION', write('PG_VERSION', '\0\u0001'), /its PG_VERSION holds no number/],
  ['without pg_control', remove('global/pg_control'), /could not open file "global\/pg_control": No such file .*/],
  ['with a cut pg_control', cut('global/pg_control'), /could not read file "global\/pg_control": read 100 of \d+/],
  ['with a zeroed pg_control', fill('global/pg_control', 0), /database files are incompatible with server; The .*/],
  ['with a zeroed log', fill(wal, 0), /could not locate a valid checkpoint record at .*/],
  ['with a cut log', cut(wal), /could not locate a valid checkpoint record at .*/],
  ['without a log', remove('pg_wal'), /required WAL directory "pg_wal" does not exist/],
  ['without tables', remove('base'), /database "postgres" does not exist; The .* "base\/5" is missing/],
  ['without its settings', remove('postgresql.conf'), /could not access the server configuration file .*/],
  ['with a garbled table', () => fill(tables.migrations, 0x5a)(), /invalid page in block 0 of relation "base\/[\d/]+"/],
])(
  'a database %s is not opened: what is damaged is told with the way back, and nothing is made anew',
  async (_how, damage, what) => {
    damage()
    const before = tree()
    await expect(open()).rejects.toThrow(
      new RegExp(
        `^the embedded database in ${dataDir}/db is damaged \\(${what.source}\\): put back a copy of the data directory ` +
          `${dataDir} that was made while no engine used it, or start with another one; nothing was made anew$`,
      ),
    )
    expect(tree()).toEqual(before)
  },
)

test.each(['14', '99'])('a database of PostgreSQL %s is told from a damaged one', async (version) => {
  write('PG_VERSION', `${version}\n`)()
  await expect(open()).rejects.toThrow(
    `is of PostgreSQL ${version}, this version of flow-service runs 18: start the version that made it`,
  )
})

test('a file in the place of the database is left as it is', async () => {
  fs.rmSync(path.join(dataDir, 'db'), { recursive: true })
  fs.writeFileSync(path.join(dataDir, 'db'), 'something')
  await expect(open()).rejects.toThrow('is damaged (it is no directory)')
  expect(fs.readFileSync(path.join(dataDir, 'db'), 'utf8')).toBe('something')
})

test('a garbled table that the service reads first is told as damage too; a copy of the directory is the way back', async () => {
  const start = () => createService({ dataDir, environment: 'local', logLevel: 'silent' })
  fs.writeFileSync(inDatabase(tables.users), Buffer.alloc(8192, 0x5a))
  await expect(start()).rejects.toThrow(/is damaged \(invalid page in block 0 of relation/)
  fs.rmSync(dataDir, { recursive: true })
  fs.cpSync(whole, dataDir, { recursive: true })
  await (await start()).close()
})

test.each(['No space left on device', 'Permission denied', 'Too many open files'])(
  'a start that fails for the system (%s) is no damage',
  (reason) => {
    const output = `\n2026-01-01 00:00:00 UTC [42] PANIC:  could not write to file "pg_wal/xlogtemp.42": ${reason}`
    expect(startFailure('/data/db', output, 'Aborted()').message).toBe(
      `the embedded database in /data/db does not start: Aborted()${output}`,
    )
  },
)
