import type { NodeLogs, Run, RunSummary, Sweep } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { bind } from '../../src/http/mount.ts'
import { historyEndpoints, historyHandlers } from '../../src/runs/history-routes.ts'
import { listEndpoints, listHandlers } from '../../src/runs/lists/routes.ts'
import { runsEndpoints, runsHandlers } from '../../src/runs/routes.ts'
import { submissionEndpoints, submissionHandlers } from '../../src/runs/submission-routes.ts'
import { caller, type Running, serve } from '../http/server.ts'
import { openEngine, type TestEngine } from './engine.ts'
import { input, node, output } from './flows.ts'

const eventLog = { async audit() {}, note() {} }

let engine: TestEngine
let api: Running
const removed: string[] = []
beforeAll(async () => {
  engine = await openEngine({ code: { stage: async ({ inputs }) => ({ y: inputs['x'] }) } })
  await engine.publish('staged', {
    inputs: [{ name: 'x', dtype: 'float', initial: 2 }],
    outputs: [{ name: 'y' }],
    nodes: [node('stage', [input('x'), output('y')])],
  })
  const removeExecutions = async (_tx: unknown, flow: string) => void removed.push(flow)
  api = await serve([
    ...bind(runsEndpoints, runsHandlers({ eventLog, runs: engine.runs, columns: engine.curveColumns })),
    ...bind(listEndpoints, listHandlers({ runs: engine.runs })),
    ...bind(submissionEndpoints, submissionHandlers(engine.runs)),
    ...bind(historyEndpoints, historyHandlers({ eventLog, history: engine.runs.history, removeExecutions })),
  ])
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
})

const call = caller(() => api.url)

const entry = { flow: 'staged', external_id: 'a', status: 'ok', created_at: '2024-01-01T00:00:00Z' }

test('a sweep answers 201 with its runs, a retry 201 with the place of the run, an import 200 with its runs [R485, R505, R488]', async () => {
  const swept = await call('POST', '/runs/flows/staged/sweep', { runs: [{ x: 1 }, {}] })
  expect(swept).toMatchObject({
    status: 201,
    body: { runs: [{ status: 'queued' }, { submitted_by: 'ann@example.org' }] },
  })
  const [first] = (swept.body as Sweep).runs as [RunSummary]
  await engine.finished(first.id)
  const again = await call('POST', `/runs/${first.id}/retry`)
  expect(again).toMatchObject({ status: 201, body: { parent: first.id, group_id: first.group_id, params: { x: 1 } } })
  expect(again.headers.get('location')).toBe(`${api.url}/runs/${(again.body as Run).id}`)
  const taken = await call('POST', '/runs/import', { runs: [entry] })
  expect(taken).toMatchObject({ status: 200, body: { runs: [{ external_id: 'a', created: true }] } })
  expect(await call('POST', '/runs/import', { runs: [entry] })).toMatchObject({ body: { runs: [{ created: false }] } })
})

test('bodies that break a rule are refused with its place, and nothing is stored [R488, R490, T89]', async () => {
  const png = { name: 'a.png', media_type: 'image/png', data: 'AAA=' }
  const forged = `sha256:${'a'.repeat(64)}`
  const before = ((await call('GET', '/runs?limit=500')).body as Run[]).length
  for (const [path, body, place] of [
    ['/runs/flows/staged/sweep', { runs: [] }, '/runs'],
    ['/runs/flows/staged/sweep', { runs: Array.from({ length: 10_001 }, () => ({})) }, '/runs'],
    ['/runs/flows/staged/sweep', { runs: [{}], seeds: [1, 2] }, '/seeds'],
    ['/runs/flows/staged/sweep', { runs: [{}], idempotency_key: 'k' }, '/idempotency_key'],
    ['/runs/flows/staged/sweep', { runs: [{}, { x: 'a' }] }, '/runs/1/x'],
    ['/runs/flows/staged', { priority: 101 }, '/priority'],
    ['/runs/flows/staged', { priority: 0.5 }, '/priority'],
    ['/runs/import', { runs: [] }, '/runs'],
    ['/runs/import', { runs: Array.from({ length: 201 }, (_, at) => ({ ...entry, external_id: `${at}` })) }, '/runs'],
    ['/runs/import', { runs: [{ ...entry, status: 'running' }] }, '/runs/0/status'],
    ['/runs/import', { runs: [{ ...entry, status: 'queued' }] }, '/runs/0/status'],
    ['/runs/import', { runs: [{ ...entry, created_at: '2024-01-01T00:00:00' }] }, '/runs/0/created_at'],
    ['/runs/import', { runs: [{ ...entry, created_at: '+300000-01-01T00:00:00Z' }] }, '/runs/0/created_at'],
    ['/runs/import', { runs: [{ ...entry, external_id: undefined }] }, '/runs/0/external_id'],
    ['/runs/import', { runs: [{ ...entry, artifacts: [{ ...png, data: 'no base64' }] }] }, '/runs/0/artifacts/0/data'],
    [
      '/runs/import',
      { runs: [{ ...entry, external_id: 'b', artifacts: [{ ...png, name: '../a.png' }] }] },
      '/runs/0/artifacts/0/name',
    ],
    [
      '/runs/import',
      { runs: [{ ...entry, external_id: 'b', artifacts: [{ ...png, digest: forged }] }] },
      '/runs/0/artifacts/0/digest',
    ],
    [
      '/runs/import',
      { runs: [{ ...entry, artifacts: [{ ...png, media_type: 'a\r\nb: c/d' }] }] },
      '/runs/0/artifacts/0/media_type',
    ],
    [
      '/runs/import',
      { runs: [{ ...entry, external_id: 'b', metrics: [{ name: 'a b', step: 0, value: 1 }] }] },
      '/runs/0/metrics/0/name',
    ],
    ['/runs/import', { runs: [{ ...entry, metrics: [{ name: 'a', step: -1, value: 1 }] }] }, '/runs/0/metrics/0/step'],
  ] as const) {
    const answer = await call('POST', path, body)
    expect([place, answer.status]).toEqual([place, 422])
    expect(answer.body).toMatchObject({ errors: [{ path: place }] })
  }
  expect((await call('GET', '/runs?limit=500')).body).toHaveLength(before)
})

test('a body over the limit of a sweep or an import is 413 [T89]', async () => {
  const long = 'x'.repeat(17 * 1024 * 1024)
  expect(await call('POST', '/runs/flows/staged/sweep', { runs: [{ x: long }] })).toMatchObject({
    status: 413,
    body: { code: 'payload_too_large' },
  })
})

test('outputs, numbers and deletion have their addresses [R416, R500, R502, R506]', async () => {
  const { body } = await call('POST', '/runs/flows/staged', { params: { x: 7 } })
  const { id } = body as Run
  await engine.finished(id)
  expect(await call('GET', `/runs/${id}/nodes/stage/outputs`)).toMatchObject({
    status: 200,
    body: { run: id, node: 'stage', cached: false, outputs: { y: 7 } },
  })
  expect(await call('GET', `/runs/${id}/nodes/other/outputs`)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
  expect(await call('GET', '/runs/overview')).toMatchObject({ status: 200, body: [{ flow: 'staged', exists: true }] })
  expect(await call('DELETE', `/runs/${id}`)).toMatchObject({ status: 204, body: null })
  for (const [method, path] of [
    ['DELETE', `/runs/${id}`],
    ['POST', `/runs/${id}/retry`],
    ['GET', `/runs/${id}/nodes/stage/outputs`],
  ] as const) {
    expect(await call(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
  expect(await call('DELETE', '/runs')).toMatchObject({ status: 422, body: { errors: [{ path: 'query.flow' }] } })
  await engine.settle()
  const left = (await call('GET', '/runs?flow=staged&limit=500')).body as Run[]
  expect(await call('DELETE', '/runs?flow=staged&history=true')).toMatchObject({
    status: 200,
    body: { deleted: left.length },
  })
  expect(removed).toEqual(['staged'])
  expect(await call('DELETE', '/runs?flow=staged')).toMatchObject({ status: 200, body: { deleted: 0 } })
  expect(removed).toEqual(['staged'])
})

const logsOf = async (run: string, node: string, query = '') =>
  (await call('GET', `/runs/${run}/nodes/${node}/logs${query}`)).body as NodeLogs

test('what a node of a run has printed is read in parts, while it goes on and after it', async () => {
  const [spoken, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await engine.publish('talks', { nodes: [node('say', [], { cache: false }), node('later', [], { cache: false })] })
  engine.code['say'] = async (call) => {
    call.onLog('stdout', 'größe\n')
    spoken.resolve()
    await goesOn.promise
    call.onLog('stderr', 'end\n')
    return {}
  }
  engine.code['later'] = async () => {
    await goesOn.promise
    return {}
  }
  const { id } = await engine.submit('talks')
  await spoken.promise
  const place = { flow: 'talks', node: 'say', run: id }
  expect(await logsOf(id, 'say')).toEqual({ ...place, from: 0, next: 8, text: 'größe\n', cut: false, ended: false })
  expect(await logsOf(id, 'later')).toMatchObject({ from: 0, next: 0, text: '', ended: false })
  goesOn.resolve()
  await engine.finished(id)
  expect(await logsOf(id, 'say', '?after=8')).toEqual({
    ...place,
    from: 8,
    next: 12,
    text: 'end\n',
    cut: false,
    ended: true,
  })
  expect(await logsOf(id, 'say', '?after=1&limit=4')).toMatchObject({ from: 1, next: 4, text: 'rö' })
  expect(await logsOf(id, 'say', '?after=12')).toMatchObject({ from: 12, next: 12, text: '', ended: true })
})

test('parts that cannot be are refused with the reason, as are nodes and runs that are not there', async () => {
  engine.code['say'] = async (call) => {
    call.onLog('stdout', 'x'.repeat(70_000))
    return {}
  }
  const { id } = await engine.finished((await engine.submit('talks')).id)
  expect(await logsOf(id, 'say', '?after=10&limit=3')).toMatchObject({ from: 4464, next: 4467, text: 'xxx', cut: true })
  for (const [query, path] of [
    ['after=70001', 'query.after'],
    ['after=-1', 'query.after'],
    ['after=1.5', 'query.after'],
    ['limit=0', 'query.limit'],
    ['limit=262145', 'query.limit'],
    ['from=1', 'query.from'],
  ]) {
    expect([query, await call('GET', `/runs/${id}/nodes/say/logs?${query}`)]).toMatchObject([
      query,
      { status: 422, body: { code: 'validation_failed', errors: [{ path }] } },
    ])
  }
  expect(await call('GET', `/runs/${id}/nodes/other/logs`)).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('its nodes: say, later') },
  })
  expect(await call('GET', '/runs/01900000-0000-7000-8000-0000000000aa/nodes/say/logs')).toMatchObject({ status: 404 })
  // as records from before they told how much was printed
  await engine.database.sql`update run_node set log_bytes = null where run = ${id}`
  expect(await logsOf(id, 'say', '?after=65535')).toMatchObject({ from: 65_535, next: 65_536, text: 'x' })
})

test('nodes of a cancelled run have ended, those that had not begun too', async () => {
  const begun = Promise.withResolvers<void>()
  engine.code['say'] = (call) =>
    new Promise((_, reject) => {
      call.signal.addEventListener('abort', () => reject(new Error('cancelled')))
      begun.resolve()
    })
  const { id } = await engine.submit('talks')
  await begun.promise
  await engine.runs.cancel(id)
  expect(await logsOf(id, 'say')).toMatchObject({ text: '', ended: true })
  expect(await logsOf(id, 'later')).toMatchObject({ text: '', ended: true })
})
