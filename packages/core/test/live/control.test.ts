/** Live flows under a hand: triggers, a pause, and steps through what it holds. */
import { MAX_HELD } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, gated } from './live-engine.ts'

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
