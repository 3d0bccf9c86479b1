/**
 * What is told of cascades and executions, and dead letters that are delivered again.
 */
import { expect, test } from 'vitest'

import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, atCrash, durable, arriving, later } from './kept-work.ts'
import { gated } from './live-engine.ts'

test('a dead letter is delivered again to the inputs that read its message, or as a request to act', async () => {
  const { calls, definition } = recorder('end')
  const { start } = engine([definition])
  const live = await start(flow([{ id: 'a', type: 'end', ports: [input('one:x'), input('two:x')] }]))
  live.replay({ node: 'a', message: 'f.x', value: 5 }).deliver()
  live.replay({ node: 'a', message: null, value: null }).deliver()
  await live.idle()
  expect(calls).toEqual([
    ['a', 'one', 5],
    ['a', 'two', 5],
    ['a', 'trigger'],
  ])
  expect(() => live.replay({ node: 'a', message: 'f.gone', value: 5 })).toThrow('reads "f.gone" no more')
  expect(() => live.replay({ node: 'b', message: 'f.x', value: 5 })).toThrow('has no node "b"')
})

test('a replayed dead letter is kept until it is done, and one of an arrival is published again', async () => {
  const { running, definition } = gated()
  const { host, start } = engine([definition, durable().definition])
  const live = await start(arriving(['a']))
  for (const [node, value] of [
    ['a', 1],
    ['s', 2],
  ] as const) {
    const { work, deliver } = live.replay({ node, message: 'f.x', value })
    void host.work.keep(work)
    deliver()
  }
  await turn()
  expect(atCrash(host).map(({ node, body }) => [node, body.is])).toEqual([
    ['a', 'delivery'],
    ['s', 'arrival'],
  ])
  expect(host.values('f.x')).toEqual([2])
  running[0]?.end()
  await turn()
  running[1]?.end()
  await live.idle()
  expect(running.map(({ value }) => value)).toEqual([1, 2])
  expect(atCrash(host)).toEqual([])
})

test('a cascade is told when its last delivery is decided, with its origin, executions and first error', async () => {
  const failing = type('failing', () => ({
    onValue: () => {
      throw new Error('broken')
    },
  }))
  const { host, runtime, start } = engine([failing, later, recorder('end').definition])
  const live = await start(
    flow([
      { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
      { id: 'b', type: 'failing', ports: [input('y')] },
      { id: 'l', type: 'later', ports: [input('w'), output('y:v')] },
    ]),
  )
  const { cascade } = runtime.publish('f.x', 1)
  expect(runtime.running().map(({ id }) => id)).toEqual([cascade])
  await live.idle()
  expect(runtime.running()).toEqual([])
  const origin = { kind: 'publish', node: null, message: 'f.x' }
  const error = { node: 'b', type: 'Error', message: 'broken' }
  expect(host.cascades).toMatchObject([{ id: cascade, flow: 'f', origin, status: 'error', executions: 2, error }])
  runtime.publish('f.w', 2)
  await host.advance(1000)
  expect(host.cascades.slice(1)).toMatchObject([
    { origin: { kind: 'publish' }, status: 'ok', executions: 1 },
    { origin: { kind: 'timer', node: 'l' }, status: 'ok', executions: 1 },
  ])
  runtime.publish('f.nobody', 1)
  expect(host.cascades).toHaveLength(3)
})

test('executions are counted and timed: all of them while they are few, a sample when there are many', async () => {
  const failing = type('failing', () => ({
    onValue: (_port, value) => {
      if (value === 'bad') throw new Error('broken')
    },
  }))
  const { runtime, start } = engine([failing])
  const live = await start(flow([{ id: 'a', type: 'failing', ports: [input('x')] }]))
  for (const value of [1, 'bad', 3]) runtime.publish('f.x', value)
  await live.idle()
  const [few] = runtime.takeStats()
  expect(few).toMatchObject({ flow: 'f', executions: 3, errors: 1 })
  expect(few?.durationsMs).toHaveLength(3)
  expect(runtime.takeStats()).toEqual([])
  for (let value = 0; value < 5000; value++) runtime.publish('f.x', value)
  await live.idle()
  const [many] = runtime.takeStats()
  expect(many).toMatchObject({ executions: 5000, errors: 0 })
  expect(many?.durationsMs.length).toBeGreaterThanOrEqual(200)
  expect(many?.durationsMs.length).toBeLessThan(300)
})

test('an execution that goes on when it is counted is timed with what ends next, also when its flow has stopped [R566]', async () => {
  const { running, definition } = gated()
  const { runtime, start } = engine([definition])
  const live = await start(flow([{ id: 'a', type: 'gated', ports: [input('x')] }]))
  for (const end of [() => live.idle(), () => live.stop()]) {
    runtime.publish('f.x', 1)
    await turn()
    expect(runtime.takeStats()).toMatchObject([{ executions: 1, durationsMs: [] }])
    running.pop()?.end()
    await end()
    expect(runtime.takeStats()).toMatchObject([{ executions: 0, errors: 0, durationsMs: [expect.any(Number)] }])
    expect(runtime.takeStats()).toEqual([])
  }
})

test('what a node sets off by a wait of its start comes from the start of the flow, and every later wait is a timer', async () => {
  const waits = type('waits', (ctx) => {
    ctx.after(1, () => {
      ctx.emit({ y: 'at the start' })
      ctx.after(1, () => ctx.emit({ y: 'later' }))
    })
    ctx.every(10, () => ctx.emit({ y: 'again' }))
    return {}
  })
  const { host, start } = engine([waits, recorder('end').definition])
  await start(
    flow([
      { id: 'w', type: 'waits', ports: [output('y')] },
      { id: 'e', type: 'end', ports: [input('y')] },
    ]),
  )
  await host.advance(10_000)
  expect(host.cascades.map(({ origin }) => origin)).toEqual(
    ['start', 'timer', 'timer'].map((kind) => ({ kind, node: 'w', message: null })),
  )
})
