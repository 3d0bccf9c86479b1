/**
 * The service's database: an embedded PostgreSQL in the data directory, or a PostgreSQL server (14 or newer). One
 * driver, one SQL dialect (what PostgreSQL 14 knows), one set of migrations.
 * @module
 */
import type { Database, DatabaseOptions } from './backend.ts'
import { openEmbedded } from './embedded.ts'
import { openServer } from './server.ts'

export type { Database, DatabaseOptions } from './backend.ts'
export { isOfLostDatabase } from './wire-bridge.ts'
export type { Sql } from './values.ts'

/**
 * Opens the database and brings its tables up to date. Throws an Error that says what to do when the data directory is
 * in use or of another version, the server cannot be reached or is too old, or a migration does not fit.
 */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, ...rest } = options
  return databaseUrl === undefined ? openEmbedded(rest) : openServer({ ...rest, databaseUrl })
}
