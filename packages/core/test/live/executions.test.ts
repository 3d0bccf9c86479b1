/** Executions of live nodes: their order, their cascades, and how they end. */
import { MAX_CASCADE_EXECUTIONS, MAX_MAILBOX } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { CodeError } from '../../src/index.ts'
import { flow, input, output, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, gated } from './live-engine.ts'

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

test('a failure is told at once, and another one of the failed node when it lasts', async () => {
  const late = type('late', () => ({
    onValue: (_port, value) => Promise.reject(new RangeError(`no ${String(value)}`)),
  }))
  const { start, runtime, host } = engine([late])
  const live = await start(flow([{ id: 'a', type: 'late', ports: [input('x')] }]))
  for (const value of ['fan', 'fan', 'air']) {
    runtime.publish('f.x', value)
    await live.idle()
  }
  await host.advance(60)
  const states = host.events
    .filter((event) => event.type === 'node')
    .map(({ status, error, executions }) => [status, error?.message, executions])
  expect(states).toEqual([
    ['failed', 'no fan', 1],
    ['failed', 'no air', 2],
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

test('the traceback of a node type of a package has its own lines, ours and those of Node not [T98]', async () => {
  const failing = type('failing', () => ({
    onValue: (_port, value) => {
      throw new RangeError(`too hot: ${String(value)}`)
    },
  }))
  const { start, runtime } = engine([failing])
  const live = await start(flow([{ id: 'a', type: 'failing', ports: [input('x')] }]))
  runtime.publish('f.x', 'far')
  await live.idle()
  const lines = live.nodeStates()[0]?.error?.traceback?.split('\n')
  expect(lines).toEqual([
    'RangeError: too hot: far',
    expect.stringMatching(/^ +at .*\(executions\.test\.ts:\d+:\d+\)$/),
  ])
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
  for (let value = 0; value < 100; value++) runtime.publish('f.x', value)
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
