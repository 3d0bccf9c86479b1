import { v4, v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { bind } from '../../../src/http/mount.ts'
import { trackingEndpoints, trackingHandlers } from '../../../src/runs/tracking/routes.ts'
import { caller, type Running, serve } from '../../http/server.ts'
import { openEngine, type TestEngine } from '../engine.ts'

let engine: TestEngine
let api: Running
beforeAll(async () => {
  engine = await openEngine({ closed: true })
  api = await serve(bind(trackingEndpoints, trackingHandlers(engine.runs.tracked)))
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
})

const call = caller(() => api.url)
const begun = async (): Promise<string> =>
  ((await call('POST', '/runs/track', { flow: 'fit' })).body as { id: string }).id

test('a beginning answers 201 with the place of the run, the same id again 200 with the same run', async () => {
  const id = v7()
  const first = await call('POST', '/runs/track', { id, flow: 'fit', params: { lr: 1 } })
  expect(first).toMatchObject({ status: 201, body: { id, status: 'running', origin: 'track', params: { lr: 1 } } })
  expect(first.headers.get('location')).toBe(`${api.url}/runs/${id}`)
  expect(await call('POST', '/runs/track', { id, flow: 'fit' })).toMatchObject({
    status: 200,
    body: { id, params: { lr: 1 } },
  })
})

test.each([
  ['an id that is no UUID of version 7', { id: v4() }, '/id'],
  ['a name that no flow could have', { flow: 'a.b' }, '/flow'],
  ['a tag with a space', { tags: ['a b'] }, '/tags/0'],
  ['a param without a name', { params: { '': 1 } }, '/params'],
  ['what is not known', { status: 'ok' }, '/status'],
])('a beginning with %s is refused', async (_what, body, path) => {
  const { status, body: problem } = await call('POST', '/runs/track', { flow: 'fit', ...body })
  expect(status).toBe(422)
  expect((problem as { errors: { path: string }[] }).errors[0]?.path).toMatch(new RegExp(`^${path}`))
})

describe('what a program tells', () => {
  test('is answered with how far the run is stored', async () => {
    const id = await begun()
    const body = { seq: 1, metrics: [{ name: 'train/loss', steps: [0, 0], values: [1, 'Infinity'] }] }
    expect(await call('POST', `/runs/${id}/track`, body)).toMatchObject({
      status: 200,
      body: { seq: 1, cancelled: false, dropped: { 'train/loss': 1 }, lease_until: expect.any(String) },
    })
    expect(await call('POST', `/runs/${id}/track`, { seq: 3 })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict', current_version: 1 },
    })
  })

  test.each([
    ['no number', { seq: '1' }, '/seq'],
    ['a number before the first', { seq: 0 }, '/seq'],
    ['columns of different lengths', { metrics: [{ name: 'a', steps: [0], values: [1, 2] }] }, '/metrics/0/values'],
    ['times of another length', { metrics: [{ name: 'a', steps: [0], values: [1], ts: [] }] }, '/metrics/0/values'],
    ['a step before the first', { metrics: [{ name: 'a', steps: [-1], values: [1] }] }, '/metrics/0/steps/0'],
    ['a value that is no number', { metrics: [{ name: 'a', steps: [0], values: [null] }] }, '/metrics/0/values/0'],
    ['a curve without a name', { metrics: [{ name: 'a loss', steps: [], values: [] }] }, '/metrics/0/name'],
    ['a state that is no end', { status: 'running' }, '/status'],
    ['an error of a run that ends well', { status: 'ok', error: { type: 'a', message: 'b' } }, '/error'],
    ['bytes without a digest', { artifacts: [{ name: 'a', digest: 'b' }] }, '/artifacts/0/digest'],
    [
      'a name that is a path',
      { artifacts: [{ name: '../a', digest: `sha256:${'0'.repeat(64)}` }] },
      '/artifacts/0/name',
    ],
  ])('with %s is refused, and nothing of it is stored', async (_what, body, path) => {
    const id = await begun()
    const { status, body: problem } = await call('POST', `/runs/${id}/track`, { seq: 1, params: { a: 1 }, ...body })
    expect(status).toBe(422)
    expect((problem as { errors: { path: string }[] }).errors[0]?.path).toBe(path)
    expect((await engine.runs.get(id)).params).toEqual({})
  })

  test('is at most 100,000 points, and 8 MiB', async () => {
    const id = await begun()
    const steps = Array.from({ length: 100_001 }, (_, step) => step)
    const values = steps.map(() => 1)
    expect(await call('POST', `/runs/${id}/track`, { seq: 1, metrics: [{ name: 'a', steps, values }] })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/metrics' }] },
    })
    const large = { seq: 1, logs: 'x'.repeat(8 * 1024 * 1024) }
    expect(await call('POST', `/runs/${id}/track`, large)).toMatchObject({ status: 413 })
    const most = { seq: 1, metrics: [{ name: 'a', steps: steps.slice(1), values: values.slice(1) }] }
    expect(await call('POST', `/runs/${id}/track`, most)).toMatchObject({ status: 200, body: { seq: 1 } })
  })

  test('may be as odd as JSON is', async () => {
    const id = await begun()
    const odd = { 'a b.c': 'a\nb', __proto__x: null, deep: { a: [null, { b: 0.5 }] } }
    expect(
      await call('POST', `/runs/${id}/track`, { seq: 1, params: odd, result: odd, logs: '\u001b[0m' }),
    ).toMatchObject({
      status: 200,
    })
    const run = await engine.runs.get(id)
    expect([run.params, run.result]).toEqual([odd, odd])
    // text that no database keeps is refused, as everywhere
    expect(await call('POST', `/runs/${id}/track`, { seq: 2, logs: 'a\u0000' })).toMatchObject({ status: 422 })
  })
})
