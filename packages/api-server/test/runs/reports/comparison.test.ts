import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { CurveComparison as CurveComparisonAnswer, MetricComparison } from '@flow-service/protocol'
import { v7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Database, openDatabase } from '../../../src/db/database.ts'
import { bind } from '../../../src/http/mount.ts'
import { createCurveStore } from '../../../src/runs/curves/curve-store.ts'
import { createPackedStore } from '../../../src/runs/curves/packed-store.ts'
import { comparisonEndpoints, comparisonHandlers } from '../../../src/runs/reports/comparison-routes.ts'
import { CurveComparison } from '../../../src/runs/reports/comparison.ts'
import { CurveColumnsReader } from '../../../src/runs/reports/curve-columns.ts'
import { databaseAt } from '../../backend.ts'
import { type Running, serve } from '../../http/server.ts'
import { createdAt, Past } from '../curves/curve-rows.ts'

const log = { info() {}, warn() {}, error() {} }
const group = v7()
const flushed: string[] = []
let dataDir: string
let database: Database
let past: Past
let api: Running
let first: string
let second: string
let cachedRun: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'curves-'))
  database = await openDatabase({ ...(await databaseAt(dataDir)), log })
  past = new Past(database)
  const curves = new CurveComparison({
    store: createCurveStore(database.sql),
    flush: async (id) => void flushed.push(id),
    secrets: { mask: (shown) => shown },
    maxPoints: 1000,
  })
  const columns = new CurveColumnsReader({
    store: createCurveStore(database.sql),
    packed: createPackedStore(database.sql),
    flush: async (id) => void flushed.push(id),
    secrets: { mask: (shown) => shown },
    maxPoints: 1000,
  })
  api = await serve(bind(comparisonEndpoints, comparisonHandlers({ curves, columns })))
  await past.document('copy', 'sha256:c', {
    nodes: [{ id: 'learn', ports: [{ direction: 'output', port: 'loss', name: 'copy.cost' }] }] as never,
  })
  ;[first, second, cachedRun] = (await past.runs([
    { flow: 'train', created_at: createdAt(1), group_id: group, inputs: [input('lr', 0.1)] },
    { flow: 'train', created_at: createdAt(2), status: 'error' },
    { flow: 'copy', created_at: createdAt(3), digest: 'sha256:c' },
  ])) as [string, string, string]
  const startMs = Date.parse('2026-01-01T00:00:00Z')
  const loss = { node: 'fit', port: 'loss', message: 'loss', startMs }
  await past.chunks([
    { ...loss, run: first, vals: [5, 'NaN', 3] },
    { ...loss, run: first, seq: 1, step: 3, vals: ['Infinity', 1] },
    { run: first, node: 'fit', port: 'acc', message: 'acc', steps: [1, 2, 4, 9], vals: [0.1, '-Infinity', 0.4, 0.9] },
    { ...loss, run: second, vals: [7] },
  ])
  await past.cached(cachedRun, 'learn', { run: first, node: 'fit' })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const input = (name: string, value: number) => ({ name, dtype: 'float', value, default: false }) as const

async function get(path: string) {
  const response = await fetch(api.url + path)
  return { status: response.status, body: (await response.json()) as never }
}
const names = async (query = '') => (await get(`/runs/metrics/names${query}`)).body as unknown
const compare = async (query: string) => (await get(`/runs/series/compare?${query}`)).body as MetricComparison
const xy = (points: [unknown, unknown][]) => points.map(([x, y]) => ({ x, y }))

test('names are those of a selection with how many of its runs have them, taken over ones under their new name [R510]', async () => {
  expect(await names()).toEqual([
    { name: 'copy.acc', runs: 1 },
    { name: 'copy.cost', runs: 1 },
    { name: 'train.acc', runs: 1 },
    { name: 'train.loss', runs: 2 },
  ])
  const one = [
    { name: 'train.acc', runs: 1 },
    { name: 'train.loss', runs: 1 },
  ]
  expect(await names(`?ids=${first}`)).toEqual(one)
  expect(await names(`?group=${group}`)).toEqual(one)
  expect(await names('?flow=train&status=error')).toEqual([{ name: 'train.loss', runs: 1 }])
  expect(await names(`?before=${encodeURIComponent(createdAt(2))}`)).toEqual(one)
  expect(await names(`?since=${encodeURIComponent(createdAt(2))}&flow=train`)).toEqual([
    { name: 'train.loss', runs: 1 },
  ])
  expect(await names('?flow=nobody')).toEqual([])
})

test('a curve of two runs is compared by steps, with the numbers that JSON lacks spelled out [R511, R512]', async () => {
  const { series, ...head } = await compare(`ids=${second},${first}&metric=train.loss`)
  expect(head).toEqual({ metric: 'train.loss', x: 'step' })
  expect(series).toEqual([
    { run: second, flow: 'train', status: 'error', params: {}, points: [{ x: 0, y: 7 }] },
    {
      run: first,
      flow: 'train',
      status: 'ok',
      params: { lr: 0.1 },
      points: xy([
        [0, 5],
        [1, 'NaN'],
        [2, 3],
        [3, 'Infinity'],
        [4, 1],
      ]),
    },
  ])
  expect(flushed).toEqual(expect.arrayContaining([first, second]))
})

test('the x axis is seconds since the start of the run that emitted, or another metric at equal steps [R512]', async () => {
  const [byTime] = (await compare(`ids=${first}&metric=loss&x=time`)).series
  expect(byTime?.points.slice(0, 2)).toEqual(
    xy([
      [-0.000001, 5],
      [0.999999, 'NaN'],
    ]),
  )
  const [byMetric] = (await compare(`ids=${first}&metric=loss&x=train.acc`)).series
  expect(byMetric?.points).toEqual(
    xy([
      [0.1, 'NaN'],
      ['-Infinity', 3],
      [0.4, 1],
    ]),
  )
  expect((await compare(`ids=${first}&metric=loss&x=nothing`)).series).toMatchObject([{ points: [] }])
})

test('a stride thins each curve from its first point over all chunks, and keeps the last', async () => {
  const [thin] = (await compare(`ids=${first}&metric=loss&stride=3`)).series
  expect(thin?.points.map(({ x }) => x)).toEqual([0, 3, 4])
  const [ends] = (await compare(`ids=${first}&metric=loss&stride=100`)).series
  expect(ends?.points.map(({ x }) => x)).toEqual([0, 4])
  const [all] = (await compare(`ids=${first}&metric=loss&stride=2`)).series
  expect(all?.points.map(({ x }) => x)).toEqual([0, 2, 4])
})

test('a taken over curve is found under the name in its own flow, and empty once its source is deleted [R105, R106]', async () => {
  const [taken] = (await compare(`ids=${cachedRun}&metric=copy.cost&x=time`)).series
  expect(taken?.points).toHaveLength(5)
  expect(taken?.points[1]).toEqual({ x: 0.999999, y: 'NaN' })
  expect((await compare(`ids=${cachedRun}&metric=loss`)).series).toMatchObject([{ points: [] }])
  const [own, copy] = (await past.runs([
    { flow: 'train', created_at: createdAt(100) },
    { flow: 'copy', created_at: createdAt(101), digest: 'sha256:c' },
  ])) as [string, string]
  await past.chunks([{ run: own, node: 'fit', port: 'loss', message: 'loss', vals: [1] }])
  await past.cached(copy, 'learn', { run: own, node: 'fit' })
  await database.sql`delete from run where id = ${own}`
  expect((await compare(`ids=${copy}&metric=cost`)).series).toMatchObject([{ run: copy, points: [] }])
  expect(await names(`?ids=${copy}`)).toEqual([])
})

test('curves of more chunks than one statement reads come whole and in order', async () => {
  const runs = await past.runs([1, 2, 3].map((at) => ({ flow: 'long', created_at: createdAt(200 + at) })))
  await past.chunks(
    runs.flatMap((run) =>
      Array.from({ length: 110 }, (_, seq) => ({
        run,
        node: 'n',
        port: 'p',
        message: 'p',
        seq,
        step: 3 * seq,
        vals: [3 * seq, 3 * seq + 1, 3 * seq + 2],
      })),
    ),
  )
  const { series } = await compare(`ids=${runs.toReversed().join()}&metric=p`)
  expect(series.map(({ run }) => run)).toEqual(runs.toReversed())
  const all = xy(Array.from({ length: 330 }, (_, step) => [step, step]))
  for (const { points } of series) expect(points).toEqual(all)
})

test('refusals name the parameter: unknown runs, too many of them, what is no id, too many points [T94]', async () => {
  const unknown = v7()
  expect(await get(`/runs/series/compare?ids=${first},${unknown}&metric=loss`)).toMatchObject({
    status: 404,
    body: { code: 'not_found', detail: expect.stringContaining(unknown) as string },
  })
  const many = Array.from({ length: 51 }, () => v7()).join()
  for (const [query, path] of [
    [`ids=${many}&metric=loss`, 'query.ids'],
    ["ids=a';--&metric=loss", 'query.ids'],
    [`ids=${first}`, 'query.metric'],
    ['metric=loss', 'query.ids'],
    [`ids=${first}&metric=loss&stride=0`, 'query.stride'],
  ]) {
    expect(await get(`/runs/series/compare?${query}`)).toMatchObject({ status: 422, body: { errors: [{ path }] } })
  }
  const [long] = (await past.runs([{ flow: 'huge', created_at: createdAt(300) }])) as [string]
  await past.chunks([{ run: long, node: 'n', port: 'p', message: 'p', vals: Array.from({ length: 1001 }, () => 1) }])
  expect(await get(`/runs/series/compare?ids=${long}&metric=p`)).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'query.stride', message: expect.stringContaining('a stride above 1') as string }] },
  })
  const [thinned] = (await compare(`ids=${long}&metric=p&stride=500`)).series
  expect(thinned?.points.map(({ x }) => x)).toEqual([0, 500, 1000])
  for (const metric of ['__proto__', "a';--", 'x'.repeat(5000)]) {
    expect((await compare(`ids=${first}&metric=${encodeURIComponent(metric)}`)).series).toMatchObject([{ points: [] }])
  }
  for (const query of ['ids=x', 'status=done', 'group=g', 'digest=d', 'since=now', 'limit=3']) {
    expect(await get(`/runs/metrics/names?${query}`)).toMatchObject({ status: 422 })
  }
})

const columnsOf = async (body: object) => {
  const answer = await fetch(`${api.url}/runs/series/compare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as CurveComparisonAnswer & { errors?: unknown } }
}

test('many curves come as columns, metric by metric, with the params of each run', async () => {
  const { status, body } = await columnsOf({ ids: [first, second, cachedRun], metrics: ['loss', 'copy.cost'] })
  expect(status).toBe(200)
  expect(body.series.map(({ metric, run, x, y, count }) => ({ metric, run, x, y, count }))).toEqual([
    { metric: 'loss', run: first, x: [0, 1, 2, 3, 4], y: [5, 'NaN', 3, 'Infinity', 1], count: 5 },
    { metric: 'loss', run: second, x: [0], y: [7], count: 1 },
    { metric: 'loss', run: cachedRun, x: [], y: [], count: 0 },
    { metric: 'copy.cost', run: first, x: [], y: [], count: 0 },
    { metric: 'copy.cost', run: second, x: [], y: [], count: 0 },
    { metric: 'copy.cost', run: cachedRun, x: [0, 1, 2, 3, 4], y: [5, 'NaN', 3, 'Infinity', 1], count: 5 },
  ])
  expect(body.params[first]).toEqual({ lr: 0.1 })
  expect(body.groups).toBeNull()
})

test('later points alone, over time, and over another metric, as columns', async () => {
  const ask = async (rest: object) => (await columnsOf({ ids: [first], metrics: ['loss'], ...rest })).body.series[0]
  expect(await ask({ after_step: 2 })).toMatchObject({ x: [3, 4], y: ['Infinity', 1] })
  expect((await ask({ x: 'time' }))?.x).toHaveLength(5)
  expect(await ask({ x: 'acc' })).toMatchObject({ x: [0.1, 0.4], y: ['NaN', 1] })
  expect(await ask({ points: 2 })).toMatchObject({ x: [0, 4], y: [5, 1] })
  expect(await ask({ points: null })).toMatchObject({ x: [0, 1, 2, 3, 4] })
})

test('means and spread are those of the runs that share a value, over all points', async () => {
  const vals = [
    [1, 2, 3],
    [3, 'NaN', 5],
    [10, 20, 30],
  ] as const
  const ids = await past.runs(
    vals.map((_, at) => ({
      flow: 'seeds',
      created_at: createdAt(1000 + at),
      inputs: [input('lr', at < 2 ? 0.1 : 0.2)],
    })),
  )
  await past.chunks(
    ids.map((run, at) => ({ run, node: 'fit', port: 'loss', message: 'loss', vals: [...(vals[at] ?? [])] })),
  )
  const { body } = await columnsOf({ ids, metrics: ['loss'], group: 'params.lr' })
  expect(body.groups).toEqual([
    {
      metric: 'loss',
      key: 0.1,
      runs: ids.slice(0, 2),
      x: [0, 1, 2],
      mean: [2, 2, 4],
      sd: [Math.SQRT2, 0, Math.SQRT2],
      min: [1, 2, 3],
      max: [3, 2, 5],
      n: [2, 1, 2],
    },
    {
      metric: 'loss',
      key: 0.2,
      runs: ids.slice(2),
      x: [0, 1, 2],
      mean: [10, 20, 30],
      sd: [0, 0, 0],
      min: [10, 20, 30],
      max: [10, 20, 30],
      n: [1, 1, 1],
    },
  ])
  const thin = (await columnsOf({ ids, metrics: ['loss'], group: 'params.lr', points: 2 })).body.groups
  expect(thin?.[0]).toMatchObject({ x: [0, 2], mean: [2, 4] })
})

test('what is too much, unknown, or two ways at once is refused', async () => {
  const ids = [first]
  expect(await columnsOf({ ids: [v7()], metrics: ['loss'] })).toMatchObject({ status: 404 })
  expect(await columnsOf({ ids, metrics: ['loss'], group: 'lr' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/group' }] },
  })
  expect(await columnsOf({ ids, metrics: [] })).toMatchObject({ status: 422 })
  expect(await columnsOf({ ids, metrics: ['loss'], points: 1 })).toMatchObject({ status: 422 })
  const both = await fetch(`${api.url}/runs/series/compare?ids=${first}&metric=loss&stride=2&points=10`)
  expect(await both.json()).toMatchObject({ errors: [{ path: 'query.stride', code: 'conflict' }] })
  const long = (await past.runs([{ flow: 'long', created_at: createdAt(2000) }])) as [string]
  await past.chunks([
    { run: long[0], node: 'n', port: 'p', message: 'loss', vals: Array.from({ length: 1001 }, (_, at) => at) },
  ])
  expect(await columnsOf({ ids: long, metrics: ['loss'], points: null })).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'too_big' }] },
  })
  expect(await columnsOf({ ids: long, metrics: ['loss'], points: 100 })).toMatchObject({ status: 200 })
  const got = await fetch(`${api.url}/runs/series/compare?ids=${first}&metric=loss&points=10`)
  expect(await got.json()).toMatchObject({ series: [{ metric: 'loss', x: [0, 1, 2, 3, 4] }] })
})
