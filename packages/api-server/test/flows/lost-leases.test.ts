/** What places of flows do when a lease is over while they wait for an answer. */
import { VirtualClock } from '@flow-service/core/testing'
import type { FlowDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { Claims } from '../../src/flows/claims.ts'
import { createFlowFollower } from '../../src/flows/follow-flow.ts'
import { createLiveFlows } from '../../src/flows/live.ts'
import { createPlacement } from '../../src/flows/placement.ts'
import type { FlowMark, FlowRow } from '../../src/flows/store.ts'
import { useFlowDatabase } from './flow-database.ts'

let database: Database
useFlowDatabase((opened) => {
  database = opened
})

const log = { error() {}, info() {}, warn() {} }
const porch = { id: '01a226fb-0000-7000-8000-000000000001', name: 'porch' }
const hall = { id: '01a226fb-0000-7000-8000-000000000002', name: 'hall' }

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

test.for(['claimed', 'read'] as const)(
  'flows whose lease is over when they are %s are taken under the present one, and are this engine’s from then on (placement.P6)',
  async (moment) => {
    const lease = { id: 'engine', lease: 'first' }
    const asked: unknown[] = []
    const begun: string[] = []
    const pass = (now: typeof moment): void => void (moment === now && (lease.lease = 'second'))
    const placement = createPlacement({
      lease,
      log,
      store: {
        claim: async (claim: { lease: string }) => {
          asked.push(claim.lease)
          pass('claimed')
          return [porch, hall].map(({ id }) => ({ flow: id, epoch: 2 }))
        },
        // another engine has taken the other one meanwhile
        take: async (under: string) => {
          asked.push(under)
          return [{ flow: hall.id, epoch: 3 }]
        },
      },
      flows: { contents: async () => (pass('read'), [porch, hall]) },
      fence: { begin: ({ name }: typeof porch) => void begun.push(name), end() {} },
      adopt: async () => expect(begun).toEqual(['hall']),
      written: async () => {},
      farStates: null,
    } as never)
    expect(await placement.claim(2, new Set())).toEqual([hall])
    expect([asked, begun]).toEqual([['first', 'second'], ['hall']])
  },
)

/** Flows on a runtime that starts them by `start`; the flow `f` has published content, and is to run. */
async function flowsStarting(start: (document: FlowDocument) => Promise<void>, placement: object) {
  await database.sql`
    update flow set wished = 'active', published_version = 1,
      published = ${database.sql.json({ mode: 'live', nodes: [] })} where name = 'f'`
  const [row] = await database.sql<FlowRow[]>`select * from flow where name = 'f'`
  const live = createLiveFlows({
    database,
    log,
    check: () => [],
    events: { follow() {}, publish() {} },
    farStates: null,
    farValues: null,
    placement: { engine: 'here', isMine: () => true, shown: () => null, ...placement },
    published: () => undefined,
    runtime: { get: () => undefined, start },
    values: {},
    work: { written: async () => {} },
  } as never)
  return { live, row: row! }
}

test('a flow that was lost before it is begun is not begun (placement.P7)', async () => {
  const started: string[] = []
  const start = async ({ name }: FlowDocument): Promise<void> => void started.push(name)
  const lost = await flowsStarting(start, { isMine: () => false })
  expect([await lost.live.begin([lost.row]), started]).toEqual([[], []])
  const own = await flowsStarting(start, {})
  expect([await own.live.begin([own.row]), started]).toEqual([[], ['f']])
})

test('a flow that does not start as the database is away has not failed: its sender is told, and it is left to others', async () => {
  const released: unknown[] = []
  const placement = {
    take: async () => {},
    release: async (_flows: unknown, areLeft: unknown) => void released.push(areLeft),
  }
  const away = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED', query: '' })
  const { live, row } = await flowsStarting(async () => Promise.reject(away), placement)
  await expect(live.start(row)).rejects.toBe(away)
  expect([live.failed(), released]).toEqual([0, [true]])
  // and it is begun anew, not refused
  expect([await live.begin([row]), live.failed()]).toEqual([[], 0])
  const broken = await flowsStarting(async () => Promise.reject(new Error('broken')), placement)
  expect([await broken.live.start(broken.row), broken.live.failed(), released.at(-1)]).toEqual([false, 1, false])
})

test('a flow runs astray that another engine has and that runs here, and no other one (flow-news.N6)', () => {
  const follower = createFlowFollower({
    placement: { engine: 'here' },
    live: { running: ({ name }: FlowMark) => (name === 'porch' ? {} : undefined) },
  } as never)
  const marks = [
    { name: 'porch', at: 'there' },
    { name: 'porch', at: 'here' },
    { name: 'porch', at: null },
    { name: 'hall', at: 'there' },
  ]
  expect(marks.map((mark) => follower.isAstray(mark as FlowMark))).toEqual([true, false, false, false])
})
