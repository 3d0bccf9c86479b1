/** Equal stages that execute at the same time in two engines of one database (wire decision R4). */
import { afterEach, beforeEach, expect, test } from 'vitest'

import { createExecutionStore, type Round, type RunWrite } from '../../../src/runs/execution-store.ts'
import { StageFlights } from '../../../src/runs/stages/flights.ts'
import { createStageStore } from '../../../src/runs/stages/store.ts'
import { openEngine, realClock, type TestEngine } from '../engine.ts'
import { input, node, output } from '../flows.ts'
import { heldCode, waiting } from '../held-code.ts'
import { listed } from '../listed.ts'

let one: TestEngine
let two: TestEngine
let held: ReturnType<typeof heldCode>
beforeEach(async () => {
  held = heldCode('y')
  // one run each: the second run is the other engine's
  one = await openEngine({ maxRuns: 1, code: held.code })
  two = await openEngine({ maxRuns: 1, code: held.code, databaseDir: one.dataDir, flows: one.flows })
  await one.publish('one', { outputs: [{ name: 'y' }], nodes: [node('y', [output('y')])] })
})
afterEach(async () => {
  for (const engine of [one, two]) {
    await engine.settle()
    await engine[Symbol.asyncDispose]()
  }
})

/** Submits two equal runs, one to an engine; gives the execution, and the run that waits for it in the other. */
async function led() {
  const ids = [(await one.submit('one')).id, (await two.submit('one')).id]
  const [first] = await held.executions(1)
  const other = ids.find((id) => id !== first!.run)!
  await expect.poll(async () => (await one.runs.get(other)).status).toBe('running')
  await waiting(one, [other], 1)
  return { first: first!, other }
}
const flights = (): Promise<object[]> => one.database.sql`select key from stage_flight`

test('execute once; the other engine takes the result over', async () => {
  const { first, other } = await led()
  first.end({ y: 4 })
  const run = await one.finished(other)
  expect(run).toMatchObject({ status: 'ok', result: { y: 4 }, nodes: [{ cached: true, cached_from: first.run }] })
  expect(run.nodes[0]?.cache).toMatchObject({ hit: true, why: [`run ${first.run} executed it at the same time`] })
  expect(held.begun).toHaveLength(1)
  await expect.poll(flights).toEqual([])
})

test('a failure in one engine makes the other execute by itself', async () => {
  const { first, other } = await led()
  first.fail('no luck')
  const [, second] = await held.executions(2)
  expect(second?.run).toBe(other)
  second!.end({ y: 5 })
  expect(await one.finished(other)).toMatchObject({ status: 'ok', result: { y: 5 }, nodes: [{ cached: false }] })
  expect(await one.finished(first.run)).toMatchObject({ status: 'error', error: { message: 'no luck' } })
})

test('so does a cancellation, which nobody inherits', async () => {
  const { first, other } = await led()
  await two.runs.cancel(first.run)
  const [, second] = await held.executions(2)
  second!.end({ y: 6 })
  expect(await one.finished(other)).toMatchObject({ status: 'ok', result: { y: 6 } })
})

test('a stage of an engine that died is executed by the other as soon as the lease is over', async () => {
  const { first, other } = await led()
  await one.database.sql`update run set lease_until = now() - interval '1 s' where id = ${first.run}`
  const [, second] = await held.executions(2)
  expect(second?.run).toBe(other)
  second!.end({ y: 7 })
  expect(await one.finished(other)).toMatchObject({ status: 'ok', result: { y: 7 } })
  await expect.poll(flights).toEqual([])
})

test('whatever the order, each of many different stages executes once over all engines', async () => {
  await one.publish('many', {
    inputs: [{ name: 'x', dtype: 'float', initial: 0 }],
    nodes: [node('first', [input('x'), output('a')]), node('second', [input('a'), output('b')])],
  })
  const executed: string[] = []
  for (const engine of [one, two]) {
    for (const [id, port] of [
      ['first', 'a'],
      ['second', 'b'],
    ] as const) {
      engine.code[id] = async ({ inputs }) => {
        const [value] = Object.values(inputs)
        executed.push(`${id} ${String(value)}`)
        return { [port]: value }
      }
    }
  }
  const params = Array.from({ length: 40 }, (_, at) => ({ x: at % 5 }))
  await Promise.all(params.map((each, at) => (at % 2 ? one : two).submit('many', { params: each })))
  await expect.poll(async () => (await one.runs.active()).length).toBe(0)
  const runs = await listed(one.runs, {}, { limit: 50, offset: 0 })
  expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 'ok'))
  const expected = ['first', 'second'].flatMap((id) => [0, 1, 2, 3, 4].map((x) => `${id} ${x}`))
  expect(executed.toSorted()).toEqual(expected)
})

test('a run that replaces a stage of another one does not wait for what that one writes', async () => {
  const runs = await Promise.all([one.submit('one', { no_cache: true }), two.submit('one', { no_cache: true })])
  for (const { id } of runs) await expect.poll(async () => (await one.runs.get(id)).status).toBe('running')
  const leases = await one.database.sql<{ id: string; token: string }[]>`select id, lease_token as token from run`
  const parts = { code: null, modules: {}, settings: {}, inputs: {}, ports: '' }
  const round = (at: number, key: string): Round => ({
    writes: [write(at, key)],
    metricId: () => 0,
    columnsOf: () => null,
    claim: null,
  })
  const write = (at: number, key: string): RunWrite => ({
    run: leases[at]?.id ?? '',
    token: leases[at]?.token ?? '',
    draft: null,
    nodes: [],
    chunks: [],
    facts: null,
    cache: [{ key, flight: key, node: 'y', parts, outputs: { y: at }, loss: null }],
    artifacts: null,
    kept: null,
    end: null,
  })
  const [first, second] = [createExecutionStore(one.database.sql), createExecutionStore(two.database.sql)]
  await first.write(one.database.sql, round(0, 'a'))
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const open = one.database.transaction(async (tx) => {
    await first.write(tx, round(0, 'b'))
    begun.resolve()
    await goOn.promise
  })
  await begun.promise
  expect((await second.write(two.database.sql, round(1, 'a'))).held.size).toBe(1)
  goOn.resolve()
  await open
  expect(await one.database.sql`select outputs from run_output where run = ${leases[0]?.id ?? ''}`).toEqual([
    { outputs: { y: 0 } },
  ])
})

test('a run that takes a stage over from one that gave it up at the same moment leads it', async () => {
  const runs = await Promise.all([one.submit('one', { no_cache: true }), two.submit('one', { no_cache: true })])
  for (const { id } of runs) await expect.poll(async () => (await one.runs.get(id)).status).toBe('running')
  const leaders = await one.database.sql<{ run: string; token: string }[]>`
    select id as run, lease_token as token from run order by created_at`
  const log = { error: (): void => {} }
  const flights = new StageFlights({ store: createStageStore(one.database.sql), clock: realClock, shared: true, log })
  const confirmed = leaders.map((leader, at) => {
    if (at > 0) flights.land('k', 'open')
    expect(flights.tryLead('k', leader)).toBe(true)
    return flights.confirm('k')
  })
  expect(await Promise.all(confirmed)).toEqual([false, true])
  expect(await one.database.sql`select run, token from stage_flight where key = 'k'`).toEqual([leaders[1]])
  flights.close()
})
