import { beforeEach, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../engine.ts'
import { input, node, output, stream, train } from '../flows.ts'
import { useEngine } from '../use-engine.ts'

let engine: TestEngine
let executed: string[] = []
/** Emits three losses, and tells that it was executed. */
const trainCode: TestEngine['code'][string] = async (call) => {
  executed.push(call.run ?? '')
  for (const [index, loss] of [3, 2, 1].entries()) call.onEmit({ loss }, 1000 + index)
  return { best: 1 }
}

useEngine({ code: { train: trainCode } }, async (opened) => {
  engine = opened
  await engine.publish('fit', train)
})
beforeEach(async () => {
  await engine.database.sql`delete from stage_cache`
})

async function run(flow: string, body: Parameters<TestEngine['submit']>[1] = {}) {
  executed = []
  return engine.finished((await engine.submit(flow, body)).id)
}

test('an equal stage is taken over with its outputs, marked, and not executed [R095, R419]', async () => {
  const first = await run('fit')
  expect(first.nodes[0]).toMatchObject({ cached: false, cached_from: null })
  const second = await run('fit')
  expect(executed).toEqual([])
  expect(second).toMatchObject({ status: 'ok', result: { best: 1 } })
  expect(second.nodes[0]).toMatchObject({ status: 'ok', cached: true, cached_from: first.id })
})

test('a hit replays no emissions; its curve is read from the run that executed [R104, R105]', async () => {
  const original = await run('fit', { no_cache: true })
  expect(executed).toEqual([original.id])
  const [before] = await engine.database.sql`select count(*) from metric_chunk`
  const hit = await run('fit')
  expect(engine.events.some((event) => event.type === 'value' && event.run === hit.id)).toBe(false)
  const [after] = await engine.database.sql`select count(*) from metric_chunk`
  expect(after).toEqual(before)
  const [series] = await engine.runs.metrics(hit.id, { stride: 1 })
  expect(series).toMatchObject({ name: 'fit.loss', node: 'train', run: original.id, count: 3 })
  expect(hit.metrics).toEqual([{ name: 'fit.loss', count: 3, last: 1, step: 2 }])
})

test('in a copied flow the curve goes by the name of the copy', async () => {
  await run('fit')
  await engine.publish('copy', {
    outputs: [{ name: 'best' }],
    nodes: [node('other', [stream('loss'), output('best')])],
  })
  const hit = await run('copy')
  expect(executed).toEqual([])
  expect(hit.nodes[0]).toMatchObject({ node: 'other', cached: true })
  expect(await engine.runs.metrics(hit.id, { stride: 1 })).toMatchObject([
    { name: 'copy.loss', node: 'other', count: 3 },
  ])
})

test('with the original run the curve is lost, the result stays usable [R106]', async () => {
  const original = await run('fit', { no_cache: true })
  await engine.database.sql`delete from run where id = ${original.id}`
  const hit = await run('fit')
  expect(executed).toEqual([])
  expect(hit).toMatchObject({ result: { best: 1 }, metrics: [], nodes: [{ cached: true }] })
})

test('source, settings and input values tell stages apart [R418]', async () => {
  const flow = (rest: object) => ({
    inputs: [{ name: 'x', dtype: 'float', initial: 1 }] as const,
    outputs: [{ name: 'y' }],
    nodes: [node('apart', [input('x'), output('y')], rest)],
  })
  engine.code['apart'] = async (call) => {
    executed.push('apart')
    return { y: call.inputs['x'] }
  }
  const runs = async (rest: object, x = 1): Promise<number> => {
    await engine.publish('apart', flow(rest) as never)
    await run('apart', { params: { x } })
    return executed.length
  }
  expect(await runs({})).toBe(1)
  expect(await runs({})).toBe(0)
  expect(await runs({}, 2)).toBe(1)
  expect(await runs({ settings: { k: 1 } })).toBe(1)
  expect(await runs({ source: 'def run(x): return {"y": x}' })).toBe(1)
  expect(await runs({ cache: false })).toBe(1)
})

test('bytes count by their digest: under another name they are the same input [R615]', async () => {
  await engine.publish('reader', {
    inputs: [{ name: 'file', dtype: 'artifact' }],
    nodes: [node('read', [input('file', 'artifact'), output('n')])],
  })
  engine.code['read'] = async (call) => {
    executed.push(call.run ?? '')
    return { n: 1 }
  }
  const stored = async (name: string, text: string) =>
    (await engine.artifacts.put(Buffer.from(text), { name, mediaType: 'text/plain', volatile: false })).ref
  const first = await run('reader', { params: { file: await stored('a.txt', 'same') } })
  const renamed = await run('reader', { params: { file: await stored('b.txt', 'same') } })
  expect(renamed.nodes[0]).toMatchObject({ cached: true, cached_from: first.id })
  const other = await run('reader', { params: { file: await stored('a.txt', 'other') } })
  expect(other.nodes[0]).toMatchObject({ cached: false })
})

test('what code reads elsewhere is no part of its key, and built-in nodes are never cached [R614, R618]', async () => {
  const number = (direction: 'input' | 'output', name: string, port: string) =>
    ({ direction, name, port, dtype: 'float' }) as const
  const change = { id: 'scale', type: 'change', ports: [number('input', 'n', 'in'), number('output', 'm', 'out')] }
  await engine.publish('outside', { outputs: [{ name: 'm' }], nodes: [node('look', [output('n')]), change] })
  let weather = 20
  engine.code['look'] = async () => ({ n: weather })
  expect((await run('outside')).result).toEqual({ m: 20 })
  weather = 30
  const second = await run('outside')
  expect(second.result).toEqual({ m: 20 })
  expect(second.nodes.map((record) => [record.node, record.cached])).toEqual([
    ['look', true],
    ['scale', false],
  ])
})

test('no_cache executes, and refreshes what later runs find [R484]', async () => {
  let version = 0
  await engine.publish('fresh', { outputs: [{ name: 'y' }], nodes: [node('fresh', [output('y')])] })
  engine.code['fresh'] = async () => ({ y: ++version })
  expect((await run('fresh')).result).toEqual({ y: 1 })
  expect((await run('fresh', { no_cache: true })).result).toEqual({ y: 2 })
  expect((await run('fresh')).result).toEqual({ y: 2 })
})

test('outputs of more than 262,144 bytes are not kept, but that a value of as much is stored beside them [R619]', async () => {
  await engine.publish('large', { outputs: [{ name: 'y' }], nodes: [node('large', [output('y', 'str')])] })
  const text = 'x'.repeat(262_144)
  engine.code['large'] = async () => {
    executed.push('large')
    return { y: text }
  }
  const first = await run('large')
  const ref = first.result?.['y'] as { digest: string }
  expect(ref).toMatchObject({ name: 'y.json', media_type: 'application/vnd.flow-service.value+json', size: 262_146 })
  expect(JSON.parse(Buffer.from(await engine.artifacts.read(ref.digest)).toString())).toBe(text)
  expect((await run('large')).result).toEqual({ y: ref })
  expect(executed).toEqual([])
  await engine.publish('many', { nodes: [node('many', [output('y', 'str'), output('z', 'str')])] })
  engine.code['many'] = async () => {
    executed.push('many')
    return { y: text.slice(100), z: text.slice(100) }
  }
  await run('many')
  await run('many')
  expect(executed).toEqual(['many'])
})

test('a hit whose bytes are gone is a miss [R620, R098]', async () => {
  await engine.publish('report', { outputs: [{ name: 'file' }], nodes: [node('report', [output('file', 'artifact')])] })
  engine.code['report'] = async () => {
    executed.push('report')
    const data = Buffer.from('report')
    const { ref } = await engine.artifacts.put(data, { name: 'r.txt', mediaType: 'text/plain', volatile: false })
    return { file: ref }
  }
  const first = await run('report')
  expect(first.artifacts).toMatchObject([{ node: 'report', port: 'file', name: 'r.txt', size: 6, volatile: false }])
  const digest = first.artifacts[0]?.digest ?? ''
  const owners = await engine.database.sql`select kind from blob_ref where digest = ${digest} order by kind`
  expect(owners.map(({ kind }) => kind as string)).toEqual(['cache', 'run'])
  const hit = await run('report')
  expect(executed).toEqual([])
  expect(hit.artifacts).toEqual(first.artifacts)
  await engine.database.transaction(async (tx) => {
    await tx`delete from blob_ref where digest = ${digest}`
    await tx`delete from blob where digest = ${digest}`
  })
  await run('report')
  expect(executed).toEqual(['report'])
})

test('an entry of another key shape is never taken over, and what a run recorded of it stays readable [R621]', async () => {
  const first = await run('fit')
  await run('fit')
  expect(executed).toEqual([])
  await engine.database.sql`update stage_cache set shape = shape - 1`
  const second = await run('fit')
  expect(executed).toEqual([second.id])
  expect(second.nodes[0]).toMatchObject({ cached: false, cached_from: null })
  expect(await engine.runs.get(first.id)).toMatchObject({
    status: 'ok',
    result: { best: 1 },
    nodes: [{ status: 'ok' }],
  })
  // the entry is of the new shape now
  await run('fit')
  expect(executed).toEqual([])
})

test('entries of another key shape and unused ones are dropped when the engine starts; recorded outputs stay [R621]', async () => {
  await using before = await openEngine({ code: { train: trainCode } })
  await before.publish('fit', train)
  const run = await before.finished((await before.submit('fit')).id)
  const like = (key: string, more: string): Promise<unknown> =>
    before.database.sql.unsafe(`
      insert into stage_cache (key, shape, flow, node, parts, outputs, run, used_at)
      select '${key}', ${more} from stage_cache where node = 'train'`)
  await like('old', `shape, flow, 'old', parts, outputs, run, now() - interval '31 days'`)
  await like('forgotten', `shape, flow, 'forgotten', parts, outputs, run, now() - interval '61 days'`)
  await like('alien', `shape + 1, flow, 'alien', parts, outputs, run, now()`)
  await using after = await openEngine({ dataDir: await before.crash(), flows: before.flows })
  const rows = await after.database.sql`select node, outputs, loss from stage_cache order by node`
  expect(rows).toEqual([
    { node: 'old', outputs: null, loss: 'expired' },
    { node: 'train', outputs: { best: 1, loss: 1 }, loss: null },
  ])
  expect(await after.runs.get(run.id)).toMatchObject({ status: 'ok', result: { best: 1 } })
})
