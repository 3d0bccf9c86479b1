import { join } from 'node:path'

import { expect, test } from 'vitest'

import { createArtifacts } from '../../src/artifacts/artifacts.ts'
import { openFolderStore } from '../../src/artifacts/folder-store.ts'
import type { Database } from '../../src/db/database.ts'
import { type LastValues, openLastValues } from '../../src/messages/last-values.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
let open: () => Promise<LastValues>
useDatabase(async (opened, directory) => {
  database = opened
  const content = await openFolderStore(join(directory, 'artifacts'))
  const artifacts = createArtifacts({ database, content, onCorrupt: () => undefined })
  open = () => openLastValues({ database, artifacts, log: quiet })
})

const published = (message: string, value: unknown): Parameters<LastValues['record']> => [
  { message, flow: 'meter', node: 'n', port: 'p' },
  value,
  Date.now(),
]
const valuesOf = async (values: LastValues, message: string) =>
  (await values.history(message, { limit: 10 })).map(({ value, flow }) => [value, flow])

test('written and waiting values are those of the new name, in order, and go on under it', async () => {
  const names = { from: 'meter', to: 'gauge' }
  const values = await open()
  values.record(...published('meter.level', 1))
  await values.commit('meter.level')
  await database.transaction((tx) => values.rename(tx, names))
  // came between the transaction and the change in memory
  values.record(...published('meter.level', 2))
  values.record(...published('meter.fresh', 3))
  values.record(...published('meter2.level', 4))
  values.follow(names)
  values.record(...published('gauge.level', 5))
  expect(await valuesOf(values, 'gauge.level')).toEqual([
    ['5', 'meter'],
    ['2', 'meter'],
    ['1', 'gauge'],
  ])
  expect(await valuesOf(values, 'gauge.fresh')).toEqual([['3', 'meter']])
  await values.close()

  const again = await open()
  expect(new Map(again.all().map(({ message, value }) => [message, value]))).toEqual(
    new Map([
      ['gauge.fresh', 3],
      ['gauge.level', 5],
      ['meter2.level', 4],
    ]),
  )
  await again.close()
})

test('a renaming that is undone changes nothing', async () => {
  const names = { from: 'old', to: 'new' }
  const values = await open()
  values.record(...published('old.x', 1))
  await values.commit('old.x')
  const undone = database.transaction(async (tx) => {
    await values.rename(tx, names)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  values.record(...published('old.x', 2))
  expect(await valuesOf(values, 'old.x')).toEqual([
    ['2', 'meter'],
    ['1', 'meter'],
  ])
  await values.close()
})
