import type { Run } from '@flow-service/protocol'
import { v7 } from 'uuid'
import { describe, expect, test } from 'vitest'

import type { TestEngine } from '../engine.ts'
import { double } from '../flows.ts'
import { useEngine } from '../use-engine.ts'
import { ann, begin, bob, refusal, tell } from './tracker.ts'

let engine: TestEngine
useEngine({ code: { double: async () => ({ y: 1 }) } }, (opened) => void (engine = opened))

const points = async (run: string) =>
  (await engine.runs.metrics(run, { stride: 1 })).map(({ name, node, points: own }) => ({
    name,
    node,
    points: own.map(({ step, value }) => [step, value]),
  }))
const statuses = (id: string): string[] =>
  engine.events.flatMap((event) => (event.type === 'run' && event.run.id === id ? [event.run.status] : []))

describe('a run that another program executes', () => {
  test('is running from its beginning, under a name that no flow needs to have', async () => {
    const { run, created } = await begin(engine, {
      flow: 'nobody',
      params: { lr: 0.1, layers: [64, 64] },
      seed: 7,
      note: 'first',
      tags: ['b', 'a', 'b'],
      commit: 'abc123',
      started_at: '2026-01-31T09:00:00+01:00',
    })
    expect(created).toBe(true)
    expect(run).toMatchObject({
      flow: 'nobody',
      status: 'running',
      origin: 'track',
      params: { lr: 0.1, layers: [64, 64] },
      inputs: [
        { name: 'lr', dtype: 'any', value: 0.1, default: false },
        { name: 'layers', dtype: 'any', value: [64, 64], default: false },
      ],
      seed: 7,
      note: 'first',
      tags: ['a', 'b'],
      commit: 'abc123',
      started_at: '2026-01-31T08:00:00.000000+00:00',
      finished_at: null,
      digest: null,
      flow_version: null,
      submitted_by: ann.email,
      result: null,
    } satisfies Partial<Run>)
    expect(statuses(run.id)).toEqual(['running'])
    expect(await engine.database.sql`select from flow where name = 'nobody'`).toHaveLength(0)
    expect(await refusal(engine.runs.document(run.id))).toMatchObject({ code: 'not_found' })
  })

  test('is the same one for its user who asks again by its id, and refused to others', async () => {
    const id = v7()
    const first = await begin(engine, { id, params: { lr: 1 } })
    const again = await begin(engine, { id, flow: 'other', params: { lr: 2 } })
    expect([first.created, again.created]).toEqual([true, false])
    expect(again.run).toEqual(first.run)
    expect(
      await refusal(engine.runs.tracked.begin({ id, flow: 'fit', params: {}, note: '', tags: [] }, bob)),
    ).toMatchObject({
      code: 'already_exists',
    })
    await engine.publish('double', double)
    const { id: executed } = await engine.submit('double')
    expect(await refusal(begin(engine, { id: executed }))).toMatchObject({ code: 'already_exists' })
  })

  test('begins when it says, but not before 1970, nor more than a day ahead', async () => {
    for (const startedAt of ['1969-01-01T00:00:00Z', new Date(Date.now() + 2 * 86_400_000).toISOString()]) {
      expect(await refusal(begin(engine, { started_at: startedAt }))).toMatchObject({
        code: 'validation_failed',
        extensions: { errors: [{ path: '/started_at', code: 'bad_time' }] },
      })
    }
  })
})

describe('what its program tells', () => {
  test('draws curves of the node track, which grow in place, and values are told as they come', async () => {
    const { id } = (await begin(engine)).run
    const first = await tell(engine, id, {
      seq: 1,
      metrics: [
        { name: 'loss', steps: [0, 1, 5], values: [3, 'NaN', 2], ts: [1000, 2000, 3000.5] },
        { name: 'train/acc', steps: [0], values: ['Infinity'] },
      ],
    })
    expect(first).toEqual({ seq: 1, lease_until: expect.any(String), cancelled: false, dropped: {} })
    await tell(engine, id, { seq: 2, metrics: [{ name: 'loss', steps: [6, 9], values: [1, -4] }] })
    expect(await points(id)).toEqual([
      {
        name: 'fit.loss',
        node: 'track',
        points: [
          [0, 3],
          [1, 'NaN'],
          [5, 2],
          [6, 1],
          [9, -4],
        ],
      },
      { name: 'fit.train/acc', node: 'track', points: [[0, 'Infinity']] },
    ])
    expect(await engine.runs.get(id)).toMatchObject({
      metrics: [
        { name: 'fit.loss', count: 5, last: -4, step: 9 },
        { name: 'fit.train/acc', count: 1, last: 'Infinity', step: 0 },
      ],
      nodes: [{ node: 'track', type: 'track', status: 'running' }],
    })
    const told = engine.events.filter((event) => event.type === 'value' && event.run === id)
    expect(told).toHaveLength(6)
    expect(told[0]).toMatchObject({ message: 'fit.loss', flow: 'fit', node: 'track', port: 'loss', value: 3, step: 0 })
    const chunks = await engine.database.sql`select count, low, high from metric_chunk where run = ${id} order by count`
    expect(chunks).toEqual([
      { count: 1, low: null, high: null },
      { count: 5, low: -4, high: 3 },
    ])
  })

  test('is counted: what is known is ignored, what is missing between is asked for', async () => {
    const { id } = (await begin(engine)).run
    const one = { seq: 1, metrics: [{ name: 'loss', steps: [0], values: [1] }], params: { lr: 1 } }
    await tell(engine, id, one)
    expect(await tell(engine, id, { ...one, params: { lr: 2 } })).toMatchObject({ seq: 1, dropped: {} })
    expect(await refusal(tell(engine, id, { seq: 3 }))).toMatchObject({
      code: 'version_conflict',
      extensions: { current_version: 1 },
    })
    // also at the same moment
    const two = { seq: 2, metrics: [{ name: 'loss', steps: [1], values: [2] }] }
    await Promise.all([tell(engine, id, two), tell(engine, id, two), tell(engine, id, { seq: 3 })])
    expect(await tell(engine, id, { seq: 4 })).toMatchObject({ seq: 4 })
    expect(await points(id)).toMatchObject([
      {
        points: [
          [0, 1],
          [1, 2],
        ],
      },
    ])
    expect((await engine.runs.get(id)).params).toEqual({ lr: 1 })
  })

  test('has steps that ascend; the others are left out and counted', async () => {
    const { id } = (await begin(engine)).run
    const loss = (steps: number[]) => ({ name: 'loss', steps, values: steps.map(() => 1) })
    expect(await tell(engine, id, { seq: 1, metrics: [loss([3, 2, 3, 4]), loss([4, 5])] })).toMatchObject({
      dropped: { loss: 3 },
    })
    expect(await tell(engine, id, { seq: 2, metrics: [loss([0, 5])] })).toMatchObject({ dropped: { loss: 2 } })
    expect(await points(id)).toMatchObject([
      {
        points: [
          [3, 1],
          [4, 1],
          [5, 1],
        ],
      },
    ])
  })

  test('may be 100,000 points, which long chunks keep; a chunk grows to 500', async () => {
    const { id } = (await begin(engine)).run
    const steps = Array.from({ length: 100_000 }, (_, step) => step)
    await tell(engine, id, {
      seq: 1,
      metrics: [{ name: 'loss', steps: steps.slice(0, 300), values: steps.slice(0, 300) }],
    })
    const rest = steps.slice(300)
    await tell(engine, id, { seq: 2, metrics: [{ name: 'loss', steps: rest, values: rest }] })
    const [series] = await engine.runs.metrics(id, { stride: 1 })
    expect(series?.points.every(({ step, value }, at) => step === at && value === at)).toBe(true)
    expect(series?.points).toHaveLength(100_000)
    const counts = await engine.database.sql<{ count: number }[]>`
      select count from metric_chunk where run = ${id} order by seq`
    expect(counts.slice(0, 2)).toEqual([{ count: 500 }, { count: 2000 }])
    const columns = await engine.curveColumns.ofRun(id, { names: ['loss'], points: 4, afterStep: undefined })
    expect(columns).toMatchObject([{ count: 100_000, last_step: 99_999, x: expect.arrayContaining([0, 99_999]) }])
  })

  test('adds to params and results, and to what lists know of them', async () => {
    const { id } = (await begin(engine, { params: { lr: 0.1, name: 'a' } })).run
    await tell(engine, id, { seq: 1, params: { lr: 0.2, depth: 3 }, result: { f1: 0.5, best: 'x' } })
    await tell(engine, id, {
      seq: 2,
      result: { f1: 0.75, big: 'x'.repeat(300_000) },
      metrics: [{ name: 'val/loss', steps: [0, 1], values: [2, 1] }],
    })
    const run = await engine.runs.get(id)
    expect(run.params).toEqual({ lr: 0.2, name: 'a', depth: 3 })
    expect(run.result).toEqual({
      f1: 0.75,
      best: 'x',
      big: {
        digest: expect.stringMatching(/^sha256:/),
        name: 'big.json',
        media_type: 'application/json',
        size: 300_002,
        volatile: false,
      },
    })
    const { runs } = await engine.runs.lists.list({
      of: {},
      filter: `origin=track params.lr=0.2 results.best=x metrics.val/loss:min=1 metrics.val/loss:max=2`,
      limit: 10,
      offset: 0,
      include: new Set(['params', 'results', 'metrics', 'progress'] as const),
    })
    expect(runs).toMatchObject([
      {
        id,
        origin: 'track',
        params: { lr: 0.2, name: 'a', depth: 3 },
        results: { f1: 0.75, best: 'x' },
        metrics: { 'val/loss': { count: 2, step: 1, last: 1, min: 1, max: 2 } },
      },
    ])
  })

  test('has its logs at the node track, and of them the end, as of every node', async () => {
    const { id } = (await begin(engine)).run
    await tell(engine, id, { seq: 1, logs: 'epoch 1\n' })
    await tell(engine, id, { seq: 2, logs: 'epoch 2 \0\n' })
    expect((await engine.runs.get(id)).nodes).toMatchObject([
      { logs: 'epoch 1\nepoch 2 \uFFFD\n', logs_truncated: false },
    ])
    await tell(engine, id, { seq: 3, logs: 'x'.repeat(70_000) })
    const [node] = (await engine.runs.get(id)).nodes
    expect([node?.logs.length, node?.logs_truncated]).toEqual([65_536, true])
    const [bytes] = await engine.database.sql`select log_bytes::int as n from run_node where run = ${id}`
    expect(bytes).toEqual({ n: 8 + 12 + 70_000 })
    const part = await engine.runs.history.logs(id, 'track', { after: 70_017, limit: 100 })
    expect(part).toMatchObject({ from: 70_017, next: 70_020, text: 'xxx', cut: false, ended: false })
    const told = engine.events.flatMap((event) =>
      event.type === 'log' && event.run === id ? [[event.node, event.offset, event.text.length]] : [],
    )
    expect(told).toEqual([
      ['track', 0, 8],
      ['track', 8, 10],
      ['track', 20, 70_000],
    ])
    await tell(engine, id, { seq: 4, status: 'ok' })
    expect(await engine.runs.history.logs(id, 'track', { after: 0, limit: 1 })).toMatchObject({
      cut: true,
      ended: true,
    })
  })

  test('refers to bytes that were stored before, and is refused whole where they were not', async () => {
    const { id } = (await begin(engine)).run
    const { ref } = await engine.artifacts.put(Buffer.from('model'), {
      name: 'x',
      mediaType: 'application/x-model',
      volatile: false,
    })
    const missing = `sha256:${'0'.repeat(64)}`
    const refused = tell(engine, id, { seq: 1, params: { a: 1 }, artifacts: [{ name: 'model', digest: missing }] })
    expect(await refusal(refused)).toMatchObject({
      code: 'validation_failed',
      extensions: { errors: [{ path: '/artifacts/0/digest', code: 'unknown_artifact' }] },
    })
    expect((await engine.runs.get(id)).params).toEqual({})
    const artifacts = [{ name: 'model.pt', digest: ref.digest }]
    await tell(engine, id, { seq: 1, artifacts })
    await tell(engine, id, { seq: 2, artifacts })
    expect((await engine.runs.get(id)).artifacts).toEqual([{ ...ref, name: 'model.pt', node: 'track', port: null }])
    const refs = await engine.database.sql`select kind from blob_ref where owner = ${id}`
    expect(refs).toEqual([{ kind: 'run' }])
  })

  test('ends the run, for good', async () => {
    const { id } = (await begin(engine)).run
    await tell(engine, id, {
      seq: 1,
      status: 'ok',
      result: { f1: 1 },
      metrics: [{ name: 'loss', steps: [0], values: [1] }],
    })
    const ended = await engine.runs.get(id)
    expect(ended).toMatchObject({ status: 'ok', error: null, result: { f1: 1 }, nodes: [{ status: 'ok' }] })
    expect(ended.finished_at).toEqual(expect.any(String))
    expect(await tell(engine, id, { seq: 1, status: 'ok' })).toMatchObject({
      seq: 1,
      lease_until: null,
      cancelled: false,
    })
    expect(await refusal(tell(engine, id, { seq: 2 }))).toMatchObject({ code: 'not_active' })
    expect(await engine.runs.get(id)).toEqual(ended)
    const kinds = engine.events.flatMap((event) => {
      if (event.type === 'run' && event.run.id === id) return [event.run.status]
      return event.type === 'value' && event.run === id ? ['value'] : []
    })
    expect(kinds).toEqual(['running', 'value', 'ok'])
  })

  test('ends it with an error that says why', async () => {
    const { id } = (await begin(engine)).run
    await tell(engine, id, { seq: 1, status: 'error', error: { type: 'ValueError', message: 'no \0 data' } })
    expect(await engine.runs.get(id)).toMatchObject({
      status: 'error',
      error: { node: null, type: 'ValueError', message: 'no \uFFFD data' },
      nodes: [{ node: 'track', status: 'error', error: { type: 'ValueError' } }],
    })
  })

  test('comes from the user alone that began the run, and of no run that is executed here', async () => {
    const { id } = (await begin(engine)).run
    expect(await refusal(tell(engine, id, { seq: 1 }, bob))).toMatchObject({ code: 'forbidden' })
    expect(await refusal(tell(engine, v7(), { seq: 1 }))).toMatchObject({ code: 'not_found' })
    await engine.publish('double', double)
    const { id: executed } = await engine.submit('double')
    expect(await refusal(tell(engine, executed, { seq: 1 }))).toMatchObject({ code: 'wrong_mode' })
  })

  test('of many runs at once is stored for each', async () => {
    const runs = await Promise.all(Array.from({ length: 40 }, () => begin(engine)))
    for (let seq = 1; seq <= 3; seq += 1) {
      const metrics = [{ name: 'loss', steps: [seq], values: [seq] }]
      await Promise.all(runs.map(({ run }) => tell(engine, run.id, { seq, metrics })))
    }
    for (const { run } of runs) {
      expect(await points(run.id)).toMatchObject([
        {
          points: [
            [1, 1],
            [2, 2],
            [3, 3],
          ],
        },
      ])
    }
  })
})

describe('a tracked run', () => {
  test('that is cancelled takes nothing more in, and its program hears of it', async () => {
    const { id } = (await begin(engine)).run
    await tell(engine, id, { seq: 1, metrics: [{ name: 'loss', steps: [0], values: [1] }] })
    expect(await engine.runs.cancel(id)).toMatchObject({ status: 'cancelled' })
    const more = { seq: 2, metrics: [{ name: 'loss', steps: [1], values: [1] }], status: 'ok' as const }
    const answer = await tell(engine, id, more)
    expect(answer).toEqual({ seq: 1, lease_until: null, cancelled: true, dropped: {} })
    expect(await points(id)).toMatchObject([{ points: [[0, 1]] }])
    expect(await engine.runs.get(id)).toMatchObject({ status: 'cancelled', nodes: [{ status: 'cancelled' }] })
    expect(statuses(id)).toEqual(['running', 'cancelled'])
  })

  test('is not retried, and deleted when it has ended', async () => {
    const { id } = (await begin(engine)).run
    expect(await refusal(engine.runs.history.delete(id))).toMatchObject({ code: 'run_active' })
    await tell(engine, id, { seq: 1, status: 'ok', metrics: [{ name: 'loss', steps: [0], values: [1] }] })
    expect(await refusal(engine.runs.retry(id, null))).toMatchObject({ code: 'wrong_mode' })
    await engine.runs.history.delete(id)
    expect(await refusal(tell(engine, id, { seq: 2 }))).toMatchObject({ code: 'not_found' })
    expect(await engine.database.sql`select from metric_chunk where run = ${id}`).toHaveLength(0)
    expect(await engine.database.sql`select from run_track where run = ${id}`).toHaveLength(0)
  })

  test('takes no place among the runs of a flow of its name, and does not keep it from being deleted', async () => {
    await engine.publish('double', { ...double, concurrency: 1 })
    const { run } = await begin(engine, { flow: 'double' })
    const { id } = await engine.submit('double')
    expect(await engine.finished(id)).toMatchObject({ status: 'ok' })
    const flow = engine.flows.get('double')?.id ?? ''
    expect(await engine.database.transaction((tx) => engine.runs.activeOf(tx, flow))).toEqual([])
    const overview = (await engine.runs.history.overview()).find((line) => line.flow === 'double')
    expect(overview).toMatchObject({ exists: true, running: 1 })
    expect(await engine.runs.get(run.id)).toMatchObject({ status: 'running' })
  })
})
