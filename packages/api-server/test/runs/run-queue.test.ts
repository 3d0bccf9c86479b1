import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import type { RunNumbers } from '../../src/runs/admission.ts'
import type { Execution, ExecutionListener } from '../../src/runs/execution.ts'
import type { ClaimedRun } from '../../src/runs/lease-store.ts'
import { RunQueue } from '../../src/runs/run-queue.ts'
import type { SummaryRow } from '../../src/runs/run-record.ts'

const keeping = { waitS: 60, close() {}, endLeases: async () => {}, leave: async () => {}, look: async () => {} }

/** A queue over a database that holds these tokens, with runs that end when the test says so. */
function setup(
  queued: string[],
  options: {
    maxRuns?: number | RunNumbers
    failClaims?: number
    isWriting?: boolean
    /** What has executed waits for ever for its end to be written. */
    isEnding?: boolean
    /** Runs are left to the next engine, which the database does not take. */
    isLeaving?: boolean
    shared?: boolean
    /** Flows have limits. */
    areLimited?: boolean
    /** Runs that the next look for expired leases gives up. */
    expired?: string[]
    /** Happens once a claim has taken its runs, before it is answered. */
    claimed?: () => void
    /** Which of the releases is the first to find the runs. */
    late?: number
  } = {},
) {
  const clock = new VirtualClock(0)
  const held = new Set<string>()
  const abandoned: string[] = []
  const ends = new Map<string, () => void>()
  /** Runs whose end the database does not take: they are over when it is no longer tried. */
  const unwritten: (() => void)[] = []
  let failures = options.failClaims ?? 0
  let renewals = 0
  let isAway = false
  const sweeps: string[] = []
  const claims: string[] = []
  const rooms: RunNumbers[] = []
  const calls: string[] = []
  const releases: { tokens: readonly string[]; begun: readonly string[] }[] = []
  const queue = new RunQueue({
    clock,
    kept: options.isLeaving ? keeping : null,
    shared: options.shared ?? false,
    maxRuns: typeof options.maxRuns === 'object' ? options.maxRuns : { all: options.maxRuns ?? 10 },
    writes: {
      async claim({ token: claim, room }) {
        claims.push(claim)
        rooms.push(room)
        if (failures-- > 0) throw new Error('no database')
        const runs = queued.splice(0, 'all' in room ? room.all : room.light).map((token) => {
          held.add(token)
          return { id: token, token, heavy: false } as ClaimedRun
        })
        options.claimed?.()
        return { runs, areLimited: options.areLimited ?? false }
      },
      stop: () => unwritten.forEach((end) => end()),
    },
    leases: {
      async renew(runs) {
        renewals += 1
        return new Set(runs.flatMap(({ id, token }) => (held.has(token) ? [id] : [])))
      },
      abandon: async ({ which }) => {
        sweeps.push(which)
        calls.push('looked at')
        return (options.expired?.splice(0) ?? []).map((id) => ({ id }) as SummaryRow)
      },
      async release(tokens, begun) {
        if (isAway) throw new Error('no database')
        calls.push('queued again')
        releases.push({ tokens, begun })
        return new Set(options.late && releases.length < options.late ? [] : tokens)
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
              if (!options.isEnding) resolve()
            })
            if (options.isWriting) unwritten.push(resolve)
          }),
        leave: () => new Promise<boolean>((resolve) => unwritten.push(() => resolve(false))),
        abandon: () => {
          abandoned.push(claim.id)
          if (!options.isWriting) ends.get(claim.id)?.()
        },
      }) as unknown as Execution,
    onAbandoned: () => {},
    log: { error() {} },
  })
  return {
    clock,
    queue,
    held,
    abandoned,
    ends,
    sweeps,
    claims,
    rooms,
    releases,
    calls,
    renewals: () => renewals,
    failReleases: (away: boolean) => (isAway = away),
  }
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

test('an end asks for no more runs when a claim has taken all that there were', async () => {
  const { queue, ends, claims, clock } = setup(['a', 'b'], { maxRuns: 3 })
  await queue.open()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b'])
  ends.get('a')?.()
  await clock.advance(60_000)
  expect(claims).toHaveLength(1)
  queue.wake()
  await expect.poll(() => claims).toHaveLength(2)
})

test.each([
  { which: 'has filled its places', options: { maxRuns: 2 } },
  { which: 'has left runs of flows with limits', options: { maxRuns: 9, areLimited: true } },
])('an end, and nothing before, asks for more runs when the claim before $which', async ({ options }) => {
  const { queue, ends, claims, clock } = setup(['a', 'b'], options)
  await queue.open()
  await clock.advance(60_000)
  expect([ends.size, claims.length]).toEqual([2, 1])
  ends.get('a')?.()
  await expect.poll(() => claims).toHaveLength(2)
})

test('a place that is free again while a claim is under way is filled, when that one leaves runs behind', async () => {
  const queued = ['a', 'b', 'c']
  const { queue, ends, claims } = setup(queued, {
    maxRuns: 2,
    claimed() {
      if (claims.length === 2) ends.get('b')?.()
    },
  })
  await queue.open()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b'])
  queued.push('d')
  ends.get('a')?.()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b', 'c', 'd'])
})

test('a claim asks for no runs of a class of which there are none, and is not made for these alone', async () => {
  const queued = ['a', 'b', 'c', 'd', 'e']
  const { queue, ends, rooms } = setup(queued, { maxRuns: { heavy: 1, light: 2 }, isEnding: true })
  await queue.open()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b'])
  // there are places for as many as wait for the writing of their ends
  for (const name of ['a', 'b']) ends.get(name)?.()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b', 'c', 'd'])
  for (const name of ['c', 'd']) ends.get(name)?.()
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(rooms).toEqual([
    { heavy: 1, light: 2 },
    { heavy: 0, light: 2 },
  ])
  queue.wake()
  await expect.poll(() => rooms.slice(2)).toEqual([{ heavy: 1, light: 0 }])
})

test('runs that are given up leave their places in flows with limits to others', async () => {
  const expired: string[] = []
  const { queue, claims, clock } = setup(['a'], { maxRuns: 9, areLimited: true, isLeaving: true, expired })
  await queue.open()
  await clock.advance(60_000)
  expect(claims).toHaveLength(1)
  expired.push('of a worker that did not come')
  await clock.advance(10_000)
  await expect.poll(() => claims).toHaveLength(2)
})

test('what is submitted while a claim is under way is claimed by the next one', async () => {
  const queued: string[] = []
  const { queue, ends, claims } = setup(queued, {
    claimed() {
      if (claims.length > 1) return
      queued.push('a')
      queue.wake()
    },
  })
  await queue.open()
  await expect.poll(() => [...ends.keys()]).toEqual(['a'])
  expect(claims).toHaveLength(2)
})

test('a claim that failed is tried again after a second', async () => {
  const { clock, queue, ends } = setup(['a'], { failClaims: 2 })
  await queue.open()
  await clock.advance(1_500)
  expect(ends.size).toBe(0)
  await clock.advance(1_000)
  expect(ends.size).toBe(1)
})

test('what a claim has taken unheard is queued again before the next claim, and what was begun is left alone [F21]', async () => {
  const { clock, queue, ends, claims, releases } = setup(['a'], { failClaims: 1 })
  await queue.open()
  await clock.advance(500)
  expect([claims.length, releases]).toEqual([1, []])
  await clock.advance(1_000)
  expect(releases).toEqual([{ tokens: [claims[0]], begun: [] }])
  expect([...ends.keys()]).toEqual(['a'])
  queue.wake()
  await expect.poll(() => claims.length).toBe(3)
  expect(releases).toHaveLength(1)
})

test('a server may carry out a claim after its connection is gone: its runs are looked for during a minute [F21]', async () => {
  const found = setup(['a'], { failClaims: 1, shared: true, late: 4 })
  await found.queue.open()
  await found.clock.advance(90_000)
  expect(found.releases.length).toBe(4)
  expect(found.releases.at(-1)).toEqual({ tokens: [found.claims[0]], begun: ['a'] })
  const never = setup([], { failClaims: 1, shared: true, late: 1_000 })
  await never.queue.open()
  await never.clock.advance(50_000)
  const before = never.releases.length
  await never.clock.advance(5_000)
  expect(never.releases.length).toBeGreaterThan(before)
  await never.clock.advance(20_000)
  const after = never.releases.length
  await never.clock.advance(20_000)
  expect(never.releases.length).toBe(after)
})

test('a server that was away longer than a lease lasts finds runs queued again before their leases are looked at', async () => {
  const { clock, queue, calls, failReleases } = setup([], { failClaims: 1, shared: true })
  await queue.open()
  failReleases(true)
  await clock.advance(34_000)
  calls.length = 0
  failReleases(false)
  await clock.advance(2_000)
  expect(calls).toEqual(['queued again', 'looked at'])
})

test('while the database is away for long, what was claimed unheard stays one claim [F17]', async () => {
  const { clock, queue, claims, releases, failReleases } = setup([], { failClaims: 1, shared: true })
  await queue.open()
  failReleases(true)
  await clock.advance(40_000)
  failReleases(false)
  await clock.advance(2_000)
  expect(releases[0]?.tokens).toEqual([claims[0]])
})

test('an engine that stops queues again what it has claimed unheard', async () => {
  const { clock, queue, claims, releases } = setup([], { failClaims: 1 })
  await queue.open()
  await clock.advance(500)
  await queue.close(10_000)
  expect(releases).toEqual([{ tokens: [claims[0]], begun: [] }])
})

/** A run that is about to be queued. */
const coming = { heavy: false, elsewhere: false, createdAt: '1970-01-01T00:00:00.000000+00:00' }
const claimOf = (id: string) => ({ id, token: id, heavy: false }) as ClaimedRun
/** Until a claim of nothing is over. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a run that is about to be queued gets a place that is held until it has begun and ended', async () => {
  const { queue, ends, claims } = setup([], { maxRuns: { heavy: 1, light: 2 } })
  expect(queue.reserve(coming)).toBeNull()
  await queue.open()
  await turns()
  const [first, second] = [queue.reserve(coming), queue.reserve(coming)]
  expect(second?.claim.token).not.toBe(first?.claim.token)
  expect(queue.room).toEqual({ heavy: 1, light: 0 })
  expect(queue.reserve(coming)).toBeNull()
  first?.release()
  // no run starts before it was made, whatever the clocks say
  const later = '1970-01-02T00:00:00.000000+00:00'
  const third = queue.reserve({ ...coming, createdAt: later })
  expect([first?.claim.started_at, third?.claim.started_at]).toEqual([coming.createdAt, later])
  third?.release()
  second?.begin(claimOf('b'))
  expect(queue.room).toEqual({ heavy: 1, light: 1 })
  expect([...ends.keys()]).toEqual(['b'])
  expect(queue.peek('b')).not.toBeNull()
  ends.get('b')?.()
  await turns()
  expect(queue.room).toEqual({ heavy: 1, light: 2 })
  // nothing has waited: no claim but that of the start
  expect(claims).toHaveLength(1)
})

test('a run that is about to be queued overtakes none of its class, and gets no place that a claim was told of', async () => {
  const queued = ['a', 'b', 'c']
  const { queue, ends } = setup(queued, { maxRuns: { heavy: 1, light: 2 } })
  await queue.open()
  expect(queue.reserve(coming)).toBeNull()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b'])
  ends.get('a')?.()
  expect(queue.reserve(coming)).toBeNull()
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b', 'c'])
  // of the other class nothing has waited
  expect(queue.reserve({ ...coming, heavy: true })).not.toBeNull()
  ends.get('b')?.()
  ends.get('c')?.()
  await turns()
  expect(queue.reserve(coming)).not.toBeNull()
  queue.wake()
  expect(queue.reserve(coming)).toBeNull()
})

test('a run that may outlive its engine is claimed as it always was', async () => {
  const { queue } = setup([], { isLeaving: true })
  await queue.open()
  await turns()
  expect(queue.reserve({ ...coming, elsewhere: true })).toBeNull()
  expect(queue.reserve(coming)).not.toBeNull()
})

test('what a submission has claimed unheard is queued again at once, and its place is free [F21]', async () => {
  const { queue, claims, releases } = setup([], { maxRuns: 1 })
  await queue.open()
  await turns()
  const place = queue.reserve(coming)
  place?.lose()
  expect(queue.room).toEqual({ all: 1 })
  await expect.poll(() => claims).toHaveLength(2)
  expect(releases).toEqual([{ tokens: [place?.claim.token], begun: [] }])
})

test('a run whose place is held is found once it has begun, and closing waits for it', async () => {
  const { queue, clock, abandoned } = setup([])
  await queue.open()
  await turns()
  const [first, second] = [queue.reserve(coming), queue.reserve(coming)]
  const found = queue.find('a')
  const closing = queue.close(10_000)
  await turns()
  first?.begin(claimOf('a'))
  second?.release()
  expect((await found)?.claim.id).toBe('a')
  await turns()
  await clock.advance(10_000)
  await closing
  expect(abandoned).toEqual(['a'])
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

test('runs that are left to the next engine keep no queue from closing when the database does not take them', async () => {
  const { clock, queue } = setup(['a'], { isLeaving: true })
  await queue.open()
  await clock.advance(1)
  const closing = queue.close(10_000).then(() => 'closed')
  await clock.advance(9_000)
  expect(await Promise.race([closing, Promise.resolve('open')])).toBe('open')
  await clock.advance(31_000)
  expect(await closing).toBe('closed')
})

test('an end that the database does not take keeps no queue from closing', async () => {
  const { clock, queue } = setup(['a'], { isWriting: true })
  await queue.open()
  await clock.advance(1)
  const closing = queue.close(10_000).then(() => 'closed')
  await clock.advance(10_000)
  expect(await closing).toBe('closed')
})
