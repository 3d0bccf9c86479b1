import { afterAll, beforeAll, expect, test } from 'vitest'

import { openEngine, type TestEngine } from './engine.ts'
import { double } from './flows.ts'
import { listed } from './listed.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openEngine({ closed: true })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const idOf = (name: string): string => engine.flows.get(name)?.id ?? ''
const runsOf = async (name: string) => listed(engine.runs, { flows: [name] }, { limit: 5, offset: 0 })

test('a submission that finds the flow deleted meanwhile is refused and leaves no run [R457]', async () => {
  await engine.publish('deleted', double)
  await engine.publish('stays', double)
  await engine.database.sql`delete from flow where id = ${idOf('deleted')}`
  // together in one statement: one of them has to fail alone
  const [refused, queued] = await Promise.allSettled([engine.submit('deleted'), engine.submit('stays')])
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
  expect(queued).toMatchObject({ status: 'fulfilled', value: { status: 'queued' } })
  await expect(engine.submit('deleted', { idempotency_key: 'k' })).rejects.toMatchObject({ code: 'not_found' })
  expect(await runsOf('deleted')).toEqual([])
})

test('whoever deletes a flow finds every run that was submitted before [R457]', async () => {
  await engine.publish('racing', double)
  const id = idOf('racing')
  const submissions = Array.from({ length: 20 }, () => engine.submit('racing'))
  const found = engine.database.transaction(async (tx) => {
    await tx`select from flow where id = ${id} for update`
    const active = await engine.runs.activeOf(tx, id)
    await tx`delete from flow where id = ${id}`
    return active
  })
  const answers = await Promise.allSettled(submissions)
  const queued = answers.filter(({ status }) => status === 'fulfilled')
  expect(await found).toHaveLength(queued.length)
})

test('runs are called as their flow is, and keep that name when it is gone [R458]', async () => {
  await engine.publish('early', double)
  const { id } = await engine.submit('early')
  await engine.database.transaction(async (tx) => {
    await tx`update flow set name = 'late' where id = ${idOf('early')}`
    await engine.runs.rename(tx, idOf('early'), 'late')
  })
  expect(await runsOf('late')).toMatchObject([{ id, flow: 'late' }])
  await engine.database.sql`delete from flow where id = ${idOf('early')}`
  expect(await runsOf('late')).toMatchObject([{ id, flow: 'late' }])
  expect(await runsOf('early')).toEqual([])
})
