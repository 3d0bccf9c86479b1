/** Messages of live flows: who reads a publication, and which values may travel. */
import { expect, onTestFinished, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, pass, recorder, type } from '../documents.ts'
import { engine } from './live-engine.ts'

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
  runtime.publish('gone.m', 5, { run: 'a-run' })
  runtime.publish('gone.m', 6)
  expect(host.records.map(({ run }) => run)).toEqual(['a-run', undefined])
})

test('a publication off the declared dtype is refused, and nothing is recorded', async () => {
  const { runtime, start, host } = engine([])
  await start(flow([{ id: 'a', type: 'pass', ports: [input('x', { dtype: 'int' })] }]))
  expect(() => runtime.publish('f.x', 'one')).toThrow('message "f.x" is int, which "one" is not')
  expect(host.records).toEqual([])
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
