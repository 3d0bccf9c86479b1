/**
 * Brings the tables up to date: the numbered files of `migrations/`, in order, each in one transaction. The table
 * `migration` records what was applied, with a digest of the file.
 * @module
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Database } from './backend.ts'
import { assertUnmarked, MARK_ID } from './mark.ts'
import type { Sql } from './values.ts'

/** One step: `id` is the file's name without `.sql`, such as `0010-auth`. */
export interface Migration {
  id: string
  text: string
}

/** The service's migrations, in order. */
export function readMigrations(directory = fileURLToPath(new URL('./migrations/', import.meta.url))): Migration[] {
  const names = fs.readdirSync(directory).filter((name) => /^\d{4}-.+\.sql$/.test(name))
  return names
    .toSorted()
    .map((name) => ({ id: name.slice(0, -'.sql'.length), text: fs.readFileSync(`${directory}/${name}`, 'utf8') }))
}

/**
 * Applies what is missing; several engines may call it at once. Throws, and changes nothing further, when an applied
 * migration is unknown here (the database belongs to a newer version) or its file has changed since, and when the
 * database is being filled, or has moved (mark.M1).
 */
export async function migrate(database: Pick<Database, 'sql' | 'transaction'>, migrations: Migration[]): Promise<void> {
  await database.transaction(recordMigrations)
  const applied = await readApplied(database.sql)
  assertUnmarked(applied.get(MARK_ID))
  assertKnown(applied, migrations)
  await applyMissing(database, migrations)
}

/** {@link migrate} with the service's migrations. */
export const upToDate = (database: Pick<Database, 'sql' | 'transaction'>): Promise<void> =>
  migrate(database, readMigrations())

/** Makes the table `migration`, unless there is one. */
export async function recordMigrations(tx: Sql): Promise<void> {
  await lock(tx)
  const [row] = await tx<{ known: boolean }[]>`select to_regclass('migration') is not null as known`
  if (row?.known) return
  await tx`create table migration (
    id text primary key, digest text not null, applied_at timestamptz not null default now())`
}

/** Applies those of the migrations that are missing, in order. */
export async function applyMissing(
  database: Pick<Database, 'sql' | 'transaction'>,
  migrations: readonly Migration[],
): Promise<void> {
  const applied = await readApplied(database.sql)
  for (const migration of migrations) {
    // oxlint-disable-next-line no-await-in-loop -- each stands on the one before
    if (!applied.has(migration.id)) await database.transaction((tx) => apply(tx, migration))
  }
}

async function apply(tx: Sql, migration: Migration): Promise<void> {
  await lock(tx)
  const applied = await readApplied(tx)
  if (applied.has(migration.id)) return
  if (migration.text.startsWith(ALONE)) await assertAlone(tx)
  try {
    await tx.unsafe(migration.text)
  } catch (error) {
    throw new Error(`the migration ${migration.id} failed: ${String(error)}`, { cause: error })
  }
  await tx`insert into migration (id, digest) values (${migration.id}, ${digestOf(migration)})`
}

/** How a migration begins that engines of earlier versions would not outlive: they must have ended. Others may go on. */
const ALONE = '-- alone:'

async function assertAlone(tx: Sql): Promise<void> {
  const [row] = await tx<{ known: boolean }[]>`select to_regclass('engine') is not null as known`
  if (!row?.known) return
  const living = await tx<{ name: string; version: string }[]>`
    select name, version from engine where engine_in_contact(id) order by name`
  if (living.length === 0) return
  const names = living.map(({ name, version }) => `${name} (${version})`).join(', ')
  throw new Error(
    `this version changes the database in a way that engines of earlier versions do not outlive, and there are ${names}: stop them, then start this one; nothing was changed`,
  )
}

/** An arbitrary key that every engine uses; held to the end of the transaction. */
const lock = (tx: Sql): Promise<unknown> => tx`select pg_advisory_xact_lock(7305016451)`

/** The digests of what is applied, by id; what else stands in the table is among them. */
export async function readApplied(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; digest: string }[]>`select id, digest from migration`
  return new Map(rows.map(({ id, digest }) => [id, digest]))
}

/** Throws when a migration that is applied is unknown here, or its file has changed since. */
export function assertKnown(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.id, digestOf(migration)]))
  for (const [id, digest] of applied) {
    if (!known.has(id)) {
      throw new Error(
        `the database has the migration ${id}, unknown to this version: start the newer version that made it`,
      )
    }
    if (known.get(id) !== digest) {
      throw new Error(`the migration ${id} has changed since it was applied: restore its file and add a new migration`)
    }
  }
}

/** Of its text, as it is recorded. */
export function digestOf({ text }: Migration): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}
