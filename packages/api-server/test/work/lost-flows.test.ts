/** Kept work of flows that another engine has taken meanwhile. */
import type { KeptWork } from '@flow-service/core'
import { v7 } from 'uuid'
import { beforeEach, expect, test, vi } from 'vitest'

import type { Database, Sql } from '../../src/db/database.ts'
import { Fence } from '../../src/engines/fence.ts'
import { createWork } from '../../src/work/work.ts'
import { useFlowDatabase } from '../flows/flow-database.ts'
import { quiet } from '../use-database.ts'

let database: Database
useFlowDatabase((opened) => {
  database = opened
})
beforeEach(async () => {
  await database.sql`insert into flow (id, name, version, draft, origin) values (${v7()}, 'g', 1, '{}', 'api')`
})

const [ours, theirs] = [v7(), v7()]

/** Who has a flow: a lease, or nobody any more. */
const place = (flow: string, lease: string | null): Promise<unknown> => database.sql`
  insert into placement (flow, lease) select id, ${lease}::uuid from flow where name = ${flow}
  on conflict (flow) do update set lease = excluded.lease`

/** Kept work of an engine that has our lease; nothing is recorded until the test says so. */
function open(on: Pick<Database, 'sql' | 'assertOutsideTransaction'> = database) {
  const recording = Promise.withResolvers<void>()
  const fence = new Fence({ lease: ours, placedBy: ours })
  const lost = vi.fn<(flows: readonly { readonly name: string }[]) => void>()
  fence.onLost(lost)
  const work = createWork({ database: on, log: quiet, fence, recorded: () => recording.promise })
  /** An arrival whose executions are over as soon as it is published. */
  const pass = (one: KeptWork): Promise<void> => work.arrive(one, () => work.drop(one.id))
  return { work, pass, fence, lost, recording }
}

const arrival = (flow: string, value: unknown): KeptWork => ({
  id: v7(),
  flow,
  node: 'hook',
  body: { is: 'arrival', values: { x: value }, messages: { x: 'order' }, atMs: 1_700_000_000_000 },
  cascade: v7(),
  origin: { kind: 'webhook', node: 'hook', message: null },
  attempts: 0,
  begun: [],
  ended: [],
})

/** The flows of which values are owed. */
const owed = async (): Promise<string[]> =>
  (
    await database.sql<{ name: string }[]>`
      select flow.name from published_value p join flow on flow.id = p.flow order by flow.name`
  ).map(({ name }) => name)

test('an arrival that is over before its batch is written is refused with all others of a flow that is lost (work.W10)', async () => {
  await Promise.all([place('f', theirs), place('g', ours)])
  const { work, pass, fence, lost } = open()
  const arriving = [pass(arrival('f', 1)), work.arrive(arrival('f', 2), () => {}), pass(arrival('g', 3))]
  const [over, executed, own] = await Promise.allSettled(arriving)
  const refusal = { reason: { code: 'unavailable', extensions: { retry_after_s: 1 } } }
  expect([over, executed]).toMatchObject([refusal, refusal])
  expect(own).toMatchObject({ status: 'fulfilled' })
  expect(lost.mock.calls).toMatchObject([[[{ name: 'f' }]]])
  expect(fence.refused).toBe(2)
  expect(await owed()).toEqual(['g'])
  await work.close()
})

test('an arrival that is over before its batch is written is refused when its flow is gone (work.W10)', async () => {
  await place('g', ours)
  const { work, pass, fence } = open()
  const arriving = [pass(arrival('h', 1)), pass(arrival('g', 2))]
  const [gone, own] = await Promise.allSettled(arriving)
  expect(gone).toMatchObject({ reason: { code: 'not_found' } })
  expect(own).toMatchObject({ status: 'fulfilled' })
  expect(fence.refused).toBe(0)
  await work.close()
})

test('work that a commit without an answer may have kept is not said to be free, nor is what was published (work.W12)', async () => {
  await Promise.all([place('f', ours), place('g', theirs)])
  let isHeard = false
  // the commit is done, and its answer lost; then another engine takes the flow, and does the work
  const unheard = async (committed: PromiseLike<unknown>): Promise<never> => {
    isHeard = true
    await committed
    await place('f', theirs)
    await database.sql`delete from live_work`
    throw new Error('the connection is lost')
  }
  const sql = new Proxy(database.sql, {
    apply(target, self, args: Parameters<Sql>): unknown {
      const query: PromiseLike<unknown> = Reflect.apply(target, self, args)
      // parts of a statement are no statements
      return isHeard || !/^\s*with /.test(String(args[0])) ? query : unheard(query)
    },
  })
  const { work } = open({ ...database, sql, assertOutsideTransaction() {} })
  const [kept, published] = await Promise.allSettled([
    work.keep(arrival('f', 1)),
    work.arrive(arrival('f', 2), () => {}),
  ])
  const unsure = {
    reason: { code: 'unavailable', mayBeKept: true, message: expect.stringContaining('may have been taken') },
  }
  expect([kept, published]).toMatchObject([unsure, unsure])
  await expect(work.keep(arrival('g', 1))).rejects.toMatchObject({
    mayBeKept: false,
    message: 'flow "g" has gone to another engine meanwhile; try again',
  })
  await expect(work.arrive(arrival('g', 2), () => {})).rejects.toMatchObject({ mayBeKept: true })
  await work.close()
})

test('an arrival that ends after its flow is lost stays for the engine that has it', async () => {
  await place('f', ours)
  const { work } = open()
  const one = arrival('f', 1)
  await work.arrive(one, () => {})
  await place('f', theirs)
  work.drop(one.id)
  await work.written()
  expect(await work.left('f')).toEqual([one])
  expect(await owed()).toEqual([])
  await work.close()
})

test('what is owed stays when another engine has the flow by then, and goes when nobody has it (work.W11)', async () => {
  await Promise.all([place('f', ours), place('g', ours)])
  await database.sql`insert into flow (id, name, version, draft, origin) values (${v7()}, 'h', 1, '{}', 'api')`
  await place('h', ours)
  const { work, pass, recording } = open()
  await Promise.all(['f', 'g', 'h'].map((flow) => pass(arrival(flow, 1))))
  expect(await owed()).toEqual(['f', 'g', 'h'])
  await Promise.all([place('f', theirs), place('h', null)])
  recording.resolve()
  await expect.poll(owed).toEqual(['f'])
  await work.written()
  expect(await owed()).toEqual(['f'])
  await work.close()
})

test('a reader counts as done only where what its flow has taken along is stored (work.W8)', async () => {
  await Promise.all([place('f', ours), place('g', ours)])
  const { work, fence } = open()
  const [row] = await database.sql<{ id: string }[]>`select id from flow where name = 'g'`
  fence.begin({ id: String(row?.id), name: 'g' })
  const [early, late] = [arrival('f', 1), arrival('f', 2)]
  const part = (): KeptWork => ({ ...arrival('g', 1), node: 'reader', body: { is: 'delivery', arrivals: [['x', 1]] } })
  await work.arrive(early, () => {})
  await work.begin(early.id, 'g/reader')
  expect(work.has?.('g')).toBe(true)
  await place('g', theirs)
  const taken = work.together(() => {
    const arrived = work.arrive(late, () => {})
    const parts = [work.keep(part()), work.keep(part())]
    for (const one of [early, late]) work.end(one.id, 'g/reader', 'g')
    work.end(early.id, 'f/own')
    return [arrived, ...parts]
  })
  const [arrived, ...parts] = await Promise.allSettled(taken)
  expect(arrived).toMatchObject({ status: 'fulfilled' })
  for (const each of parts) expect(each).toMatchObject({ status: 'rejected' })
  expect(work.has?.('g')).toBe(false)
  expect(await work.left('f')).toMatchObject([
    { id: early.id, begun: ['g/reader'], ended: ['f/own'] },
    { id: late.id, ended: [] },
  ])
  await work.close()
})

test('a reader is done where what its flow has taken along is stored, with work of the same commit and of earlier ones (work.W8)', async () => {
  await Promise.all([place('f', ours), place('g', ours)])
  const { work } = open()
  const [early, late] = [arrival('f', 1), arrival('f', 2)]
  await work.arrive(early, () => {})
  await work.begin(early.id, 'g/reader')
  const part: KeptWork = { ...arrival('g', 1), node: 'reader', body: { is: 'delivery', arrivals: [['x', 1]] } }
  await work.together(() => {
    const arrived = work.arrive(late, () => {})
    for (const one of [early, late]) work.end(one.id, 'g/reader', 'g')
    return Promise.all([arrived, work.keep(part)])
  })
  expect(await work.left('f')).toMatchObject([
    { id: early.id, begun: [], ended: ['g/reader'] },
    { id: late.id, ended: ['g/reader'] },
  ])
  expect(await work.left('g')).toEqual([part])
  await work.close()
})
