/** A run of another program beside a run of a flow, wherever runs are seen. */
import { type EventFrame, isFinished } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { frames } from './docs/event-socket.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
let tracked: string
let executed: string
beforeAll(async () => {
  at = await startService()
  await publishFlow(at.client, 'scale', { ...scaleFlow, concurrency: 1 })
  await at.send('PUT', '/secrets/word', { value: 'open sesame' })
  const { id } = await at.client.runs.track({ flow: 'scale', params: { lr: 0.1, note: 'open sesame' } })
  tracked = id
  const loss = { name: 'loss', steps: [0, 1, 2], values: [3, 'NaN' as const, 1], ts: [1000, 2000, 3000] }
  await at.client.http.runs.append({ id, seq: 1, metrics: [loss], logs: 'say open sesame\n', result: { f1: 0.5 } })
  executed = (await at.client.http.runs.submit({ name: 'scale' })).id
  await at.client.wait(executed)
})
afterAll(() => at[Symbol.asyncDispose]())

test('it stands in lists, filters and the overview under its name, and takes no place of the flow of that name', async () => {
  const list = async (filter: string) => (await at.client.runs.list({ filter })).map(({ id }) => id)
  expect(await list('origin=track')).toEqual([tracked])
  expect(await list('metrics.loss:min<=1 params.lr=0.1 results.f1>0')).toEqual([tracked])
  expect((await at.client.runs.list({ flow: 'scale' })).map(({ id }) => id)).toEqual([executed, tracked])
  const overview = await at.client.runs.overview()
  expect(overview).toMatchObject([{ flow: 'scale', exists: true, total: 2, running: 1, ok: 1 }])
})

test('it is compared, exported and named as others', async () => {
  const { series } = await at.client.metrics.compareMany({ ids: [tracked, executed], metrics: ['loss'] })
  expect(series).toMatchObject([
    { run: tracked, flow: 'scale', x: [0, 1, 2], y: [3, 'NaN', 1], count: 3 },
    { run: executed, count: 0 },
  ])
  const { series: older } = await at.client.metrics.compare([tracked], 'scale.loss')
  expect(older).toMatchObject([{ run: tracked, points: [{ x: 0, y: 3 }, {}, {}] }])
  expect(await at.client.metrics.names({ ids: tracked })).toEqual([{ name: 'scale.loss', runs: 1 }])
  const get = async (path: string): Promise<string> =>
    (await fetch(`${at.baseUrl}${path}`, { headers: { authorization: `Bearer ${at.token}` } })).text()
  const csv = await get(`/runs/export/runs?ids=${tracked}`)
  expect(csv.split('\r\n')[0]).toMatch(/params\.lr,params\.note,metrics\.f1$/)
  expect(csv.split('\r\n')[1]).toMatch(/^.*,scale,running,.*,0\.1,.*,0\.5$/)
  expect((await get(`/runs/export/metrics?ids=${tracked}`)).split('\r\n')[1]).toContain(
    `${tracked},scale,scale.loss,0,`,
  )
})

test('its values of secrets are shown nowhere', async () => {
  const run = await at.client.http.runs.get({ id: tracked })
  expect(run.nodes).toMatchObject([{ node: 'track', logs: expect.stringMatching(/^say /) }])
  expect(JSON.stringify(run)).not.toContain('sesame')
  expect(JSON.stringify(await at.client.runs.list({ include: 'params' }))).not.toContain('sesame')
})

test('no engine executes it: it is none of the executions, and counts as no run of the queue', async () => {
  const executions = (await at.client.observability.cascades({})).map(({ run }) => run)
  expect(executions).toContain(executed)
  expect(executions).not.toContain(tracked)
  const { runs } = await at.client.observability.summary()
  expect(runs).toEqual({ queued: 0, running: 0 })
})

test('the event socket tells of its points and states, and a cancellation reaches its program', async () => {
  const told: EventFrame[] = []
  const listening = (async () => {
    for await (const text of frames(at.baseUrl, at.token, ['scale'])) {
      const frame = JSON.parse(text) as EventFrame
      told.push(frame)
      if (frame.type === 'run' && isFinished(frame.run.status)) break
    }
  })()
  await expect.poll(() => told[0]?.type).toBe('snapshot')
  await at.client.http.runs.append({ id: tracked, seq: 2, metrics: [{ name: 'loss', steps: [3], values: [0.5] }] })
  expect(await at.client.http.runs.cancel({ id: tracked })).toMatchObject({ status: 'cancelled' })
  await listening
  expect(told.find((frame) => frame.type === 'value')).toMatchObject({
    message: 'scale.loss',
    value: 0.5,
    flow: 'scale',
    node: 'track',
    run: tracked,
    step: 3,
  })
  expect(told.at(-1)).toMatchObject({ type: 'run', run: { id: tracked, status: 'cancelled', origin: 'track' } })
  const answer = await at.client.http.runs.append({ id: tracked, seq: 3, status: 'ok' })
  expect(answer).toMatchObject({ seq: 2, cancelled: true, lease_until: null })
})

test('it has no document, and is deleted with the runs of its name', async () => {
  expect((await at.send('GET', `/runs/${tracked}/document`)).status).toBe(404)
  expect((await at.send('POST', `/runs/${tracked}/retry`)).body?.['code']).toBe('wrong_mode')
  expect(await at.client.runs.deleteAll({ flow: 'scale' })).toEqual({ deleted: 2 })
})
