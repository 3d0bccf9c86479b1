/**
 * One database for the tests of a file.
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll } from 'vitest'

import { type Database, openDatabase } from '../src/db/database.ts'
import { databaseAt } from './backend.ts'

/** Nobody reads what is logged. */
export const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Opens a database in a new directory before the first test, and removes both after the last; `prepare` has them. */
export function useDatabase(prepare: (database: Database, directory: string) => Promise<void> | void): void {
  let database: Database
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flow-service-database-'))
    database = await openDatabase({ ...(await databaseAt(directory)), log: quiet })
    await prepare(database, directory)
  })
  afterAll(async () => {
    await database.close()
    await rm(directory, { recursive: true, force: true })
  })
}
