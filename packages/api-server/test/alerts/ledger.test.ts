import { VirtualClock } from '@flow-service/core/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { type Alert, alertOf } from '../../src/alerts/alert.ts'
import { Ledger, type LedgerDeps } from '../../src/alerts/ledger.ts'
import { createAlertStore } from '../../src/alerts/store.ts'
import type { Database } from '../../src/db/database.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
useDatabase((opened) => void (database = opened))

const INTERVAL_S = 300
const broken = { node: 'door' }
let clock: VirtualClock
beforeEach(async () => {
  clock = new VirtualClock(Date.parse('2027-03-21T08:00:00Z'))
  await createAlertStore(database.sql).keep([])
})

const nodeFailed = ({ node }: { node: string }, more: Partial<Alert> = {}): Alert =>
  alertOf({ event: 'node_failed', subject: `flow/${node}`, flow: 'flow', node, atMs: clock.now(), ...more })

/** The ledger of an engine, whose database may be gone. */
function open(engine = 'one') {
  const store = createAlertStore(database.sql)
  const state = { isGone: false }
  const reach = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (state.isGone) throw new Error('no database')
    return ask()
  }
  const deps: LedgerDeps = {
    store: {
      raise: (raised) => reach(() => store.raise(raised)),
      digests: (...given) => reach(() => store.digests(...given)),
      oldest: () => reach(() => store.oldest()),
      expire: (at) => reach(() => store.expire(at)),
    },
    clock,
    engine,
    log: quiet,
  }
  const ledger = new Ledger(deps)
  return {
    state,
    claim: (alert: Alert, count = 1) => ledger.claim(alert, count, INTERVAL_S),
    digests: async () =>
      (await ledger.digests(INTERVAL_S)).map(({ latest, count }) => [latest.subject, latest.detail, count]),
    /** Seconds until the next look. */
    next: async () => {
      const nextMs = await ledger.nextMs(INTERVAL_S)
      return nextMs === null ? null : (nextMs - clock.now()) / 1000
    },
  }
}
const pass = (seconds: number): Promise<void> => clock.advance(seconds * 1000)

describe('of an event and subject', () => {
  test('the first is sent, what follows is counted and told when the interval is over', async () => {
    const { claim, digests, next } = open()
    expect(await claim(nodeFailed(broken))).toBe(1)
    expect(await next()).toBeNull()
    await pass(100)
    expect(await claim(nodeFailed(broken, { detail: 'second' }), 4)).toBeNull()
    expect(await claim(nodeFailed(broken, { detail: 'third' }))).toBeNull()
    expect([await digests(), await next()]).toEqual([[], 200])
    await pass(200)
    expect(await digests()).toEqual([['flow/door', 'third', 5]])
    expect([await digests(), await next()]).toEqual([[], null])
    // the digest begins an interval
    await pass(299)
    expect(await claim(nodeFailed(broken))).toBeNull()
    await pass(1)
    expect(await digests()).toEqual([['flow/door', null, 1]])
  })

  test('the next after a quiet interval is sent at once, with what was counted and nobody told', async () => {
    const { claim, digests } = open()
    await claim(nodeFailed(broken))
    await claim(nodeFailed(broken), 2)
    await pass(400)
    expect(await claim(nodeFailed(broken))).toBe(3)
    expect(await digests()).toEqual([])
    await pass(300)
    expect([await digests(), await claim(nodeFailed(broken))]).toEqual([[], 1])
  })

  test('another subject, and another event, are told by themselves', async () => {
    const { claim } = open()
    expect(await claim(nodeFailed(broken))).toBe(1)
    expect(await claim(nodeFailed({ node: 'window' }))).toBe(1)
    expect(await claim(nodeFailed(broken, { event: 'connector_down' }))).toBe(1)
  })

  test('of two engines one sends, and one of them tells what both have counted', async () => {
    const [one, two] = [open('one'), open('two')]
    const first = await Promise.all([one.claim(nodeFailed(broken)), two.claim(nodeFailed(broken))])
    expect(first.filter((told) => told !== null)).toEqual([1])
    await two.claim(nodeFailed(broken))
    await pass(300)
    const told = await Promise.all([one.digests(), two.digests()])
    expect(told.flat()).toEqual([['flow/door', null, 2]])
  })

  test('what both engines notice is one occurrence within 30 seconds, and another one later', async () => {
    const [one, two] = [open('one'), open('two')]
    const failed = () => nodeFailed(broken, { everywhere: true })
    expect(await one.claim(failed())).toBe(1)
    await pass(10)
    expect(await two.claim(failed())).toBeNull()
    expect(await one.next()).toBeNull()
    await pass(60)
    expect(await two.claim(failed())).toBeNull()
    await pass(1)
    expect(await one.claim(failed())).toBeNull()
    await pass(229)
    expect([...(await one.digests()), ...(await two.digests())]).toEqual([['flow/door', null, 1]])
  })

  test('another life of the engine goes on', async () => {
    const before = open()
    await before.claim(nodeFailed(broken))
    await before.claim(nodeFailed(broken))
    const after = open()
    expect(await after.next()).toBe(300)
    await pass(300)
    expect(await after.digests()).toEqual([['flow/door', null, 1]])
  })
})

describe('while the database is gone', () => {
  test('an engine speaks for itself, and does not repeat what it has said before', async () => {
    const { state, claim, digests, next } = open()
    await claim(nodeFailed(broken))
    state.isGone = true
    await pass(100)
    expect(await claim(nodeFailed(broken))).toBeNull()
    expect(await claim(nodeFailed({ node: 'window' }))).toBe(1)
    expect(await next()).toBe(200)
    await pass(200)
    expect(await digests()).toEqual([['flow/door', null, 1]])
    expect(await claim(nodeFailed({ node: 'window' }))).toBeNull()
    await pass(100)
    expect(await digests()).toEqual([['flow/window', null, 1]])
  })

  test('it counts on where it had begun to count, once the database is back', async () => {
    const { state, claim, digests } = open()
    state.isGone = true
    expect(await claim(nodeFailed(broken))).toBe(1)
    state.isGone = false
    await pass(10)
    expect(await claim(nodeFailed(broken))).toBeNull()
    await pass(290)
    expect(await digests()).toEqual([['flow/door', null, 1]])
    await pass(600)
    await digests()
    expect(await open('two').claim(nodeFailed(broken))).toBe(1)
  })

  test('that it is gone is told by each engine, whatever the others have said', async () => {
    const lost = () => alertOf({ event: 'store_unavailable', subject: 'store', atMs: clock.now() })
    const [one, two] = [open('one'), open('two')]
    expect([await one.claim(lost()), await two.claim(lost()), await one.claim(lost())]).toEqual([1, 1, null])
  })
})
