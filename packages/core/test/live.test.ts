import type { FlowDocument } from '@flow-service/protocol'
import { MAX_CASCADE_EXECUTIONS, MAX_HELD, MAX_MAILBOX } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { CodeError, LiveRuntime, NodeRegistry, type StartOptions } from '../src/index.ts'
import { memoryHost, type MemoryHostOptions } from '../src/testing.ts'
import { flow, input, output, pass, recorder, type } from './documents.ts'

type Definitions = ConstructorParameters<typeof NodeRegistry>[0]

function engine(definitions: Definitions, options: MemoryHostOptions = {}) {
  const host = memoryHost(options)
  const runtime = new LiveRuntime(host, new NodeRegistry([pass, ...definitions]))
  onTestFinished(() => runtime.close())
  return { host, runtime, start: (document: FlowDocument, start?: StartOptions) => runtime.start(document, start) }
}

/** Runs until a test lets each execution end; `running` are the values in execution. */
function gated(name = 'gated') {
  const running: {
    node: string
    value: unknown
    end: (outputs?: Record<string, unknown>) => void
    fail: (error: unknown) => void
  }[] = []
  const definition = type(name, ({ node }) => ({
    onValue: (_port, value) => {
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown> | undefined>()
      running.push({ node, value, end: resolve, fail: reject })
      return promise
    },
  }))
  return { running, definition }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('equal message names are the wires, and a bare name is of the own flow [R067] [R005]', async () => {
  const { calls, definition } = recorder('end')
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
      { id: 'b', type: 'end', ports: [input('y')] },
      { id: 'c', type: 'end', ports: [input('in:f.y')] },
      { id: 'd', type: 'end', ports: [input('other.y')] },
    ]),
  )
  runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([
    ['b', 'y', 1],
    ['c', 'in', 1],
  ])
})

test('a message reaches the readers of every active flow, and of no stopped one', async () => {
  const { calls, definition } = recorder('end')
  const { start, runtime } = engine([definition])
  const source = await start(flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y')] }], { name: 'one' }))
  const reader = await start(flow([{ id: 'b', type: 'end', ports: [input('one.y')] }], { name: 'two' }))
  runtime.publish('one.x', 1)
  await source.idle()
  await reader.idle()
  await reader.stop()
  runtime.publish('one.x', 2)
  await source.idle()
  expect(calls).toEqual([['b', 'y', 1]])
})

test('while nobody watches, values are recorded and delivered, and no event is made of them', async () => {
  const host = memoryHost()
  let watched = false
  const runtime = new LiveRuntime({ ...host, isWatched: () => watched }, new NodeRegistry([pass]))
  onTestFinished(() => runtime.close())
  const live = await runtime.start(flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y')] }]))
  runtime.publish('f.x', 1)
  await live.idle()
  expect(host.values('f.y')).toEqual([1])
  const shown = () => host.events.flatMap((event) => (event.type === 'value' ? [[event.message, event.value]] : []))
  expect(shown().filter(([message]) => message === 'f.y')).toEqual([])
  watched = true
  runtime.publish('f.x', 2)
  await live.idle()
  expect(shown().filter(([message]) => message === 'f.y')).toEqual([['f.y', 2]])
})

test('a publication that nothing active reads is recorded, and has no cascade', () => {
  const { runtime, host } = engine([])
  expect(runtime.publish('gone.m', 5)).toEqual({ atMs: host.clock.now(), cascade: null })
  expect(host.values('gone.m')).toEqual([5])
})

test('a publication for a run is recorded with the run', () => {
  const { runtime, host } = engine([])
  runtime.publish('gone.m', 5, 'a-run')
  runtime.publish('gone.m', 6)
  expect(host.records.map(({ run }) => run)).toEqual(['a-run', undefined])
})

test('a publication off the declared dtype is refused, and nothing is recorded', async () => {
  const { runtime, start, host } = engine([])
  await start(flow([{ id: 'a', type: 'pass', ports: [input('x', { dtype: 'int' })] }]))
  expect(() => runtime.publish('f.x', 'one')).toThrow('message "f.x" is int, which "one" is not')
  expect(host.records).toEqual([])
})

test('a combining node that reads two ports of one producer runs once, with both', async () => {
  const { calls, definition } = recorder('join', 'combine')
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'pass', ports: [input('x'), output('y'), output('z')] },
      { id: 'b', type: 'join', ports: [input('z'), input('y')] },
    ]),
  )
  runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([['b', { z: 1, y: 1 }]])
})

test('a per-arrival node handles what arrives together one after the other, in the order of its ports', async () => {
  const { running, definition } = gated()
  const split = type('split', () => ({
    onValue: (_port, value) => ({ y: `${String(value)}y`, z: `${String(value)}z` }),
  }))
  const { start, runtime, host } = engine([definition, split])
  const live = await start(
    flow([
      { id: 'a', type: 'split', ports: [input('x'), output('y'), output('z')] },
      { id: 'b', type: 'gated', ports: [input('z', { dtype: 'str' }), input('y')] },
    ]),
  )
  runtime.publish('f.x', 1)
  runtime.publish('f.x', 2)
  runtime.publish('f.x', 3)
  await turn()
  for (let at = 0; at < 6; at++) {
    expect(running).toHaveLength(at + 1)
    running[at]?.end()
    await turn()
  }
  await live.idle()
  expect(running.map(({ value }) => value)).toEqual(['1z', '1y', '2z', '2y', '3z', '3y'])
  const states = host.events.flatMap((event) => (event.type === 'node' ? [event.status] : []))
  expect(states.slice(0, 2)).toEqual(['running', 'idle'])
})

test('a node of the kind together gets exactly the ports that arrived together', async () => {
  const { calls, definition } = recorder('write', 'together')
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'pass', ports: [input('x'), output('y'), output('z')] },
      { id: 'b', type: 'write', ports: [input('y'), input('z'), input('w')] },
    ]),
  )
  runtime.publish('f.x', 1)
  await live.idle()
  runtime.publish('f.w', 2)
  await live.idle()
  expect(calls).toEqual([
    ['b', { y: 1, z: 1 }],
    ['b', { w: 2 }],
  ])
})

test('one message on two inputs of a node arrives together', async () => {
  const { calls, definition } = recorder('join', 'combine')
  const { start, runtime } = engine([definition])
  const live = await start(flow([{ id: 'b', type: 'join', ports: [input('p:x'), input('q:x')] }]))
  runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([['b', { p: 1, q: 1 }]])
})

test('a combining node waits until every triggering input has a value, and gets null for an absent passive one', async () => {
  const { calls, definition } = recorder('join', 'combine')
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([{ id: 'b', type: 'join', ports: [input('x'), input('y'), input('p', { trigger: false })] }]),
  )
  runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([])
  runtime.publish('f.y', 2)
  runtime.publish('f.x', 3)
  await live.idle()
  expect(calls).toEqual([
    ['b', { x: 1, y: 2, p: null }],
    ['b', { x: 3, y: 2, p: null }],
  ])
})

test('an arrival on a passive input runs nothing; the next execution sees its latest value [R162]', async () => {
  const { calls, definition } = recorder('join', 'combine')
  const { start, runtime } = engine([definition])
  const live = await start(flow([{ id: 'b', type: 'join', ports: [input('x'), input('p', { trigger: false })] }]))
  for (const value of [1, 2]) runtime.publish('f.p', value)
  await live.idle()
  expect(calls).toEqual([])
  runtime.publish('f.x', 0)
  await live.idle()
  expect(calls).toEqual([['b', { x: 0, p: 2 }]])
})

test('a per-arrival node reads its passive inputs through the context', async () => {
  const seen: unknown[] = []
  const reads = type('reads', (ctx) => ({ onValue: () => void seen.push(ctx.latest('p'), ctx.latest('q')) }))
  const { start, runtime } = engine([reads])
  const live = await start(
    flow([
      { id: 'b', type: 'reads', ports: [input('x'), input('p', { trigger: false }), input('q', { trigger: false })] },
    ]),
  )
  runtime.publish('f.p', 7)
  runtime.publish('f.x', 1)
  await live.idle()
  expect(seen).toEqual([7, null])
})

test('initial values count for combining, and the start publishes nothing', async () => {
  const { calls, definition } = recorder('join', 'combine')
  const { start, runtime, host } = engine([definition])
  const live = await start(
    flow([{ id: 'b', type: 'join', ports: [input('x'), input('k')] }], {
      inputs: [{ name: 'k', dtype: 'float', initial: 4 }],
    }),
  )
  await live.idle()
  expect([calls, host.records, host.events]).toEqual([[], [], []])
  runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([['b', { x: 1, k: 4 }]])
})

test('last values of an earlier life replace initial values and fill passive inputs, but start no other input', async () => {
  const { calls, definition } = recorder('join', 'combine')
  const { start, runtime } = engine([definition])
  const document = flow([{ id: 'b', type: 'join', ports: [input('k'), input('x'), input('p', { trigger: false })] }], {
    inputs: [{ name: 'k', dtype: 'float', initial: 4 }],
  })
  const values = new Map<string, unknown>([
    ['f.k', 5],
    ['f.x', 6],
    ['f.p', 7],
  ])
  const live = await start(document, { values })
  runtime.publish('f.k', 8)
  await live.idle()
  expect(calls).toEqual([])
  runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([['b', { k: 8, x: 1, p: 7 }]])
})

test('a value that comes while the nodes start is the latest of a passive input', async () => {
  const { calls, definition } = recorder('join', 'combine')
  const { start, runtime } = engine([definition])
  const last = new Map<string, unknown>([['f.p', 7]])
  const document = flow([{ id: 'b', type: 'join', ports: [input('x'), input('p', { trigger: false })] }])
  const starting = start(document, { values: last })
  runtime.publish('f.p', 8)
  last.set('f.p', 8)
  const live = await starting
  runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([['b', { x: 1, p: 8 }]])
})

test('a node executes once at a time and first in first out, while other nodes run concurrently', async () => {
  const { running, definition } = gated()
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'gated', ports: [input('x')] },
      { id: 'b', type: 'gated', ports: [input('x')] },
    ]),
  )
  for (const value of [1, 2]) runtime.publish('f.x', value)
  await turn()
  expect(running.map(({ node, value }) => [node, value])).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  expect(live.nodeStates().map(({ status }) => status)).toEqual(['running', 'running'])
  running[1]?.end()
  await turn()
  expect(running.slice(2).map(({ node, value }) => [node, value])).toEqual([['b', 2]])
  running[0]?.end()
  await turn()
  for (const execution of running) execution.end()
  await live.idle()
  expect(running).toHaveLength(4)
  expect(live.nodeStates().map(({ status }) => status)).toEqual(['idle', 'idle'])
})

test('a full mailbox drops the oldest delivery into the dead letters, and degrades the node until it has drained', async () => {
  const { running, definition } = gated()
  const { start, runtime, host } = engine([definition])
  const live = await start(flow([{ id: 'a', type: 'gated', ports: [input('x')] }]))
  for (let value = 0; value < MAX_MAILBOX + 3; value++) runtime.publish('f.x', value)
  // a burst that takes longer than its turn goes on in the next
  while (host.deadLetters.length < 2) await turn()
  expect(host.deadLetters).toMatchObject([
    { flow: 'f', node: 'a', message: 'f.x', value: 1, reason: 'overflow' },
    { value: 2, reason: 'overflow' },
  ])
  expect(live.nodeStates()).toMatchObject([{ health: 'degraded' }])
  for (let at = 0; at < MAX_MAILBOX + 1; at++) {
    running[at]?.end()
    await turn()
  }
  await live.idle()
  expect(running.slice(1, 3).map(({ value }) => value)).toEqual([3, 4])
  expect(running).toHaveLength(MAX_MAILBOX + 1)
  expect(live.nodeStates()).toMatchObject([{ health: 'ok', message: null }])
  expect(host.events.filter(({ type: kind }) => kind === 'health')).toHaveLength(2)
})

test('what an execution publishes belongs to its cascade; a timer or listener begins a new one', async () => {
  const source = type('source', (ctx) => {
    ctx.after(1, () => ctx.send('x', 1))
    ctx.after(2, () => ctx.send('x', 2))
    return {}
  })
  const { start, host } = engine([source])
  const live = await start(
    flow([
      { id: 's', type: 'source', ports: [output('x')] },
      { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
    ]),
  )
  await host.advance(3000)
  await live.idle()
  const cascades = host.records.map(({ message, cascade }) => [message, cascade])
  expect(cascades.map(([message]) => message)).toEqual(['f.x', 'f.y', 'f.x', 'f.y'])
  expect(cascades[0]?.[1]).toBe(cascades[1]?.[1])
  expect(cascades[2]?.[1]).toBe(cascades[3]?.[1])
  expect(cascades[0]?.[1]).not.toBe(cascades[2]?.[1])
})

test('a cascade that passes 1,000 executions is stopped, and its last node gets the marker loop_limit', async () => {
  const { start, runtime, host } = engine([])
  const live = await start(
    flow([
      { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
      { id: 'b', type: 'pass', ports: [input('y'), output('x')] },
    ]),
  )
  const { cascade } = runtime.publish('f.x', 1)
  await live.idle()
  expect(host.records).toHaveLength(1 + MAX_CASCADE_EXECUTIONS)
  expect(host.deadLetters).toMatchObject([{ node: 'a', message: 'f.x', value: 1, reason: 'loop_limit', cascade }])
  expect(live.nodeStates().map(({ status, error }) => [status, error?.type])).toEqual([
    ['failed', 'loop_limit'],
    ['idle', undefined],
  ])
  runtime.publish('f.y', 1)
  await live.idle()
  expect(host.records).toHaveLength(2 * (1 + MAX_CASCADE_EXECUTIONS))
})

test('an output off its dtype fails the node, and nothing of the delivery is published', async () => {
  const wrong = type('wrong', () => ({ onValue: () => ({ y: 1, z: 'no' }) }))
  const { start, runtime, host } = engine([wrong])
  const live = await start(
    flow([{ id: 'a', type: 'wrong', ports: [input('x'), output('y'), output('z', { dtype: 'int' })] }]),
  )
  runtime.publish('f.x', 1)
  await live.idle()
  expect(host.records.map(({ message }) => message)).toEqual(['f.x'])
  expect(live.nodeStates()).toMatchObject([
    { status: 'failed', error: { type: 'DtypeViolation', message: 'output "z" is int, which "no" is not' } },
  ])
})

test('a value that the reader does not take fails the reader, and only it', async () => {
  const { calls, definition } = recorder('end')
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'end', ports: [input('x', { dtype: 'any' })] },
      { id: 'b', type: 'end', ports: [input('in:f.x', { dtype: 'int' })] },
    ]),
  )
  runtime.publish('f.x', 'text')
  await live.idle()
  expect(calls).toEqual([['a', 'x', 'text']])
  expect(live.nodeStates().map(({ status }) => status)).toEqual(['idle', 'failed'])
})

test('a value for a port that does not exist fails the node with the ports it has', async () => {
  const wrong = type('wrong', () => ({ onValue: () => ({ z: 1 }) }))
  const { start, runtime } = engine([wrong])
  const live = await start(flow([{ id: 'a', type: 'wrong', ports: [input('x'), output('y')] }]))
  runtime.publish('f.x', 1)
  await live.idle()
  expect(live.nodeStates()[0]?.error?.message).toBe('there is no output port "z"; the node has "y"')
})

test('NaN and the infinities of float ports travel as the three strings', async () => {
  const odd = type('odd', () => ({
    onValue: (_port, value) => ({ y: [Number.NaN, Infinity, -Infinity][value as number] }),
  }))
  const { start, runtime, host } = engine([odd])
  const live = await start(flow([{ id: 'a', type: 'odd', ports: [input('x'), output('y', { dtype: 'float' })] }]))
  for (const value of [0, 1, 2]) runtime.publish('f.x', value)
  await live.idle()
  expect(host.values('f.y')).toEqual(['NaN', 'Infinity', '-Infinity'])
})

test('a failure marks the node until it is acknowledged, while the node goes on working [R064]', async () => {
  const moody = type('moody', () => ({
    onValue: (_port, value) => {
      if (value === 'bad') throw new RangeError('no bad values')
      return { y: value }
    },
  }))
  const { start, runtime, host } = engine([moody])
  const live = await start(flow([{ id: 'a', type: 'moody', ports: [input('x'), output('y')] }]))
  runtime.publish('f.x', 'bad')
  runtime.publish('f.x', 'good')
  await live.idle()
  expect(host.values('f.y')).toEqual(['good'])
  expect(live.nodeStates()).toMatchObject([
    { status: 'failed', error: { type: 'RangeError', message: 'no bad values' } },
  ])
  expect(live.acknowledge('a')).toMatchObject({ status: 'idle', error: null })
  expect(live.acknowledge('a').status).toBe('idle')
  const states = host.events.filter((event) => event.type === 'node').map(({ status, error }) => [status, error?.type])
  expect(states).toEqual([
    ['failed', 'RangeError'],
    ['idle', undefined],
  ])
})

test('the error of a node’s code keeps its type and traceback', async () => {
  const call = () => Promise.reject(new CodeError('ValueError', 'bad lr', 'Traceback: line 3'))
  const code = type('code', (ctx) => ({ onInput: (values) => ctx.call(values) }), {
    arrival: 'combine',
    code: 'python',
  })
  const { start, runtime } = engine([code], { call })
  const live = await start(flow([{ id: 'a', type: 'code', source: '', ports: [input('x')] }]))
  runtime.publish('f.x', 1)
  await live.idle()
  expect(live.nodeStates()[0]?.error).toMatchObject({
    type: 'ValueError',
    message: 'bad lr',
    traceback: 'Traceback: line 3',
  })
})

test('a call of code publishes its emissions as they come, and its result at the end, in one cascade', async () => {
  const code = type('code', (ctx) => ({ onInput: (values) => ctx.call(values) }), {
    arrival: 'combine',
    code: 'python',
  })
  const { start, runtime, host } = engine([code], {
    call: async ({ onEmit, inputs, onPlace }) => {
      onPlace({ waitingFor: 'gpu' })
      expect(live.nodeStates()).toMatchObject([{ status: 'queued', message: 'waits for a worker: gpu' }])
      onPlace({ worker: 'w1' })
      expect(live.nodeStates()).toMatchObject([{ status: 'running', message: null }])
      onEmit({ loss: 0.5 }, 1000)
      return { done: inputs['x'] }
    },
  })
  const live = await start(
    flow([{ id: 'a', type: 'code', source: '', ports: [input('x'), output('loss'), output('done')] }]),
  )
  const { cascade } = runtime.publish('f.x', 1)
  await live.idle()
  expect(host.records.slice(1)).toMatchObject([
    { message: 'f.loss', value: 0.5, atMs: 1000, cascade },
    { message: 'f.done', value: 1, cascade },
  ])
})

test('a cancelled execution is told by its signal, publishes nothing and leaves no failure marker [R477]', async () => {
  const code = type('code', (ctx) => ({ onInput: (values) => ctx.call(values) }), {
    arrival: 'combine',
    code: 'python',
  })
  const { start, runtime, host } = engine([code], {
    call: ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  })
  const live = await start(flow([{ id: 'a', type: 'code', source: '', ports: [input('x'), output('y')] }]))
  expect(live.cancel('a')).toBe(0)
  runtime.publish('f.x', 1)
  await turn()
  expect(live.cancel('a')).toBe(1)
  await live.idle()
  expect(live.nodeStates()).toMatchObject([{ status: 'idle', error: null }])
  expect(host.values('f.y')).toEqual([])
})

test('a trigger feeds inputs, publishes outputs, or lets the node act, each as a cascade [R476]', async () => {
  const { calls, definition } = recorder('end', 'combine')
  const { start, host } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'end', ports: [input('x', { dtype: 'int' }), output('y', { dtype: 'int' })] },
      { id: 'b', type: 'pass', ports: [input('y'), output('z')] },
    ]),
  )
  const fed = live.trigger('a', { x: 1 })
  const published = live.trigger('a', { y: 2 })
  live.trigger('a', {})
  await live.idle()
  expect(calls).toEqual([
    ['a', { x: 1 }],
    ['a', 'trigger'],
  ])
  expect(host.records.map(({ message, value, cascade }) => [message, value, cascade === published])).toEqual([
    ['f.y', 2, true],
    ['f.z', 2, true],
  ])
  expect(fed).not.toBe(published)
})

test('a trigger without values runs a combining node on the latest values of its inputs, once it has them', async () => {
  const seen: unknown[] = []
  const sum = type('sum', () => ({ onInput: (values) => void seen.push(values) }), { arrival: 'combine' })
  const { start, runtime } = engine([sum])
  const live = await start(flow([{ id: 'a', type: 'sum', ports: [input('x'), input('mode', { trigger: false })] }]))
  live.trigger('a', {})
  await live.idle()
  expect(seen).toEqual([])
  runtime.publish('f.x', 1)
  live.trigger('a', {})
  await live.idle()
  expect(seen).toEqual([
    { x: 1, mode: null },
    { x: 1, mode: null },
  ])
})

test('a trigger of an unknown port or off-dtype value is refused, naming the port', async () => {
  const { start } = engine([])
  const live = await start(flow([{ id: 'a', type: 'pass', ports: [input('x', { dtype: 'int' })] }]))
  expect(() => live.trigger('a', { nope: 1 })).toThrow(expect.objectContaining({ name: 'TriggerError', port: 'nope' }))
  expect(() => live.trigger('a', { x: '1' })).toThrow(expect.objectContaining({ name: 'TriggerError', port: 'x' }))
  expect(() => live.trigger('b', {})).toThrow('flow "f" has no node "b"')
})

test('a paused flow holds every delivery, and lets each through by a step, then the rest in order [R429] [R431] [R430]', async () => {
  const { calls, definition } = recorder('end')
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
      { id: 'b', type: 'end', ports: [input('y')] },
    ]),
  )
  expect(live.step()).toBe(0)
  live.pause()
  for (const value of [1, 2]) runtime.publish('f.x', value)
  await live.idle()
  expect([calls, live.held, live.paused]).toEqual([[], 2, true])
  expect(live.step()).toBe(1)
  expect(live.held).toBe(2)
  expect(live.step()).toBe(1)
  expect(live.step()).toBe(1)
  expect(calls).toEqual([['b', 'y', 1]])
  live.resume()
  await live.idle()
  expect(calls).toEqual([
    ['b', 'y', 1],
    ['b', 'y', 2],
  ])
  expect([live.held, live.paused]).toEqual([0, false])
})

test('a pause lets the running execution end, and holds what waited for its node, oldest first', async () => {
  const { running, definition } = gated()
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      { id: 'a', type: 'gated', ports: [input('x')] },
      { id: 'b', type: 'gated', ports: [input('y')] },
    ]),
  )
  runtime.publish('f.x', 1)
  runtime.publish('f.y', 1)
  await turn()
  runtime.publish('f.y', 2)
  runtime.publish('f.x', 3)
  await turn()
  runtime.publish('f.y', 4)
  live.pause()
  runtime.publish('f.x', 5)
  for (const execution of running) execution.end()
  await turn()
  expect([running.length, live.held]).toEqual([2, 4])
  for (const released of [2, 3, 4, 5]) {
    live.step()
    expect(running.at(-1)?.value).toBe(released)
    running.at(-1)?.end()
    await turn()
  }
})

test('a paused flow holds 1,000 deliveries; more drop the oldest into the dead letters', async () => {
  const { start, runtime, host } = engine([])
  const live = await start(flow([{ id: 'a', type: 'pass', ports: [input('x')] }]))
  live.pause()
  for (let value = 0; value < MAX_HELD + 2; value++) runtime.publish('f.x', value)
  expect(live.held).toBe(MAX_HELD)
  expect(host.deadLetters.map(({ value, reason }) => [value, reason])).toEqual([
    [0, 'overflow'],
    [1, 'overflow'],
  ])
})

test('value events are thinned by the interval of the port: the first at once, the latest at the end of the window [R072] [R075]', async () => {
  const { start, runtime, host } = engine([])
  const live = await start(flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y', { interval: 1 })] }]))
  const shown = () =>
    host.events.flatMap((event) => (event.type === 'value' && event.message === 'f.y' ? [event.value] : []))
  for (const value of [1, 2, 3]) runtime.publish('f.x', value)
  await live.idle()
  expect(shown()).toEqual([1])
  await host.advance(1000)
  expect(shown()).toEqual([1, 3])
  await host.advance(5000)
  runtime.publish('f.x', 4)
  await live.idle()
  expect(shown()).toEqual([1, 3, 4])
  expect(host.values('f.y')).toEqual([1, 2, 3, 4])
})

test('health is told when it changes, and not when it is repeated', async () => {
  const sick = type('sick', (ctx) => ({
    onValue: (_port, value) => ctx.reportHealth(value as 'down', 'no answer'),
  }))
  const { start, runtime, host } = engine([sick])
  const live = await start(flow([{ id: 'a', type: 'sick', ports: [input('x')] }]))
  for (const value of ['down', 'down', 'ok']) runtime.publish('f.x', value)
  await live.idle()
  const health = host.events.filter((event) => event.type === 'health').map(({ status }) => status)
  expect(health).toEqual(['down', 'ok'])
})

test('a callback that throws, at once or later, is the failure of its node and of nothing else', async () => {
  const source = type('source', (ctx) => {
    ctx.after(1, () => {
      throw new Error('at once')
    })
    ctx.after(2, (async () => Promise.reject(new Error('later'))) as () => void)
    return {}
  })
  const { start, host } = engine([source])
  const live = await start(flow([{ id: 's', type: 'source' }]))
  await host.advance(1500)
  expect(live.nodeStates()[0]?.error?.message).toBe('at once')
  await host.advance(1500)
  expect(live.nodeStates()[0]?.error?.message).toBe('later')
})

test('a long cascade yields to the event loop', async () => {
  const busy = type('busy', () => ({
    onValue: (_port, value) => {
      const end = performance.now() + 1
      while (performance.now() < end);
      return { y: value }
    },
  }))
  const { start, runtime } = engine([busy])
  const live = await start(flow([{ id: 'a', type: 'busy', ports: [input('x'), output('y')] }]))
  for (let value = 0; value < 600; value++) runtime.publish('f.x', value)
  let done = false
  let turns = 0
  const idle = live.idle().then(() => (done = true))
  while (!done) {
    turns++
    await turn()
  }
  await idle
  expect(turns).toBeGreaterThan(1)
})
