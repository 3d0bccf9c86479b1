/**
 * Which tables are moved, and in which order: those of the service's migrations, each behind those that it refers to.
 *
 * What is of the moment stays: the engines that are alive, what refers to them, and tables that a crash of the database
 * empties.
 * @module
 */
import type { Sql } from '../db/database.ts'
import type { Migration } from '../db/migrate.ts'
import { type CatalogColumn, type CatalogReference, createCatalogStore } from './catalog-store.ts'

/** A table that is moved. */
export interface MovedTable {
  readonly name: string
  readonly columns: readonly MovedColumn[]
  /** Tables that it refers to. */
  readonly targets: readonly string[]
}

/** A column of it, in the order of the table. */
interface MovedColumn {
  readonly name: string
  readonly isGenerated: boolean
  readonly isCounted: boolean
  /** Its value names an engine of the moment, and is null elsewhere. */
  readonly isOfTheMoment: boolean
}

const ENGINES = 'engine'
const MIGRATIONS = 'migration'
/** Columns that name an engine, or its lease, without a foreign key. */
const OF_THE_MOMENT: Readonly<Record<string, readonly string[]>> = {
  flow: ['engine'],
  placement: ['lease'],
  provision_request: ['engine'],
}

/** The tables of a database, whose migrations are these. A schema may hold tables of others, which are left alone. */
export async function movedTables(sql: Sql, migrations: readonly Migration[]): Promise<MovedTable[]> {
  const catalog = createCatalogStore(sql)
  const [columns, references] = [await catalog.columns(), await catalog.references()]
  const known = namesIn(migrations)
  const stays = (name: string): boolean =>
    name === ENGINES ||
    name === MIGRATIONS ||
    !known.has(name) ||
    references.some(({ table, target }) => table === name && target === ENGINES)
  const names = [...new Set(columns.map(({ table }) => table))].filter((name) => !stays(name))
  const tables = names.map((name) => ({
    name,
    columns: columns.filter(({ table }) => table === name).map(movedColumn),
    targets: targetsOf(name, references),
  }))
  return inOrder(tables)
}

const movedColumn = ({ table, name, isGenerated, isCounted }: CatalogColumn): MovedColumn => ({
  name,
  isGenerated,
  isCounted,
  isOfTheMoment: OF_THE_MOMENT[table]?.includes(name) ?? false,
})

const targetsOf = (name: string, references: readonly CatalogReference[]): string[] =>
  references.filter(({ table, target }) => table === name && target !== name).map(({ target }) => target)

/** Names of the tables that the migrations make. */
function namesIn(migrations: readonly Migration[]): Set<string> {
  const made = migrations.flatMap(({ text }) => [...text.matchAll(/\bcreate (?:unlogged )?table (\w+)/gi)])
  return new Set(made.map(([, name = '']) => name))
}

/** Each behind those that it refers to. */
function inOrder(tables: readonly MovedTable[]): MovedTable[] {
  const placed: MovedTable[] = []
  const left = new Set(tables)
  while (left.size > 0) {
    const waits = ({ targets }: MovedTable): boolean =>
      targets.some((target) => [...left].some(({ name }) => name === target))
    const next = [...left].filter((table) => !waits(table))
    if (next.length === 0)
      throw new Error(`tables refer to each other: ${[...left].map(({ name }) => name).join(', ')}`)
    for (const table of next) left.delete(table)
    placed.push(...next)
  }
  return placed
}

/** These tables and all that refer to them, in the order of `tables`. */
export function withReferring(tables: readonly MovedTable[], names: readonly string[]): MovedTable[] {
  const found = new Set(names)
  for (const { name, targets } of tables) if (targets.some((target) => found.has(target))) found.add(name)
  return tables.filter(({ name }) => found.has(name))
}
