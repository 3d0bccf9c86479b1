import type { FailureMarker } from '@flow-service/core'
import { beforeEach, expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { createFlowStore } from '../../src/flows/store.ts'
import { newId } from '../../src/process/new-id.ts'
import { openMarkers } from '../../src/work/markers.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
useDatabase((opened) => void (database = opened))
beforeEach(async () => {
  await database.sql`delete from flow`
  await createFlowStore(database.sql).create(database.sql, { id: newId(), name: 'f', content: {}, by: 'ann' })
})

/** Another spelling of a text. */
const seals = {
  sealed: (place: string, text: string) => `${place}:${Buffer.from(text).toString('hex')}`,
  unseal: (place: string, stored: string) =>
    stored.startsWith(`${place}:`) ? Buffer.from(stored.slice(place.length + 1), 'hex').toString() : null,
}

/** Markers whose writes are counted, and fail while `trouble` says so. */
async function open() {
  const written = { count: 0, trouble: false }
  const transaction: Database['transaction'] = (run) => {
    written.count += 1
    return written.trouble ? Promise.reject(new Error('no disk')) : database.transaction(run)
  }
  const markers = await openMarkers({ database: { sql: database.sql, transaction }, log: quiet, seals })
  return { markers, written }
}

const marker = (message: string, content = 'abc'): FailureMarker => ({
  error: { type: 'Error', message, traceback: null, ts: '2026-01-01T00:00:00.000000Z' },
  content,
})

const stored = async (): Promise<unknown[]> => {
  const { markers } = await open()
  const found = [...markers.of('f')].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return found.map(([node, { error, content }]) => [node, error.message, content])
}

test('a node that fails over and over is one row: the same is written once, and of others the last', async () => {
  const { markers, written } = await open()
  for (let time = 0; time < 10_000; time++) markers.set('f', 'a', marker('no broker'))
  for (let time = 0; time < 10_000; time++) markers.set('f', 'b', marker(`${time} is too much`))
  await markers.written()
  expect(written.count).toBe(1)
  for (let time = 0; time < 10_000; time++) markers.set('f', 'a', marker('no broker'))
  await markers.close()
  expect(written.count).toBe(1)
  expect(await stored()).toEqual([
    ['a', 'no broker', 'abc'],
    ['b', '9999 is too much', 'abc'],
  ])
})

test('one that is cleared before it is written is not written, and one that was is removed', async () => {
  const { markers } = await open()
  markers.set('f', 'a', marker('one'))
  await markers.written()
  markers.clear('f', 'a')
  markers.set('f', 'b', marker('two'))
  markers.clear('f', 'b')
  expect(markers.of('f').size).toBe(0)
  await markers.close()
  expect(await stored()).toEqual([])
})

test('what could not be written waits again; who waits for the commit is told', async () => {
  const { markers, written } = await open()
  written.trouble = true
  markers.set('f', 'a', marker('one'))
  await expect(markers.written()).rejects.toThrow('no disk')
  written.trouble = false
  await markers.close()
  expect(await stored()).toEqual([['a', 'one', 'abc']])
})

test('it is written by itself', async () => {
  const { markers } = await open()
  markers.set('f', 'a', marker('one'))
  await expect.poll(stored).toEqual([['a', 'one', 'abc']])
  await markers.close()
})

test('texts that the database does not take are written as near as can be; the digest is sealed', async () => {
  const { markers } = await open()
  markers.set('f', 'a', marker('\0 \ud800'))
  await markers.close()
  expect(await stored()).toEqual([['a', '\uFFFD \uFFFD', 'abc']])
  expect(await database.sql`select content from failure_marker`).toMatchObject([{ content: 'failure_marker:616263' }])
})

test('a digest that does not open is that of no node', async () => {
  const { markers } = await open()
  markers.set('f', 'a', marker('one'))
  await markers.close()
  await database.sql`update failure_marker set content = 'elsewhere:cba'`
  expect(await stored()).toEqual([['a', 'one', '']])
})

test('markers of a flow that is gone are not written, and keep no others back', async () => {
  const { markers } = await open()
  markers.set('gone', 'a', marker('one'))
  markers.set('f', 'a', marker('two'))
  await markers.close()
  expect(await stored()).toEqual([['a', 'two', 'abc']])
})

test('a new name is followed, and a flow that is forgotten has none', async () => {
  const { markers } = await open()
  markers.set('e', 'a', marker('one'))
  markers.follow({ from: 'e', to: 'f' })
  expect([markers.of('e').size, markers.of('f').get('a')]).toEqual([0, marker('one')])
  markers.forget('f')
  expect(markers.of('f').size).toBe(0)
  await markers.close()
  expect(await stored()).toEqual([])
})
