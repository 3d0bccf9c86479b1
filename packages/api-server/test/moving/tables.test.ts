import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import { movedTables, type MovedTable } from '../../src/moving/tables.ts'
import { useDatabase } from '../use-database.ts'

let database: Database
let tables: readonly MovedTable[]
useDatabase((opened) => void (database = opened))
beforeAll(async () => {
  await database.sql`create table of_somebody_else (id int)`
  tables = await movedTables(database.sql, readMigrations())
})
afterAll(() => database.sql`drop table of_somebody_else`)

test('every table of the service is moved, but those that are of the moment, or gone after a crash', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`
  const moved = new Set(tables.map(({ name }) => name))
  expect(rows.map(({ name }) => name).filter((name) => !moved.has(name))).toEqual([
    'artifact_ticket',
    'device_attachment',
    'engine',
    'migration',
    'of_somebody_else',
    'returned_sign_in',
    'sign_in_code',
    'socket_ticket',
    'stage_flight',
  ])
})

test('a table comes behind those that it refers to', () => {
  const places = new Map(tables.map(({ name }, at) => [name, at]))
  for (const { name, targets } of tables)
    for (const target of targets)
      expect(places.get(target), `${name} before ${target}`).toBeLessThan(places.get(name) ?? 0)
})

test('what names an engine, or its lease, is empty elsewhere; the lease of a run ends by itself', async () => {
  const named = await database.sql<{ name: string }[]>`
    select relname || '.' || attname as name from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and atttypid = 'uuid'::regtype
      and attname ~ 'engine|lease' and relname not in ('engine', 'device_attachment')
    order by 1`
  const emptied = tables.flatMap(({ name, columns }) =>
    columns.filter(({ isOfTheMoment }) => isOfTheMoment).map((column) => `${name}.${column.name}`),
  )
  expect(named.map(({ name }) => name)).toEqual([...emptied, 'run.lease_token'].toSorted())
})
