/**
 * A database as of one moment, for as long as somebody reads it, while engines go on.
 * @module
 */
import type { Database, Sql } from '../../db/database.ts'
import { openPlace, type Place } from '../places.ts'
import { copyEmbedded } from './embedded-copy.ts'

/** A moment of a database. */
export interface Snapshot {
  readonly sql: Sql
  close(): Promise<void>
}

/**
 * Opens a moment of an open database, that begins now. `isShared`: an engine of this process goes on with it meanwhile, so that
 * an embedded one is copied.
 */
export async function openSnapshot(place: Place, database: Database, isShared: boolean): Promise<Snapshot> {
  // connections of its own: those of an engine are few
  if (place.kind === 'server') return openServerSnapshot(await openPlace(place))
  if (!isShared) return { sql: database.sql, close: async () => {} }
  const copy = await copyEmbedded(database, place.dataDir)
  try {
    const copied = await openPlace({ kind: 'embedded', dataDir: copy.dataDir })
    return {
      sql: copied.sql,
      async close() {
        await copied.close()
        await copy.remove()
      },
    }
  } catch (error) {
    await copy.remove()
    throw error
  }
}

/** One transaction, which sees what was committed when it began. */
async function openServerSnapshot(database: Database): Promise<Snapshot> {
  const begun = Promise.withResolvers<Sql>()
  const over = Promise.withResolvers<void>()
  const transaction = database.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`
    await tx`set local idle_in_transaction_session_timeout = 0`
    begun.resolve(tx)
    await over.promise
  })
  transaction.catch(begun.reject)
  try {
    const sql = await begun.promise
    return {
      sql,
      async close() {
        over.resolve()
        await transaction.catch(() => {})
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
