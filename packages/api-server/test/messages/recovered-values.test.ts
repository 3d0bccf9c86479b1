/** Values that an earlier life may not have written, and who waits until values are written behind. */
import { join } from 'node:path'

import type { ValueSource } from '@flow-service/core'
import { expect, test, vi } from 'vitest'

import { createArtifacts } from '../../src/artifacts/artifacts.ts'
import { openFolderStore } from '../../src/artifacts/folder-store.ts'
import type { Database } from '../../src/db/database.ts'
import { type LastValues, openLastValues } from '../../src/messages/last-values.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
let open: (on?: Database) => Promise<LastValues>
useDatabase(async (opened, directory) => {
  database = opened
  const content = await openFolderStore(join(directory, 'artifacts'))
  const artifacts = createArtifacts({ database, content, onCorrupt: () => undefined })
  open = (on = database) => openLastValues({ database: on, artifacts, log: quiet })
})

const nowMs = Date.now()
const from = (message: string): ValueSource => ({ message, flow: 'f', node: 'n', port: 'p' })
const history = async (values: LastValues, message: string): Promise<unknown[]> =>
  (await values.history(message, { limit: 100 })).map(({ value }): unknown => JSON.parse(value ?? 'null')).toReversed()

test('what an earlier life has not written is recovered once, whatever it has written', async () => {
  const first = await open()
  first.record(from('rec.x'), 'written', nowMs)
  await first.close()
  const second = await open()
  for (const [value, atMs] of [
    ['older', nowMs - 1],
    ['written', nowMs],
    ['one', nowMs + 1],
    // of the same microsecond
    ['two', nowMs + 1],
    ['three', nowMs + 2],
  ] as const) {
    second.recover(from('rec.x'), value, atMs)
  }
  // and then published again
  second.record({ ...from('rec.x'), again: true }, 'one', nowMs + 1)
  second.recover(from('rec.new'), 'first of its message', nowMs)
  expect(await history(second, 'rec.x')).toEqual(['written', 'one', 'two', 'three'])
  expect(await history(second, 'rec.new')).toEqual(['first of its message'])
  await second.close()
})

test('what is read again after other engines have written it is the last value, and is not recovered once more', async () => {
  const here = await open()
  here.record(from('shared.own'), 'own', nowMs)
  const elsewhere = await open()
  elsewhere.record(from('shared.x'), 'theirs', nowMs + 1)
  await elsewhere.close()
  await here.reread(['shared'])
  expect(here.get('shared.x')?.value).toBe('theirs')
  here.recover(from('shared.x'), 'theirs', nowMs + 1)
  here.recover(from('shared.own'), 'own', nowMs)
  here.recover(from('shared.x'), 'owed', nowMs + 2)
  expect(await history(here, 'shared.x')).toEqual(['theirs', 'owed'])
  expect(await history(here, 'shared.own')).toEqual(['own'])
  here.record(from('shared.x'), 'newest', nowMs + 3)
  await here.reread(['shared'])
  expect(here.get('shared.x')?.value).toBe('newest')
  await here.close()
})

/** A database whose transactions wait for the test. */
function gated() {
  const gate = Promise.withResolvers<void>()
  let fails = false
  const slow: Database = {
    ...database,
    async transaction(run) {
      await gate.promise
      if (fails) throw new Error('the database is away')
      return database.transaction(run)
    },
  }
  return { slow, gate, fail: (does: boolean) => (fails = does) }
}

test('who waits until values are written behind is told when they are, and not of later ones', async () => {
  const { gate, slow } = gated()
  const values = await open(slow)
  await values.written()
  values.record(from('behind.x'), 1, nowMs)
  const told = vi.fn<() => void>()
  const waiting = values.written().then(told)
  await expect(values.commit('behind.none')).resolves.toBeUndefined()
  expect(told).not.toHaveBeenCalled()
  gate.resolve()
  await waiting
  const [row] = await database.sql<{ value: string }[]>`select value from message_value where message = 'behind.x'`
  expect(row?.value).toBe('1')
  await values.close()
})

test('a failed write tells nobody; a flow that is renamed takes those who wait along, one that is gone lets them go', async () => {
  const { fail, gate, slow } = gated()
  fail(true)
  const values = await open(slow)
  values.record(from('old.x'), 1, nowMs)
  values.record(from('gone.x'), 2, nowMs)
  const told = vi.fn<() => void>()
  const waiting = values.written().then(told)
  gate.resolve()
  await expect(values.commit('old.x')).rejects.toThrow('the database is away')
  values.follow({ from: 'old', to: 'new' })
  values.forget('gone')
  await expect(values.commit('new.x')).rejects.toThrow('the database is away')
  expect(told).not.toHaveBeenCalled()
  fail(false)
  await values.commit('new.x')
  await waiting
  await values.close()
})

test('who waits for values that are being written while their flow is renamed is let go', async () => {
  const { gate, slow } = gated()
  const values = await open(slow)
  values.record(from('moving.x'), 1, nowMs)
  const committing = values.commit('moving.x')
  const waiting = values.written()
  values.follow({ from: 'moving', to: 'moved' })
  gate.resolve()
  await committing
  await expect(waiting).resolves.toBeUndefined()
  await values.close()
})
