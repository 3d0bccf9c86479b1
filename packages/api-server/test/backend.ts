/** Suites that use the database run twice: embedded, and on a PostgreSQL server in the test project `postgres`. */
import { basename } from 'node:path'

import postgres from 'postgres'
import { inject } from 'vitest'

import { type DatabaseOptions, openDatabase, type Sql } from '../src/db/database.ts'

/** How to open the database of a data directory: on a server it is one of that directory's name, made when missing. */
export async function databaseAt(dataDir: string): Promise<Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>> {
  const server = inject('postgresUrl') as string | undefined
  if (server === undefined) return { dataDir }
  const name = basename(dataDir)
  const sql = postgres(server, { max: 1 })
  try {
    const { count } = await sql`select from pg_database where datname = ${name}`
    if (count === 0) await sql`create database ${sql(name)}`
  } finally {
    await sql.end()
  }
  const url = new URL(server)
  url.pathname = name
  return { dataDir, databaseUrl: url.href }
}

/** Reads the embedded database of a data directory that no engine has open. */
export async function readDatabase<T>(dataDir: string, read: (sql: Sql) => Promise<T>): Promise<T> {
  const database = await openDatabase({ dataDir, log: { info() {}, warn() {}, error() {} } })
  try {
    return await read(database.sql)
  } finally {
    await database.close()
  }
}
