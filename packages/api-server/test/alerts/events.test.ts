/** Every failure of an engine on its embedded database, made to happen. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import type { AlertMessage, ObservabilityEvent } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { pythonNode } from '../../../../test/documents.ts'
import { attach } from '../../../../test/puppet-worker.ts'
import { startService, type TestService } from '../observability/service.ts'
import { openSink } from './sink.ts'

let at: TestService
let clock: VirtualClock
let sink: Awaited<ReturnType<typeof openSink>>
let dataDir: string

const start = async () => {
  clock = new VirtualClock(Date.now())
  return startService({ dataDir, python: 'no-such-python' }, clock)
}
beforeAll(async () => {
  sink = await openSink()
  dataDir = await mkdtemp(join(tmpdir(), 'alerts-'))
  at = await start()
  await at.root('PUT', '/alerts/config', { enabled: true, channels: { webhook: { enabled: true, url: sink.url } } })
})
afterAll(async () => {
  await at.close()
  await sink[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

/** Lets time pass, ten seconds after ten seconds, until there are so many messages about an event. */
async function later(event: AlertMessage['event'], count = 1): Promise<AlertMessage[]> {
  const found = (): AlertMessage[] => sink.seen.flatMap(({ body }) => (body.event === event ? [body] : []))
  const step = async (): Promise<number> => {
    await clock.advance(10_000)
    return found().length
  }
  await expect.poll(step).toBeGreaterThanOrEqual(count)
  return found()
}
const alertEvents = async (action: string) =>
  (await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=alert&limit=500')).value.filter(
    (event) => event.action === action,
  )

test('a node that fails is told at once, what follows in the interval as one message at its end [R666]', async () => {
  await at.feed(-1)
  const [first] = await sink.told('node_failed')
  expect(first).toEqual({
    event: 'node_failed',
    severity: 'error',
    title: 'node "work" of flow "lab" has failed',
    detail: expect.stringMatching(/^RangeError: -1 is negative/),
    flow: 'lab',
    node: 'work',
    run: null,
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/),
    count: 1,
  })
  await at.ended(await at.feed(-2))
  await at.ended(await at.feed(-3))
  const [, second] = await later('node_failed', 2)
  expect(second).toMatchObject({ count: 2, title: 'node "work" of flow "lab" has failed (2 times)' })
  expect(second?.detail).toContain('-3 is negative')
  expect(Date.parse(second?.ts ?? '') - Date.parse(first?.ts ?? '')).toBeLessThan(300_000)
  const sent = (await alertEvents('alert.sent')).map(({ flow, node, detail }) => [
    flow,
    node,
    detail.event,
    detail.count,
  ])
  expect(sent).toEqual([
    ['lab', 'work', 'node_failed', 2],
    ['lab', 'work', 'node_failed', 1],
  ])
})

test('a run that ends with an error', async () => {
  const run = await at.run('sums', { n: -5 })
  const [told, ...more] = await sink.told('run_error')
  expect(told).toMatchObject({ flow: 'sums', run, node: 'second', count: 1, severity: 'error' })
  expect(told?.detail).toBe('RangeError: too small')
  expect(more).toEqual([])
})

test('a flow that does not start is told once, however often it is looked at or saved', async () => {
  // a secret without a value
  await at.root('PUT', '/secrets/empty', { value: '' })
  const hook = { id: 'hook', type: 'http', settings: { url: 'door', secret: { $secret: 'empty' } } }
  const document = { mode: 'live', nodes: [{ ...hook, ports: [{ direction: 'output', name: 'got' }] }] }
  const saved = await at.root<{ version: number }>('PUT', '/flows/door', document)
  await at.root('POST', '/flows/door/publish', { version: saved.value.version })
  expect((await at.root('POST', '/flows/door/start')).status).toBe(422)
  await at.root('PUT', '/flows/door', { ...document, version: saved.value.version, title: 'The door' })
  await at.root('POST', '/flows/door/start')
  const [told] = await sink.told('flow_failed')
  expect(told).toMatchObject({ title: 'flow "door" has failed', flow: 'door', node: null, run: null, count: 1 })
  expect(sink.seen.filter(({ body }) => body.event === 'flow_failed')).toHaveLength(1)
})

test('a node that loses its connection', async () => {
  const socket = { id: 'feed', type: 'websocket', settings: { url: 'ws://127.0.0.1:1/' } }
  await at.publish('feeder', { mode: 'live', nodes: [{ ...socket, ports: [{ direction: 'output', name: 'got' }] }] })
  const [told] = await later('connector_down')
  expect(told).toMatchObject({ severity: 'warning', flow: 'feeder', node: 'feed', run: null, count: 1 })
  expect(told?.detail).toContain('127.0.0.1:1')
  await at.root('POST', '/flows/feeder/stop')
})

test('a worker that disconnects during a call, and one that is silent for 90 seconds', async () => {
  const node = pythonNode('work', 'def run(n): return {"out": n}', { worker: 'shed', cache: false })
  const remote = { mode: 'batch', inputs: [{ name: 'n', dtype: 'int', initial: 3 }], outputs: [{ name: 'out' }] }
  const saved = await at.root<{ version: number }>('PUT', '/flows/remote', { ...remote, nodes: [node] })
  await at.root('POST', '/flows/remote/publish', { version: saved.value.version })
  const { value } = await at.root<{ token: string }>('POST', '/workers/tokens', { name: 'shed' })
  const baseUrl = `${at.origin}/api/v1`

  const leaving = await attach(baseUrl, value.token)
  await at.root('POST', '/runs/flows/remote', {})
  await leaving.take('call')
  leaving.socket.terminate()
  const [gone] = await sink.told('worker_lost')
  expect(gone).toMatchObject({ title: 'worker "shed" is lost', severity: 'warning', flow: null, count: 1 })
  expect(gone?.detail).toBe('it has disconnected during a call')

  const silent = await attach(baseUrl, value.token)
  await at.root('POST', '/runs/flows/remote', {})
  await silent.take('call')
  const [, second] = await later('worker_lost', 2)
  expect(second?.detail).toBe('it was silent for 90 seconds during a call')
  silent.socket.terminate()
})

test('a run that waits for 300 seconds though there is room for it', async () => {
  const { sql } = at.engine.database
  await sql`alter table run add constraint stuck check (status <> 'running') not valid`
  const { value } = await at.root<{ id: string }>('POST', '/runs/flows/sums', { params: { n: 1 }, no_cache: true })
  const [told] = await later('queue_stalled')
  expect(told).toMatchObject({ flow: 'sums', run: value.id, count: 1, severity: 'error' })
  expect(
    Date.parse(told?.ts ?? '') - Date.parse(String((await at.root('GET', `/runs/${value.id}`)).value.created_at)),
  ).toBeGreaterThanOrEqual(300_000)
  await sql`alter table run drop constraint stuck`
  await later('queue_stalled')
  const status = async () => {
    await clock.advance(1_000)
    return (await at.root('GET', `/runs/${value.id}`)).value.status
  }
  await expect.poll(status).toBe('ok')
})

test('what was counted before the engine stopped is told by its next life', async () => {
  await at.feed(-4)
  await at.ended(await at.feed(-5))
  const told = (await sink.told('node_failed')).length
  await at.close()
  at = await start()
  expect((await later('node_failed', told + 1)).length).toBe(told + 1)
})

test('messages of flows, runs of drafts and what nobody watches raise none [R155]', async () => {
  sink.seen.splice(0)
  await at.ended(await at.feed(1))
  await at.root('POST', '/flows/sums/run', { inputs: { n: -5 } })
  await at.root('PUT', '/alerts/config', {
    enabled: true,
    min_interval_s: 0,
    events: ['run_error'],
    channels: { webhook: { enabled: true, url: sink.url } },
  })
  await at.ended(await at.feed(-6))
  await at.run('sums', { n: -7 })
  await sink.told('run_error')
  expect(sink.seen.map(({ body }) => [body.event, body.detail])).toEqual([['run_error', 'RangeError: too small']])
})
