/** Nodes of live flows that are tried again (`retry`). */
import type { FlowDocumentInput } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { atCrash, engine } from './kept-work.ts'

type Node = NonNullable<FlowDocumentInput['nodes']>[number]

/** A node type `flaky` that tells what it is called with, and fails as often as `fails` says. */
function flaky(fails: number, more: Parameters<typeof type>[2] = {}) {
  const told: unknown[] = []
  const state = { fails, pending: (): readonly unknown[] => [] }
  const handle =
    (answer?: unknown) =>
    (...called: unknown[]) => {
      told.push(called.at(-1))
      if (state.fails-- > 0) throw new Error('no line')
      return answer as undefined
    }
  const definition = type(
    'flaky',
    (ctx) => {
      state.pending = () => ctx.pendingTimers()
      return {
        onValue: (_port, value) => {
          handle()(value)
          if (ctx.outputs.length > 0) ctx.send('y', value)
        },
        onInput: handle(),
        onTrigger: () => handle()('trigger'),
        onTimer: (key) => handle()(key),
      }
    },
    more,
  )
  return { told, state, definition }
}

const again = { attempts: 3, delay_s: 10, factor: 2, max_delay_s: 300 }
const node = (more: Partial<Node> = {}): Node => ({
  id: 'a',
  type: 'flaky',
  ports: [input('x')],
  retry: again,
  ...more,
})

test('an execution that fails is tried again later, while the node takes what comes', async () => {
  const { told, state, definition } = flaky(2)
  const { calls, definition: end } = recorder('end')
  const { host, runtime, start } = engine([definition, end])
  const reader = { id: 'end', type: 'end', ports: [input('y')] }
  const live = await start(flow([node({ ports: [input('x'), output('y')] }), reader]))
  runtime.publish('f.x', 1)
  await turn()
  expect([told, live.nodeStates()[0]?.status]).toEqual([[1], 'idle'])
  // the pause is no timer of the node's own
  expect(state.pending()).toEqual([])
  await host.advance(7000)
  runtime.publish('f.x', 2)
  await turn()
  expect(told).toEqual([1, 2])
  // no sooner than three quarters of the delay: each has its own share of chance
  await host.advance(3000)
  expect(told).toEqual([1, 2, 1])
  await host.advance(60_000)
  expect(told).toEqual([1, 2, 1, 2])
  expect(calls.map(([, , value]) => value)).toEqual([1, 2])
  expect([live.nodeStates()[0]?.error, host.deadLetters, atCrash(host)]).toEqual([null, [], []])
  expect(host.logs.map(({ text }) => text.replace(/[\d.]+ s/, '<s>'))).toEqual(
    Array.from({ length: 2 }, () => 'attempt 1 of 3 failed: Error: no line; again in <s>\n'),
  )
})

test('the pauses grow, and only the last failure is that of the node', async () => {
  const { told, definition } = flaky(Infinity)
  const { host, runtime, start } = engine([definition])
  const live = await start(flow([node()]))
  runtime.publish('f.x', 1)
  await host.advance(10_000)
  expect(told).toHaveLength(2)
  await host.advance(14_900)
  expect([told.length, live.nodeStates()[0]?.error]).toEqual([2, null])
  await host.advance(5100)
  expect([told.length, live.nodeStates()[0]?.error]).toMatchObject([3, { type: 'Error', message: 'no line' }])
  await host.advance(600_000)
  expect([told.length, runtime.takeStats()]).toMatchObject([3, [{ executions: 3, errors: 1 }]])
})

test.each([
  ['that must not be repeated', { definition: { idempotent: false }, node: {} }],
  ['without a retry', { definition: {}, node: { retry: null } }],
])('a node %s is executed once', async (_, more) => {
  const { told, definition } = flaky(1, more.definition)
  const { host, runtime, start } = engine([definition])
  const live = await start(flow([node(more.node)]))
  runtime.publish('f.x', 1)
  await host.advance(600_000)
  expect([told, live.nodeStates()[0]?.error?.message]).toEqual([[1], 'no line'])
})

test('an execution that is cancelled is not tried again', async () => {
  let executions = 0
  const endless = type('flaky', (ctx) => ({
    onValue: () =>
      new Promise((_, reject) => {
        executions++
        ctx.signal.addEventListener('abort', () => reject(new Error('aborted')))
      }),
  }))
  const { host, runtime, start } = engine([endless])
  const live = await start(flow([node()]))
  runtime.publish('f.x', 1)
  await turn()
  expect(live.cancel('a')).toBe(1)
  await host.advance(600_000)
  expect([executions, atCrash(host)]).toEqual([1, []])
})

test('triggers, timers and values that came together are tried again as they were', async () => {
  const together = flaky(1, { arrival: 'combine' })
  const joined = engine([together.definition])
  const live = await joined.start(flow([node({ ports: [input('x'), input('z')] })]))
  joined.runtime.publish('f.x', 1)
  joined.runtime.publish('f.z', 'old')
  await turn()
  joined.runtime.publish('f.z', 'new')
  await joined.host.advance(20_000)
  expect(together.told).toEqual([
    { x: 1, z: 'old' },
    { x: 1, z: 'new' },
    { x: 1, z: 'old' },
  ])
  // values of another time do not become the latest
  joined.runtime.publish('f.x', 2)
  await turn()
  expect(together.told.at(-1)).toEqual({ x: 2, z: 'new' })
  await live.stop()

  const asked = flaky(1)
  const own = engine([asked.definition])
  const triggered = await own.start(flow([node()]))
  triggered.trigger('a', {})
  await own.host.advance(20_000)
  expect(asked.told).toEqual(['trigger', 'trigger'])

  const timed = flaky(1)
  const clocked = engine([
    {
      ...timed.definition,
      start: async (ctx) => (ctx.setTimer('tick', ctx.now() + 1000, 7), timed.definition.start(ctx)),
    },
  ])
  await clocked.start(flow([node()]))
  await clocked.host.advance(20_000)
  expect(timed.told).toEqual(['tick', 'tick'])
})

test('a crash keeps the attempt, its number and its time', async () => {
  const before = engine([flaky(2).definition])
  await before.start(flow([node()]))
  before.runtime.publish('f.x', 1)
  await before.host.advance(12_000)
  const { told, state, definition } = flaky(1)
  const after = engine([definition], atCrash(before.host), before.host.clock.now() + 1000)
  const live = await after.start(flow([node()]))
  await after.host.advance(0)
  expect(told).toEqual([])
  await after.host.advance(20_000)
  expect([told, state.fails, live.nodeStates()[0]?.error?.message]).toEqual([[1], 0, 'no line'])
  expect(atCrash(after.host)).toEqual([])
})

test('attempts that wait are given up with the flow, or go on in the next form of the node', async () => {
  const { told, definition } = flaky(1)
  const { host, runtime, start } = engine([definition])
  const live = await start(flow([node()]))
  runtime.publish('f.x', 1)
  await turn()
  await live.rebuild(flow([node({ retry: { ...again, attempts: 4 } })]))
  await host.advance(10_000)
  expect(told).toEqual([1, 1])

  const gone = flaky(1)
  const other = engine([gone.definition])
  const flowing = await other.start(flow([node()]))
  other.runtime.publish('f.x', 1)
  await turn()
  await flowing.rebuild(flow([node({ ports: [input('w')] })]))
  await other.host.advance(10_000)
  const lost = { node: 'a', message: null, value: 1, reason: 'stopped' }
  expect([gone.told, other.host.deadLetters]).toMatchObject([[1], [lost]])

  const left = flaky(1)
  const last = engine([left.definition])
  const ending = await last.start(flow([node()]))
  last.runtime.publish('f.x', 1)
  await turn()
  await ending.stop()
  expect([last.host.deadLetters, atCrash(last.host)]).toMatchObject([[{ ...lost, message: 'f.x' }], []])
})

test('a flow without the node gives up what waits for it', async () => {
  const before = engine([flaky(1).definition])
  await before.start(flow([node()]))
  before.runtime.publish('f.x', 1)
  await turn()
  const after = engine([flaky(0).definition], atCrash(before.host))
  await after.start(flow([node({ id: 'b' })]))
  expect([after.host.deadLetters, atCrash(after.host)]).toMatchObject([
    [{ node: 'a', value: 1, reason: 'stopped' }],
    [],
  ])
})
