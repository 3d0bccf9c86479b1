import type { DeadLetter } from '@flow-service/core'
import type { DeadLetterRecord, FlowRollup, ObservabilityEvent } from '@flow-service/protocol'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'

import { relay } from '../flows/engine.ts'
import { closeGate, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
  await at.publish('hall', relay)
  await at.publish('porch', relay)
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(async () => {
  await list()
  await at.engine.database.sql`delete from dead_letter`
})

const letter = (more: Partial<DeadLetter> = {}): void =>
  at.deadLetter({ flow: 'hall', node: 'pass', message: 'hall.on', value: 1, reason: 'crash', cascade: null, ...more })
const list = async (): Promise<DeadLetterRecord[]> =>
  (await at.ann<DeadLetterRecord[]>('GET', '/observability/dead-letter?limit=500')).value
const only = async (): Promise<DeadLetterRecord> => {
  const [found] = await list()
  if (!found) throw new Error('there is no dead letter')
  return found
}
const replay = (id: string) => at.root<{ cascade: string }>('POST', `/observability/dead-letter/${id}/replay`)
const replayMany = (body: object = {}) =>
  at.root<{ replayed: number }>('POST', '/observability/dead-letter/replay', body)
/** The newest value of a message. */
const valueOf = async (message: string): Promise<unknown> => {
  const { value } = await at.root<{ name: string; value: unknown }[]>('GET', '/messages/')
  return value.find(({ name }) => name === message)?.value
}
/** Executions of a flow. */
const executions = async (flow: string): Promise<number> => {
  const { value } = await at.ann<FlowRollup[]>('GET', '/observability/flows')
  return value.find((row) => row.flow === flow)?.executions ?? 0
}

test('a replayed entry reaches its node and leaves the list', async () => {
  letter({ value: { level: 7 } })
  const { id } = await only()
  const { status, value } = await replay(id)
  expect(status).toBe(202)
  expect(await at.ended(value.cascade)).toMatchObject({
    flow: 'hall',
    origin: { kind: 'trigger', node: 'pass', message: 'hall.on' },
    executions: 1,
  })
  expect(await list()).toEqual([])
  expect(await valueOf('hall.off')).toEqual({ level: 7 })
  expect((await replay(id)).problem).toMatchObject({ status: 404, code: 'not_found' })
  const audit = await at.ann<ObservabilityEvent[]>('GET', '/observability/events?kind=audit&flow=hall&limit=1')
  expect(audit.value).toMatchObject([
    { action: 'dead_letter.replay', node: 'pass', actor: { email: 'root@example.org' }, detail: { id } },
  ])
})

test('of many who replay one entry at once, one does', async () => {
  const before = await executions('hall')
  letter({ value: 'once' })
  const { id } = await only()
  const answers = await Promise.all(Array.from({ length: 8 }, () => replay(id)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 202)).toHaveLength(1)
  expect(statuses.filter((status) => status === 404)).toHaveLength(7)
  await expect.poll(() => executions('hall')).toBe(before + 1)
})

test('an entry stays where it cannot be replayed: no flow, no node, no reader, no value, no delivery', async () => {
  letter({ flow: 'nowhere' })
  letter({ node: 'gone' })
  letter({ message: 'hall.elsewhere' })
  letter({ value: 'x'.repeat(300_000) })
  letter({ node: '', message: null, reason: 'lease', run: '01900000-0000-7000-8000-0000000000aa' })
  const letters = (await list()).toReversed()
  const answers = await Promise.all(letters.map(({ id }) => replay(id)))
  expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual([
    [404, 'not_found'],
    [422, 'validation_failed'],
    [422, 'validation_failed'],
    [422, 'validation_failed'],
    [422, 'validation_failed'],
  ])
  expect(answers.map(({ problem }) => problem.detail)).toEqual([
    expect.stringContaining('there is no flow "nowhere"'),
    expect.stringContaining('has no node "gone"'),
    expect.stringContaining('hall.elsewhere'),
    expect.stringContaining('256 KiB'),
    expect.stringContaining('/runs/01900000-0000-7000-8000-0000000000aa/retry'),
  ])
  expect((await list()).toReversed()).toEqual(letters)
  expect(letters[4]).toMatchObject({ node: null, run: '01900000-0000-7000-8000-0000000000aa' })
})

test('an entry that fails again is the same entry, tried once more', async () => {
  const busy = await at.feed(999)
  letter({ flow: 'lab', node: 'work', message: 'lab.x', value: 5 })
  const { id, ts } = await only()
  const { value } = await replay(id)
  expect(await list()).toEqual([])
  const stopping = at.root('POST', '/flows/lab/stop')
  const [again] = await vi.waitUntil(async () => {
    const found = await list()
    return found.length > 0 && found
  }, 60_000)
  expect(again).toMatchObject({ id, node: 'work', value: 5, reason: 'stopped', attempts: 2, cascade: value.cascade })
  expect((again?.ts ?? '') > ts).toBe(true)
  closeGate()
  await stopping
  expect(await at.ended(busy)).toMatchObject({ status: 'ok' })
  await at.root('POST', '/flows/lab/start')
})

test('many are replayed oldest first by flow, node, reason and time; the others stay', async () => {
  for (let value = 0; value < 250; value++) letter({ value })
  letter({ flow: 'porch', message: 'porch.on', value: 'porch' })
  letter({ reason: 'overflow', value: 'overflown' })
  letter({ node: 'gone', value: 'stays' })
  letter({ flow: 'nowhere', value: 'stays too' })
  const before = await executions('hall')
  expect((await replayMany({ flow: 'hall', node: 'pass', reason: 'crash' })).value).toEqual({ replayed: 250 })
  expect(await valueOf('hall.off')).toBe(249)
  await expect.poll(() => executions('hall')).toBe(before + 250)
  const [, , , newest] = (await list()).toReversed()
  expect((await list()).map(({ value }) => value)).toEqual(['stays too', 'stays', 'overflown', 'porch'])
  expect((await replayMany({ since: newest?.ts })).value).toEqual({ replayed: 0 })
  expect((await replayMany({ until: '2020-01-01T00:00:00Z' })).value).toEqual({ replayed: 0 })
  const [porch] = (await list()).toReversed()
  expect((await replayMany({ since: porch?.ts, until: porch?.ts })).value).toEqual({ replayed: 1 })
  expect((await replayMany()).value).toEqual({ replayed: 1 })
  expect((await list()).map(({ value }) => value)).toEqual(['stays too', 'stays'])
  expect(await valueOf('porch.off')).toBe('porch')
})

test('two who replay many at once share them', async () => {
  for (let value = 0; value < 150; value++) letter({ value })
  await list()
  const before = await executions('hall')
  const answers = await Promise.all([replayMany({ flow: 'hall' }), replayMany({ flow: 'hall' })])
  expect(answers.reduce((sum, { value }) => sum + value.replayed, 0)).toBe(150)
  await expect.poll(() => executions('hall')).toBe(before + 150)
})

test('replaying is for superusers, and its body is checked', async () => {
  letter()
  const { id } = await only()
  expect((await at.ann('POST', `/observability/dead-letter/${id}/replay`)).problem.code).toBe('forbidden')
  expect((await at.ann('POST', '/observability/dead-letter/replay', {})).problem.code).toBe('forbidden')
  expect((await at.ann('POST', '/observability/flush')).problem.code).toBe('forbidden')
  expect((await at.nobody('POST', `/observability/dead-letter/${id}/replay`)).status).toBe(401)
  for (const [body, path] of [
    [{ reason: 'bad' }, '/reason'],
    [{ since: 'yesterday' }, '/since'],
    [{ all: true }, '/all'],
  ] as const) {
    expect((await replayMany(body)).problem).toMatchObject({ status: 422, errors: [{ path }] })
  }
  expect((await replayMany({ flow: 'nowhere' })).problem).toMatchObject({ status: 409, code: 'not_active' })
  expect((await replay('no-id')).problem).toMatchObject({ status: 422, errors: [{ path: 'path.id' }] })
  expect(await list()).toHaveLength(1)
})

/** What a replay leaves when the engine dies just before, or just after, its transaction has ended. */
async function crashed(when: 'before' | 'after', act: () => Promise<unknown>): Promise<void> {
  const { database } = at.engine
  const transaction = database.transaction.bind(database)
  const crash = vi.spyOn(database, 'transaction').mockImplementation(async (run) => {
    let isReplay = false
    const result = await transaction(async (tx) => {
      const inner = await run(tx)
      isReplay = typeof inner === 'object' && inner !== null && ('letter' in inner || 'prepared' in inner)
      if (isReplay && when === 'before') throw new Error('the engine dies')
      return inner
    })
    if (isReplay) throw new Error('the engine dies')
    return result
  })
  await act()
  crash.mockRestore()
}

test('a crash while a letter is replayed neither loses nor doubles it', async () => {
  const { sql } = at.engine.database
  const kept = async () => await sql<{ body: string }[]>`select body from live_work`
  const before = await executions('hall')
  for (const value of ['one', 'many']) {
    letter({ value })
    const { id } = await only()
    const act = () => (value === 'one' ? replay(id) : replayMany({ flow: 'hall' }))
    await crashed('before', act)
    expect(await list()).toMatchObject([{ id, value }])
    expect(await kept()).toEqual([])
    await crashed('after', act)
    expect(await list()).toEqual([])
    expect(await kept()).toHaveLength(1)
    expect(await valueOf('hall.off')).not.toBe(value)
    await at.root('POST', '/flows/hall/stop')
    await at.root('POST', '/flows/hall/start')
    await expect.poll(() => valueOf('hall.off')).toBe(value)
    await expect.poll(kept).toEqual([])
  }
  expect(await executions('hall')).toBe(before + 2)
})

test('a dismissed entry is gone, and the audit has who did it', async () => {
  letter()
  const { id } = await only()
  const dismiss = () => at.root('POST', `/observability/dead-letter/${id}/dismiss`)
  expect((await dismiss()).status).toBe(204)
  expect(await list()).toEqual([])
  expect((await dismiss()).problem).toMatchObject({ status: 404, code: 'not_found' })
  const audit = await at.ann<ObservabilityEvent[]>('GET', '/observability/events?kind=audit&flow=hall&limit=1')
  expect(audit.value).toMatchObject([
    { action: 'dead_letter.dismiss', actor: { email: 'root@example.org' }, detail: { id, reason: 'crash' } },
  ])
})
