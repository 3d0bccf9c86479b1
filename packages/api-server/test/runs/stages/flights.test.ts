/** Equal stages that execute at the same time: one executes, the others take what it returned (wire decision R4). */
import { type FlowDocumentInput, MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'
import { beforeEach, expect, test } from 'vitest'

import type { TestEngine } from '../engine.ts'
import { output, node } from '../flows.ts'
import { heldCode, waiting } from '../held-code.ts'
import { useEngine } from '../use-engine.ts'

let engine: TestEngine
let held: ReturnType<typeof heldCode>
const flow = (...ids: string[]): FlowDocumentInput => ({
  outputs: ids.map((id) => ({ name: id })),
  nodes: ids.map((id) => node(id, [output(id)])),
})

useEngine({ maxRuns: 4 }, async (opened) => {
  engine = opened
  await engine.publish('one', flow('y'))
  await engine.publish('pq', flow('p', 'q'))
  await engine.publish('qp', flow('q', 'p'))
})
beforeEach(async () => {
  await engine.database.sql`delete from stage_cache`
  held = heldCode('y', 'p', 'q', 'twin')
  Object.assign(engine.code, held.code)
})

type Body = Parameters<TestEngine['submit']>[1]
const submit = async (count: number, body: Body = {}): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async () => (await engine.submit('one', body)).id))
const finished = (ids: readonly string[]) => Promise.all(ids.map((id) => engine.finished(id)))

/** Submits equal runs; gives the execution, and the ids of those that wait for it. */
async function led(count: number, body: Body = {}) {
  const ids = await submit(count, body)
  const [first] = await held.executions(1)
  const others = ids.filter((id) => id !== first!.run)
  await waiting(engine, others, count - 1)
  return { first: first!, others }
}

test('equal stages execute once; the others are cached from it, and say so', async () => {
  const { first, others } = await led(4)
  first.end({ y: 7 })
  expect(await engine.finished(first.run)).toMatchObject({ status: 'ok', nodes: [{ cached: false }] })
  for (const run of await finished(others)) {
    expect(run).toMatchObject({ status: 'ok', result: { y: 7 } })
    expect(run.nodes[0]).toMatchObject({ status: 'ok', cached: true, cached_from: first.run, started_at: null })
    expect(run.nodes[0]?.cache).toMatchObject({ hit: true, why: [`run ${first.run} executed it at the same time`] })
  }
  expect(held.begun).toHaveLength(1)
})

test('a failure is not shared: those who waited execute by themselves', async () => {
  const { first, others } = await led(4)
  first.fail('no luck')
  expect(await engine.finished(first.run)).toMatchObject({ status: 'error', error: { message: 'no luck' } })
  const executions = await held.executions(4)
  for (const { end } of executions.slice(1)) end({ y: 1 })
  for (const run of await finished(others)) {
    expect(run).toMatchObject({ status: 'ok', nodes: [{ cached: false, cache: { hit: false, why: ['first run'] } }] })
  }
})

test('outputs that are not kept are not shared either', async () => {
  await engine.publish('large', {
    outputs: [{ name: 'y' }],
    nodes: [node('y', [output('y', 'str'), output('z', 'str')])],
  })
  const long = 'x'.repeat(MAX_STORED_VALUE_BYTES / 2)
  const ids = [(await engine.submit('large')).id, (await engine.submit('large')).id]
  await held.executions(1)
  await waiting(engine, ids, 1)
  for (const at of [0, 1]) (await held.executions(at + 1))[at]!.end({ y: long, z: long })
  for (const run of await finished(ids)) expect(run).toMatchObject({ status: 'ok', nodes: [{ cached: false }] })
})

test('after a cancellation one of those who waited goes on, the rest waits for it', async () => {
  const { first, others } = await led(4)
  await engine.runs.cancel(first.run)
  const [, second] = await held.executions(2)
  await waiting(engine, others, 2)
  second!.end({ y: 2 })
  const runs = await finished(others)
  expect(runs.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  const cached = runs.filter(({ nodes }) => nodes[0]?.cached)
  expect(cached.map(({ nodes }) => nodes[0]?.cached_from)).toEqual([second!.run, second!.run])
  expect(held.begun).toHaveLength(2)
})

test('one that waits can be cancelled, and nobody else notices', async () => {
  const { first, others } = await led(3)
  expect(await engine.runs.cancel(others[0]!)).toMatchObject({ status: 'cancelled', nodes: [{ status: 'cancelled' }] })
  first.end({ y: 3 })
  expect(await engine.finished(others[1]!)).toMatchObject({ status: 'ok', result: { y: 3 }, nodes: [{ cached: true }] })
  expect(held.begun).toHaveLength(1)
})

test('two runs that each execute what the other waits for both end', async () => {
  const one = await engine.submit('pq')
  const two = await engine.submit('qp')
  const executions = await held.executions(2)
  await waiting(engine, [one.id, two.id], 2)
  expect(executions.map(({ node: id }) => id).toSorted()).toEqual(['p', 'q'])
  for (const { node: id, end } of executions) end({ [id]: id === 'p' ? 1 : 2 })
  for (const run of await finished([one.id, two.id]))
    expect(run).toMatchObject({ status: 'ok', result: { p: 1, q: 2 } })
  expect(held.begun).toHaveLength(2)
})

test('equal stages of one run execute once too', async () => {
  await engine.publish('twins', { nodes: [node('y', []), node('twin', [])] })
  const { id } = await engine.submit('twins')
  await waiting(engine, [id], 1)
  held.begun[0]!.end({})
  const { nodes } = await engine.finished(id)
  expect(new Set(nodes.map(({ cached_from: from }) => from))).toEqual(new Set([id, null]))
  expect(held.begun).toHaveLength(1)
})

test('no_cache waits for nobody; others take over what it returns', async () => {
  const { first, others } = await led(2)
  const [fresh] = await submit(1, { no_cache: true })
  await held.executions(2)
  held.begun[1]!.end({ y: 5 })
  expect((await engine.finished(fresh!)).nodes[0]?.cache).toMatchObject({ hit: false, why: ['no_cache'] })
  first.end({ y: 6 })
  await finished([first.run, ...others])
  await engine.database.sql`delete from stage_cache`
  const [leader] = await submit(1, { no_cache: true })
  await held.executions(3)
  const [follower] = await submit(1)
  await waiting(engine, [follower!], 1)
  held.begun[2]!.end({ y: 8 })
  expect(await engine.finished(follower!)).toMatchObject({ result: { y: 8 }, nodes: [{ cached_from: leader! }] })
  expect(held.begun).toHaveLength(3)
})
