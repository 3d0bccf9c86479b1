/** What is told of the states of nodes, and when. */
import type { EngineEvent } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, gated } from './live-engine.ts'

const reading = (kind = 'gated') => flow([{ id: 'a', type: kind, ports: [input('x')] }])

/** A started flow whose node is busy until the test ends its executions, and what is told of it. */
async function observed() {
  const { running, definition } = gated()
  const at = engine([definition])
  const live = await at.start(reading())
  const startMs = at.host.clock.now()
  const told: [afterMs: number, status: string, executions: number | null][] = []
  const push = at.host.events.push.bind(at.host.events)
  at.host.events.push = (...events: EngineEvent[]) => {
    for (const event of events)
      if (event.type === 'node') told.push([at.host.clock.now() - startMs, event.status, event.executions])
    return push(...events)
  }
  /** An execution that begins now and takes so long. */
  const execute = async (ms: number): Promise<void> => {
    at.runtime.publish('f.x', 1)
    await turn()
    await at.host.advance(ms)
    running.at(-1)?.end()
    await turn()
  }
  return { ...at, live, told, running, execute }
}

test('a state that lasts for 50 ms is told, and so is the one after it', async () => {
  const { told, host, execute } = await observed()
  await execute(60)
  expect(told).toEqual([[50, 'running', 1]])
  await host.advance(1000)
  expect(told).toEqual([
    [50, 'running', 1],
    [110, 'idle', 0],
  ])
})

test('a state that lasted is told where its timer came too late', async () => {
  const { running, definition } = gated()
  const { start, runtime, host } = engine([definition])
  let lateMs = 0
  const live = await start(reading())
  const now = host.clock.now.bind(host.clock)
  host.clock.now = () => now() + lateMs
  runtime.publish('f.x', 1)
  await turn()
  lateMs = 60
  running[0]?.end()
  await live.idle()
  await host.advance(60)
  const states = host.events.flatMap((event) => (event.type === 'node' ? [[event.status, event.executions]] : []))
  expect(states).toEqual([
    ['running', 1],
    ['idle', 0],
  ])
})

test('what is shorter is told once a second, with the executions since and the state at that time', async () => {
  const { told, host, execute } = await observed()
  for (let at = 0; at < 300; at++) await execute(10)
  await host.advance(5000)
  expect(told).toEqual([
    [50, 'running', 5],
    [1050, 'running', 100],
    [2050, 'running', 100],
    [3050, 'idle', 95],
  ])
})

test('a node that executes ten thousand times a second is told of once a second, with their number', async () => {
  const quick = type('quick', () => ({ onValue: (_port, value) => ({ y: value }) }))
  const { start, runtime, host } = engine([quick])
  const live = await start(flow([{ id: 'a', type: 'quick', ports: [input('x'), output('y')] }]))
  for (let second = 0; second < 2; second++) {
    for (let part = 0; part < 100; part++) {
      for (let at = 0; at < 100; at++) runtime.publish('f.x', at)
      await live.idle()
      await host.advance(10)
    }
  }
  await host.advance(2000)
  const told = host.events.flatMap((event) => (event.type === 'node' ? [event] : []))
  expect(told.map(({ status, executions }) => [status, executions])).toEqual([
    ['idle', 500],
    ['idle', 10_000],
    ['idle', 9500],
  ])
})

test('a failure is told at once, a failed node that goes on like any other', async () => {
  const failing = type('failing', () => ({
    onValue(_port, value) {
      throw new RangeError(`no ${String(value)}`)
    },
  }))
  const { start, runtime, host } = engine([failing])
  const live = await start(reading('failing'))
  const told = (): unknown[] =>
    host.events.splice(0).flatMap((event) => (event.type === 'node' ? [[event.error?.message, event.executions]] : []))
  for (let at = 0; at < 100; at++) runtime.publish('f.x', at)
  await live.idle()
  expect(told()).toEqual([['no 0', 1]])
  await host.advance(50)
  expect(told()).toEqual([['no 99', 99]])
  for (let at = 0; at < 100; at++) runtime.publish('f.x', 99)
  await live.idle()
  await host.advance(2000)
  expect(told()).toEqual([['no 99', 100]])
  live.acknowledge('a')
  expect(told()).toEqual([[undefined, 0]])
})

test('who asks in a moment that is not told hears of the node afterwards', async () => {
  const { told, host, live, running, runtime } = await observed()
  const states = (): string[] => live.nodeStates().map(({ status }) => status)
  runtime.publish('f.x', 1)
  await turn()
  await host.advance(60)
  running[0]?.end()
  await turn()
  expect(states()).toEqual(['idle'])
  runtime.publish('f.x', 2)
  await turn()
  await host.advance(10_000)
  expect(states()).toEqual(['running'])
  expect(told).toEqual([
    [50, 'running', 1],
    [1050, 'running', 1],
  ])
  running[1]?.end()
})

test('while nobody watches, changes are told as they come, and nothing waits', async () => {
  const { running, definition } = gated()
  const host = { ...memoryHost(), isWatched: () => false }
  const runtime = new LiveRuntime(host, new NodeRegistry([definition]))
  await runtime.start(reading())
  for (let value = 0; value < 2; value++) {
    runtime.publish('f.x', value)
    await turn()
    running[value]?.end()
    await turn()
  }
  const told = host.events.flatMap((event) => (event.type === 'node' ? [[event.status, event.executions]] : []))
  expect(told).toEqual(
    [0, 1].flatMap(() => [
      ['running', 0],
      ['idle', 0],
    ]),
  )
  expect(host.clock.pending).toBe(0)
  await runtime.close()
})

test('the stop of a flow tells what is left to tell, and leaves no timer', async () => {
  const { told, host, live, execute } = await observed()
  await execute(10)
  expect(told).toEqual([])
  await live.stop()
  expect(told).toEqual([[10, 'idle', 1]])
  expect(host.clock.pending).toBe(0)
})
