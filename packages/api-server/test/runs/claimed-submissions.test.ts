/** Runs that are claimed by the statement that queues them (runs.I28), on both databases. */
import { afterEach, beforeEach, expect, test } from 'vitest'

import { losing } from '../faulty-database.ts'
import { openEngine, type TestEngine } from './engine.ts'
import { double, input, node, output, scaled } from './flows.ts'
import { counter, limit } from './limited-runs.ts'

let engine: TestEngine
/** Statements that claim runs which had been queued before. */
let claims: number
const running = counter()
beforeEach(async () => {
  claims = 0
  const isClaim = (answer: unknown) => Array.isArray(answer) && typeof answer[0]?.flow_id === 'string'
  const wrap = losing((answer) => isClaim(answer) && ++claims < 0)
  engine = await openEngine({ wrap, code: { double: running.code }, maxRuns: 1, maxLightRuns: 4 })
})
afterEach(async () => {
  for (const end of running.ends.splice(0)) end()
  await engine[Symbol.asyncDispose]()
})

/** On a server the poll of every second may be under way when a run comes: then that one is claimed as ever. */
const mostClaims = (runs: number): number => (engine.database.backend === 'server' ? runs : 0)
const statesOf = (id: string) =>
  engine.events.flatMap((event) => (event.type === 'run' && event.run.id === id ? [event.run.status] : []))

test('a run that finds a free place is told as queued, running and over, and no statement claims it', async () => {
  await engine.publish('light', scaled(2))
  const submitted = await engine.submit('light', { params: { x: 21 } })
  expect(submitted).toMatchObject({ status: 'queued', started_at: null, duration_s: null })
  const run = await engine.finished(submitted.id)
  expect(run).toMatchObject({ status: 'ok', result: { y: 42 }, params: { x: 21 }, created_at: submitted.created_at })
  expect((run.started_at ?? '') >= run.created_at).toBe(true)
  expect(statesOf(run.id)).toEqual(['queued', 'running', 'ok'])
  const again = await engine.runs.retry(run.id, null)
  expect(await engine.finished(again.id)).toMatchObject({ status: 'ok', parent: run.id })
  expect(claims).toBeLessThanOrEqual(mostClaims(2))
  const [row] = await engine.database.sql<{ waiting: number; leased: number }[]>`
    select count(*) filter (where status in ('queued', 'running'))::int as waiting, count(lease_token)::int as leased
    from run`
  expect(row).toEqual({ waiting: 0, leased: 0 })
})

test('runs that are submitted at once get the places that there are, and the others wait for these', async () => {
  await engine.publish('light', scaled(3))
  const runs = await Promise.all(
    Array.from({ length: 30 }, (_, x) => engine.submit('light', { params: { x }, no_cache: true })),
  )
  for (const [x, { id }] of runs.entries())
    expect(await engine.finished(id)).toMatchObject({ status: 'ok', result: { y: 3 * x } })
  expect(claims).toBeGreaterThan(0)
})

test('a run that comes while another of its class waits stands behind it, and one of the other class does not', async () => {
  await engine.publish('double', double)
  await engine.publish('light', scaled(2))
  const [first, second] = [await engine.submit('double'), await engine.submit('double')]
  await expect.poll(() => running.ends).toHaveLength(1)
  const third = await engine.submit('double')
  const light = await engine.submit('light')
  expect(await engine.finished(light.id)).toMatchObject({ status: 'ok' })
  for (const { id } of [first, second, third]) {
    await expect.poll(() => running.ends).toHaveLength(1)
    expect(await engine.runs.get(id)).toMatchObject({ status: 'running' })
    running.ends.shift()?.()
    expect(await engine.finished(id)).toMatchObject({ status: 'ok' })
  }
})

test('a flow with a limit keeps it, whoever submits', async () => {
  const limited = {
    ...double,
    nodes: [{ ...double.nodes?.[0], id: 'own' } as NonNullable<typeof double.nodes>[number]],
  }
  const own = counter()
  engine.code['own'] = own.code
  await engine.publish('limited', limited)
  await limit(engine.database, 'limited', 1)
  const runs = [await engine.submit('limited'), await engine.submit('limited'), await engine.submit('limited')]
  for (const { id } of runs) {
    await expect.poll(() => own.ends).toHaveLength(1)
    own.ends.shift()?.()
    expect(await engine.finished(id)).toMatchObject({ status: 'ok' })
  }
  expect(own.most()).toBe(1)
})

test('what a run does to its inputs is nothing to the next one, nor to the flow', async () => {
  engine.code['spoil'] = async ({ inputs }) => {
    ;(inputs['xs'] as number[]).push(1)
    return { y: (inputs['xs'] as number[]).length }
  }
  await engine.publish('spoil', {
    inputs: [{ name: 'xs', dtype: 'any', initial: [7] }],
    outputs: [{ name: 'y' }],
    nodes: [node('spoil', [input('xs', 'any'), output('y')], { cache: false })],
  })
  const params = { xs: [1, 2] }
  for (const [given, y] of [
    [{}, 2],
    [{}, 2],
    [params, 3],
    [params, 3],
  ] as const) {
    const { id } = await engine.submit('spoil', { params: given, no_cache: true })
    expect(await engine.finished(id)).toMatchObject({ status: 'ok', result: { y } })
  }
  expect(params).toEqual({ xs: [1, 2] })
  expect(claims).toBeLessThanOrEqual(mostClaims(4))
})
