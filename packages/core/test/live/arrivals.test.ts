/** What a node is executed with: values that arrive together, combined, passive, or from before the start. */
import { expect, test } from 'vitest'

import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, gated } from './live-engine.ts'

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
  const { start, runtime } = engine([definition, split])
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
