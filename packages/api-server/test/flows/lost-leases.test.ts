/** What places of flows do when a lease is over while they wait for an answer. */
import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { Claims } from '../../src/flows/claims.ts'
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
