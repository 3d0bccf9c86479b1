/** Kept work on its way to another engine. */
import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { TooLong } from '../../src/engines/links/links.ts'
import { KeptMail } from '../../src/flows/kept-mail.ts'

test('goes in its order, together, and what was not taken before what came later (far-values.V3)', async () => {
  const clock = new VirtualClock(0)
  const lists: (readonly number[])[] = []
  let takes = false
  const take = async (_: string, items: readonly number[]): Promise<boolean> => {
    lists.push(items)
    return takes
  }
  const mail = new KeptMail<number>(take, { clock, log: { warn() {} } })
  const done: number[] = []
  const pass = (item: number): Promise<void> => mail.pass('hall', item).then(() => void done.push(item))
  const passed = [1, 2].map(pass)
  await expect.poll(() => lists).toEqual([[1, 2]])
  passed.push(pass(3))
  expect(done).toEqual([])
  takes = true
  await clock.advance(500)
  await Promise.all(passed)
  expect([lists, done]).toEqual([
    [
      [1, 2],
      [1, 2, 3],
    ],
    [1, 2, 3],
  ])
})

test('a list has a hundred items at most, and the rest follows it', async () => {
  const lists: (readonly number[])[] = []
  const take = async (_: string, items: readonly number[]): Promise<boolean> => lists.push(items) > 0
  const mail = new KeptMail<number>(take, { clock: new VirtualClock(0), log: { warn() {} } })
  const all = Array.from({ length: 101 }, (_, at) => at)
  await Promise.all(all.map((item) => mail.pass('hall', item)))
  expect(lists).toEqual([all.slice(0, 100), [100]])
})

test('a list that is too long goes in parts, and what is too long by itself is left out and told', async () => {
  const told: unknown[] = []
  const taken: number[] = []
  const take = async (_: string, items: readonly number[]): Promise<boolean> => {
    if (items.length > 2 || items.includes(9)) throw new TooLong(9, 8)
    taken.push(...items)
    return true
  }
  const log = { warn: (fields: object) => void told.push(fields) }
  const mail = new KeptMail<number>(take, { clock: new VirtualClock(0), log })
  await Promise.all([1, 2, 3, 9, 4].map((item) => mail.pass('hall', item)))
  expect(taken).toEqual([1, 2, 3, 4])
  expect(told).toEqual([{ err: expect.any(TooLong), flow: 'hall' }])
})
