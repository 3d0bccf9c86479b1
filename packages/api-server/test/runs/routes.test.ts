import { afterAll, beforeAll, expect, test } from 'vitest'

import { bind } from '../../src/http/mount.ts'
import { listEndpoints, listHandlers } from '../../src/runs/lists/routes.ts'
import { runsEndpoints, runsHandlers } from '../../src/runs/routes.ts'
import { caller, type Running, serve } from '../http/server.ts'
import { openEngine, type TestEngine } from './engine.ts'
import { double, train } from './flows.ts'

const eventLog = { async audit() {}, note() {} }

let engine: TestEngine
let api: Running
beforeAll(async () => {
  engine = await openEngine({
    code: {
      double: async ({ inputs }) => ({ y: 2 * (inputs['x'] as number) }),
      async train(call) {
        for (let step = 0; step < 5; step += 1) call.onEmit({ loss: step }, step)
        return { best: 1 }
      },
    },
  })
  await engine.publish('double', double)
  await engine.publish('fit', train)
  api = await serve([
    ...bind(runsEndpoints, runsHandlers({ eventLog, runs: engine.runs, columns: engine.curveColumns })),
    ...bind(listEndpoints, listHandlers({ runs: engine.runs })),
  ])
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
})

const call = caller(() => api.url)
interface Row {
  readonly id: string
  readonly created_at: string
}

test('a submission answers 201 with the place of the run, a known key 200 with the same run [R080, R086, R480, R501]', async () => {
  const body = { params: { x: 3 }, idempotency_key: 'once', no_cache: true }
  const first = await call('POST', '/runs/flows/double', body)
  expect(first).toMatchObject({ status: 201, body: { status: 'queued', submitted_by: 'ann@example.org' } })
  const { id } = first.body as Row
  expect(first.headers.get('location')).toBe(`${api.url}/runs/${id}`)
  await engine.finished(id)
  expect(await call('POST', '/runs/flows/double', body)).toMatchObject({ status: 200, body: { id, status: 'ok' } })
  expect(await call('GET', `/runs/${id}`)).toMatchObject({
    status: 200,
    body: { id, params: { x: 3 }, result: { y: 6 }, nodes: [{ node: 'double', status: 'ok' }], artifacts: [] },
  })
})

test('a submission without a body uses every default [R481]', async () => {
  expect(await call('POST', '/runs/flows/double')).toMatchObject({
    status: 201,
    body: { params: { x: 2 }, draft: false },
  })
})

test('refusals say which place of the request is wrong', async () => {
  expect(await call('POST', '/runs/flows/nobody')).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await call('POST', '/runs/flows/double', { params: { x: 'a' } })).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/params/x' }] },
  })
  for (const [query, path] of [
    ['status=done', 'query.status'],
    ['limit=0', 'query.limit'],
    ['limit=501', 'query.limit'],
    ['since=yesterday', 'query.since'],
    ['group=g', 'query.group'],
    ['digest=abc', 'query.digest'],
    ['colour=red', 'query.colour'],
  ]) {
    expect(await call('GET', `/runs?${query}`)).toMatchObject({ status: 422, body: { errors: [{ path }] } })
  }
  expect(await call('GET', '/runs/not-an-id')).toMatchObject({ status: 422 })
  const unknown = '01900000-0000-7000-8000-00000000ffff'
  for (const [method, path] of [
    ['GET', `/runs/${unknown}`],
    ['GET', `/runs/${unknown}/metrics`],
    ['POST', `/runs/${unknown}/cancel`],
  ] as const) {
    expect(await call(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
})

test('a full page links to the next one, also when it was reached by an offset [R497]', async () => {
  for (let count = 0; count < 6; count += 1) await call('POST', '/runs/flows/double')
  const all = (await call('GET', '/runs?flow=double&limit=500')).body as Row[]
  const page = await call('GET', '/runs?flow=double&limit=2&offset=1')
  expect((page.body as Row[]).map(({ id }) => id)).toEqual(all.slice(1, 3).map(({ id }) => id))
  const link = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const next = (await (await fetch(link)).json()) as Row[]
  expect(next.map(({ id }) => id)).toEqual(all.slice(3, 5).map(({ id }) => id))
  expect((await call('GET', '/runs?flow=double&limit=500')).headers.get('link')).toBeNull()
})

test('statuses and flows are comma lists [R492, R493]', async () => {
  const { body } = await call('GET', '/runs?flow=double,fit&status=error,cancelled')
  expect(body).toEqual([])
})

test('a finished run is cancelled unchanged; curves come thinned', async () => {
  const { id } = (await call('POST', '/runs/flows/fit')).body as Row
  const run = await engine.finished(id)
  expect(await call('POST', `/runs/${id}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'ok', finished_at: run.finished_at },
  })
  const metrics = await call('GET', `/runs/${id}/metrics?name=loss&stride=3`)
  expect(metrics).toMatchObject({
    status: 200,
    body: [{ name: 'fit.loss', count: 5, points: [{ step: 0 }, { step: 3 }, { step: 4 }] }],
  })
  expect(await call('GET', `/runs/${id}/metrics?name=loss&points=2`)).toMatchObject({
    status: 200,
    body: [{ name: 'fit.loss', count: 5, last_step: 4, x: [0, 4], ts: [expect.any(String), expect.any(String)] }],
  })
  expect(await call('GET', `/runs/${id}/metrics?name=loss&after_step=2`)).toMatchObject({
    body: [{ name: 'fit.loss', points: [{ step: 3 }, { step: 4 }] }],
  })
  expect(await call('GET', `/runs/${id}/metrics?stride=2&points=4`)).toMatchObject({ status: 422 })
  expect(await call('GET', `/runs/${id}/metrics?stride=2&after_step=4`)).toMatchObject({ status: 422 })
  expect(await call('GET', `/runs/${id}/metrics?stride=0`)).toMatchObject({ status: 422 })
})
