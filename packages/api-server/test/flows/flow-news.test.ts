import { VirtualClock } from '@flow-service/core/testing'
import { beforeEach, expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { FlowNews } from '../../src/flows/flow-news.ts'
import { createFlowStore } from '../../src/flows/store.ts'
import { newId } from '../../src/process/new-id.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
useDatabase((opened) => void (database = opened))
beforeEach(async () => {
  await database.sql`delete from flow`
})

const make = async (name: string): Promise<string> => {
  const id = newId()
  await createFlowStore(database.sql).create(database.sql, { id, name, content: {}, by: 'ann' })
  return id
}

/** News whose notices come by `look` alone; what is told of `refused` flows cannot be followed. */
async function openNews() {
  const clock = new VirtualClock(0)
  const news = new FlowNews({ database, clock, log: quiet })
  await news.open()
  const told: string[] = []
  const refused = new Set<string>()
  const known: string[] = []
  const astray = new Set<string>()
  const tell = async (name: string, what: string): Promise<void> => {
    told.push(`${name} ${what}`)
    if (refused.has(name)) throw new Error('not now')
  }
  news.begin({
    known: () => known,
    isAstray: ({ name }) => astray.has(name),
    changed: ({ name }, before) => tell(name, before === null ? 'is new' : `was ${before.name}`),
    gone: ({ name }) => tell(name, 'is gone'),
  })
  /** All that was told, sorted, so many milliseconds later. */
  const after = async (ms: number): Promise<readonly string[]> => {
    await clock.advance(ms)
    return told.toSorted((a, b) => (a < b ? -1 : 1))
  }
  return { news, known, astray, refused, after, [Symbol.asyncDispose]: () => news.close() }
}

test('a lost notice costs the time until the next look, and what was there before is no news', async () => {
  await make('old')
  const id = await make('porch')
  await using at = await openNews()
  await database.sql`update flow set name = 'hall' where id = ${id}`
  await make('new')
  const first = ['hall was porch', 'new is new']
  await expect.poll(() => at.after(0)).toEqual(first)
  await database.sql`delete from flow where id = ${id}`
  expect(await at.after(20_000)).toEqual(first)
  await expect.poll(() => at.after(10_000)).toEqual(['hall is gone', ...first])
})

test('rows are looked at a moment after a notice, once for many of them', async () => {
  await using at = await openNews()
  expect(await at.after(0)).toEqual([])
  await make('porch')
  for (const _ of Array.from({ length: 10 })) at.news.look()
  await expect.poll(() => at.after(25)).toEqual(['porch is new'])
})

test('what cannot be followed is told again', async () => {
  await using at = await openNews()
  at.refused.add('porch')
  await make('porch')
  const looked = async (): Promise<readonly string[]> => {
    at.news.look()
    return at.after(250)
  }
  await expect.poll(async () => (await looked()).length).toBeGreaterThan(2)
  at.refused.clear()
  await make('hall')
  await expect.poll(looked).toContain('hall is new')
})

test('a flow that came and went between two looks is gone for who knows it', async () => {
  await using at = await openNews()
  at.known.push('brief')
  await expect.poll(() => at.after(0)).toEqual(['brief is gone'])
})

test('a flow that runs here though another engine has it is told with each look, and that alone (flow-news.N6)', async () => {
  await Promise.all(['porch', 'hall'].map(make))
  await using at = await openNews()
  at.astray.add('porch')
  const looked = async (): Promise<readonly string[]> => {
    at.news.look()
    return at.after(250)
  }
  await expect.poll(async () => (await looked()).length).toBeGreaterThan(2)
  expect(new Set(await looked())).toEqual(new Set(['porch was porch']))
})
