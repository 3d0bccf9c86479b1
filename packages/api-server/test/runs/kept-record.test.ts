import type { BatchEvent } from '@flow-service/core'
import { expect, test } from 'vitest'

import { KeptRecord, type KeptRecordDeps } from '../../src/runs/kept-record.ts'
import { droppedWrite } from '../../src/runs/kept-store.ts'

const place = { jti: 'j', session: 's' }

function recording(deps: Partial<KeptRecordDeps> = {}) {
  const over: string[] = []
  let flushes = 0
  const record = new KeptRecord({
    flush: async () => void (flushes += 1),
    attemptsOf: () => 1,
    onOver: (call) => over.push(call),
    read: () => ({ 'other.x': 1 }),
    calls: [],
    ended: 0,
    ...deps,
  })
  const call = { call: 'c', node: 'a', attempt: 1 }
  const book = record.bookOf(call)
  /** Begins the call on a worker. */
  const begin = async (): Promise<void> => {
    const begun = book.begin(place)
    record.drain(false)
    record.written('held')
    await begun
  }
  return { record, over, book, call, begin, flushes: () => flushes }
}

const ended = (status: 'ok' | 'error' | 'skipped', node = 'a'): BatchEvent => ({
  kind: 'node',
  node,
  status,
  atMs: 0,
  ...(status === 'ok' && { outputs: { y: 1 } }),
})
const isSettled = async (promise: Promise<unknown> | undefined): Promise<boolean> => {
  const late = new Promise((resolve) => setImmediate(() => resolve('late')))
  return (await Promise.race([promise, late])) !== 'late'
}

test('a call begins when its row is stored, with what was read first [kept-record.K1]', async () => {
  const { record, book, flushes } = recording()
  const begun = book.begin(place)
  expect(flushes()).toBe(1)
  const state = { emitted: {}, startMs: null }
  expect(record.drain(false)).toMatchObject({
    read: { 'other.x': 1 },
    begun: [{ call: 'c', node: 'a', attempt: 1, place, state }],
  })
  expect(await isSettled(begun)).toBe(false)
  record.written('held')
  await begun
  expect(record.hasNews).toBe(false)
})

test('a position is that of the frames that were observed when it is taken, and safe when it is stored [kept-record.K2]', async () => {
  const { record, book, begin } = recording()
  await begin()
  expect(book.safe()).toBeUndefined()
  record.observe({ kind: 'emit', node: 'a', port: 'p', message: 'f.p', dtype: 'int', value: 3, atMs: 1 }, false)
  record.emitted('c')
  book.applied(4)
  record.emitted('c')
  const safe = book.safe()
  expect(record.drain(false)?.moved).toEqual([
    { call: 'c', seq: 4, part: 1, state: { emitted: { p: 3 }, startMs: null } },
  ])
  // this is in the next write
  book.applied(5)
  record.written('held')
  expect(await isSettled(safe)).toBe(true)
  const later = book.safe()
  expect(await isSettled(later)).toBe(false)
  expect(record.drain(false)?.moved).toMatchObject([{ seq: 5, part: 0 }])
  record.written('held')
  expect(await isSettled(later)).toBe(true)
})

test('who asks again waits for what has come since, and for ever once nothing is taken in any more [kept-calls.K2]', async () => {
  const { record, book, begin } = recording()
  await begin()
  book.applied(1)
  const first = book.safe()
  record.drain(false)
  record.written('held')
  expect(await isSettled(first)).toBe(true)
  record.freeze()
  book.applied(2)
  const second = book.safe()
  expect(await isSettled(second)).toBe(false)
  record.drain(false)
  record.written('held')
  expect(await isSettled(second)).toBe(false)
})

test('a run that is left has no row of what had not begun', async () => {
  const { record, book } = recording()
  void book.begin({ jti: 'j', session: 's' }).catch(() => {})
  record.freeze()
  expect([record.goesOn, record.drain(false)]).toEqual([true, null])
})

test('the last frame of a call is safe with the end of its node, whose write takes the row away', async () => {
  const { record, book, begin, over } = recording()
  await begin()
  book.ended()
  const safe = book.safe()
  expect(await isSettled(safe)).toBe(false)
  record.observe(ended('ok'), false)
  expect(record.drain(false)).toMatchObject({ over: ['c'], ended: [{ node: 'a', place: 0, outputs: { y: 1 } }] })
  expect(await isSettled(safe)).toBe(false)
  expect(over).toEqual([])
  record.written('held')
  expect(await isSettled(safe)).toBe(true)
  expect(over).toEqual(['c'])
})

test('an attempt that is not the last ends its call by itself; the last one ends with its node', async () => {
  const { record, begin } = recording({ attemptsOf: () => 2 })
  await begin()
  const error = { type: 'E', message: 'no', traceback: null }
  record.observe({ kind: 'attempt', node: 'a', attempt: 1, startMs: 0, atMs: 1, error }, false)
  expect(record.drain(false)).toMatchObject({ over: ['c'], ended: [] })
  record.written('held')
  const again = record.bookOf({ call: 'd', node: 'a', attempt: 2 }).begin(place)
  record.drain(false)
  record.written('held')
  await again
  record.observe({ kind: 'attempt', node: 'a', attempt: 2, startMs: 1, atMs: 2, error }, false)
  expect(record.hasNews).toBe(false)
  record.observe(ended('error'), false)
  expect(record.drain(false)).toMatchObject({ over: ['d'], ended: [{ node: 'a', outputs: null }] })
})

test.each([
  ['what a node returned', ended('ok')],
  ['an emission', { kind: 'emit', node: 'a', port: 'p', message: 'f.p', dtype: 'str', value: '***', atMs: 1 }],
] as const)(
  'a secret in %s ends the keeping, and calls go on as those of any run [kept-record.K3]',
  async (_what, event) => {
    const { record, book, begin } = recording()
    await begin()
    expect(record.goesOn).toBe(true)
    record.observe(event, true)
    expect(record.goesOn).toBe(false)
    expect(record.drain(false)).toBe(droppedWrite)
    record.written('held')
    expect(record.drain(false)).toBeNull()
    book.applied(1)
    expect(book.safe()).toBeUndefined()
    await record.bookOf({ call: 'd', node: 'b', attempt: 1 }).begin(place)
  },
)

test('what the database refuses ends the keeping', async () => {
  const { record, book, begin } = recording()
  await begin()
  book.applied(1)
  const safe = book.safe()
  record.drain(false)
  record.written('reduced')
  expect(await isSettled(safe)).toBe(true)
  expect(record.goesOn).toBe(false)
})

test('nothing begins for a run that another engine has, and what came for it is nobody’s', async () => {
  const { record, book, begin, over } = recording()
  await begin()
  book.applied(1)
  const safe = book.safe()
  const late = record.bookOf({ call: 'd', node: 'b', attempt: 1 }).begin(place)
  record.drain(false)
  record.written('lost')
  await expect(late).rejects.toThrow('not executed by this engine any more')
  expect(await isSettled(safe)).toBe(true)
  expect(over.toSorted()).toEqual(['c', 'd'])
})

test('what comes when the run is left is not stored, and never safe: its worker brings it to the next engine', async () => {
  const { record, book, begin } = recording()
  await begin()
  book.applied(1)
  record.freeze()
  record.emitted('c')
  book.applied(2)
  const safe = book.safe()
  expect(record.drain(false)?.moved).toMatchObject([{ seq: 1, part: 0 }])
  record.written('held')
  expect(await isSettled(safe)).toBe(false)
  await expect(book.begin(place)).rejects.toThrow('not executed by this engine any more')
})

test('a run goes on without its engine while nothing of it executes there', async () => {
  const { record, begin } = recording()
  await begin()
  const here = { call: 'h', node: 'b', attempt: 1 }
  const begun = record.begin(here, null)
  // not stored, not begun
  expect(record.goesOn).toBe(true)
  record.drain(false)
  expect(record.goesOn).toBe(false)
  record.written('held')
  await begun
  record.observe(ended('ok', 'b'), false)
  expect(record.goesOn).toBe(true)
})

test('a call that was given back begins on another worker; frames of it wait for nothing', async () => {
  const { record, book, begin } = recording()
  await begin()
  book.ended()
  const safe = book.safe()
  book.givenBack()
  expect(await isSettled(safe)).toBe(true)
  void book.begin({ jti: 'j', session: 'other' })
  expect(record.drain(false)?.begun).toMatchObject([{ call: 'c', place: { session: 'other' } }])
})
