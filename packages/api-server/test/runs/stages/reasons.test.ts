/** Why stages execute: in the record of a run afterwards, in a plan before. */
import type { FlowDocumentInput, RunPlan, RunPlanSubmit } from '@flow-service/protocol'
import { beforeEach, expect, test } from 'vitest'

import { bind } from '../../../src/http/mount.ts'
import { runsEndpoints, runsHandlers } from '../../../src/runs/routes.ts'
import { serve } from '../../http/server.ts'
import type { TestEngine } from '../engine.ts'
import { input, node, output } from '../flows.ts'
import { useEngine } from '../use-engine.ts'

const eventLog = { async audit() {}, note() {} }

let engine: TestEngine
/** Nodes in the order of their execution. */
let executed: string[] = []

type Rest = Parameters<typeof node>[2]
/** `load` gives a, from which `fit` makes b with lr; `report` reads b, `check` only lr. */
const chain = (fit: Rest = {}): FlowDocumentInput => ({
  inputs: [
    { name: 'lr', dtype: 'float', initial: 0.1 },
    { name: 'seed', dtype: 'int', initial: 1 },
  ],
  outputs: [{ name: 'c' }],
  nodes: [
    node('report', [input('b'), output('c')]),
    node('fit', [input('a'), input('lr'), output('b')], fit),
    node('load', [input('seed', 'int'), output('a')]),
    node('check', [input('lr'), output('d')]),
  ],
})

useEngine({}, async (opened) => {
  engine = opened
  for (const [id, port] of Object.entries({ load: 'a', fit: 'b', report: 'c', check: 'd' })) {
    engine.code[id] = async ({ inputs }) => {
      executed.push(id)
      return { [port]: Object.values(inputs).reduce<number>((sum, value) => sum + Number(value), 1) }
    }
  }
})
beforeEach(async () => {
  await engine.database.sql`delete from stage_cache`
  await engine.publish('chain', chain())
  executed = []
})

type Body = Parameters<TestEngine['submit']>[1]
/** What the cache had for the nodes of a finished run. */
async function run(body: Body = {}, flow = 'chain') {
  executed = []
  const { id } = await engine.submit(flow, body)
  const { nodes } = await engine.finished(id)
  return Object.fromEntries(nodes.map((record) => [record.node, record.cache]))
}
async function whys(body: Body = {}): Promise<Record<string, string>> {
  const caches = await run(body)
  return Object.fromEntries(Object.entries(caches).map(([id, cache]) => [id, cache?.why.join('; ') ?? 'null']))
}
const plan = (body: Partial<RunPlanSubmit> = {}, flow = 'chain'): Promise<RunPlan> =>
  engine.runs.plan(flow, { draft: false, no_cache: false, ...body })

test('a record tells the key, whether it hit, and of a miss what changed [R095, R418]', async () => {
  expect((await run())['fit']).toEqual({ hit: false, key: expect.stringMatching(/^sha256:/), why: ['first run'] })
  expect((await run())['fit']).toEqual({ hit: true, key: expect.stringMatching(/^sha256:/), why: [] })
  expect(executed).toEqual([])
  expect(await whys({ params: { lr: 0.2 } })).toEqual({
    load: '',
    check: 'input lr: 0.1 -> 0.2',
    fit: 'input lr: 0.1 -> 0.2',
    report: 'input b: 3.1 -> 3.2 (fit returned another value)',
  })
  await engine.publish('chain', chain({ source: 'def run(a, lr): return None' }))
  expect(await whys()).toEqual({ load: '', check: '', fit: 'source changed', report: '' })
  await engine.publish('chain', chain({ source: 'def run(a, lr): return None', settings: { depth: 3 } }))
  expect(await whys()).toEqual({ load: '', check: '', fit: 'setting depth is new', report: '' })
  expect(await whys({ no_cache: true })).toMatchObject({ load: 'no_cache', fit: 'no_cache' })
})

test('a record tells too that a stage is never cached, has no code, or returned too much', async () => {
  await engine.publish('chain', chain({ cache: false }))
  expect((await run())['fit']).toEqual({ hit: false, key: null, why: ['cache: false'] })
  engine.code['large'] = async () => ({ y: 'x'.repeat(200_000), z: 'x'.repeat(200_000) })
  const change = { id: 'change', type: 'change', ports: [input('y', 'str'), output('v', 'str')] }
  await engine.publish('large', { nodes: [node('large', [output('y', 'str'), output('z', 'str')]), change] })
  expect(await run({}, 'large')).toMatchObject({ large: { why: ['first run'] }, change: null })
  expect(await run({}, 'large')).toMatchObject({ large: { why: ['outputs over 256 KiB are not kept'] } })
  engine.code['large'] = async () => ({ y: 'small' })
  expect(await run({ no_cache: true }, 'large')).toMatchObject({ large: { why: ['no_cache'] } })
  expect(await run({}, 'large')).toMatchObject({ large: { hit: true } })
})

test('a result that was not used for 30 days is no hit, swept or not; use keeps it', async () => {
  const { sql } = engine.database
  await run()
  await sql`update stage_cache set used_at = now() - interval '29 days'`
  expect(await whys()).toMatchObject({ load: '', fit: '' })
  const [used] = await sql`select bool_and(used_at > now() - interval '1 minute') as fresh from stage_cache`
  expect(used).toEqual({ fresh: true })
  await sql`update stage_cache set used_at = now() - interval '31 days' where node = 'load'`
  expect(await whys()).toMatchObject({ load: 'expired', fit: '' })
  expect(executed).toEqual(['load'])
})

test('what depends on bytes that are gone executes, and says so [R620]', async () => {
  engine.code['file'] = async () => {
    const named = { name: 'f', mediaType: 'text/plain', volatile: false }
    return { file: (await engine.artifacts.put(Buffer.from('bytes'), named)).ref }
  }
  await engine.publish('files', { nodes: [node('file', [output('file', 'artifact')])] })
  await run({}, 'files')
  await engine.database.transaction(async (tx) => {
    await tx`delete from blob_ref`
    await tx`delete from blob`
  })
  expect(await run({}, 'files')).toMatchObject({ file: { hit: false, why: ['an artifact of it is gone'] } })
})

test('an entry in another format of keys is a miss that says so [R621]', async () => {
  await run()
  await engine.database.sql`update stage_cache set shape = 0 where node = 'fit'`
  expect(await whys()).toMatchObject({ load: '', fit: 'the format of keys changed' })
})

test('a plan tells what would execute and why, in dependency order, without doing it', async () => {
  const rows = async (): Promise<unknown> => {
    const { sql } = engine.database
    return [await sql`select * from stage_cache order by key`, await sql`select * from run order by id`]
  }
  const before = await rows()
  const first = await plan()
  expect(first.stages.map(({ node: id, why }) => [id, ...why])).toEqual([
    ['load', 'first run'],
    ['check', 'first run'],
    ['fit', 'unknown until its inputs are known: a (load executes first)'],
    ['report', 'unknown until its inputs are known: b (load executes first)'],
  ])
  expect(first.stages[0]).toMatchObject({ runs: 1, unique: 1, hits: 0, misses: 1, unknown: 0 })
  expect([await rows(), executed]).toEqual([before, []])
  await run()
  const cached = await plan()
  expect(cached).toMatchObject({ runs: 1, expected_s: 0 })
  expect(cached.stages.every(({ hits, why, expected_s: seconds }) => hits === 1 && why.length + seconds! === 0)).toBe(
    true,
  )
  const other = await plan({ params: { lr: 0.2 } })
  expect(other.stages.map(({ node: id, hits, misses, unknown, why }) => [id, hits, misses, unknown, ...why])).toEqual([
    ['load', 1, 0, 0],
    ['check', 0, 1, 0, 'input lr: 0.1 -> 0.2'],
    ['fit', 0, 1, 0, 'input lr: 0.1 -> 0.2'],
    ['report', 0, 0, 1, 'unknown until its inputs are known: b (fit executes first)'],
  ])
  const fresh = await plan({ no_cache: true })
  expect(fresh.stages.flatMap(({ why }) => why)).toEqual(Array.from({ length: 4 }, () => 'no_cache'))
})

test('the plan of a sweep counts runs and different stages, and what was planned is what happens', async () => {
  const runs = [0.1, 0.2, 0.2, 0.3].map((lr) => ({ lr }))
  await run()
  const { runs: count, stages } = await plan({ runs, seeds: [1, 1, 1, 1] })
  expect(count).toBe(4)
  expect(stages).toMatchObject([
    { node: 'load', unique: 1, hits: 4, misses: 0, unknown: 0 },
    { node: 'check', unique: 3, hits: 1, misses: 3, unknown: 0 },
    { node: 'fit', unique: 3, hits: 1, misses: 3, unknown: 0 },
    { node: 'report', unique: 1, hits: 1, misses: 0, unknown: 3 },
  ])
  executed = []
  for (const params of runs) await engine.finished((await engine.submit('chain', { params })).id)
  expect(executed.toSorted()).toEqual(['check', 'check', 'fit', 'fit', 'report', 'report'])
})

test('expected seconds are the median of the last executions that ended ok, for each one that is to come', async () => {
  await engine.publish('timed', chain())
  for (const lr of [1, 2, 3, 4]) await run({ params: { lr } }, 'timed')
  await engine.database.sql`
    update run_node set finished_at = started_at + run.seconds * interval '1 second'
    from (select id, row_number() over (order by created_at) as seconds from run where id in (
      select run from stage_cache where node = 'fit')) run
    where run.id = run_node.run and node in ('fit', 'check') and not cached`
  const runs = [1, 5, 6, 6].map((lr) => ({ lr }))
  const { stages, expected_s: total } = await plan({ runs }, 'timed')
  const seconds = Object.fromEntries(stages.map((stage) => [stage.node, stage.expected_s]))
  expect(seconds).toMatchObject({ load: 0, fit: 5, check: 5 })
  expect(total).toBeCloseTo(10 + seconds['report']!)
  await engine.publish('timed', { ...chain(), nodes: [...chain().nodes!, node('new', [input('lr')])] })
  expect(await plan({ runs }, 'timed')).toMatchObject({ expected_s: null })
})

test('a plan refuses what a submission or a sweep refuses, and hears of drafts', async () => {
  await expect(plan({}, 'nowhere')).rejects.toMatchObject({ code: 'not_found' })
  await expect(plan({ params: { lr: 'x' } })).rejects.toMatchObject({
    extensions: { errors: [{ path: '/params/lr' }] },
  })
  await expect(plan({ runs: [{}, { rate: 1 }] })).rejects.toMatchObject({
    extensions: { errors: [{ path: '/runs/1/rate' }] },
  })
  await engine.draft('drafted', chain())
  await expect(plan({}, 'drafted')).rejects.toMatchObject({ code: 'not_published' })
  expect((await plan({ draft: true }, 'drafted')).stages).toHaveLength(4)
  await engine.publish('live', { mode: 'live' })
  await expect(plan({}, 'live')).rejects.toMatchObject({ code: 'wrong_mode' })
})

test('POST /runs/flows/{name}/plan answers with the plan, and takes no mixture of one run and a sweep', async () => {
  await using api = await serve(
    bind(runsEndpoints, runsHandlers({ eventLog, runs: engine.runs, columns: engine.curveColumns })),
  )
  const post = async (flow: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const url = `${api.url}/runs/flows/${flow}/plan`
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  expect(await post('chain', {})).toMatchObject({
    status: 200,
    body: { runs: 1, stages: [{ node: 'load' }, {}, {}, {}] },
  })
  expect(await post('chain', { runs: [{}, {}] })).toMatchObject({ status: 200, body: { runs: 2 } })
  expect(await post('nowhere', {})).toMatchObject({ status: 404 })
  for (const body of [
    { params: {}, runs: [{}] },
    { seed: 1, runs: [{}] },
    { runs: [] },
    { runs: [{}], seeds: [1, 2] },
    { seeds: [1] },
    { idempotency_key: 'k' },
    { params: { lr: null } },
  ]) {
    expect(await post('chain', body)).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  }
})
