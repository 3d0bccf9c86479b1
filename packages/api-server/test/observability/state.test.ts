import { EventEmitter, once } from 'node:events'

import type {
  FlowListItem,
  FlowRollup,
  FlushResult,
  ObservabilityEvent,
  ObservabilitySummary,
  Run,
} from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openUsers } from '../../src/auth/users.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const fine = { status: 'ok', detail: null }
const isFine = { timeout: 60_000, interval: 500 }

const isSome = (count: number): boolean => count > 0

/** The samples of one metric. */
const samplesOf = (text: string, name: string): string[] => text.split('\n').filter((line) => line.startsWith(name))

test('a changed password ends the event sockets of its user, and of nobody else', async () => {
  const users = openUsers(at.engine.database)
  const open = async (name: string) => {
    const email = `${name}@example.org`
    const { id } = await users.create({ email, password: 'a long password', superuser: false })
    const close = (code: number) => socket.emit('close', code)
    const socket = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1, bufferedAmount: 0, send() {}, close })
    const wire = Object.assign(new EventEmitter(), { cork() {}, uncork() {} })
    at.engine.sockets.serve({ socket, wire } as never, { flows: null, kinds: new Set() }, { id: id, version: 0 })
    return { email, socket }
  }
  const [gone, stays] = [await open('gone'), await open('stays')]
  const closed = once(gone.socket, 'close')
  await users.changePassword(gone.email, 'another password')
  expect(await closed).toEqual([1008])
  expect(at.engine.sockets.count()).toBe(1)
  stays.socket.emit('close')
})

test('the summary tells the version, the checks and what runs [R015, R564]', async () => {
  const summary = async () => (await at.ann<ObservabilitySummary>('GET', '/observability/summary')).value
  // on a machine that is busy the loop may lag for a while
  await expect.poll(async () => (await summary()).checks.loop, isFine).toEqual(fine)
  const { status, checks, ...found } = await summary()
  expect(found).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    protocol: expect.any(Number),
    uptime_s: expect.any(Number),
    engines: 1,
    flows: { active: 1, failed: 0 },
    runs: { queued: 0, running: 0 },
    counts: { dead_letters: 0, failed_nodes: 0, pending_devices: 0 },
    workers: { attached: 0, needs_upgrade: 0 },
    load_errors: [],
  })
  expect(checks).toMatchObject({ store: fine, queue: fine, artifacts: fine })
  expect(status).toBe(checks.python.status)
  expect((await at.ann('GET', `${at.origin}/observability/summary`)).status).toBe(404)
})

test('the health check is 200 with its checks while the engine works [R572]', async () => {
  await expect.poll(async () => (await at.ann('GET', '/utils/health/')).status, isFine).toBe(200)
  const { value } = await at.ann('GET', '/utils/health')
  expect(value).toMatchObject({ status: 'ok', checks: { loop: fine, store: fine } })
  expect((await at.nobody('GET', '/utils/health/')).status).toBe(401)
  expect((await at.nobody('GET', '/observability/summary')).status).toBe(401)
})

test('the history of a message tells the cascade of each value, of that which set it off and of those that came of it', async () => {
  const { value } = await at.ann<{ cascade: string }>('POST', '/messages/lab.x', { value: 4 })
  await at.ended(value.cascade)
  const newest = async (message: string) =>
    (await at.ann<object[]>('GET', `/messages/${message}/history?limit=1`)).value[0]
  expect(await newest('lab.x')).toMatchObject({ value: 4, cascade: value.cascade })
  expect(await newest('lab.y')).toMatchObject({ value: 8, cascade: value.cascade, source: { node: 'work' } })
})

test('a flush writes what waits, and only a superuser may ask for it [R571]', async () => {
  const written = { metrics: 0, events: 0 }
  const flush = async () => {
    await at.feed(1)
    const { value } = await at.root<FlushResult>('POST', '/observability/flush')
    written.metrics += value.metrics
    written.events += value.events
    return written
  }
  await expect.poll(flush).toMatchObject({ metrics: expect.toSatisfy(isSome), events: expect.toSatisfy(isSome) })
  const rows = await at.engine.database.sql<{ n: number }[]>`select executions::int as n from flow_minute`
  expect(rows.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThan(0)
  expect((await at.ann('POST', '/observability/flush')).status).toBe(403)
})

test('the metrics are text of Prometheus for users', async () => {
  await at.run('sums', { n: 1 })
  await at.feed(-1)
  at.deadLetter({ flow: 'lab', node: 'work', message: 'lab.x', value: 's3cret', reason: 'crash', cascade: null })
  await at.root('POST', '/observability/flush')
  const { status, headers, text } = await at.ann('GET', `${at.origin}/metrics`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(
      /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? -?[\d.e+-]+)$/,
    )
  }
  expect(samplesOf(text, 'service_node_executions_total{flow="sums"}')).toEqual([
    'service_node_executions_total{flow="sums"} 2',
  ])
  expect(samplesOf(text, 'service_node_errors_total{flow="lab"}')).toEqual(['service_node_errors_total{flow="lab"} 1'])
  expect(samplesOf(text, 'service_node_duration_seconds_count{flow="sums"}')[0]).toMatch(/ 2$/)
  expect(samplesOf(text, 'service_node_duration_seconds_bucket{flow="sums",le="+Inf"}')[0]).toMatch(/ 2$/)
  expect(samplesOf(text, 'service_runs_total')).toEqual(['service_runs_total{status="ok"} 1'])
  expect(samplesOf(text, 'service_dead_letters_total')).toContain('service_dead_letters_total{reason="crash"} 1')
  expect(samplesOf(text, 'service_cascades_total{status="error"}')[0]).toMatch(/ 1$/)
  for (const name of [
    'service_runs',
    'service_event_sockets',
    'service_worker_results_dropped_total',
    'service_event_loop_delay_seconds',
    'process_resident_memory_bytes',
  ])
    expect(samplesOf(text, name)).not.toEqual([])
  expect(text).not.toContain('s3cret')
  expect((await at.nobody('GET', `${at.origin}/metrics`)).status).toBe(401)
  expect((await at.ann('HEAD', `${at.origin}/metrics`)).text).toBe('')
})

test('the summary counts dead letters, nodes that have failed, and devices that wait', async () => {
  const counts = async () => (await at.ann<ObservabilitySummary>('GET', '/observability/summary')).value.counts
  const before = await counts()
  await at.feed(-1)
  for (const name of ['Lamp', 'Door'])
    // oxlint-disable-next-line no-await-in-loop -- one board after the other
    expect((await at.nobody('POST', '/panels/pair', { name })).status).toBe(201)
  at.deadLetter({ flow: 'lab', node: 'work', message: 'lab.x', value: 1, reason: 'crash', cascade: null })
  await expect.poll(counts).toMatchObject({
    dead_letters: expect.toSatisfy((count: number) => count > before.dead_letters),
    failed_nodes: 1,
    pending_devices: before.pending_devices + 2,
  })
  expect((await at.root('POST', '/flows/lab/nodes/work/acknowledge')).status).toBe(200)
  expect(await counts()).toMatchObject({ failed_nodes: 0 })
})

test('a list of flows tells when each did something last: a value, an execution, a run, or nothing yet', async () => {
  const lastOf = async (flow: string): Promise<number | null> => {
    const { value } = await at.ann<FlowListItem[]>('GET', '/flows/')
    const last = value.find(({ name }) => name === flow)?.last_activity_at
    return typeof last === 'string' ? Date.parse(last) : null
  }
  await at.root('PUT', '/flows/idle', { mode: 'batch' })
  expect(await lastOf('idle')).toBeNull()
  for (const [flow, act] of [
    ['lab', () => at.ann('POST', '/messages/lab.x', { value: 1 })],
    ['sums', () => at.run('sums', { n: 5 })],
  ] as const) {
    const began = Date.now()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await act()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect.poll(() => lastOf(flow)).toBeGreaterThanOrEqual(began)
    expect(await lastOf(flow)).toBeLessThanOrEqual(Date.now())
  }
})

test('a blocked event loop is an event, and fails nothing that executes elsewhere [F72]', async () => {
  const ports = [{ direction: 'output', name: 'out', dtype: 'int' }] as const
  const source = 'import time\ndef run():\n    time.sleep(1)\n    return {"out": 7}\n'
  const nodes = [{ id: 'work', type: 'python', source, ports: [...ports] }]
  await at.root('PUT', '/flows/sleeps', { mode: 'batch', outputs: [{ name: 'out' }], nodes })
  const { value: run } = await at.root<Run>('POST', '/runs/flows/sleeps', { draft: true })
  const read = async () => (await at.root<Run>('GET', `/runs/${run.id}`)).value
  await expect.poll(async () => (await read()).nodes[0]?.status).toBe('running')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_700)
  const blocked = async () =>
    (await at.ann<ObservabilityEvent[]>('GET', '/observability/events?kind=engine')).value.filter(
      ({ action }) => action === 'loop.blocked',
    )
  await expect.poll(blocked).not.toEqual([])
  const [event] = await blocked()
  expect(event).toMatchObject({ level: 'warning', actor: null, detail: { blocked_ms: expect.any(Number) } })
  await expect.poll(read).toMatchObject({ status: 'ok', result: { out: 7 } })
})

describe('another service in the same process', () => {
  let other: TestService
  beforeAll(async () => {
    other = await startService()
  })
  afterAll(() => other[Symbol.asyncDispose]())

  test('it has metrics of its own', async () => {
    await other.feed(2)
    const { text } = await other.ann('GET', `${other.origin}/metrics`)
    expect(samplesOf(text, 'service_runs_total')).toEqual([])
    expect(samplesOf(text, 'service_node_executions_total')).toEqual(['service_node_executions_total{flow="lab"} 1'])
  })

  test('what it counted and when it stopped is there after a restart', async () => {
    await other.feed(3)
    await other.close()
    other = await startService({ dataDir: other.dataDir })
    const { value } = await other.ann<FlowRollup[]>('GET', '/observability/flows')
    expect(value.find(({ flow }) => flow === 'lab')).toMatchObject({ executions: 2 })
    const events = await other.ann<ObservabilityEvent[]>('GET', '/observability/events?kind=engine')
    const actions = events.value.map(({ action }) => action).filter((action) => action !== 'loop.blocked')
    expect(actions).toEqual(['engine.start', 'engine.stop', 'engine.start'])
    const runs = await other.ann<{ flow: string }[]>('GET', '/observability/runs')
    expect(runs.value.filter(({ flow }) => flow === 'lab')).toHaveLength(2)
  })

  test('when its database does not work, the summary says so and the health check fails [R565, R572]', async () => {
    await other.engine.database.close()
    const summary = await other.ann<ObservabilitySummary>('GET', '/observability/summary')
    expect(summary.status).toBe(200)
    expect(summary.value).toMatchObject({
      status: 'down',
      flows: { active: 1 },
      checks: { store: { status: 'down', detail: expect.any(String) }, queue: { status: 'down' } },
    })
    const health = await other.ann('GET', '/utils/health/')
    expect([health.status, health.problem.code]).toEqual([503, 'unavailable'])
    expect(health.problem).toMatchObject({ checks: { store: { status: 'down' } } })
    const { status, text } = await other.ann('GET', `${other.origin}/metrics`)
    expect(status).toBe(200)
    expect(samplesOf(text, 'service_check_ok{check="store"}')).toEqual(['service_check_ok{check="store"} 0'])
    // a superuser is only a user then, and nobody is let in whom the engine has not seen before
    expect((await other.root('GET', '/observability/summary')).status).toBe(200)
    // once the last second is over, in which who they are was found
    const flush = async () => (await other.root('POST', '/observability/flush')).status
    await expect.poll(flush).toBeGreaterThanOrEqual(500)
    expect((await other.nobody('GET', '/observability/summary')).status).toBe(401)
  })
})
