import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import { createDataDirectory } from '../../src/db/template.ts'
import { quiet } from '../use-database.ts'

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-template-'))
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const migrations = readMigrations()

/** What was applied to the database of a data directory, and when. */
async function applied(name: string): Promise<Record<string, unknown>[]> {
  const database = await openDatabase({ dataDir: path.join(directory, name), log: quiet })
  try {
    return [...(await database.sql`select id, applied_at from migration order by id`)]
  } finally {
    await database.close()
  }
}

test('a damaged copy is made again, and kept; the databases of one copy have their tables from it', async () => {
  const copy = path.join(directory, 'copy.tar.zst')
  fs.writeFileSync(copy, 'damaged')
  await createDataDirectory(path.join(directory, 'first/db'), migrations, copy)
  const made = fs.statSync(copy)
  await createDataDirectory(path.join(directory, 'second/db'), migrations, copy)
  expect(fs.statSync(copy).mtimeMs).toBe(made.mtimeMs)
  const files = (name: string): string[] => fs.readdirSync(path.join(directory, name), { recursive: true }).map(String)
  expect(files('first').toSorted()).toEqual(files('second').toSorted())
  expect(files('second')).toContain('db/PG_VERSION')
  const first = await applied('first')
  expect(first.map(({ id }) => id)).toEqual(migrations.map(({ id }) => id))
  expect(await applied('second')).toEqual(first)
})

test('a database with the tables of an older version gets the others when it is opened', async () => {
  const copy = path.join(directory, 'old.tar.zst')
  await createDataDirectory(path.join(directory, 'old/db'), migrations.slice(0, 3), copy)
  expect((await applied('old')).map(({ id }) => id)).toEqual(migrations.map(({ id }) => id))
})
