/**
 * A database that is read as a whole: where a move begins, and what a backup is made of. It is as an engine left it, and of
 * any version up to this one.
 * @module
 */
import { createHash } from 'node:crypto'

import type { Sql } from '../db/database.ts'
import { type Mark, MARK_ID, markOf } from '../db/mark.ts'
import { assertKnown, type Migration, readMigrations } from '../db/migrate.ts'
import { ConfigError } from '../process/setting.ts'
import { createCatalogStore, type SequenceState } from './catalog-store.ts'
import { createServiceStore } from './service-store.ts'
import { type MovedTable, movedTables } from './tables.ts'

/** A migration that is applied. */
export interface AppliedMigration {
  readonly id: string
  readonly digest: string
  readonly appliedAt: string
}

/** What a database holds, as far as it is moved. */
export interface Source {
  /** Tells the database from others. */
  readonly id: string
  readonly migrations: readonly AppliedMigration[]
  /** In the order in which they are filled. */
  readonly tables: readonly MovedTable[]
  /** Null: it is an ordinary one. */
  readonly mark: Mark | null
}

/** Looks at a database. `where` is its name in messages. Throws when this version does not know it. */
export async function readSource(sql: Sql, where: string): Promise<Source> {
  const [catalog, service] = [createCatalogStore(sql), createServiceStore(sql)]
  const { encoding } = await catalog.facts()
  if (encoding !== 'UTF8') throw new Error(`${where} is of the encoding ${encoding}: only UTF8 can be moved`)
  if (!(await catalog.has('migration'))) throw new ConfigError(`${where} is empty: no engine has ever used it`)
  const rows = await service.migrations()
  const migrations = rows.filter(({ id }) => id !== MARK_ID)
  const mark = rows.find(({ id }) => id === MARK_ID)
  const known = knownMigrations(migrations)
  const [first] = migrations
  const identity = JSON.stringify([first?.appliedAt, await service.identity()])
  return {
    id: createHash('sha256').update(identity).digest('hex').slice(0, 32),
    migrations,
    tables: await movedTables(sql, known),
    mark: mark ? markOf(mark.digest) : null,
  }
}

/** The migrations of this version that were applied elsewhere; throws when one of those is another one here, or none. */
export function knownMigrations(applied: readonly Pick<AppliedMigration, 'id' | 'digest'>[]): Migration[] {
  const digests = new Map(applied.map(({ id, digest }) => [id, digest]))
  const all = readMigrations()
  assertKnown(digests, all)
  return all.filter(({ id }) => digests.has(id))
}

/** How far the numbers of the tables have come. */
export const sequencesOf = (sql: Sql, tables: readonly MovedTable[]): Promise<SequenceState[]> =>
  createCatalogStore(sql).sequences(
    tables.flatMap(({ name: table, columns }) =>
      columns.filter(({ isCounted }) => isCounted).map((column) => ({ ...column, table })),
    ),
  )

/** Throws while an engine has the database open. */
export async function assertNoEngine(sql: Sql, where: string): Promise<void> {
  if (!(await createCatalogStore(sql).has('engine'))) return
  const engine = await createServiceStore(sql).engineInContact()
  if (engine === null) return
  throw new Error(
    `the engine ${engine} is in contact with ${where}: stop all of its engines first (one that was killed counts as ended after some seconds)`,
  )
}
