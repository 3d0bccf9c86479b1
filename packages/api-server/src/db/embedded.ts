/**
 * The embedded database: PGlite in a thread, behind the same driver as a server.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import type { Log } from '../process/log.ts'
import type { Database, DatabaseOptions } from './backend.ts'
import { type EmbeddedEngine, startEmbeddedEngine } from './embedded-engine.ts'
import { lockDirectory } from './lock.ts'
import { migrate, readMigrations } from './migrate.ts'
import { localNotifier } from './notify.ts'
import { once } from './once.ts'
import { openPools, type PoolOptions } from './pool.ts'
import { startUpkeep } from './upkeep.ts'
import { WireBridge } from './wire-bridge.ts'

/** Opens the database in `<dataDir>/db`; see `openDatabase`. */
export async function openEmbedded({ dataDir, log }: Omit<DatabaseOptions, 'databaseUrl'>): Promise<Database> {
  prepareDirectory(dataDir)
  const lock = lockDirectory(dataDir)
  try {
    return await openLocked(path.join(dataDir, 'db'), log, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openLocked(directory: string, log: Log, release: () => void): Promise<Database> {
  assertVersion(directory)
  const engine = await startEmbeddedEngine(directory, log)
  try {
    const pools = await openPools({ ...sessionOf(engine), log })
    const { sql, transactions } = pools
    await migrate({ sql, transaction: transactions.run }, readMigrations())
    const upkeep = startUpkeep(sql, log)
    return {
      backend: 'embedded',
      sql,
      transaction: transactions.run,
      assertOutsideTransaction: transactions.assertOutside,
      ...localNotifier(),
      failed: engine.failed,
      close: once(async () => {
        try {
          await transactions.end()
          await upkeep.stop()
          await pools.end()
          await engine.close()
        } finally {
          release()
        }
      }),
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Virtual sockets to the one session. A few let the next statement wait in the bridge while one is running. */
function sessionOf(engine: EmbeddedEngine): Omit<PoolOptions, 'log'> {
  const bridge = new WireBridge((messages) => engine.execute(messages))
  engine.onLost(() => bridge.sessionLost())
  const address = { host: 'embedded', user: 'postgres', database: 'postgres', pass: '', ssl: false }
  const driver = () => ({ ...address, socket: () => bridge.connect(), max_lifetime: 0 })
  return { url: '', statements: 4, transactions: 1, driver }
}

function prepareDirectory(dataDir: string): void {
  try {
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    fs.accessSync(dataDir, fs.constants.W_OK)
  } catch (error) {
    throw new Error(`the data directory ${dataDir} cannot be written: ${String(error)}`, { cause: error })
  }
}

/** PostgreSQL's major version in PGlite 0.5. */
const POSTGRES_VERSION = '18'

function assertVersion(directory: string): void {
  const file = path.join(directory, 'PG_VERSION')
  if (!fs.existsSync(file)) return
  const version = fs.readFileSync(file, 'utf8').trim()
  if (version === POSTGRES_VERSION) return
  throw new Error(
    `the embedded database in ${directory} is of PostgreSQL ${version}, this version of flow-service runs ${POSTGRES_VERSION}: ` +
      'start the version that made it and export the data, or use another data directory',
  )
}
