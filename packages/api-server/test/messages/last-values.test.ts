import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'

import type { ValueSource } from '@flow-service/core'
import { timestampOf, timestampOfMs } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { type Artifacts, createArtifacts } from '../../src/artifacts/artifacts.ts'
import { openFolderStore } from '../../src/artifacts/folder-store.ts'
import type { Database } from '../../src/db/database.ts'
import { type LastValues, openLastValues } from '../../src/messages/last-values.ts'
import { losing } from '../faulty-database.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
let artifacts: Artifacts
useDatabase(async (opened, directory) => {
  database = opened
  const content = await openFolderStore(join(directory, 'artifacts'))
  artifacts = createArtifacts({ database, content, onCorrupt: () => undefined })
})

const open = (): Promise<LastValues> => openLastValues({ database, artifacts, log: quiet })
const nowMs = Date.now()
type Recorded = Parameters<LastValues['record']>

const sourceOf = (message: string): ValueSource => ({ message, flow: 'f', node: 'n', port: 'p' })
const published = (message: string, value: unknown, atMs = nowMs): Recorded => [sourceOf(message), value, atMs]
const all = { limit: 5000 }
const valuesOf = async (values: LastValues, message: string, page: Parameters<LastValues['history']>[1] = all) =>
  (await values.history(message, page)).map(({ value }) => (value === null ? null : (JSON.parse(value) as unknown)))
const storedValue = async (message: string): Promise<unknown> => {
  const [row] = await database.sql<{ value: string }[]>`select value from message_value where message = ${message}`
  return row && JSON.parse(row.value)
}

test('a value is readable at once and in the database soon after, without anyone waiting for it', async () => {
  const values = await open()
  values.record(...published('soon.x', { a: [1] }))
  expect(values.get('soon.x')).toEqual({ message: 'soon.x', value: { a: [1] }, ts: timestampOfMs(nowMs) })
  await expect.poll(() => storedValue('soon.x'), { interval: 10 }).toEqual({ a: [1] })
  await values.close()
})

test('subscribers hear each value in its turn with the time that it has, and an old one that comes again not at all', async () => {
  const values = await open()
  const heard: unknown[] = []
  const end = values.subscribe((...value) => heard.push(value))
  const us = Math.round(nowMs * 1000)
  for (const value of [1, 2]) values.record(...published('heard.x', value))
  values.record({ ...sourceOf('heard.x'), again: true }, 3, nowMs)
  end()
  values.record(...published('heard.x', 4))
  expect(heard).toEqual([
    ['heard.x', 1, us],
    ['heard.x', 2, us + 1],
  ])
  await values.close()
})

test('a port that publishes once more after its flow was forgotten begins anew, with all that follows from a value', async () => {
  const values = await open()
  const port = { ...sourceOf('gone.x'), flow: 'gone' }
  values.record(port, 1, nowMs)
  await values.commit('gone.x')
  values.forget('gone')
  expect(values.get('gone.x')).toBeUndefined()
  values.record(port, 2, nowMs + 1)
  values.record(port, 3, nowMs + 2)
  expect(values.get('gone.x')).toMatchObject({ value: 3 })
  expect(await valuesOf(values, 'gone.x')).toEqual([3, 2, 1])
  expect(await storedValue('gone.x')).toBe(3)
  await values.close()
})

test('what nobody waits for gives way to those who wait for a commit: one message a round', async () => {
  let waits = true
  const written: number[] = []
  const counted: Database = {
    ...database,
    transaction: (fn) => database.transaction(fn).finally(() => written.push(values.all().length)),
  }
  const values = await openLastValues({ database: counted, artifacts, log: quiet, waits: () => waits })
  for (const message of ['way.x', 'way.y', 'way.z']) {
    for (let at = 0; at < 1000; at++) values.record(...published(message, at))
  }
  await expect.poll(() => storedValue('way.x'), { interval: 10 }).toBe(999)
  expect(await storedValue('way.z')).toBeUndefined()
  expect(written).toHaveLength(1)
  waits = false
  await expect.poll(() => storedValue('way.z'), { interval: 10 }).toBe(999)
  await values.close()
})

test('a commit resolves when the value is in the database, also for another engine to read', async () => {
  const values = await open()
  values.record(...published('commit.x', 1))
  values.record(...published('commit.x', 'two'))
  await values.commit('commit.x')
  expect(await storedValue('commit.x')).toBe('two')
  const other = await open()
  expect(other.get('commit.x')).toEqual({ message: 'commit.x', value: 'two', ts: timestampOf(nowMs * 1000 + 1) })
  expect(await valuesOf(other, 'commit.x')).toEqual(['two', 1])
  await Promise.all([values.close(), other.close()])
})

test('commits of the same moment share a transaction', async () => {
  let transactions = 0
  const counted: Database = {
    ...database,
    transaction: (fn) => {
      transactions += 1
      return database.transaction(fn)
    },
  }
  const values = await openLastValues({ database: counted, artifacts, log: quiet })
  await Promise.all(
    Array.from({ length: 500 }, (_, i) => {
      values.record(...published(`group.m${i % 7}`, i))
      return values.commit(`group.m${i % 7}`)
    }),
  )
  expect(transactions).toBeLessThan(10)
  const [row] = await database.sql<
    { n: number }[]
  >`select count(*)::int as n from message_history where message like 'group.%'`
  expect(row?.n).toBe(500)
  await values.close()
})

test('values of one millisecond keep their order and get times of their own, so that pages lose none [R078]', async () => {
  const values = await open()
  for (let i = 0; i < 10; i++) values.record(...published('page.x', i))
  await values.flush()
  const read: unknown[] = []
  let before: string | undefined
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- page after page
    const page = await values.history('page.x', { limit: 3, before })
    read.push(...page.map(({ value }) => Number(value)))
    before = page.at(-1)?.at
    if (page.length < 3) break
  }
  expect(read).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  expect(await valuesOf(values, 'page.x', { ...all, since: timestampOf(nowMs * 1000 + 7) })).toEqual([9, 8, 7])
  await values.close()
})

test('history keeps the newest 1,000 values, over many writes and in one', async () => {
  const values = await open()
  for (let i = 0; i < 2500; i++) values.record(...published('long.x', i))
  await values.flush()
  expect(await valuesOf(values, 'long.x')).toEqual(Array.from({ length: 1000 }, (_, i) => 2499 - i))
  for (let i = 2500; i < 2600; i += 10) {
    for (let j = 0; j < 10; j++) values.record(...published('long.x', i + j))
    // oxlint-disable-next-line no-await-in-loop -- one write after the other
    await values.commit('long.x')
  }
  expect(await valuesOf(values, 'long.x')).toEqual(Array.from({ length: 1000 }, (_, i) => 2599 - i))
  await values.close()
})

test('a value over 64,000 bytes of JSON is the last value but leaves only its time in the history', async () => {
  const values = await open()
  const large = 'x'.repeat(64_000)
  for (const value of [large, large.slice(2), 'ü'.repeat(40_000), null]) values.record(...published('large.x', value))
  await values.commit('large.x')
  expect(await valuesOf(values, 'large.x')).toEqual([null, null, large.slice(2), null])
  expect((await values.history('large.x', all)).map(({ value }) => value === null)).toEqual([false, true, false, true])
  values.record(...published('large.y', large))
  await values.commit('large.y')
  expect(await storedValue('large.y')).toBe(large)
  await values.close()
})

test('any text of node code is kept as it is, and what has no JSON text keeps nothing else from being written', async () => {
  const values = await open()
  const odd = { 'key\0': 'nul \0 and half a pair \ud800' }
  let deep: unknown = 1
  for (let i = 0; i < 100_000; i++) deep = [deep]
  values.record(...published('odd.x', odd))
  values.record(...published('odd.big', 10n))
  values.record(...published('odd.deep', deep))
  values.record(...published('odd.z', 'ordinary'))
  await values.flush()
  expect(await valuesOf(values, 'odd.x')).toEqual([odd])
  expect(await valuesOf(values, 'odd.big')).toEqual([null])
  expect(await valuesOf(values, 'odd.deep')).toEqual([null])
  expect(await valuesOf(values, 'odd.z')).toEqual(['ordinary'])
  await values.close()
})

test('values that could not be written are written later, in order, and whoever waits is told', async () => {
  let isDown = true
  const failing: Database = {
    ...database,
    transaction: (fn) => (isDown ? Promise.reject(new Error('the database is down')) : database.transaction(fn)),
  }
  const logged: object[] = []
  const values = await openLastValues({ database: failing, artifacts, log: { error: (fields) => logged.push(fields) } })
  values.record(...published('down.x', 1))
  await expect(values.commit('down.x')).rejects.toThrow('the database is down')
  values.record(...published('down.x', 2))
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  values.record(...published('down.x', 3))
  isDown = false
  await values.commit('down.x')
  expect(await valuesOf(values, 'down.x')).toEqual([3, 2, 1])
  await values.close()
})

test('two engines that write one message lose no history', async () => {
  const [one, two] = [await open(), await open()]
  await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const values = i % 2 === 0 ? one : two
      values.record(...published('both.x', i, nowMs + i))
      await values.commit('both.x')
    }),
  )
  expect(await valuesOf(one, 'both.x')).toEqual(Array.from({ length: 50 }, (_, i) => 49 - i))
  expect(await storedValue('both.x')).toBe(49)
  await Promise.all([one.close(), two.close()])
})

test('artifacts are referred to by the last value and by every row of history, and released with them', async () => {
  const values = await open()
  const refs = await Promise.all(
    [1, 2, 3].map(
      async (i) =>
        (await artifacts.put(randomBytes(50 + i), { name: '', mediaType: 'image/png', volatile: false })).ref,
    ),
  )
  const [first, second, third] = refs
  const invented = { ...first, digest: `sha256:${createHash('sha256').update('nothing').digest('hex')}` }
  for (const value of [first, { list: [second, { deep: third }] }, invented])
    values.record(...published('art.x', value))
  await values.commit('art.x')
  const kept = async (kind: string) => {
    const rows = await database.sql<
      { digest: string }[]
    >`select digest from blob_ref where kind = ${kind} order by owner, digest`
    return rows.map(({ digest }) => digest)
  }
  expect(new Set(await kept('history'))).toEqual(new Set(refs.map(({ digest }) => digest)))
  expect(await kept('message')).toEqual([])
  values.record(...published('art.x', { list: [second] }))
  await values.commit('art.x')
  expect(await kept('message')).toEqual([second?.digest])
  await values.close()

  const again = await open()
  for (let i = 0; i < 1000; i++) again.record(...published('art.x', i))
  await again.flush()
  expect([await kept('message'), await kept('history')]).toEqual([[], []])
  await again.close()
})

test('volatile artifacts are kept by nobody', async () => {
  const values = await open()
  const data = randomBytes(60)
  const { ref } = await artifacts.put(data, { name: '', mediaType: 'image/png', volatile: true })
  await artifacts.put(data, { name: '', mediaType: 'image/png', volatile: false })
  values.record(...published('vol.x', ref))
  await values.commit('vol.x')
  expect([...(await database.sql`select owner from blob_ref where digest = ${ref.digest}`)]).toEqual([])
  await values.close()
})

test('the run that produced a value is told in its history', async () => {
  const values = await open()
  const run = '01900000-0000-7000-8000-00000000000a'
  values.record({ ...sourceOf('run.x'), run }, 1, nowMs)
  values.record({ ...sourceOf('run.x'), node: null, port: null }, 2, nowMs)
  await values.commit('run.x')
  expect(await values.history('run.x', all)).toMatchObject([
    { flow: null, node: null, port: null, run: null },
    { flow: 'f', node: 'n', port: 'p', run },
  ])
  await values.close()
})

test('a value that is published again after a crash counts only when nothing as new was recorded', async () => {
  const before = await open()
  before.record(...published('again.x', 'first', nowMs))
  await before.close()
  const values = await open()
  const again = (value: unknown, atMs: number): void =>
    values.record({ ...sourceOf('again.x'), again: true }, value, atMs)
  again('first, once more', nowMs)
  again('older', nowMs - 5)
  expect(values.get('again.x')?.value).toBe('first')
  again('never recorded', nowMs + 5)
  expect(await valuesOf(values, 'again.x')).toEqual(['never recorded', 'first'])
  values.record({ ...sourceOf('again.new'), again: true }, 'only', nowMs)
  expect(values.get('again.new')?.value).toBe('only')
  await values.close()
})

test('values whose commit is answered to nobody are in the history once, beside later ones and under a new name [F21]', async () => {
  let isLost = false
  const values = await openLastValues({ database: losing(() => isLost)(database), artifacts, log: quiet })
  const { ref } = await artifacts.put(randomBytes(70), { name: '', mediaType: 'image/png', volatile: false })
  const unheard = async (...messages: string[]): Promise<void> => {
    isLost = true
    const answers = await Promise.allSettled(messages.map((message) => values.commit(message)))
    expect(answers.map(({ status }) => status)).toEqual(messages.map(() => 'rejected'))
    isLost = false
  }
  values.record(...published('unheard.x', 0))
  await values.commit('unheard.x')
  for (const value of [1, ref]) values.record(...published('unheard.x', value))
  values.record(...published('unheard.y', 1))
  await unheard('unheard.x', 'unheard.y')
  values.record(...published('unheard.x', 3))
  await values.flush()
  expect(await valuesOf(values, 'unheard.x')).toEqual([3, ref, 1, 0])
  expect(await valuesOf(values, 'unheard.y')).toEqual([1])
  expect(await storedValue('unheard.x')).toBe(3)
  const kept = await database.sql<{ kind: string; owner: string }[]>`
    select kind, owner from blob_ref where digest = ${ref.digest}`
  expect([...kept]).toEqual([{ kind: 'history', owner: 'unheard.x#3' }])

  values.record(...published('unheard.y', 2))
  await unheard('unheard.y')
  const names = { from: 'unheard', to: 'heard' }
  await database.transaction((tx) => values.rename(tx, names))
  values.follow(names)
  expect(await valuesOf(values, 'heard.y')).toEqual([2, 1])
  await values.close()
})

test('a value that waits for its own lost commit, which the server still makes, is in the history once [F21]', async () => {
  let isHeld = false
  const made = Promise.withResolvers<void>()
  const late: Database = {
    ...database,
    async transaction(fn) {
      if (!isHeld) return database.transaction(fn)
      isHeld = false
      const done = Promise.withResolvers<void>()
      void database.transaction(async (tx) => {
        await fn(tx)
        done.resolve()
        await made.promise
      })
      await done.promise
      throw new Error('read ETIMEDOUT')
    },
  }
  const values = await openLastValues({ database: late, artifacts, log: quiet })
  values.record(...published('late.x', 1))
  isHeld = true
  await expect(values.commit('late.x')).rejects.toThrow('ETIMEDOUT')
  const second = values.commit('late.x')
  // the embedded database has one session: what comes again waits for it
  if (database.backend === 'server')
    await expect.poll(async () => (await database.sql`select from pg_locks where not granted`).length).toBe(1)
  made.resolve()
  await second
  expect(await valuesOf(values, 'late.x')).toEqual([1])
  await values.close()
})
