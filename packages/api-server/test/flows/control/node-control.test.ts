import type { FlowDocumentInput, NodeCancelResult, NodeLogs, NodeState, TriggerResult } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { input, isAlive, listening, type LiveService, output, startLive } from '../live-service.ts'

let at: LiveService
beforeAll(async () => {
  at = await startLive()
})
afterAll(() => at[Symbol.asyncDispose]())

const trigger = (flow: string, node: string, body?: object) => at.node<TriggerResult>(flow, node, 'trigger', body)
const cancel = async (flow: string, node: string) => (await at.node<NodeCancelResult>(flow, node, 'cancel')).value
const stateOf = async (flow: string, node: string): Promise<NodeState | undefined> =>
  (await at.read(flow)).node_states.find((state) => state.node === node)

const int = { dtype: 'int' } as const
/** Pairs `left` with `right`, beside a timer that never is due. */
const pairing: FlowDocumentInput = {
  nodes: [
    { id: 'pair', type: 'join', ports: [input('left', int), input('right'), output('pair')] },
    { id: 'tick', type: 'inject', settings: { payload: 'beat' }, ports: [output('beat')] },
  ],
}

/** Fails for negative numbers. */
const checked = {
  id: 'work',
  type: 'python',
  source: 'def run(x):\n    if x < 0: raise ValueError(f"{x} is negative")\n    return {"y": x + 1}\n',
  ports: [input('x', int), output('y')],
}

test('a trigger feeds the named inputs together, and answers the cascade [R476]', async () => {
  await at.publish('fed', pairing)
  const { status, value } = await trigger('fed', 'pair', { values: { left: 1, right: 'r' } })
  expect(status).toBe(202)
  expect(await at.ended(value.cascade)).toMatchObject({
    flow: 'fed',
    origin: { kind: 'trigger', node: 'pair', message: null },
    status: 'ok',
    executions: 1,
  })
  expect(await at.values('fed.pair')).toEqual([{ left: 1, right: 'r' }])
  // fed past the messages, whose values others see
  expect(await at.values('fed.left')).toEqual([])
})

test('a trigger publishes on the named outputs of a listener; without values it acts by itself [R239]', async () => {
  await at.publish('porch', listening())
  expect((await trigger('porch', 'hook', { values: { temp: 20 } })).status).toBe(202)
  await at.history('porch.seen', [20])
  expect((await trigger('porch', 'hook')).status).toBe(202)
  await at.publish('beats', pairing)
  expect((await trigger('beats', 'tick')).status).toBe(202)
  expect((await trigger('beats', 'tick', {})).status).toBe(202)
  await at.history('beats.beat', ['beat', 'beat'])
  expect(await at.values('porch.seen')).toEqual([20])
})

test('a trigger of a paused flow is accepted and held', async () => {
  await at.publish('calm', pairing)
  await at.control('calm', 'pause')
  expect((await trigger('calm', 'tick')).status).toBe(202)
  expect((await trigger('calm', 'pair', { values: { left: 1, right: 2 } })).status).toBe(202)
  expect((await at.read('calm')).held).toBe(2)
  await at.control('calm', 'resume')
  await at.history('calm.beat', ['beat'])
  await at.history('calm.pair', [{ left: 1, right: 2 }])
})

test('values for unknown ports, or off the dtype, are 422 at their port, and nothing is fed', async () => {
  await at.publish('strict', pairing)
  const faults = async (node: string, values: object) => {
    const { status, problem } = await trigger('strict', node, { values })
    return [status, problem.code, problem.errors?.map(({ path, code }) => `${path} ${code}`)]
  }
  expect(await faults('pair', { left: 'one' })).toEqual([422, 'validation_failed', ['/values/left bad_value']])
  expect(await faults('pair', { right: 1, middle: 2 })).toEqual([
    422,
    'validation_failed',
    ['/values/middle bad_value'],
  ])
  expect(await faults('tick', { 'a~b': 1 })).toEqual([422, 'validation_failed', ['/values/a~0b bad_value']])
  // inputs and outputs at once
  expect(await faults('pair', { right: 1, pair: 2 })).toEqual([422, 'validation_failed', ['/values/right bad_value']])
  const malformed = await trigger('strict', 'pair', { value: { left: 1 } })
  expect([malformed.status, malformed.problem.errors?.[0]?.path]).toEqual([422, '/value'])
  expect(await at.values('strict.pair')).toEqual([])
  expect((await at.read('strict')).node_states).toMatchObject([{ status: 'idle' }, { status: 'idle' }])
})

test('unknown nodes are not found, and nodes of a stopped flow are not triggered', async () => {
  await at.publish('rest', pairing)
  for (const verb of ['trigger', 'cancel', 'acknowledge']) {
    const { problem } = await at.node('rest', 'nobody', verb)
    expect(problem).toMatchObject({ status: 404, code: 'not_found', detail: expect.stringContaining('"nobody"') })
  }
  await at.control('rest', 'stop')
  expect((await trigger('rest', 'pair', { values: { left: 1 } })).problem).toMatchObject({
    status: 409,
    code: 'not_active',
  })
  expect((await trigger('rest', 'nobody')).status).toBe(404)
  expect(await cancel('rest', 'pair')).toEqual({ cancelled: 0 })
  expect((await at.node<NodeState>('rest', 'pair', 'acknowledge')).value).toMatchObject({ status: 'idle', error: null })
})

test('a cancel ends the process of looping Python; the node bears no marker and takes the next value [R477]', async () => {
  const source = [
    'import os',
    'def run(x):',
    '    emit(pid=os.getpid())',
    '    while x < 0: pass',
    '    return {"done": x}',
  ].join('\n')
  const ports = [input('x', int), output('pid'), output('done')]
  await at.publish('loop', {
    inputs: [{ name: 'x', dtype: 'int' }],
    nodes: [{ id: 'work', type: 'python', source, ports }],
  })
  expect(await cancel('loop', 'work')).toEqual({ cancelled: 0 })
  const { value } = await trigger('loop', 'work', { values: { x: -1 } })
  await trigger('loop', 'work', { values: { x: 1 } })
  await expect.poll(() => at.values('loop.pid')).toHaveLength(1)
  const [pid] = (await at.values('loop.pid')) as number[]
  expect(isAlive(pid!)).toBe(true)
  expect(await stateOf('loop', 'work')).toMatchObject({ status: 'running' })

  expect(await cancel('loop', 'work')).toEqual({ cancelled: 1 })
  await expect.poll(() => isAlive(pid!)).toBe(false)
  await at.history('loop.done', [1])
  expect(await stateOf('loop', 'work')).toMatchObject({ status: 'idle', error: null, health: 'ok' })
  expect((await at.ended(value.cascade)).error).toBeNull()
  expect(await at.letters('loop')).toEqual([])
})

test('a failing node bears a marker until it is acknowledged, and goes on working meanwhile [R064]', async () => {
  await at.publish('marked', { inputs: [{ name: 'x', dtype: 'int' }], nodes: [checked] })
  await at.send('marked.x', -1)
  await expect.poll(() => stateOf('marked', 'work')).toMatchObject({ status: 'failed' })
  expect(await stateOf('marked', 'work')).toMatchObject({
    error: { type: 'ValueError', message: '-1 is negative', traceback: expect.stringContaining('line 2') },
  })
  await at.send('marked.x', 1)
  await at.history('marked.y', [2])
  expect(await stateOf('marked', 'work')).toMatchObject({ status: 'failed', error: { message: '-1 is negative' } })
  for (let time = 0; time < 2; time++) {
    const { status, value } = await at.node<NodeState>('marked', 'work', 'acknowledge')
    expect([status, value]).toEqual([
      200,
      { flow: 'marked', node: 'work', status: 'idle', health: 'ok', message: null, error: null },
    ])
  }
  expect(await stateOf('marked', 'work')).toMatchObject({ status: 'idle', error: null })
  const told = at.events.flatMap((event) => (event.type === 'node' && event.flow === 'marked' ? [event.status] : []))
  expect(told).toContain('failed')
  expect(told.at(-1)).toBe('idle')
})

test('the timeout counts seconds of silence: an emit or yield starts them anew, and without one silence may last [R060, R061, R062, R063]', async () => {
  const waiting = (lines: string[]) => ['import time', 'def run(x):', ...lines.map((line) => `    ${line}`)].join('\n')
  const node = (id: string, timeout: number | null, lines: string[]) => ({
    id,
    type: 'python',
    timeout,
    source: waiting(lines),
    ports: [input('x', int), output(id, { port: 'y' })],
  })
  await at.publish('silent', {
    inputs: [{ name: 'x', dtype: 'int' }],
    nodes: [
      node('hushed', 4, ['time.sleep(600)']),
      node('yielding', 4, ['for n in range(4):', '    time.sleep(1.5)', '    yield {"y": n}']),
      node('emitting', 4, ['for n in range(4):', '    time.sleep(1.5)', '    emit(y=n)']),
      node('patient', null, ['time.sleep(6)', 'return {"y": "done"}']),
    ],
  })
  await at.send('silent.x', 1)
  await at.history('silent.yielding', [0, 1, 2, 3])
  await at.history('silent.emitting', [0, 1, 2, 3])
  await at.history('silent.patient', ['done'])
  await expect.poll(() => stateOf('silent', 'hushed')).toMatchObject({ status: 'failed' })
  const states = (await at.read('silent')).node_states
  expect(states.map(({ node: id, error }) => [id, error?.type])).toEqual([
    ['hushed', 'timeout'],
    ['yielding', undefined],
    ['emitting', undefined],
    ['patient', undefined],
  ])
  expect(states[0]?.error?.message).toContain('4')
})

test('what the code of a live node prints is told with its place in all that it has printed', async () => {
  const source = 'def run(x):\n    print("größe", x, flush=True)\n'
  const ports = [{ direction: 'input' as const, name: 'x' }]
  await at.publish('talks', { inputs: [{ name: 'x' }], nodes: [{ id: 'say', type: 'python', source, ports }] })
  await at.send('talks.x', 1)
  await at.send('talks.x', 2)
  const told = (): [offset: number, text: string][] =>
    at.events.flatMap((event) => (event.type === 'log' && event.flow === 'talks' ? [[event.offset, event.text]] : []))
  const printed = (): string => told().reduce((all, [, text]) => all + text, '')
  await expect.poll(printed).toBe('größe 1\ngröße 2\n')
  let before = 0
  for (const [offset, text] of told()) {
    expect(offset).toBe(before)
    before += Buffer.byteLength(text)
  }
  const logs = async (path: string) => at.root<NodeLogs>('GET', `/flows/${path}`)
  const place = { flow: 'talks', node: 'say', run: null }
  expect((await logs('talks/nodes/say/logs')).value).toEqual({
    ...place,
    from: 0,
    next: 20,
    text: 'größe 1\ngröße 2\n',
    cut: false,
    ended: false,
  })
  await at.control('talks', 'stop')
  expect((await logs('talks/nodes/say/logs?after=10&limit=5')).value).toMatchObject({
    ...place,
    from: 10,
    next: 14,
    text: 'grö',
    ended: true,
  })
  expect((await logs('talks/nodes/say/logs?after=21')).problem).toMatchObject({
    code: 'validation_failed',
    errors: [{ path: 'query.after' }],
  })
  expect((await logs('talks/nodes/sing/logs')).problem.detail).toBe('flow "talks" has no node "sing"')
  // what comes after a stop is behind what was before, and a new name takes it along
  await at.control('talks', 'start')
  await at.send('talks.x', 3)
  await expect.poll(printed).toBe('größe 1\ngröße 2\ngröße 3\n')
  await at.control('talks', 'rename', { name: 'speaks' })
  expect((await logs('speaks/nodes/say/logs?after=20')).value).toMatchObject({ flow: 'speaks', text: 'größe 3\n' })
  expect((await logs('talks/nodes/say/logs')).status).toBe(404)
  await at.root('DELETE', '/flows/speaks')
  await at.publish('speaks', { inputs: [{ name: 'x' }], nodes: [{ id: 'say', type: 'python', source, ports }] })
  expect((await logs('speaks/nodes/say/logs')).value).toMatchObject({ from: 0, next: 0, text: '', cut: false })
})

test('a batch flow keeps what its nodes print with its runs, and its logs are asked there', async () => {
  await at.root('PUT', '/flows/batched', { mode: 'batch', nodes: [] })
  const { status, problem } = await at.root('GET', '/flows/batched/nodes/n/logs')
  expect([status, problem.code, problem.detail]).toEqual([
    400,
    'wrong_mode',
    'flow "batched" is a batch flow: what its nodes print is with its runs',
  ])
})
