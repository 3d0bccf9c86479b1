/**
 * Timers that outlive the engine.
 */
import { type FlowDocument, MAX_MAILBOX } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, atCrash, later, delayed } from './kept-work.ts'
import { gated } from './live-engine.ts'

test('a timer for no time, or with data that JSON has not, is refused', async () => {
  const faults: unknown[] = []
  const wrong = type('wrong', (ctx) => {
    for (const [dueMs, data] of [
      [Number.NaN, null],
      [Infinity, null],
      [1, undefined],
      [1, () => {}],
    ] as const) {
      try {
        ctx.setTimer('t', dueMs, data)
      } catch (error) {
        faults.push((error as Error).name)
      }
    }
    return {}
  })
  const { host, start } = engine([wrong])
  await start(flow([{ id: 'a', type: 'wrong', ports: [] }]))
  expect(faults).toEqual(['RangeError', 'RangeError', 'TypeError', 'TypeError'])
  expect(atCrash(host)).toEqual([])
})

test('a timer is due on time, once, and is kept until what it directly causes has ended', async () => {
  const { calls, definition } = recorder('end')
  const { host, runtime, start } = engine([definition, later])
  await start(delayed())
  runtime.publish('f.x', 7)
  await host.advance(999)
  expect(calls).toEqual([])
  expect(atCrash(host)).toMatchObject([{ body: { is: 'timer', key: '7', data: 7 } }])
  await host.advance(1)
  expect(calls).toEqual([['a', 'y', 7]])
  expect(atCrash(host)).toEqual([])
  await host.advance(10_000)
  expect(calls).toHaveLength(1)
})

test('a timer goes on after a crash, and one that came due meanwhile is due at once', async () => {
  const before = engine([recorder('end').definition, later])
  await before.start(delayed())
  before.runtime.publish('f.x', 1)
  await before.host.advance(600)
  before.runtime.publish('f.x', 2)
  await before.host.advance(300)
  const { calls, definition } = recorder('end')
  const after = engine([definition, later], atCrash(before.host), before.host.clock.now() + 200)
  await after.start(delayed())
  await after.host.advance(0)
  expect(calls).toEqual([['a', 'y', 1]])
  await after.host.advance(499)
  expect(calls).toHaveLength(1)
  await after.host.advance(1)
  expect(calls).toEqual([
    ['a', 'y', 1],
    ['a', 'y', 2],
  ])
})

test('a node sees its timers by when they are due, and at its start those of an earlier life', async () => {
  const seen: unknown[] = []
  const looking = type('looking', (ctx) => {
    const look = () => void seen.push(ctx.pendingTimers().map(({ key, dueMs, data }) => [key, dueMs, data]))
    look()
    return {
      onValue(_port, value) {
        ctx.setTimer(`t${String(value)}`, Number(value) * 1000, { value })
        look()
      },
      onTimer: look,
    }
  })
  const document = flow([{ id: 'a', type: 'looking', ports: [input('x')] }])
  const before = engine([looking], [], 0)
  await before.start(document)
  for (const value of [30, 20]) before.runtime.publish('f.x', value)
  await before.host.advance(0)
  const both = [
    ['t20', 20_000, { value: 20 }],
    ['t30', 30_000, { value: 30 }],
  ]
  expect(seen).toEqual([[], both.slice(1), both])
  const after = engine([looking], atCrash(before.host), 15_000)
  await after.start(document)
  await after.host.advance(5000)
  expect(seen.slice(3)).toEqual([both, both.slice(1)])
})

test('a tick whose executions had not ended at the crash is made again', async () => {
  const { running, definition } = gated()
  const document = flow([
    { id: 'l', type: 'later', ports: [input('x'), output('y')] },
    { id: 'a', type: 'gated', ports: [input('y')] },
  ])
  const before = engine([definition, later])
  await before.start(document)
  before.runtime.publish('f.x', 1)
  await before.host.advance(1000)
  expect(running).toHaveLength(1)
  const again = gated()
  const after = engine([again.definition, later], atCrash(before.host), before.host.clock.now())
  const live = await after.start(document)
  await after.host.advance(0)
  expect(again.running.map(({ value }) => value)).toEqual([1])
  again.running[0]?.end()
  await live.idle()
  expect(atCrash(after.host)).toEqual([])
})

test('a timer that is set again moves, one that is cleared never comes, and nodes see when theirs are due', async () => {
  const due: (number | null)[] = []
  const fired: unknown[] = []
  const mover = type('mover', (ctx) => {
    due.push(ctx.timerDue('t'))
    return {
      onValue: (_port, value) => {
        if (value === 'clear') ctx.clearTimer('t')
        else ctx.setTimer('t', Number(value), null)
        due.push(ctx.timerDue('t'))
      },
      onTimer: (key, data, dueMs) => void fired.push([key, data, dueMs]),
    }
  })
  const document = flow([{ id: 'a', type: 'mover', ports: [input('x')] }])
  const { host, runtime, start } = engine([mover])
  const live = await start(document)
  const startMs = host.clock.now()
  runtime.publish('f.x', startMs + 100)
  runtime.publish('f.x', startMs + 200)
  await host.advance(150)
  expect(fired).toEqual([])
  expect(atCrash(host)).toHaveLength(1)
  await live.stop({ keep: true })
  await start(document)
  expect(due).toEqual([null, startMs + 100, startMs + 200, startMs + 200])
  await host.advance(50)
  expect(fired).toEqual([['t', null, startMs + 200]])
  runtime.publish('f.x', startMs + 300)
  runtime.publish('f.x', 'clear')
  await host.advance(1000)
  expect(fired).toHaveLength(1)
  expect(atCrash(host)).toEqual([])
})

test('timers of a paused flow wait for the release; a stop gives up what they carry', async () => {
  const { calls, definition } = recorder('end')
  const { host, runtime, start } = engine([definition, later])
  const live = await start(delayed())
  runtime.publish('f.x', 1)
  await turn()
  live.pause()
  await host.advance(5000)
  expect(live.held).toBe(1)
  live.resume()
  await live.idle()
  expect(calls).toEqual([['a', 'y', 1]])
  runtime.publish('f.x', 2)
  await turn()
  await live.stop()
  expect(host.deadLetters).toMatchObject([{ node: 'l', value: 2, reason: 'stopped' }])
  expect(atCrash(host)).toEqual([])
})

test('no timer is due before its time, however early the clock fires', async () => {
  const dueMs: number[] = []
  const ticks = type('ticks', (ctx) => ({
    onTrigger: () => ctx.setTimer('t', ctx.now() + 10.7, null),
    onTimer: () => void dueMs.push(ctx.now()),
  }))
  const host = memoryHost()
  const setTimer = (delayMs: number, run: () => void) => host.clock.setTimer(Math.max(1, delayMs - 1.5), run)
  const clock = { now: () => host.clock.now(), setTimer }
  const runtime = new LiveRuntime({ ...host, clock }, new NodeRegistry([ticks]))
  onTestFinished(() => runtime.close())
  const live = await runtime.start(flow([{ id: 'a', type: 'ticks' }]))
  const startMs = host.clock.now()
  live.trigger('a', {})
  await host.advance(20)
  expect(dueMs).toHaveLength(1)
  expect(dueMs[0]).toBeGreaterThanOrEqual(startMs + 10.7)
})

test('the last execution before a rebuild can still move a timer', async () => {
  const fired: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const mover = type('mover', (ctx) => ({
    async onValue() {
      ctx.setTimer('t', ctx.now() + 100, 'early')
      await promise
      ctx.setTimer('t', ctx.now() + 500, 'late')
    },
    onTimer: (_key, data) => void fired.push(data),
  }))
  const document = flow([{ id: 'a', type: 'mover', ports: [input('x')] }])
  const { host, runtime, start } = engine([mover])
  const live = await start(document)
  runtime.publish('f.x', 1)
  await turn()
  const stopped = live.stop({ keep: true })
  resolve()
  await stopped
  expect(atCrash(host)).toMatchObject([{ body: { is: 'timer', data: 'late' } }])
  await start(document)
  await host.advance(1000)
  expect(fired).toEqual(['late'])
})

test('what a timer carries becomes a dead letter when its node is gone or takes none any more', async () => {
  const before = engine([recorder('end').definition, later])
  await before.start(delayed())
  before.runtime.publish('f.x', 7)
  await turn()
  const lost = async (document: FlowDocument) => {
    const { host, start } = engine([recorder('end').definition, later], atCrash(before.host))
    await start(document)
    await host.advance(1000)
    expect(atCrash(host)).toEqual([])
    return host.deadLetters.map(({ node, value, reason }) => [node, value, reason])
  }
  expect(await lost(flow([{ id: 'a', type: 'end', ports: [input('x')] }]))).toEqual([['l', 7, 'stopped']])
  expect(await lost(flow([{ id: 'l', type: 'end', ports: [input('x')] }]))).toEqual([['l', 7, 'stopped']])
})

test('of more than 1,000 timers the oldest are dead letters, and the node is degraded until all are due', async () => {
  const { host, runtime, start } = engine([recorder('end').definition, later])
  const live = await start(delayed())
  const health = () => live.nodeStates().find(({ node }) => node === 'l')
  for (let n = 0; n < MAX_MAILBOX; n++) runtime.publish('f.x', n)
  await live.idle()
  expect([host.deadLetters, health()?.health]).toEqual([[], 'ok'])
  runtime.publish('f.x', MAX_MAILBOX)
  runtime.publish('f.x', MAX_MAILBOX + 1)
  await live.idle()
  expect(host.deadLetters).toMatchObject([
    { node: 'l', value: 0, reason: 'overflow' },
    { node: 'l', value: 1, reason: 'overflow' },
  ])
  expect(health()).toMatchObject({ health: 'degraded', message: expect.stringContaining('1000 timers wait') })
  expect(atCrash(host)).toHaveLength(MAX_MAILBOX)
  await host.advance(1000)
  expect(host.values('f.y')).toHaveLength(MAX_MAILBOX)
  expect(health()).toMatchObject({ health: 'ok', message: null })
})

test('a dead letter of a timer shows the message that the node says it holds', async () => {
  const holding = { ...later, holds: (_key: string, data: unknown) => ['x', data] as const }
  const { host, runtime, start } = engine([recorder('end').definition, holding])
  const live = await start(delayed())
  runtime.publish('f.x', { level: 7 })
  await turn()
  await live.stop()
  expect(host.deadLetters).toMatchObject([{ node: 'l', message: 'f.x', value: { level: 7 }, reason: 'stopped' }])
})
