/**
 * A database that is being filled. From its first table on it has a mark (db/mark.ts), so that no engine opens it before it
 * is complete.
 *
 * - target.T1 rows and how far they are stand in one statement: whoever goes on after a crash goes on behind the last row.
 * - target.T2 each process that fills it has a turn of its own in the mark, and each write names the mark that it saw: one
 *   that was taken for dead writes nothing any more.
 * - target.T3 triggers of the service are silent while it is filled: what they would write is among the rows.
 * @module
 */
import { randomUUID } from 'node:crypto'

import type { Database, Sql } from '../db/database.ts'
import { type Mark, MARK_ID, markOf, putMark, removeMark } from '../db/mark.ts'
import { applyMissing, readMigrations, recordMigrations } from '../db/migrate.ts'
import type { PinName } from '../db/pins.ts'
import { type CatalogStore, createCatalogStore, type SequenceState } from './catalog-store.ts'
import { digestOf, type TableDigest } from './digest.ts'
import { openPlace, type Place, placeText } from './places.ts'
import { BEGINNING, createRowStore, type RowPage, type RowStore } from './row-store.ts'
import { createServiceStore } from './service-store.ts'
import { type AppliedMigration, assertNoEngine, knownMigrations } from './source.ts'
import { type MovedTable, movedTables } from './tables.ts'

type Filling = Extract<Mark, { state: 'filling' }>

/** By what a database is filled. */
export interface FillingOptions {
  readonly by: Filling['by']
  /** The source for people. */
  readonly from: string
  /** Tells the source from others. */
  readonly source: string
  readonly migrations: readonly AppliedMigration[]
}

interface TargetDeps {
  readonly database: Database
  /** The place for people. */
  readonly where: string
  readonly mark: Filling
  readonly tables: readonly MovedTable[]
  readonly isResumed: boolean
}

/** A database that is being filled. */
export class Target {
  /** In the order in which they are filled. */
  readonly tables: readonly MovedTable[]
  /** Whether an earlier process has begun. */
  readonly isResumed: boolean
  readonly #database: Database
  readonly #rows: RowStore
  readonly #catalog: CatalogStore
  readonly #where: string
  #mark: Filling

  constructor({ database, where, mark, tables, isResumed }: TargetDeps) {
    this.#database = database
    this.#where = where
    this.#rows = createRowStore(database.sql)
    this.#catalog = createCatalogStore(database.sql)
    this.#mark = mark
    this.tables = tables
    this.isResumed = isResumed
  }

  /**
   * Opens a database that is empty, or half filled from the same source, and makes its tables. Throws when it is neither, an
   * engine has it open, or its user may not make tables there; it is as it was then.
   */
  static async open(place: Place, options: FillingOptions): Promise<Target> {
    const database = await openPlace(place)
    try {
      return await begin(database, place, options)
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** What is still to be filled, and behind which row the first of these tables goes on. */
  get left(): { readonly tables: readonly MovedTable[]; readonly after: string } {
    const { at } = this.#mark
    if (at === null) return { tables: [], after: BEGINNING }
    const first = this.tables.findIndex(({ name }) => name === at.table)
    return { tables: this.tables.slice(Math.max(first, 0)), after: at.after }
  }

  /** Writes a page of a table that is filled for the first time (target.T1). */
  async write(table: MovedTable, { rows, after }: RowPage): Promise<void> {
    await this.#write(table, rows, { ...this.#mark, at: { table: table.name, after } })
  }

  /** Writes a page of a table that is filled once more: what is missing then is found by comparing. */
  async writeAgain(table: MovedTable, { rows }: RowPage): Promise<void> {
    await this.#write(table, rows, this.#mark)
  }

  /** All tables are filled. */
  async filled(): Promise<void> {
    await this.#put({ ...this.#mark, at: null })
  }

  /** Empties all tables, to be filled from the beginning. */
  async restart(): Promise<void> {
    await this.#put({ ...this.#mark, at: START })
    await this.#rows.empty(this.tables)
  }

  /** Empties tables that are filled already. */
  async empty(tables: readonly MovedTable[]): Promise<void> {
    await this.#put(this.#mark)
    await this.#rows.empty(tables)
  }

  digest(table: MovedTable, onRows?: (rows: number) => void): Promise<TableDigest> {
    return digestOf(this.#rows, table, onRows)
  }

  /**
   * Does what is left but taking the mark away. `forget` is the pin that does not hold here. Throws while an engine is in
   * contact, which has come before the mark.
   */
  async complete(sequences: readonly SequenceState[], forget: PinName | null = null): Promise<void> {
    for (const sequence of sequences) await this.#catalog.setSequence(sequence)
    for (const { name } of this.tables) await this.#catalog.setTriggers(name, 'enable')
    for (const { name } of this.tables) await this.#catalog.analyze(name)
    // databases of older versions have no pins
    if (forget !== null && (await this.#catalog.has('pin')))
      await createServiceStore(this.#database.sql).forgetPin(forget)
    await this.#put(this.#mark)
    await assertNoEngine(this.#database.sql, this.#where)
  }

  /** Takes the mark away: from now on engines open the database (mark.M2). Whether it was is not known when it throws. */
  async release(): Promise<void> {
    await removeMark(this.#database.sql)
  }

  async close(): Promise<void> {
    await this.#database.close()
  }

  async #write(table: MovedTable, rows: readonly string[], after: Filling): Promise<void> {
    await this.#rows.write(table, rows, { before: this.#mark, after })
    this.#mark = after
  }

  async #put(mark: Filling): Promise<void> {
    if (!(await putMark(this.#database.sql, mark, this.#mark)))
      throw new Error('another process fills the database as well: let it end, and then look at what it says')
    this.#mark = mark
  }
}

/** Nothing is filled yet. */
const START: Filling['at'] = { table: '', after: BEGINNING }

async function begin(database: Database, place: Place, options: FillingOptions): Promise<Target> {
  const { sql } = database
  const catalog = createCatalogStore(sql)
  const where = placeText(place)
  const { encoding, schema, mayCreate, user } = await catalog.facts()
  if (encoding !== 'UTF8') throw new Error(`${where} is of the encoding ${encoding}: make a database of UTF8 for it`)
  if (schema === null || !mayCreate)
    throw new Error(
      `the user "${user}" may not make tables in ${where}: let them own the database, or grant them CREATE on its schema`,
    )
  const known = knownMigrations(options.migrations)
  const found = await markIn(sql)
  const { by, from, source } = options
  const fresh: Filling = { state: 'filling', by, from, source, turn: randomUUID(), at: START }
  if (found) await resume(database, { where, found, fresh, options })
  else await create(database, { place, where, schema, fresh })
  const mark = { ...fresh, at: found?.state === 'filling' ? found.at : START }
  await applyMissing(database, known)
  const tables = await movedTables(sql, known)
  const target = new Target({ database, where, mark, tables, isResumed: found !== null })
  for (const { name } of target.tables) await catalog.setTriggers(name, 'disable')
  for (const { id, appliedAt } of options.migrations) await createServiceStore(sql).dateMigration(id, appliedAt)
  return target
}

async function markIn(sql: Sql): Promise<Mark | null> {
  if (!(await createCatalogStore(sql).has('migration'))) return null
  const row = (await createServiceStore(sql).migrations()).find(({ id }) => id === MARK_ID)
  return row ? markOf(row.digest) : null
}

interface Resuming {
  readonly where: string
  readonly found: Mark
  readonly fresh: Filling
  readonly options: FillingOptions
}

/** Goes on with what an earlier process has begun (target.T2). */
async function resume({ sql }: Database, { where, found, fresh, options }: Resuming): Promise<void> {
  if (found.state !== 'filling')
    throw new Error(`${where} is not empty: it holds what has moved to ${found.to}; use a new database`)
  if (found.by !== fresh.by || found.source !== fresh.source)
    throw new Error(
      `${where} is being filled from ${found.from} by "service ${found.by}": go on with that, or use a new database`,
    )
  const applied = (await createServiceStore(sql).migrations()).filter(({ id }) => id !== MARK_ID)
  const wanted = new Map(options.migrations.map(({ id, digest }) => [id, digest]))
  const other = applied.find(({ id, digest }) => wanted.get(id) !== digest)
  if (other) throw new Error(`${where} has the migration ${other.id}, and ${options.from} has not: use a new database`)
  if (!(await putMark(sql, { ...fresh, at: found.at }, found)))
    throw new Error(`another process has begun to fill ${where} as well: let it end`)
}

interface Creating {
  readonly place: Place
  readonly where: string
  readonly schema: string
  readonly fresh: Filling
}

/** Makes the mark in an empty database, before its tables (mark.M2). */
async function create(database: Database, { place, where, schema, fresh }: Creating): Promise<void> {
  const catalog = createCatalogStore(database.sql)
  if (place.kind === 'server') {
    const [relation, ...others] = await catalog.relations()
    if (relation !== undefined) {
      await assertNoEngine(database.sql, where)
      throw new Error(
        `${where} is not empty: it has ${relation}${others.length > 0 ? ` and ${others.length} more relations` : ''}; make a new database for it`,
      )
    }
  } else if (await createRowStore(database.sql).hasRows(await movedTables(database.sql, readMigrations()))) {
    throw new Error(`${where} is not empty: name another directory, or put its folder "db" aside`)
  }
  await database.transaction(async (tx) => {
    // a new one comes with the tables of this version, and the source may have those of an older one
    if (place.kind === 'embedded') await catalog.clearSchema(tx, schema)
    await recordMigrations(tx)
    await putMark(tx, fresh, null)
  })
}
