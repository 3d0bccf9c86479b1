/**
 * The embedded database: PGlite in a thread, behind the same driver as a server.
 * @module
 */
import path from 'node:path'

import type { Log } from '../process/log.ts'
import type { Database, DatabaseOptions } from './backend.ts'
import { explainDamage } from './damage.ts'
import { type EmbeddedEngine, startEmbeddedEngine } from './embedded-engine.ts'
import { upToDate } from './migrate.ts'
import { localNotifier } from './notify.ts'
import { once } from './once.ts'
import { DATABASE_FOLDER, type Opening, takeOpening } from './opening.ts'
import { openPools, planning, type PoolOptions } from './pool.ts'
import { startUpkeep } from './upkeep.ts'
import { WireBridge } from './wire-bridge.ts'

/** Opens the database in `<dataDir>/db`; see `openDatabase`. */
export async function openEmbedded({
  dataDir,
  log,
  prepare = upToDate,
}: Omit<DatabaseOptions, 'databaseUrl'>): Promise<Database> {
  const opening = takeOpening(dataDir)
  try {
    return await openHeld(opening, log, prepare)
  } catch (error) {
    opening.release()
    throw error
  }
}

async function openHeld(
  opening: Opening,
  log: Log,
  prepare: NonNullable<DatabaseOptions['prepare']>,
): Promise<Database> {
  const { dataDir, home, thread } = opening
  const directory = path.join(dataDir, DATABASE_FOLDER)
  const engine = await startEmbeddedEngine(directory, { home, log, thread })
  try {
    home.hold(DATABASE_FOLDER)
    const pools = await openPools({ ...sessionOf(engine), log })
    const { sql, transactions } = pools
    // its one session lasts
    for (const [name, value] of Object.entries(planning)) await sql`select set_config(${name}, ${value}, false)`
    await prepare({ sql, transaction: transactions.run })
    const upkeep = startUpkeep({ sql, log, failed: engine.failed })
    return {
      backend: 'embedded',
      sql,
      prompt: sql,
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
          opening.release()
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
