import type {
  CascadeRecord,
  DeadLetterRecord,
  FlowRollup,
  ObservabilityEvent,
  RunSummary,
  TimeBucket,
} from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { createObservabilityStore } from '../../src/observability/store.ts'
import { summaryOf } from '../../src/runs/run-record.ts'
import { relay } from '../flows/engine.ts'
import { closeGate, gate, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const cascades = async (query = ''): Promise<CascadeRecord[]> =>
  (await at.ann<CascadeRecord[]>('GET', `/observability/runs${query}`)).value
const events = async (query = ''): Promise<ObservabilityEvent[]> =>
  (await at.ann<ObservabilityEvent[]>('GET', `/observability/events${query}`)).value
const rollup = async (flow: string): Promise<FlowRollup | undefined> =>
  (await at.ann<FlowRollup[]>('GET', '/observability/flows')).value.find((row) => row.flow === flow)

test('a cascade is listed as soon as it is over, with its origin, executions and duration [R568]', async () => {
  await at.publish('hall', relay)
  const triggered = await at.root<{ cascade: string }>('POST', '/flows/hall/nodes/pass/trigger', { values: { on: 1 } })
  await at.root('POST', '/messages/hall.on', { value: 2 })
  await at.ended(triggered.value.cascade)
  const [published, trigger] = await cascades('?flow=hall')
  expect(trigger).toMatchObject({
    id: triggered.value.cascade,
    flow: 'hall',
    origin: { kind: 'trigger', node: 'pass', message: null },
    run: null,
    status: 'ok',
    executions: 1,
    error: null,
  })
  expect(published).toMatchObject({ origin: { kind: 'publish', node: null, message: 'hall.on' }, status: 'ok' })
  expect(published?.duration_ms).toBeGreaterThan(0)
  expect((published?.started_at ?? '') > (trigger?.started_at ?? '')).toBe(true)
})

test('a failed cascade tells its first failure; one that goes on is running [R568]', async () => {
  const failed = await at.ended(await at.feed(-1))
  expect(failed).toMatchObject({
    status: 'error',
    error: { node: 'work', message: expect.stringContaining('negative') },
  })
  const id = await at.feed(999)
  await expect
    .poll(() => cascades('?status=running'))
    .toMatchObject([
      { id, flow: 'lab', status: 'running', executions: 1, finished_at: null, duration_ms: null, error: null },
    ])
  expect((await cascades('?flow=lab')).map((cascade) => cascade.id)).toContain(id)
  expect(await cascades('?status=running&flow=hall')).toEqual([])
  expect(await cascades('?status=running&before=2020-01-01T00:00:00Z')).toEqual([])
  gate.resolve()
  expect(await at.ended(id)).toMatchObject({ status: 'ok', executions: 1 })
  expect(await cascades('?status=running')).toEqual([])
  closeGate()
  const statuses = (await cascades('?status=error,abandoned&flow=lab')).map(({ status }) => status)
  expect(statuses).toEqual(['error'])
})

test('a run is a cascade of its own, counted with the nodes that it executed [R568, R567]', async () => {
  const id = await at.run('sums', { n: 4 })
  const failed = await at.run('sums', { n: -5 })
  const found = (await cascades('?flow=sums')).filter((cascade) => [id, failed].includes(cascade.id))
  expect(found).toMatchObject([
    { id: failed, run: failed, status: 'error', executions: 2, error: { node: 'second' } },
    { id, run: id, origin: { kind: 'run', node: null, message: null }, status: 'ok', executions: 2, error: null },
  ])
  expect(await rollup('sums')).toMatchObject({ executions: 4, errors: 1, duration_ms_avg: expect.any(Number) })
})

test('a run is running until it ends, abandoned when it is cancelled, and no cascade before it begins [R568]', async () => {
  const submitted = await at.root<RunSummary>('POST', '/runs/flows/sums', { params: { n: 999 }, no_cache: true })
  const { id } = submitted.value
  await expect
    .poll(() => cascades('?status=running&flow=sums'))
    .toMatchObject([
      { id, run: id, origin: { kind: 'run' }, status: 'running', executions: 1, finished_at: null, error: null },
    ])
  await at.root('POST', `/runs/${id}/cancel`)
  closeGate()
  expect(await at.ended(id)).toMatchObject({ status: 'abandoned', error: { type: 'cancelled' } })
  const { value } = await at.root<RunSummary>('GET', `/runs/${id}`)
  const never = '01900000-0000-7000-8000-0000000000bb'
  at.bus.publish({ type: 'run', run: { ...summaryOf(value), id: never, started_at: null } })
  expect((await cascades('?flow=sums')).map((cascade) => cascade.id)).not.toContain(never)
})

test('a run that several engines hear of is counted once [R567]', async () => {
  const id = await at.run('sums', { n: 8 })
  await cascades()
  const before = await rollup('sums')
  const { value } = await at.root<RunSummary>('GET', `/runs/${id}`)
  for (let heard = 0; heard < 3; heard++) at.bus.publish({ type: 'run', run: summaryOf(value) })
  expect((await cascades('?flow=sums')).filter((cascade) => cascade.run === id)).toHaveLength(1)
  expect(await rollup('sums')).toEqual(before)
})

test('executions are counted by the minute and by flow; a flow without any has zeros [R566, R567]', async () => {
  const since = encodeURIComponent(new Date(Date.now() - 60_000).toISOString())
  await at.publish('quiet', relay)
  await at.publish('counted', relay)
  for (let value = 0; value < 5; value++) await at.root('POST', '/messages/counted.on', { value })
  const buckets = await at.ann<TimeBucket[]>('GET', `/observability/timeseries?flow=counted&since=${since}`)
  expect(buckets.value.reduce((sum, { executions }) => sum + executions, 0)).toBe(5)
  expect(buckets.value[0]).toEqual({
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000000\+00:00$/),
    executions: expect.any(Number),
    errors: 0,
    duration_ms_avg: expect.any(Number),
    duration_ms_p95: expect.any(Number),
  })
  const day = await at.ann<TimeBucket[]>('GET', `/observability/timeseries?flow=counted,hall&bucket=86400`)
  expect(day.value.reduce((sum, { executions }) => sum + executions, 0)).toBeGreaterThanOrEqual(7)
  expect(day.value[0]?.ts).toContain('T00:00:00.000000')
  expect(await rollup('counted')).toMatchObject({ executions: 5, errors: 0, last_at: expect.any(String) })
  expect(await rollup('quiet')).toEqual({
    flow: 'quiet',
    executions: 0,
    errors: 0,
    duration_ms_avg: null,
    duration_ms_p95: null,
    last_at: null,
  })
  const { value } = await at.ann<TimeBucket[]>('GET', '/observability/timeseries?flow=nowhere')
  expect(value).toEqual([])
})

test('a message that always fails marks its node and is not tried again; others pass [F59]', async () => {
  const before = await rollup('lab')
  await at.ended(await at.feed(-7))
  const { value } = await at.root<{ node_states: object[] }>('GET', '/flows/lab')
  expect(value.node_states).toMatchObject([{ node: 'work', status: 'failed', error: { type: 'RangeError' } }])
  expect(await at.ended(await at.feed(4))).toMatchObject({ status: 'ok', executions: 1 })
  const after = await rollup('lab')
  expect((after?.executions ?? 0) - (before?.executions ?? 0)).toBe(2)
  expect((after?.errors ?? 0) - (before?.errors ?? 0)).toBe(1)
})

test('what a flow executed counts when it has been stopped since', async () => {
  await at.publish('brief', relay)
  await at.root('POST', '/messages/brief.on', { value: 1 })
  await at.root('POST', '/flows/brief/stop')
  expect(await rollup('brief')).toMatchObject({ executions: 1 })
})

test('a publish is in the audit trail with who did it [R425, R569, R664]', async () => {
  await at.publish('audited', relay)
  expect(await events('?kind=audit&flow=audited&action=flow.publish')).toEqual([
    {
      id: expect.any(String),
      ts: expect.stringMatching(/\.\d{6}\+00:00$/),
      kind: 'audit',
      level: 'info',
      flow: 'audited',
      node: null,
      action: 'flow.publish',
      actor: { id: expect.any(String), email: 'root@example.org', via: 'session', name: null },
      detail: { version: 1, restart: false, rebuilt: [] },
    },
  ])
})

test('the audit trail is filtered by who, by what and until when, page by page [R569, R664]', async () => {
  for (const name of ['traced', 'traced_too']) await at.root('PUT', `/flows/${name}`, relay)
  for (const name of ['traced', 'traced_too']) await at.root('POST', `/flows/${name}/publish`, { version: 1 })
  await at.root('PUT', '/secrets/traced', { value: 'a value that nobody sees' })
  const actions = async (query: string) => (await events(`?kind=audit${query}`)).map(({ action }) => action)
  expect(await actions('&action=secret.')).toEqual(['secret.put'])
  const ofFlows = await actions('&action=flow.')
  expect(ofFlows.filter((action) => !action.startsWith('flow.'))).toEqual([])
  expect(ofFlows).toEqual(expect.arrayContaining(['flow.publish', 'flow.start']))
  expect(await actions('&action=flow_')).toEqual([])
  expect(await actions('&action=flow.%25')).toEqual([])
  const [newest] = await events('?kind=audit')
  const { id = '' } = newest?.actor ?? {}
  for (const actor of [id, 'ROOT@example.org'])
    expect((await actions(`&actor=${actor}`)).slice(0, 3)).toEqual(['secret.put', 'flow.publish', 'flow.publish'])
  expect(await actions('&actor=ann@example.org')).toEqual([])
  const until = encodeURIComponent(newest?.ts ?? '')
  expect((await actions(`&until=${until}`)).slice(0, 2)).toEqual(['flow.publish', 'flow.publish'])
  const page = await at.root('GET', `/observability/events?kind=audit&until=${until}&limit=1`)
  expect(page.headers.get('link')).toContain('until=')
  for (const wrong of ['action=', 'actor=', 'until=soon', `action=${'x'.repeat(101)}`])
    expect((await at.root('GET', `/observability/events?${wrong}`)).status).toBe(422)
})

test('the start of the engine and changes of the health of nodes are events [R569]', async () => {
  const message = 'no answer \0 \ud800'
  at.bus.publish({ type: 'health', flow: 'lab', node: 'work', status: 'down', message })
  await expect
    .poll(() => events('?kind=health'))
    .toMatchObject([
      { level: 'error', flow: 'lab', node: 'work', action: 'health.down', detail: { message, changes: 1 } },
    ])
  const kinds = new Set((await events('?kind=health,engine')).map(({ kind }) => kind))
  expect(kinds).toEqual(new Set(['health', 'engine']))
  expect((await events('?kind=engine')).at(-1)).toMatchObject({ action: 'engine.start', actor: null, flow: null })
})

test('a dead letter is listed with its value, reason and cascade [R570]', async () => {
  at.deadLetter({ flow: 'lab', node: 'work', message: 'lab.x', value: [1, 'two'], reason: 'crash', cascade: null })
  at.deadLetter({ flow: 'lab', node: 'other', message: null, value: null, reason: 'overflow', cascade: null })
  const list = async (query: string) =>
    (await at.ann<DeadLetterRecord[]>('GET', `/observability/dead-letter${query}`)).value
  expect(await list('?flow=lab')).toMatchObject([{ node: 'other' }, { node: 'work' }])
  expect(await list('?node=work&reason=crash')).toEqual([
    {
      id: expect.any(String),
      ts: expect.stringMatching(/\.\d{6}\+00:00$/),
      flow: 'lab',
      node: 'work',
      message: 'lab.x',
      value: [1, 'two'],
      reason: 'crash',
      attempts: 1,
      cascade: null,
      run: null,
    },
  ])
  expect(await list('?reason=expired,lease')).toEqual([])
})

test.each([
  ['runs', 'started_at'],
  ['events', 'ts'],
  ['dead-letter', 'ts'],
])('GET /observability/%s gives every row once when the links are followed [R570]', async (list, time) => {
  const flow = `paged-${list}`
  await at.publish(flow, relay)
  for (let value = 0; value < 7; value++) {
    await at.root('POST', `/messages/${flow}.on`, { value })
    at.deadLetter({ flow, node: 'pass', message: `${flow}.on`, value, reason: 'crash', cascade: null })
    at.eventLog.report({ kind: 'device', level: 'info', action: 'device.seen', flow })
  }
  const whole = (await at.ann<Record<string, string>[]>('GET', `/observability/${list}?flow=${flow}&limit=500`)).value
  expect(whole.length).toBeGreaterThanOrEqual(7)
  const paged: Record<string, string>[] = []
  let next: string | undefined = `/observability/${list}?flow=${flow}&limit=3`
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof at.ann<Record<string, string>[]>>> = await at.ann('GET', next)
    paged.push(...page.value)
    next = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(paged).toEqual(whole)
  const times = paged.map((row) => row[time] ?? '')
  // newest first, and no two alike
  expect(times.every((at, index) => index === 0 || at < (times[index - 1] ?? ''))).toBe(true)
  const [newest] = whole
  const since = encodeURIComponent(newest?.[time] ?? '')
  expect((await at.ann('GET', `/observability/${list}?flow=${flow}&since=${since}`)).value).toEqual([newest])
})

test.each([
  ['runs?status=fine', 'query.status.0'],
  ['runs?limit=501', 'query.limit'],
  ['runs?limit=0', 'query.limit'],
  ['runs?before=yesterday', 'query.before'],
  ['runs?since=2026-01-01T00:00:00', 'query.since'],
  ['runs?offset=1', 'query.offset'],
  ['runs?flow=', 'query.flow'],
  ['events?kind=gossip', 'query.kind.0'],
  ['events?kind=audit,gossip', 'query.kind.1'],
  ['dead-letter?reason=bad', 'query.reason.0'],
  ['timeseries?bucket=90', 'query.bucket'],
  ['timeseries?bucket=0', 'query.bucket'],
  ['timeseries?bucket=1e3', 'query.bucket'],
  ['timeseries?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'query.until'],
  ['flows?since=now', 'query.since'],
])('GET /observability/%s is refused with the place', async (path, place) => {
  const { status, problem } = await at.ann('GET', `/observability/${path}`)
  expect([status, problem.code, problem.errors?.map((item) => item.path)]).toEqual([422, 'validation_failed', [place]])
})

test('cascades of runs, or of a flow, are removed in the transaction of who removes them [R508]', async () => {
  const kept = await at.run('sums', { n: 1 })
  const removed = await at.run('sums', { n: 2 })
  const { database, observability } = at.engine
  await cascades()
  await database.transaction((tx) => observability.cascades.removeOf(tx, { runs: [removed] }))
  const left = (await cascades('?flow=sums')).map(({ id }) => id)
  expect(left).toContain(kept)
  expect(left).not.toContain(removed)
  await at.publish('gone', relay)
  await at.root('POST', '/messages/gone.on', { value: 1 })
  expect(await cascades('?flow=gone')).toHaveLength(1)
  await at.root('POST', '/messages/gone.on', { value: 2 })
  const undone = database.transaction(async (tx) => {
    await observability.cascades.removeOf(tx, { flow: 'gone' })
    throw new Error('undo')
  })
  await expect(undone).rejects.toThrow('undo')
  expect(await cascades('?flow=gone')).toHaveLength(1)
  await database.transaction((tx) => observability.cascades.removeOf(tx, { flow: 'gone' }))
  expect(await cascades('?flow=gone')).toEqual([])
})

test('what is older than its time is dropped, and of a flow what is too much', async () => {
  const { database } = at.engine
  await database.sql`insert into ended_cascade (id, flow, origin, status, executions, started_at, finished_at)
    select gen_random_uuid(), 'crowd', 'publish', 'ok', 1, now() - make_interval(secs => i), now()
    from generate_series(1, 20010) i`
  await database.sql`insert into ended_cascade (id, flow, origin, status, executions, started_at, finished_at)
    values (gen_random_uuid(), 'old', 'publish', 'ok', 1, now() - interval '31 days', now())`
  await database.sql`insert into flow_minute (flow, minute, executions, errors, timed, duration_ms, steps, counts, last_at)
    values ('old', now() - interval '8 days', 1, 0, 0, 0, '{}', '{}', now())`
  await database.sql`insert into engine_event (id, ts, kind, level, action, detail)
    values (gen_random_uuid(), now() - interval '31 days', 'engine', 'info', 'old', '{}')`
  await database.sql`insert into dead_letter (id, ts, flow, node, reason)
    values (gen_random_uuid(), now() - interval '31 days', 'old', 'n', 'crash')`
  await database.sql`insert into dead_letter (id, ts, flow, node, reason)
    select gen_random_uuid(), now() - make_interval(secs => i), 'crowd', 'n', 'overflow' from generate_series(1, 20010) i`
  await createObservabilityStore(database.sql).expire()
  await at.eventLog.expire()
  const [row] = await database.sql<{ crowd: number; letters: number; old: number }[]>`select
    (select count(*)::int from ended_cascade where flow = 'crowd') as crowd,
    (select count(*)::int from dead_letter where flow = 'crowd') as letters,
    (select count(*) from ended_cascade where flow = 'old')::int + (select count(*) from flow_minute where flow = 'old')::int
    + (select count(*) from engine_event where action = 'old')::int
    + (select count(*) from dead_letter where flow = 'old')::int as old`
  expect(row).toEqual({ crowd: 20_000, letters: 20_000, old: 0 })
  expect(await events('?kind=audit')).not.toEqual([])
})
