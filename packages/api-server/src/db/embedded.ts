/**
 * The embedded database: PGlite in a thread, behind the same driver as a server.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { HeldDirectory } from '../process/held-directory.ts'
import type { Log } from '../process/log.ts'
import type { Database, DatabaseOptions } from './backend.ts'
import { assertOpenable, explainDamage } from './damage.ts'
import { type EmbeddedEngine, startEmbeddedEngine } from './embedded-engine.ts'
import { LOCK_FILE, lockDirectory } from './lock.ts'
import { migrate, readMigrations } from './migrate.ts'
import { localNotifier } from './notify.ts'
import { once } from './once.ts'
import { openPools, type PoolOptions } from './pool.ts'
import { startUpkeep } from './upkeep.ts'
import { WireBridge } from './wire-bridge.ts'

/** Name of the database's folder in a data directory. */
export const DATABASE_FOLDER = 'db'

/** Opens the database in `<dataDir>/db`; see `openDatabase`. */
export async function openEmbedded({ dataDir, log }: Omit<DatabaseOptions, 'databaseUrl'>): Promise<Database> {
  prepareDirectory(dataDir)
  const lock = lockDirectory(dataDir)
  const home = new HeldDirectory(dataDir)
  const release = (): void => {
    lock.release(home.check() === null)
    home.release()
  }
  try {
    home.hold(LOCK_FILE)
    return await openLocked(path.join(dataDir, DATABASE_FOLDER), { home, log, release })
  } catch (error) {
    release()
    throw error
  }
}

interface Locked {
  readonly home: HeldDirectory
  readonly log: Log
  readonly release: () => void
}

async function openLocked(directory: string, { home, log, release }: Locked): Promise<Database> {
  assertOpenable(directory)
  const engine = await startEmbeddedEngine(directory, { home, log })
  try {
    home.hold(DATABASE_FOLDER)
    const pools = await openPools({ ...sessionOf(engine), log })
    const { sql, transactions } = pools
    await migrate({ sql, transaction: transactions.run }, readMigrations())
    const upkeep = startUpkeep({ sql, log, failed: engine.failed })
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
    throw explainDamage(error, directory)
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
