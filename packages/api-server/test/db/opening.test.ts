import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { closeDatabaseAhead, openDatabaseAhead } from '../../src/ahead.ts'
import { openDatabase } from '../../src/db/database.ts'
import * as threads from '../../src/db/embedded-thread.ts'
import { createService } from '../../src/service.ts'
import { keepingLog } from './log.ts'

const directories: string[] = []
const newDirectory = (): string => {
  const directory = path.join(os.tmpdir(), `flow-service-ahead-${crypto.randomUUID()}`)
  directories.push(directory)
  return directory
}
const open = (dataDir: string) => openDatabase({ dataDir, log: keepingLog() })
/** A data directory with a database that nobody has open. */
async function existing(): Promise<string> {
  const dataDir = newDirectory()
  const database = await open(dataDir)
  await database.sql`create table item (id int primary key)`
  await database.close()
  return dataDir
}
afterEach(() => {
  vi.restoreAllMocks()
  for (const directory of directories.splice(0)) fs.rmSync(directory, { recursive: true, force: true })
})

test('a database that was begun ahead is held from then on, and taken over by who opens it', async () => {
  const dataDir = await existing()
  await openDatabaseAhead({ dataDir })
  expect(fs.readFileSync(path.join(dataDir, 'engine.pid'), 'utf8')).toBe(`${process.pid}\n`)
  await openDatabaseAhead({ dataDir }) // begun already
  const other = await open(newDirectory())
  const database = await open(dataDir)
  expect(await database.sql`select * from item`).toEqual([])
  await expect(open(dataDir)).rejects.toThrow('in use by another engine')
  await Promise.all([database.close(), other.close()])
  await (await open(dataDir)).close()
})

test('nothing is begun where there is no database yet, nor for one on a server', async () => {
  const dataDir = newDirectory()
  await openDatabaseAhead({ dataDir })
  expect(fs.existsSync(dataDir)).toBe(false)
  const embedded = await existing()
  await openDatabaseAhead({ dataDir: embedded, databaseUrl: 'postgres://127.0.0.1:1/none' })
  await (await open(embedded)).close()
})

test('a setting that is not usable is refused before anything is held', async () => {
  const dataDir = await existing()
  await expect(openDatabaseAhead({ dataDir, maxRuns: 0 })).rejects.toThrow('the option maxRuns is 0')
  await (await open(dataDir)).close()
})

test('what nobody opens after all is closed', async () => {
  const dataDir = await existing()
  await openDatabaseAhead({ dataDir })
  await closeDatabaseAhead()
  await closeDatabaseAhead()
  expect(fs.existsSync(path.join(dataDir, 'engine.pid'))).toBe(false)
  await (await open(dataDir)).close()
})

test('a directory that cannot be held is not held by the attempt', async () => {
  const dataDir = await existing()
  const pidFile = path.join(dataDir, 'engine.pid')
  fs.mkdirSync(pidFile)
  await openDatabaseAhead({ dataDir })
  await expect(open(dataDir)).rejects.toThrow('EISDIR')
  fs.rmdirSync(pidFile)
  await (await open(dataDir)).close()
})

test('what is in its way is told by who opens it', async () => {
  const dataDir = await existing()
  const engine = await open(dataDir)
  await openDatabaseAhead({ dataDir })
  await expect(open(dataDir)).rejects.toThrow(`${dataDir} is in use by another engine (process ${process.pid})`)
  await engine.close()

  vi.spyOn(threads, 'startEngineThread').mockRejectedValueOnce(new Error('no thread today'))
  await openDatabaseAhead({ dataDir })
  await expect(open(dataDir)).rejects.toThrow('no thread today')
  await (await open(dataDir)).close()
})

test('a start that fails is told as it is when the database has stopped before, and lets go of the directory', async () => {
  const dataDir = await existing()
  fs.writeFileSync(path.join(dataDir, 'session.key'), 'short', { mode: 0o600 })
  const begun: Promise<threads.EngineThread>[] = []
  const { startEngineThread } = threads
  vi.spyOn(threads, 'startEngineThread').mockImplementationOnce((...options) => {
    begun.push(startEngineThread(...options))
    return begun[0]!
  })
  await openDatabaseAhead({ dataDir })
  const thread = await begun[0]
  thread?.end()
  await thread?.lost
  await expect(createService({ dataDir, port: 0, logLevel: 'silent' })).rejects.toThrow('session.key holds 5 bytes')
  await (await open(dataDir)).close()
})

test('a start that fails before it takes the database closes it', async () => {
  const dataDir = await existing()
  fs.writeFileSync(path.join(dataDir, 'session.key'), 'short', { mode: 0o600 })
  await openDatabaseAhead({ dataDir })
  await expect(createService({ dataDir, port: 0, logLevel: 'silent' })).rejects.toThrow('session.key holds 5 bytes')
  expect(fs.existsSync(path.join(dataDir, 'engine.pid'))).toBe(false)
  // it was shut down: no recovery
  expect(fs.existsSync(path.join(dataDir, 'db', 'postmaster.pid'))).toBe(false)
  await (await open(dataDir)).close()
})
