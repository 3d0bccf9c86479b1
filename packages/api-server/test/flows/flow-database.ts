/** A database for the tests of a file, with one flow `f` at the beginning of each. */
import { v7 } from 'uuid'
import { beforeEach } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { useDatabase } from '../use-database.ts'

export function useFlowDatabase(use: (database: Database) => void): void {
  let database: Database
  useDatabase((opened) => {
    database = opened
    use(opened)
  })
  beforeEach(async () => {
    await database.sql`delete from flow`
    await database.sql`insert into flow (id, name, version, draft, origin) values (${v7()}, 'f', 1, '{}', 'api')`
  })
}
