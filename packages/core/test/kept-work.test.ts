/**
 * Work that outlives the engine: what a flow holds, its timers, and durable arrivals. A crash is a new host that starts
 * with what the old one had kept at that moment.
 */
import type { NodeContext } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'
import { MAX_HELD } from '@flow-service/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'

import { type KeptWork, LiveRuntime, NodeRegistry, type StartOptions } from '../src/index.ts'
import { type MemoryHost, memoryHost } from '../src/testing.ts'
import { flow, input, output, pass, recorder, type } from './documents.ts'

type Definitions = ConstructorParameters<typeof NodeRegistry>[0]

function engine(definitions: Definitions, kept: Iterable<KeptWork> = [], startMs?: number) {
  const host = memoryHost({ kept, ...(startMs === undefined ? {} : { startMs }) })
  const runtime = new LiveRuntime(host, new NodeRegistry([pass, ...definitions]))
  // one that has crashed has executions that nobody ends
  onTestFinished(() => void runtime.close())
  return { host, runtime, start: (document: FlowDocument, start?: StartOptions) => runtime.start(document, start) }
}

/** What the database would hold if the engine died now. */
const atCrash = ({ work }: MemoryHost): KeptWork[] => structuredClone([...work.items.values()])

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Executions that end when the test says so. */
function gated(more: Parameters<typeof type>[2] = {}) {
  const running: { value: unknown; end: () => void }[] = []
  const start = () => ({
    onValue: (_port: string, value: unknown) =>
      new Promise<undefined>((resolve) => running.push({ value, end: () => resolve(undefined) })),
  })
  return { running, definition: type('gated', start, more) }
}

const passing = (): FlowDocument => flow([{ id: 'a', type: 'end', ports: [input('x')] }])

test('a held delivery is kept until the execution it causes has ended, and not longer', async () => {
  const { running, definition } = gated()
  const { host, runtime, start } = engine([definition])
  const live = await start(flow([{ id: 'a', type: 'gated', ports: [input('x')] }]))
  live.pause()
  runtime.publish('f.x', 1)
  expect(atCrash(host)).toMatchObject([
    { flow: 'f', node: 'a', body: { is: 'delivery', arrivals: [['x', 1]] }, attempts: 0 },
  ])
  live.resume()
  await turn()
  expect(running).toHaveLength(1)
  expect(atCrash(host)).toHaveLength(1)
  running[0]?.end()
  await live.idle()
  expect(atCrash(host)).toEqual([])
})

test('what a paused flow holds is held again after a crash, in order, and stepped one by one', async () => {
  const before = engine([recorder('end').definition])
  const live = await before.start(passing())
  live.pause()
  for (const value of [1, 2, 3]) before.runtime.publish('f.x', value)
  const { calls, definition } = recorder('end')
  const after = engine([definition], atCrash(before.host))
  const again = await after.start(passing(), { paused: true })
  expect(again.held).toBe(3)
  expect(again.step()).toBe(1)
  await turn()
  expect(calls).toEqual([['a', 'x', 1]])
  after.runtime.publish('f.x', 4)
  again.resume()
  await again.idle()
  expect(calls.map(([, , value]) => value)).toEqual([1, 2, 3, 4])
  expect(atCrash(after.host)).toEqual([])
})

test('a flow that starts active delivers what its paused life had held, before anything new', async () => {
  const before = engine([recorder('end').definition])
  const live = await before.start(passing())
  live.pause()
  before.runtime.publish('f.x', 'held')
  const { calls, definition } = recorder('end')
  const after = engine([definition], atCrash(before.host))
  const again = await after.start(passing())
  after.runtime.publish('f.x', 'new')
  await again.idle()
  expect(calls.map(([, , value]) => value)).toEqual(['held', 'new'])
})

test('values that were held together arrive together, and triggers too are kept', async () => {
  const before = engine([recorder('join', 'combine').definition])
  const document = flow([
    { id: 'a', type: 'pass', ports: [input('x'), output('y'), output('z')] },
    { id: 'b', type: 'join', ports: [input('y'), input('z')] },
  ])
  const live = await before.start(document)
  live.pause()
  before.runtime.publish('f.x', 1)
  live.step()
  await turn()
  live.trigger('b', {})
  const { calls, definition } = recorder('join', 'combine')
  const after = engine([definition], atCrash(before.host))
  const again = await after.start(document)
  await again.idle()
  expect(calls).toEqual([
    ['b', { y: 1, z: 1 }],
    ['b', 'trigger'],
  ])
})

test('work is taken up three times after crashes, then it is a dead letter', async () => {
  const document = flow([{ id: 'a', type: 'gated', ports: [input('x')] }])
  const first = engine([gated().definition])
  const live = await first.start(document)
  live.pause()
  first.runtime.publish('f.x', 'poison')
  let kept = atCrash(first.host)
  for (const attempts of [1, 2, 3]) {
    const { running, definition } = gated()
    const next = engine([definition], kept)
    await next.start(document)
    await turn()
    expect(running.map(({ value }) => value)).toEqual(['poison'])
    kept = atCrash(next.host)
    expect(kept).toMatchObject([{ attempts }])
    running[0]?.end()
  }
  const { running, definition } = gated()
  const last = engine([definition], kept)
  await last.start(document)
  await turn()
  expect(running).toEqual([])
  expect(last.host.deadLetters).toMatchObject([
    { flow: 'f', node: 'a', message: 'f.x', value: 'poison', reason: 'crash' },
  ])
  expect(atCrash(last.host)).toEqual([])
})

test('a pause counts no attempt', async () => {
  const before = engine([recorder('end').definition])
  const live = await before.start(passing())
  live.pause()
  before.runtime.publish('f.x', 1)
  let kept = atCrash(before.host)
  for (let life = 0; life < 5; life++) {
    const next = engine([recorder('end').definition], kept)
    await next.start(passing(), { paused: true })
    kept = atCrash(next.host)
  }
  expect(kept).toMatchObject([{ attempts: 0 }])
})

test('work of a node or port that is gone becomes a dead letter', async () => {
  const before = engine([recorder('end').definition])
  const live = await before.start(passing())
  live.pause()
  before.runtime.publish('f.x', 1)
  const kept = atCrash(before.host)
  const lost = async (document: FlowDocument) => {
    const { host, start } = engine([recorder('end').definition], kept)
    await (await start(document)).idle()
    expect(atCrash(host)).toEqual([])
    return host.deadLetters.map(({ node, value, reason }) => [node, value, reason])
  }
  expect(await lost(flow([{ id: 'b', type: 'end', ports: [input('x')] }]))).toEqual([['a', 1, 'stopped']])
  expect(await lost(flow([{ id: 'a', type: 'end', ports: [input('y')] }]))).toEqual([['a', 1, 'stopped']])
})

test('the end of the engine and a rebuild keep what waits, held or not; a stop gives it up', async () => {
  const { running, definition } = gated()
  const document = flow([{ id: 'a', type: 'gated', ports: [input('x')] }])
  const first = engine([definition])
  const live = await first.start(document)
  for (const value of [1, 2, 3]) first.runtime.publish('f.x', value)
  await turn()
  const stopped = live.stop({ keep: true })
  running[0]?.end()
  await stopped
  expect(first.host.deadLetters).toEqual([])
  const second = await first.start(document)
  await turn()
  expect(running.map(({ value }) => value)).toEqual([1, 2])
  const ended = second.stop()
  running[1]?.end()
  await ended
  expect(first.host.deadLetters.map(({ value, reason }) => [value, reason])).toEqual([[3, 'stopped']])
  expect(atCrash(first.host)).toEqual([])
})

test('more than a thousand held deliveries drop the oldest, which is kept no longer', async () => {
  const { host, runtime, start } = engine([recorder('end').definition])
  const live = await start(passing())
  live.pause()
  for (let value = 0; value <= MAX_HELD; value++) runtime.publish('f.x', value)
  expect(live.held).toBe(MAX_HELD)
  expect(atCrash(host)).toHaveLength(MAX_HELD)
  expect(host.deadLetters.map(({ value, reason }) => [value, reason])).toEqual([[0, 'overflow']])
})

/** Takes values in from outside, durably. */
function durable() {
  const contexts: NodeContext[] = []
  const definition = type('source', (ctx) => {
    contexts.push(ctx)
    return {}
  })
  return { definition, accept: (values: Record<string, unknown>) => contexts.at(-1)!.emitDurably(values) }
}

const arriving = (readers: readonly string[]): FlowDocument =>
  flow([
    { id: 's', type: 'source', ports: [output('x')] },
    ...readers.map((id) => ({ id, type: 'gated', ports: [input('x')] })),
  ])

test('a durable arrival is kept until the executions it directly causes have ended', async () => {
  const { running, definition } = gated()
  const source = durable()
  const { host, start } = engine([definition, source.definition])
  const live = await start(arriving(['a', 'b']))
  await source.accept({ x: 1 })
  await turn()
  expect(running).toHaveLength(2)
  running[0]?.end()
  await turn()
  expect(atCrash(host)).toMatchObject([{ node: 's', body: { is: 'arrival', values: { x: 1 } } }])
  running[1]?.end()
  await live.idle()
  expect(atCrash(host)).toEqual([])
})

test('after a crash a durable arrival is published and delivered again', async () => {
  const first = durable()
  const before = engine([gated().definition, first.definition])
  await before.start(arriving(['a']))
  await first.accept({ x: 'alarm' })
  const { running, definition } = gated()
  const after = engine([definition, durable().definition], atCrash(before.host))
  const live = await after.start(arriving(['a']))
  await turn()
  expect(running.map(({ value }) => value)).toEqual(['alarm'])
  expect(after.host.records).toMatchObject([{ message: 'f.x', value: 'alarm', again: true }])
  running[0]?.end()
  await live.idle()
  expect(atCrash(after.host)).toEqual([])
})

test('an arrival that cannot be kept is refused, and nothing is published', async () => {
  const source = durable()
  const host = memoryHost()
  const full = { ...host, work: { ...host.work, keep: () => Promise.reject(new Error('the disk is full')) } }
  const runtime = new LiveRuntime(full, new NodeRegistry([gated().definition, source.definition]))
  onTestFinished(() => runtime.close())
  await runtime.start(arriving(['a']))
  await expect(source.accept({ x: 1 })).rejects.toThrow('the disk is full')
  expect(host.records).toEqual([])
})

test('what a node that must not repeat itself had begun is a dead letter after a crash; others do it again', async () => {
  const once = gated({ idempotent: false })
  const often: unknown[] = []
  const repeats = type('repeats', () => ({ onValue: (_port, value) => void often.push(value) }))
  const document = flow([
    { id: 's', type: 'source', ports: [output('x')] },
    { id: 'a', type: 'gated', ports: [input('x')] },
    { id: 'b', type: 'repeats', ports: [input('x')] },
  ])
  const first = durable()
  const before = engine([once.definition, repeats, first.definition])
  await before.start(document)
  await first.accept({ x: 1 })
  await turn()
  expect(once.running).toHaveLength(1)
  const kept = atCrash(before.host)
  expect(kept).toMatchObject([{ begun: ['f/a'] }])
  const again = gated({ idempotent: false })
  const after = engine([again.definition, repeats, durable().definition], kept)
  await (await after.start(document)).idle()
  expect(again.running).toEqual([])
  expect(often).toEqual([1, 1])
  expect(after.host.deadLetters).toMatchObject([{ node: 'a', message: 'f.x', value: 1, reason: 'crash' }])
  expect(atCrash(after.host)).toEqual([])
})

test('an execution of such a node that nothing else had kept is a dead letter after a crash too', async () => {
  const once = gated({ idempotent: false })
  const { host, runtime, start } = engine([once.definition])
  const document = flow([{ id: 'a', type: 'gated', ports: [input('x')] }])
  const live = await start(document)
  runtime.publish('f.x', 1)
  await turn()
  const kept = atCrash(host)
  once.running[0]?.end()
  await live.idle()
  expect(atCrash(host)).toEqual([])
  const again = gated({ idempotent: false })
  const after = engine([again.definition], kept)
  await (await after.start(document)).idle()
  expect(again.running).toEqual([])
  expect(after.host.deadLetters).toMatchObject([{ node: 'a', message: 'f.x', value: 1, reason: 'crash' }])
})

test('a reader that must not repeat itself and is done stays done, while another goes on after the crash', async () => {
  const document = flow([
    { id: 's', type: 'source', ports: [output('x')] },
    { id: 'a', type: 'once', ports: [input('x')] },
    { id: 'b', type: 'gated', ports: [input('x')] },
  ])
  const sent: unknown[] = []
  const once = type('once', () => ({ onValue: (_port, value) => void sent.push(value) }), { idempotent: false })
  const first = durable()
  const before = engine([once, gated().definition, first.definition])
  await before.start(document)
  await first.accept({ x: 1 })
  await turn()
  const kept = atCrash(before.host)
  expect(kept).toMatchObject([{ begun: [], ended: ['f/a'] }])
  const { running, definition } = gated()
  const after = engine([once, definition, durable().definition], kept)
  const live = await after.start(document)
  await turn()
  expect(sent).toEqual([1])
  expect(running.map(({ value }) => value)).toEqual([1])
  running[0]?.end()
  await live.idle()
  expect(atCrash(after.host)).toEqual([])
  expect(after.host.deadLetters).toEqual([])
})

test('a reader in a paused flow takes its part of an arrival along, and no restart repeats the others', async () => {
  const source = flow([
    { id: 's', type: 'source', ports: [output('x')] },
    { id: 'a', type: 'end', ports: [input('x')] },
  ])
  const reader = flow([{ id: 'r', type: 'end', ports: [input('f.x')] }], { name: 'g' })
  const first = durable()
  const before = engine([recorder('end').definition, first.definition])
  await before.start(source)
  const held = await before.start(reader)
  held.pause()
  await first.accept({ x: 1 })
  await turn()
  let kept = atCrash(before.host)
  expect(kept).toMatchObject([{ flow: 'g', node: 'r', body: { is: 'delivery', arrivals: [['x', 1]] } }])
  for (let life = 0; life < 4; life++) {
    const { calls, definition } = recorder('end')
    const next = engine([definition, durable().definition], kept)
    await next.start(source)
    const paused = await next.start(reader, { paused: true })
    await turn()
    expect(paused.held).toBe(1)
    expect(calls).toEqual([])
    kept = atCrash(next.host)
  }
})

test('what is left of one flow waits until the flows that read it have started', async () => {
  const first = durable()
  const source = flow([{ id: 's', type: 'source', ports: [output('x')] }])
  const reader = flow([{ id: 'r', type: 'gated', ports: [input('x:f.x')] }], { name: 'g' })
  const before = engine([gated().definition, first.definition])
  await before.start(source)
  await before.start(reader)
  await first.accept({ x: 1 })
  const { running, definition } = gated()
  const after = engine([definition, durable().definition], atCrash(before.host))
  const early = await after.start(source, { deferred: true })
  const late = await after.start(reader, { deferred: true })
  for (const live of [early, late]) live.takeUp()
  early.takeUp()
  await turn()
  expect(running.map(({ value }) => value)).toEqual([1])
})

test('what nodes publish while a deferred flow starts comes after what was left', async () => {
  const before = engine([recorder('end').definition])
  const live = await before.start(passing())
  live.pause()
  before.runtime.publish('f.x', 'left')
  const eager = type('eager', (ctx) => {
    ctx.send('x', 'new')
    return {}
  })
  const { calls, definition } = recorder('end')
  const after = engine([definition, eager], atCrash(before.host))
  const document = flow([
    { id: 'e', type: 'eager', ports: [output('x')] },
    { id: 'a', type: 'end', ports: [input('x')] },
  ])
  const again = await after.start(document, { deferred: true })
  await turn()
  expect(calls).toEqual([])
  again.takeUp()
  await again.idle()
  expect(calls.map(([, , value]) => value)).toEqual(['left', 'new'])
})

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

test('an arrival that was refused is not heard later', async () => {
  const source = durable()
  const host = memoryHost()
  const keep: typeof host.work.keep = async (work) => {
    await host.work.keep(work)
    throw new Error('not in time')
  }
  const runtime = new LiveRuntime({ ...host, work: { ...host.work, keep } }, new NodeRegistry([source.definition]))
  onTestFinished(() => runtime.close())
  await runtime.start(flow([{ id: 's', type: 'source', ports: [output('x')] }]))
  await expect(source.accept({ x: 1 })).rejects.toThrow('not in time')
  expect(atCrash(host)).toEqual([])
})

/** Sends each value on after a second. */
const later = type('later', (ctx) => ({
  onValue: (_port, value) => ctx.setTimer(`${String(value)}`, ctx.now() + 1000, value),
  onTimer: (_key, data) => ({ y: data }),
}))

const delayed = (): FlowDocument =>
  flow([
    { id: 'l', type: 'later', ports: [input('x'), output('y')] },
    { id: 'a', type: 'end', ports: [input('y')] },
  ])

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

test('a dead letter is delivered again to the inputs that read its message, or as a request to act', async () => {
  const { calls, definition } = recorder('end')
  const { start } = engine([definition])
  const live = await start(flow([{ id: 'a', type: 'end', ports: [input('one:x'), input('two:x')] }]))
  live.replay({ node: 'a', message: 'f.x', value: 5 })
  live.replay({ node: 'a', message: null, value: null })
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
  live.replay({ node: 'a', message: 'f.x', value: 1 })
  live.replay({ node: 's', message: 'f.x', value: 2 })
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

test('a rebuild keeps all that waits, however much, and what a step has released to a busy node', async () => {
  const { running, definition } = gated()
  const document = flow([{ id: 'a', type: 'gated', ports: [input('x')] }])
  const { host, runtime, start } = engine([definition])
  const live = await start(document)
  runtime.publish('f.x', 0)
  await turn()
  live.pause()
  runtime.publish('f.x', 1)
  live.step()
  const stopped = live.stop({ keep: true })
  running[0]?.end()
  await stopped
  expect(runtime.running()).toEqual([])
  expect(atCrash(host)).toMatchObject([{ body: { arrivals: [['x', 1]] } }])
  const again = await start(document)
  await turn()
  for (let value = 0; value <= MAX_HELD; value++) runtime.publish('f.x', value)
  const rebuilt = again.stop({ keep: true })
  running[1]?.end()
  await rebuilt
  expect(host.deadLetters).toEqual([])
  expect(atCrash(host)).toHaveLength(MAX_HELD + 1)
})

test('a failed start leaves no cascade behind; a durable arrival in it waits for the next one', async () => {
  const document = flow([
    { id: 's', type: 'eager', ports: [output('x')] },
    { id: 'a', type: 'end', ports: [input('x')] },
    { id: 'b', type: 'broken', ports: [input('x')] },
  ])
  let isBroken = true
  const eager = type('eager', async (ctx) => {
    if (isBroken) {
      ctx.send('x', 'volatile')
      await ctx.emitDurably({ x: 'durable' })
    }
    return {}
  })
  const broken = type('broken', () => {
    if (isBroken) throw new Error('no')
    return {}
  })
  const { calls, definition } = recorder('end')
  const { host, runtime, start } = engine([definition, eager, broken])
  await expect(start(document)).rejects.toThrow('no')
  expect(runtime.running()).toEqual([])
  expect(host.cascades).toMatchObject([{ status: 'abandoned', executions: 0 }])
  isBroken = false
  await (await start(document)).idle()
  expect(calls).toEqual([['a', 'x', 'durable']])
  expect(atCrash(host)).toEqual([])
})

test('an execution that is cancelled before its note is committed does not run', async () => {
  const document = flow([
    { id: 's', type: 'source', ports: [output('x')] },
    { id: 'a', type: 'gated', ports: [input('x')] },
  ])
  const once = gated({ idempotent: false })
  const source = durable()
  const host = memoryHost()
  const noted = Promise.withResolvers<void>()
  const runtime = new LiveRuntime(
    { ...host, work: { ...host.work, begin: () => noted.promise } },
    new NodeRegistry([once.definition, source.definition]),
  )
  onTestFinished(() => runtime.close())
  const live = await runtime.start(document)
  await source.accept({ x: 1 })
  await turn()
  expect(live.cancel('a')).toBe(1)
  noted.resolve()
  await live.idle()
  expect(once.running).toEqual([])
  expect(host.deadLetters).toEqual([])
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

const paired = (): FlowDocument =>
  flow([
    { id: 's', type: 'source', ports: [output('x'), output('y')] },
    { id: 'a', type: 'gated', ports: [input('x'), input('y')] },
  ])

test('a node that must not repeat itself still gets the other value of an arrival after a crash between them', async () => {
  const once = gated({ idempotent: false })
  const source = durable()
  const before = engine([once.definition, source.definition])
  await before.start(paired())
  await source.accept({ x: 1, y: 2 })
  await turn()
  once.running[0]?.end()
  const kept = await vi.waitFor(() => {
    expect(once.running).toHaveLength(2)
    return atCrash(before.host)
  })
  // as it is just before the second has begun
  const unbegun = kept.map((work) => ({ ...work, begun: [] }))
  const again = gated({ idempotent: false })
  const after = engine([again.definition, durable().definition], unbegun)
  const live = await after.start(paired())
  await turn()
  expect(again.running.map(({ value }) => value)).toEqual([2])
  again.running[0]?.end()
  await live.idle()
  expect(atCrash(after.host)).toEqual([])
})

test('a pause between two values of an arrival loses neither in a crash', async () => {
  const source = durable()
  const before = engine([gated().definition, source.definition])
  const live = await before.start(paired())
  await source.accept({ x: 1, y: 2 })
  await turn()
  live.pause()
  const again = gated()
  const after = engine([again.definition, durable().definition], atCrash(before.host))
  const second = await after.start(paired())
  await turn()
  again.running[0]?.end()
  await turn()
  again.running[1]?.end()
  await second.idle()
  expect(again.running.map(({ value }) => value)).toEqual([1, 2])
  expect(atCrash(after.host)).toEqual([])
  expect(after.host.deadLetters).toEqual([])
})

test('rebuilds count no attempt: what waits behind a busy node survives any number of them', async () => {
  const { running, definition } = gated()
  const document = flow([{ id: 'a', type: 'gated', ports: [input('x')] }])
  const { host, runtime, start } = engine([definition])
  let live = await start(document)
  for (let value = 0; value < 10; value++) runtime.publish('f.x', value)
  for (let round = 0; round < 5; round++) {
    await turn()
    const stopped = live.stop({ keep: true })
    running.at(-1)?.end()
    await stopped
    live = await start(document)
  }
  expect(host.deadLetters).toEqual([])
  expect(atCrash(host)).toMatchObject(
    [5, 6, 7, 8, 9].map((value) => ({ body: { arrivals: [['x', value]] }, attempts: 0 })),
  )
})
