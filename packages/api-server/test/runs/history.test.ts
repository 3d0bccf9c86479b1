import type { Run } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openEngine, type TestEngine } from './engine.ts'
import { double, input, node, output, stream, train } from './flows.ts'
import { listed } from './listed.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openEngine()
  engine.code['double'] = async ({ inputs }) => ({ y: 2 * (inputs['x'] as number) })
  engine.code['train'] = async (call) => {
    call.onEmit({ loss: 1 }, 0)
    return { best: 1 }
  }
  await engine.publish('double', double)
})
afterAll(async () => {
  await engine.settle()
  await engine[Symbol.asyncDispose]()
})

const ended = async (flow: string, body: Parameters<TestEngine['submit']>[1] = {}): Promise<Run> =>
  engine.finished((await engine.submit(flow, body)).id)
const rowsOf = async (id: string): Promise<number> => {
  const [row] = await engine.database.sql<{ count: number }[]>`
    select (select count(*) from run where id = ${id}) + (select count(*) from run_node where run = ${id})
      + (select count(*) from metric_chunk where run = ${id}) + (select count(*) from run_output where run = ${id})
      + (select count(*) from blob_ref where kind = 'run' and owner = ${id})::int as count`
  return Number(row?.count)
}

describe('outputs of a node', () => {
  const stage = (rest: object = {}) => ({
    inputs: [{ name: 'x', dtype: 'float' as const, initial: 2 }],
    outputs: [{ name: 'y' }],
    nodes: [node('stage', [input('x'), output('y', 'any')], rest)],
  })

  test('are what it returned, also in a run that took them from the cache and after that run is deleted [R502]', async () => {
    await engine.publish('staged', stage())
    engine.code['stage'] = async () => ({ y: { rows: [1, 'two', null] } })
    const first = await ended('staged')
    const outputs = { y: { rows: [1, 'two', null] } }
    expect(await engine.runs.history.outputs(first.id, 'stage')).toEqual({
      run: first.id,
      node: 'stage',
      cached: false,
      outputs,
    })
    const second = await ended('staged')
    expect(await engine.runs.history.outputs(second.id, 'stage')).toEqual({
      run: second.id,
      node: 'stage',
      cached: true,
      outputs,
    })
    await engine.runs.history.delete(first.id)
    expect(await engine.runs.history.outputs(second.id, 'stage')).toMatchObject({ outputs })
  })

  test('stay those of the run when another one computes the stage again, or the cache forgets it [R502]', async () => {
    await engine.publish('random', stage({ title: 'random' }))
    let calls = 0
    engine.code['stage'] = async () => ({ y: ++calls })
    const body = { params: { x: 77 }, no_cache: true }
    const runs = [await ended('random', body), await ended('random', body)]
    await engine.database.sql`delete from stage_cache`
    for (const [at, { id }] of runs.entries()) {
      expect(await engine.runs.history.outputs(id, 'stage')).toMatchObject({ outputs: { y: at + 1 } })
    }
  })

  test('are given up to 256 kB of JSON, and as references beyond [R680]', async () => {
    await engine.publish('sized', stage())
    engine.code['stage'] = async ({ inputs }) => ({ y: 'x'.repeat(inputs['x'] as number) })
    const fits = await ended('sized', { params: { x: 200_000 } })
    expect(await engine.runs.history.outputs(fits.id, 'stage')).toMatchObject({ outputs: { y: 'x'.repeat(200_000) } })
    const large = await ended('sized', { params: { x: 300_000 } })
    expect(large).toMatchObject({ status: 'ok', nodes: [{ node: 'stage', status: 'ok' }] })
    const { outputs } = await engine.runs.history.outputs(large.id, 'stage')
    expect(outputs).toMatchObject({ y: { media_type: 'application/vnd.flow-service.value+json', size: 300_002 } })
  })

  test('are not found of nodes that failed or may not be cached, of unknown nodes and runs [R503]', async () => {
    await engine.publish('uncached', stage({ cache: false }))
    engine.code['stage'] = async () => ({ y: 1 })
    const uncached = await ended('uncached')
    await engine.publish('failing', stage({ title: 'fails' }))
    engine.code['stage'] = () => Promise.reject(new Error('no'))
    const failed = await ended('failing', { params: { x: 99 } })
    expect(failed.status).toBe('error')
    for (const [id, name] of [
      [uncached.id, 'stage'],
      [failed.id, 'stage'],
      [failed.id, 'nobody'],
      ['01900000-0000-7000-8000-00000000ffff', 'stage'],
    ] as const) {
      await expect(engine.runs.history.outputs(id, name)).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('deletion', () => {
  test('removes a finished run with its nodes, points and references [R416]', async () => {
    await engine.publish('fit', {
      ...train,
      nodes: [node('train', [stream('loss'), output('best'), output('file', 'artifact')])],
    })
    const plain = engine.code['train']
    engine.code['train'] = async (call) => {
      const { ref } = await engine.artifacts.put(Buffer.from('kept'), {
        name: 'k.txt',
        mediaType: 'text/plain',
        volatile: false,
      })
      return { ...(await plain?.(call)), file: ref }
    }
    const { id } = await ended('fit')
    expect(await rowsOf(id)).toBe(4)
    const told: string[] = []
    await engine.runs.history.delete(id, async (_tx, flow) => void told.push(flow))
    expect(told).toEqual(['fit'])
    expect(await rowsOf(id)).toBe(0)
    await expect(engine.runs.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(engine.runs.history.delete(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of an unfinished run is refused, of all runs of a flow while one is unfinished, and nothing is deleted [R417, R507]', async () => {
    await engine.publish('held', double)
    const done = await ended('held')
    engine.code['double'] = () => new Promise(() => {})
    const { id } = await engine.submit('held')
    const refused = { code: 'run_active', extensions: { runs: [id] } }
    await expect(engine.runs.history.delete(id)).rejects.toMatchObject(refused)
    await expect(engine.runs.history.deleteOf('held')).rejects.toMatchObject(refused)
    expect((await engine.runs.get(done.id)).status).toBe('ok')
    await engine.runs.cancel(id)
    engine.code['double'] = async () => ({ y: 1 })
    expect(await engine.runs.history.deleteOf('held')).toBe(2)
  })

  test('of all runs of a flow leaves those of others, and reaches those of a flow that is gone [R506]', async () => {
    await engine.publish('parting', double)
    const kept = await ended('double')
    await ended('parting')
    await ended('parting')
    await engine.database.sql`delete from flow where name = 'parting'`
    expect(await engine.runs.history.deleteOf('parting')).toBe(2)
    expect(await listed(engine.runs, { flows: ['parting'] }, { limit: 5, offset: 0 })).toEqual([])
    expect((await engine.runs.get(kept.id)).status).toBe('ok')
    expect(await engine.runs.history.deleteOf('nobody')).toBe(0)
  })

  test('of many runs goes in portions: others have their turn meanwhile, and what they submit stays', async () => {
    await engine.publish('many', double)
    const flow = engine.flows.get('many')?.id ?? ''
    await ended('many')
    await engine.database.sql`
      insert into run (id, flow, status, created_at, draft, no_cache)
      select gen_random_uuid(), ${flow}, 'ok', timestamptz '2020-01-01' + make_interval(secs => n), false, false
      from generate_series(1, 3000) n`
    let isOver = false
    const hasBegun = Promise.withResolvers<number>()
    const watching = (async () => {
      while (!isOver) {
        const [row] = await engine.database.sql<{ count: number }[]>`
          select count(*)::int as count from run where flow = ${flow}`
        if ((row?.count ?? 0) <= 3000) hasBegun.resolve(row?.count ?? 0)
      }
    })()
    const deleting = engine.runs.history.deleteOf('many').finally(() => (isOver = true))
    expect(await hasBegun.promise).toBeGreaterThan(0)
    const late = await engine.submit('many')
    expect(await deleting).toBe(3001)
    await watching
    expect((await engine.finished(late.id)).status).toBe('ok')
  })
})

describe('the overview', () => {
  const lineOf = async (flow: string) => (await engine.runs.history.overview()).find((line) => line.flow === flow)

  test('counts the runs of each flow by their state, with the newest one [R500]', async () => {
    await engine.publish('counted', double)
    await ended('counted')
    engine.code['double'] = () => Promise.reject(new Error('no'))
    await ended('counted')
    engine.code['double'] = () => new Promise(() => {})
    const { id } = await engine.submit('counted')
    await engine.event((event) => event.type === 'run' && event.run.id === id && event.run.status === 'running')
    const line = await lineOf('counted')
    expect(line).toMatchObject({
      exists: true,
      total: 3,
      queued: 0,
      running: 1,
      ok: 1,
      error: 1,
      cancelled: 0,
      abandoned: 0,
    })
    expect(line?.last_run).toMatchObject({ id, status: 'running', flow: 'counted' })
    expect(line?.avg_duration_s).toBeGreaterThanOrEqual(0)
    await engine.runs.cancel(id)
    expect(await lineOf('counted')).toMatchObject({ running: 0, cancelled: 1, last_run: { status: 'cancelled' } })
    engine.code['double'] = async () => ({ y: 1 })
  })

  test('has one line for a flow that is gone and another of its name, and one for a batch flow without runs', async () => {
    await engine.publish('renewed', double)
    await ended('renewed')
    await engine.database.sql`delete from flow where name = 'renewed'`
    expect(await lineOf('renewed')).toMatchObject({ exists: false, total: 1 })
    engine.flows.delete('renewed')
    await engine.publish('renewed', double)
    const { id } = await ended('renewed')
    expect(await lineOf('renewed')).toMatchObject({ exists: true, total: 2, last_run: { id } })
    await engine.database.sql`
      insert into flow (id, name, version, draft, origin) values (gen_random_uuid(), 'idle', 1, '{"mode": "batch"}', 'api')`
    expect(await lineOf('idle')).toEqual({
      flow: 'idle',
      exists: true,
      total: 0,
      queued: 0,
      running: 0,
      ok: 0,
      error: 0,
      cancelled: 0,
      abandoned: 0,
      last_run: null,
      avg_duration_s: null,
    })
  })
})
