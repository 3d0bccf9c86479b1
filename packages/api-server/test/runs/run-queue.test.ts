import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import type { Execution, ExecutionListener } from '../../src/runs/execution.ts'
import type { ClaimedRun } from '../../src/runs/lease-store.ts'
import { RunQueue } from '../../src/runs/run-queue.ts'

/** A queue over a database that holds these tokens, with runs that end when the test says so. */
function setup(
  queued: string[],
  options: { maxRuns?: number; failClaims?: number; isWriting?: boolean; shared?: boolean } = {},
) {
  const clock = new VirtualClock(0)
  const held = new Set<string>()
  const abandoned: string[] = []
  const ends = new Map<string, () => void>()
  /** Runs whose end the database does not take: they are over when it is no longer tried. */
  const unwritten: (() => void)[] = []
  let failures = options.failClaims ?? 0
  let renewals = 0
  const sweeps: string[] = []
  const queue = new RunQueue({
    clock,
    shared: options.shared ?? false,
    maxRuns: options.maxRuns ?? 10,
    commits: {
      async claim({ limit }) {
        if (failures-- > 0) throw new Error('no database')
        return queued.splice(0, limit).map((token) => {
          held.add(token)
          return { id: token, token } as ClaimedRun
        })
      },
    },
    leases: {
      async renew(tokens) {
        renewals += 1
        return new Set(tokens.filter((token) => held.has(token)))
      },
      abandon: async (which) => {
        sweeps.push(typeof which === 'string' ? which : 'lost')
        return []
      },
    },
    execution: (claim) =>
      ({
        claim,
        ending: false,
        run: (listener: ExecutionListener) =>
          new Promise<void>((resolve) => {
            ends.set(claim.id, () => {
              listener.executed()
              resolve()
            })
            if (options.isWriting) unwritten.push(resolve)
          }),
        abandon: () => {
          abandoned.push(claim.id)
          if (!options.isWriting) ends.get(claim.id)?.()
        },
      }) as unknown as Execution,
    onAbandoned: () => {},
    stopWriting: () => unwritten.forEach((end) => end()),
    log: { error() {} },
  })
  return { clock, queue, held, abandoned, ends, sweeps, renewals: () => renewals }
}

test('leases of executing runs are renewed every 10 s, and a run whose lease was lost is dropped [R408]', async () => {
  const { clock, queue, held, abandoned, renewals } = setup(['a', 'b'])
  await queue.open()
  await clock.advance(95_000)
  expect(renewals()).toBe(9)
  expect(abandoned).toEqual([])
  held.delete('a')
  await clock.advance(10_000)
  expect(abandoned).toEqual(['a'])
})

test('on a shared database expired leases are looked for every 5 s, on a database of its own once [R407]', async () => {
  const shared = setup([], { shared: true })
  await shared.queue.open()
  await shared.clock.advance(20_500)
  expect(shared.sweeps).toEqual(Array.from({ length: 5 }, () => 'expired'))
  const own = setup([])
  await own.queue.open()
  await own.clock.advance(20_500)
  expect(own.sweeps).toEqual(['all'])
})

test('a free slot is taken by the next run at once', async () => {
  const { queue, ends } = setup(['a', 'b', 'c'], { maxRuns: 2 })
  await queue.open()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b'])
  ends.get('b')?.()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b', 'c'])
})

test('a claim that failed is tried again after a second', async () => {
  const { clock, queue, ends } = setup(['a'], { failClaims: 2 })
  await queue.open()
  await clock.advance(1_500)
  expect(ends.size).toBe(0)
  await clock.advance(1_000)
  expect(ends.size).toBe(1)
})

test('closing waits 10 s for executing runs, then leaves them without a timer behind', async () => {
  const { clock, queue, abandoned } = setup(['a'])
  await queue.open()
  await clock.advance(1)
  let closed = false
  const closing = queue.close(10_000).then(() => (closed = true))
  await clock.advance(9_000)
  expect([closed, abandoned]).toEqual([false, []])
  await clock.advance(2_000)
  await closing
  expect(abandoned).toEqual(['a'])
  expect(clock.pending).toBe(0)
})

test('an end that the database does not take keeps no queue from closing', async () => {
  const { clock, queue } = setup(['a'], { isWriting: true })
  await queue.open()
  await clock.advance(1)
  const closing = queue.close(10_000).then(() => 'closed')
  await clock.advance(10_000)
  expect(await closing).toBe('closed')
})
