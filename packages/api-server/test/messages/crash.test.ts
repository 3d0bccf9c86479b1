import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { openLastValues } from '../../src/messages/last-values.ts'
import { databaseAt } from '../backend.ts'
import { killAfter } from '../killed-teller.ts'
import { quiet } from '../use-database.ts'

const publisher = fileURLToPath(new URL('publisher.ts', import.meta.url))

test('an acknowledged publication survives the death of the engine, as last value and in the history', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crash-'))
  const acknowledged = await killAfter(100, [
    '--conditions=@flow-service/source',
    publisher,
    JSON.stringify(await databaseAt(dataDir)),
  ])
  expect(acknowledged.length).toBeGreaterThanOrEqual(100)

  const database = await openDatabase({ ...(await databaseAt(dataDir)), log: quiet })
  const artifacts = { addRefs: async () => undefined, dropRefs: async () => undefined, moveRefs: async () => undefined }
  const values = await openLastValues({ database, artifacts, log: quiet })
  const history = await values.history('crash.x', { limit: 1000 })
  const kept = new Set(history.map(({ value }) => Number(value)))
  expect(acknowledged.filter((value) => !kept.has(value))).toEqual([])
  expect(values.get('crash.x')?.value).toBe(Math.max(...kept))

  await values.close()
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})
