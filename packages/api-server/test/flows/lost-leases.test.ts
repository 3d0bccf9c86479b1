/** What places of flows, and readers of other engines, do when a lease is over while they wait for an answer. */
import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { Claims } from '../../src/flows/claims.ts'
import { FarValues } from '../../src/flows/far-values.ts'
import { createPlacement } from '../../src/flows/placement.ts'

const log = { error() {}, info() {}, warn() {} }
const porch = { id: '01a226fb-0000-7000-8000-000000000001', name: 'porch' }

test('a round of claims that comes while the lease does not hold is made up for a second later, not half a minute (claims.C1)', async () => {
  const clock = new VirtualClock(0)
  let holds = false
  let claims = 0
  const round = new Claims({
    clock,
    log,
    database: { listen: async () => async () => {} },
    store: { count: async () => ({ wished: 1, free: 1, engines: 1 }), owed: async () => [], leave: async () => {} },
    lease: { engines: [], lease: 'one', holds: () => holds, onEngines() {} },
    placement: {
      claim: async () => (claims++, []),
      letGo: async () => true,
      release: async () => {},
      takeFree: async () => new Set<string>(),
    },
    live: { begin: async () => [], leave: async () => {} },
    running: () => [],
    isMissing: () => false,
    isOwn: () => false,
  } as never)
  await round.open()
  expect(claims).toBe(0)
  holds = true
  await clock.advance(1_000)
  await expect.poll(() => claims).toBe(1)
  await round.close()
})

test('flows that were claimed under a lease that was over by the answer are taken under the present one (placement.P6)', async () => {
  const lease = { id: 'engine', lease: 'first' }
  const asked: unknown[] = []
  const begun: string[] = []
  const placement = createPlacement({
    lease,
    log,
    store: {
      claim: async (claim: { lease: string }) => {
        asked.push(claim.lease)
        lease.lease = 'second'
        return [{ flow: porch.id, epoch: 2 }]
      },
      take: async (under: string) => {
        asked.push(under)
        return []
      },
    },
    flows: { contents: async () => [porch] },
    fence: { begin: ({ name }: typeof porch) => void begun.push(name), end() {} },
    adopt: async () => {},
    written: async () => {},
    farStates: null,
  } as never)
  // meanwhile another engine has it
  expect(await placement.claim(1, new Set())).toEqual([])
  expect([asked, begun]).toEqual([['first', 'second'], []])
})

test('what is watched here is told to an engine again that has not heard it, and when it comes back (far-values.V4)', async () => {
  const clock = new VirtualClock(0)
  const told: string[] = []
  let isDeaf = true
  let engines = ['this', 'other']
  const hears: { engines?: () => void } = {}
  const learned: unknown[] = []
  const values = new FarValues({
    clock,
    log,
    lease: {
      id: 'this',
      get engines() {
        return engines.map((id) => ({ id }))
      },
      onEngines: (listener: () => void) => void (hears.engines = listener),
    },
    links: {
      answer: () => () => {},
      hear: () => () => {},
      onChange: () => () => {},
      ask: async (engine: string, subject: string, payload: Buffer) => {
        told.push(`${engine} ${subject} ${payload.toString()}`)
        if (isDeaf) throw new Error('no answer')
        return Buffer.from('[{"message":"source.now","value":21,"us":1}]')
      },
    },
    flowNews: { onPlaces: () => () => {} },
    published: { all: () => [], onChange: () => () => {} },
    lastValues: { hear: (...value: unknown[]) => void learned.push(value) },
  } as never)
  values.open()
  hears.engines?.()
  expect(told).toEqual([])
  values.watch(['source.now'])
  expect(told).toEqual(['other values.watch ["source.now"]'])
  isDeaf = false
  await clock.advance(500)
  await expect.poll(() => learned).toEqual([['source.now', 21, 1]])
  await clock.advance(5_000)
  expect(told.length).toBe(2)

  engines = ['this']
  hears.engines?.()
  engines = ['this', 'other']
  hears.engines?.()
  await expect.poll(() => told.length).toBe(3)
  values.watch([])
  await expect.poll(() => told.at(-1)).toBe('other values.watch []')
  values.close()
})
