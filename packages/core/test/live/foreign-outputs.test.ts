/** What a live flow publishes under messages of other flows (G12, G14 point 5). */
import type { Dtype } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { LiveRuntime, NodeRegistry, TriggerError } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, pass, recorder, type } from '../documents.ts'

/** Sends what comes to both of its outputs, as one delivery. */
const both = type('both', ({ outputs }) => ({
  onValue: (_port, value) => Object.fromEntries(outputs.map(({ port }) => [port, value])),
}))

/** Sends what comes to its output while it executes. */
const sends = type('sends', (ctx) => ({ onValue: (_port, value) => ctx.send('y', value) }))

function engine(declared: Map<string, Dtype>) {
  const host = memoryHost()
  const { calls, definition } = recorder('end')
  const runtime = new LiveRuntime(host, new NodeRegistry([pass, both, sends, definition]), {
    dtypeOf: (message) => declared.get(message),
  })
  onTestFinished(() => runtime.close())
  const reader = flow([{ id: 'r', type: 'end', ports: [input('v:other.m')] }], { name: 'reader' })
  return { host, runtime, calls, reader }
}

const stateOf = (runtime: LiveRuntime, node: string) =>
  runtime
    .get('f')
    ?.nodeStates()
    .find((state) => state.node === node)
const dropping = (message: string) => ({
  status: 'idle',
  health: 'degraded',
  message: `no published flow declares "${message}"; values for it are dropped`,
})

test.each(['pass', 'sends'])(
  'a value for a message that no published flow declares is dropped, and its node is degraded until one takes it: %s',
  async (type) => {
    const declared = new Map<string, Dtype>()
    const { host, runtime, calls, reader } = engine(declared)
    await runtime.start(reader)
    await runtime.start(flow([{ id: 'a', type, ports: [input('x'), output('y:other.m')] }]))
    for (const value of [1, 2]) runtime.publish('f.x', value)
    await runtime.get('f')?.idle()
    expect([host.values('other.m'), calls]).toEqual([[], []])
    expect(stateOf(runtime, 'a')).toMatchObject(dropping('other.m'))

    declared.set('other.m', 'any')
    runtime.publish('f.x', 3)
    await runtime.get('f')?.idle()
    expect([host.values('other.m'), calls]).toEqual([[3], [['r', 'v', 3]]])
    expect(stateOf(runtime, 'a')).toMatchObject({ status: 'idle', health: 'ok', message: null })
    // told when it changes
    const health = host.events.flatMap((event) => (event.type === 'health' ? [event.status] : []))
    expect(health).toEqual(['degraded', 'ok'])
  },
)

test('a value off the dtype that the other flow declares fails its node, and is published nowhere', async () => {
  const { host, runtime, calls, reader } = engine(new Map<string, Dtype>([['other.m', 'float']]))
  await runtime.start(reader)
  await runtime.start(flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y:other.m')] }]))
  for (const value of ['warm', 21.5]) runtime.publish('f.x', value)
  await runtime.get('f')?.idle()
  expect([host.values('other.m'), calls]).toEqual([[21.5], [['r', 'v', 21.5]]])
  expect(stateOf(runtime, 'a')).toMatchObject({
    status: 'failed',
    health: 'ok',
    error: { type: 'DtypeViolation', message: 'message "other.m" is float, which "warm" is not' },
  })
})

test('what goes to the own flow beside it is published all the same, and one lost message is told after the other', async () => {
  const declared = new Map<string, Dtype>()
  const { host, runtime } = engine(declared)
  const outputs = [output('own'), output('one:other.m'), output('two:third.m')]
  await runtime.start(flow([{ id: 'b', type: 'both', ports: [input('x'), ...outputs] }]))
  const sent = async (value: number) => {
    runtime.publish('f.x', value)
    await runtime.get('f')?.idle()
    return ['f.own', 'other.m', 'third.m'].map((message) => host.values(message).at(-1))
  }
  expect(await sent(1)).toEqual([1, undefined, undefined])
  expect(stateOf(runtime, 'b')).toMatchObject(dropping('other.m'))
  declared.set('other.m', 'int')
  expect(await sent(2)).toEqual([2, 2, undefined])
  expect(stateOf(runtime, 'b')).toMatchObject(dropping('third.m'))
})

test('who triggers an output, or replays what it had to publish, is told that nobody takes the value', async () => {
  const declared = new Map<string, Dtype>()
  const { host, runtime } = engine(declared)
  const a = await runtime.start(flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y:other.m')] }]))
  const letter = { node: 'a', message: 'other.m', value: 1 }
  const undeclared = 'no published flow declares "other.m": publish the one that does'
  expect(() => a.trigger('a', { y: 1 })).toThrow(new TriggerError('y', undeclared))
  expect(() => a.replay(letter)).toThrow(new TriggerError('y', undeclared))

  declared.set('other.m', 'float')
  const wrong = new TriggerError('y', 'message "other.m" is float, which "warm" is not')
  expect(() => a.trigger('a', { y: 'warm' })).toThrow(wrong)
  expect(() => a.replay({ ...letter, value: 'warm' })).toThrow(wrong)
  expect(host.values('other.m')).toEqual([])
  a.trigger('a', { y: 2 })
  a.replay(letter).deliver()
  await a.idle()
  expect(host.values('other.m')).toEqual([2, 1])
})
