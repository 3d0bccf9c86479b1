/** Backups of a database on a server, which are restored into a data directory and back. */
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { writeBackupFile } from '../../src/moving/backup/backup-file.ts'
import { openBackups } from '../../src/moving/backup/backups.ts'
import { restoreBackup } from '../../src/moving/backup/restore.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'
import { digestsOf, fill, Folders, withDatabase } from './filled.ts'

const folders = new Folders()
afterAll(() => folders[Symbol.asyncDispose]())

test('a backup of a server shows one moment while engines write, and is restored to either place', async () => {
  const dataDir = await folders.fresh()
  const { databaseUrl = '' } = await databaseAt(dataDir)
  const database = await openDatabase({ dataDir, databaseUrl, log: quiet })
  await fill(database.sql, 5_000)
  await database.sql`create table of_somebody_else (id int)`
  const digests = await digestsOf(database.sql)
  const backups = await openBackups({
    config: { artifactsUrl: 's3://bucket/prefix?endpoint=https://user:password@host', databaseUrl, dataDir },
    database,
    artifacts: { open: async () => null },
  })
  const file = join(dataDir, 'server.backup')
  async function* whileWritten() {
    let parts = 0
    for await (const part of backups.make({ artifacts: undefined }, async () => {})) {
      yield part
      // behind the head: the moment has begun
      if ((parts += 1) === 2) {
        await database.sql`delete from message_history where seq % 2 = 0`
        await database.sql`insert into library (name, code, version) values ('later', '', 1)`
      }
    }
  }
  const { head } = await writeBackupFile(file, whileWritten())
  await database.close()
  expect(head.artifacts).toEqual({ kind: 'elsewhere', place: 's3://bucket/prefix' })

  const local = await folders.fresh()
  await restoreBackup({ file, to: { kind: 'embedded', dataDir: local }, dataDir: local, openArtifacts: null })
  await withDatabase({ dataDir: local }, async ({ sql }) => expect(await digestsOf(sql)).toEqual(digests))

  const other = await folders.fresh()
  const { databaseUrl: url = '' } = await databaseAt(other)
  await restoreBackup({ file, to: { kind: 'server', url }, dataDir: other, openArtifacts: null })
  await withDatabase({ dataDir: other, databaseUrl: url }, async ({ sql }) => {
    expect(await digestsOf(sql)).toEqual(digests)
    expect(await sql`select id from pin`).toHaveLength(1)
  })
})
