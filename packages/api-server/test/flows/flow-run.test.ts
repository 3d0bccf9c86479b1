import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type {
  CascadeRecord,
  FlowDocumentInput,
  FlowRollup,
  LiveRunResult,
  ObservabilityEvent,
  Run,
  RunSummary,
} from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { chain, input, isAlive, listening, type LiveService, output, type Settings, startLive } from './live-service.ts'

let at: LiveService
beforeAll(async () => {
  at = await startLive()
})
afterAll(() => at[Symbol.asyncDispose]())

const run = (flow: string, inputs?: object) =>
  at.control<LiveRunResult>(flow, 'run', inputs === undefined ? undefined : { inputs })
const draft = (name: string, document: FlowDocumentInput) =>
  at.root<{ version: number }>('PUT', `/flows/${name}`, document)

/** Scales the input `x`. */
const scaling = (scale: number): FlowDocumentInput => ({
  mode: 'batch',
  inputs: [{ name: 'x', dtype: 'float', initial: 1 }],
  outputs: [{ name: 'y' }],
  nodes: [
    {
      id: 'scale',
      type: 'change',
      settings: { scale },
      ports: [input('x', { dtype: 'float' }), output('y', { dtype: 'float' })],
    },
  ],
})

test('of a batch flow it queues a recorded run of the draft [R473, R475]', async () => {
  const { value: first } = await draft('sized', scaling(2))
  await at.control('sized', 'publish', { version: first.version })
  await draft('sized', { ...scaling(10), version: first.version })
  const answer = await at.control<Run>('sized', 'run', { inputs: { x: 4 } })
  expect(answer.status).toBe(201)
  const { id } = answer.value
  expect(answer.value).toMatchObject({ flow: 'sized', draft: true, params: { x: 4 } })
  expect(answer.headers.get('location')).toBe(`${at.origin}/api/v1/runs/${id}`)
  const read = async () => (await at.root<Run>('GET', `/runs/${id}`)).value
  await expect.poll(read).toMatchObject({ status: 'ok', result: { y: 40 } })
  const { value: listed } = await at.root<RunSummary[]>('GET', '/runs/?flow=sized')
  expect(listed.map((summary) => [summary.id, summary.draft])).toEqual([[id, true]])
  expect((await at.control<Run>('sized', 'run')).value).toMatchObject({ params: { x: 1 } })
})

test('of a batch flow it is refused for unknown params and for a broken draft, and nothing is recorded', async () => {
  await draft('refused', scaling(2))
  const off = await at.control('refused', 'run', { inputs: { x: 'one', z: 1 } })
  expect([off.status, off.problem.code]).toEqual([422, 'validation_failed'])
  expect(off.problem.errors?.map(({ path }) => path).toSorted()).toEqual(['/inputs/x', '/inputs/z'])
  const { value } = await at.root<{ version: number }>('GET', '/flows/refused')
  await draft('refused', { ...scaling(2), nodes: [{ id: 'n', type: 'nope' }], version: value.version })
  expect((await at.control('refused', 'run')).problem).toMatchObject({ status: 422, code: 'flow_invalid' })
  expect((await at.root<RunSummary[]>('GET', '/runs/?flow=refused')).value).toEqual([])
})

test('a live flow runs its draft once and answers values and nodes, while the published form goes on [R473, R046]', async () => {
  await at.publish('doubled', chain(2))
  const { version } = await at.read('doubled')
  await draft('doubled', { ...chain(10), version })
  const { status, value } = await run('doubled', { on: 3 })
  expect([status, value]).toEqual([
    200,
    {
      cascade: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'ok',
      values: { 'doubled.on': 3, 'doubled.mid': 30, 'doubled.off': 30 },
      nodes: ['first', 'second'].map((node) => ({
        flow: 'doubled',
        node,
        status: 'idle',
        health: 'ok',
        message: null,
        error: null,
      })),
    },
  ])
  await at.send('doubled.on', 4)
  await at.history('doubled.off', [8])
  expect(await at.read('doubled')).toMatchObject({ status: 'active', has_draft: true })
})

test('it leaves nothing behind: no value, event, cascade, dead letter, kept work or webhook', async () => {
  const failing = {
    id: 'work',
    type: 'python',
    source: 'def run(temp):\n    raise ValueError("broken")\n',
    ports: [input('temp'), output('never')],
  }
  const { nodes = [] } = listening({ durable: true })
  await draft('traceless', { inputs: [{ name: 'temp', dtype: 'float' }], nodes: [...nodes.slice(1), failing] })
  const before = at.events.length
  const { value } = await run('traceless', { temp: 20 })
  expect(value).toMatchObject({
    status: 'error',
    values: { 'traceless.temp': 20, 'traceless.seen': 20 },
    nodes: [
      { node: 'pass', status: 'idle' },
      { node: 'work', status: 'failed', error: { type: 'ValueError', message: 'broken' } },
    ],
  })
  await draft('unheard', { nodes })
  expect((await run('unheard')).value).toMatchObject({ status: 'ok', values: {} })
  expect((await at.hook('unheard/in', { temp: 1 })).status).toBe(404)
  for (const flow of ['traceless', 'unheard']) {
    expect((await at.root<CascadeRecord[]>('GET', `/observability/runs?flow=${flow}`)).value).toEqual([])
    const { value: events } = await at.root<ObservabilityEvent[]>('GET', `/observability/events?flow=${flow}`)
    expect(events.filter(({ kind }) => kind !== 'audit')).toEqual([])
    const { value: counts } = await at.root<FlowRollup[]>('GET', '/observability/flows')
    expect(counts.find((row) => row.flow === flow)?.executions ?? 0).toBe(0)
    expect(await at.letters(flow)).toEqual([])
    expect(await at.kept(flow)).toBe(0)
    expect((await at.root('GET', `/messages/${flow}.temp/history`)).problem).toMatchObject({ status: 404 })
    expect((await at.read(flow)).node_states).toEqual([])
  }
  const told = at.events
    .slice(before)
    .filter((event) => event.type === 'value' || event.type === 'node' || event.type === 'health')
  // of other flows, whose runs may still execute, there may be news
  expect(told.filter(({ flow }) => flow === 'traceless' || flow === 'unheard')).toEqual([])
})

test('its nodes act for real: a sender sends, Python runs, timers are waited for [R474]', async () => {
  const received: unknown[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      received.push([request.method, request.url, JSON.parse(text)])
      response.setHeader('content-type', 'application/json').end('{"answer":"yes"}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`
  const document: FlowDocumentInput = {
    inputs: [{ name: 'x', dtype: 'int' }],
    nodes: [
      {
        id: 'work',
        type: 'python',
        source: 'import os\ndef run(x):\n    return {"y": x * 2, "pid": os.getpid()}\n',
        ports: [input('x', { dtype: 'int' }), output('y', { dtype: 'int' }), output('pid', { dtype: 'int' })],
      },
      { id: 'wait', type: 'delay', settings: { delay: 0.1 }, ports: [input('y', { port: 'in' }), output('z')] },
      { id: 'send', type: 'http', settings: { url }, ports: [input('z', { port: 'count' }), output('answer')] },
    ],
  }
  await draft('acting', document)
  const { value } = await run('acting', { x: 21 })
  expect(value).toMatchObject({
    status: 'ok',
    values: { 'acting.x': 21, 'acting.y': 42, 'acting.z': 42, 'acting.answer': 'yes' },
  })
  expect(received).toEqual([['POST', '/orders', { count: 42 }]])
  // its process is its own, and ends with it
  const pid = Number(value.values['acting.pid'])
  await expect.poll(() => isAlive(pid)).toBe(false)
  server.closeAllConnections()
  server.close()
})

test('without inputs, what has no input acts once', async () => {
  const inject = (id: string, settings: Settings) => ({ id, type: 'inject', settings, ports: [output(id)] })
  const nodes = [inject('once', { payload: 1, interval: 3600 }), inject('start', { payload: 2, at_start: true })]
  await draft('fired', { nodes })
  expect((await run('fired')).value).toMatchObject({ status: 'ok', values: { 'fired.once': 1, 'fired.start': 2 } })
  expect((await run('fired', {})).value).toMatchObject({ status: 'ok', values: { 'fired.once': 1 } })
})

test('nothing of it reaches other flows', async () => {
  await at.publish('source', chain())
  await at.publish('ear', {
    nodes: [{ id: 'n', type: 'change', settings: {}, ports: [input('source.off', { port: 'x' }), output('echo')] }],
  })
  await run('source', { on: 1 })
  await at.send('source.on', 2)
  await at.history('ear.echo', [2])
  expect(await at.values('source.off')).toEqual([2])
})

test('two runs at once do not see each other', async () => {
  await draft('apart', chain(2))
  const answers = await Promise.all(Array.from({ length: 8 }, (_, on) => run('apart', { on })))
  expect(answers.map(({ value }) => value.values['apart.off'])).toEqual([0, 2, 4, 6, 8, 10, 12, 14])
  expect(new Set(answers.map(({ value }) => value.cascade)).size).toBe(8)
})

test('of more than 8 at once the others are refused until one has ended', async () => {
  const delay = { id: 'wait', type: 'delay', settings: { delay: 1 }, ports: [input('x'), output('y')] }
  await draft('busy', { inputs: [{ name: 'x' }], nodes: [delay] })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, x) => run('busy', { x })))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
  expect(refused.map(({ problem }) => problem.code)).toEqual(Array.from({ length: 4 }, () => 'rate_limited'))
  expect((await run('busy', { x: 1 })).value).toMatchObject({ status: 'ok', values: { 'busy.y': 1 } })
})

test('unknown inputs and off-dtype values are 422 at their place; so is a draft with errors; unknown flows are 404', async () => {
  const document = { ...chain(), inputs: [{ name: 'on', dtype: 'int' as const }] }
  await draft('strict', document)
  const fault = async (inputs: object) => {
    const { status, problem } = await run('strict', inputs)
    return [status, problem.code, problem.errors?.[0]?.path]
  }
  expect(await fault({ x: 1 })).toEqual([422, 'validation_failed', '/inputs/x'])
  expect(await fault({ on: 'one' })).toEqual([422, 'validation_failed', '/inputs/on'])
  const malformed = await at.control('strict', 'run', { on: 1 })
  expect([malformed.status, malformed.problem.errors?.[0]?.path]).toEqual([422, '/on'])
  await draft('broken', { nodes: [{ id: 'n', type: 'nope' }] })
  expect((await run('broken')).problem).toMatchObject({
    status: 422,
    code: 'flow_invalid',
    errors: [{ code: 'unknown_type', path: '/nodes/0/type' }],
  })
  const source = 'def run(x:\n'
  await draft('unread', { nodes: [{ id: 'n', type: 'python', source, ports: [input('x'), output('y')] }] })
  expect((await run('unread')).problem).toMatchObject({ status: 422, code: 'flow_invalid' })
  expect((await run('nowhere')).problem).toMatchObject({ status: 404, code: 'not_found' })
})
