/**
 * Brings the tables up to date: the numbered files of `migrations/`, in order, each in one transaction. The table
 * `migration` records what was applied, with a digest of the file.
 * @module
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Database } from './backend.ts'
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
 * migration is unknown here (the database belongs to a newer version) or its file has changed since.
 */
export async function migrate(database: Pick<Database, 'sql' | 'transaction'>, migrations: Migration[]): Promise<void> {
  await database.transaction(async (tx) => {
    await lock(tx)
    const [row] = await tx<{ known: boolean }[]>`select to_regclass('migration') is not null as known`
    if (row?.known) return
    await tx`create table migration (
      id text primary key, digest text not null, applied_at timestamptz not null default now())`
  })
  const applied = await readApplied(database.sql)
  assertKnown(applied, migrations)
  for (const migration of migrations) {
    // oxlint-disable-next-line no-await-in-loop -- each stands on the one before
    if (!applied.has(migration.id)) await database.transaction((tx) => apply(tx, migration))
  }
}

async function apply(tx: Sql, migration: Migration): Promise<void> {
  await lock(tx)
  const applied = await readApplied(tx)
  if (applied.has(migration.id)) return
  try {
    await tx.unsafe(migration.text)
  } catch (error) {
    throw new Error(`the migration ${migration.id} failed: ${String(error)}`, { cause: error })
  }
  await tx`insert into migration (id, digest) values (${migration.id}, ${digestOf(migration)})`
}

/** An arbitrary key that every engine uses; held to the end of the transaction. */
const lock = (tx: Sql): Promise<unknown> => tx`select pg_advisory_xact_lock(7305016451)`

async function readApplied(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; digest: string }[]>`select id, digest from migration`
  return new Map(rows.map(({ id, digest }) => [id, digest]))
}

function assertKnown(applied: Map<string, string>, migrations: Migration[]): void {
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
