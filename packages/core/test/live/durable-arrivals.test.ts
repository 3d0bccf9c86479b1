/**
 * Arrivals that are kept until what they directly cause has ended, and notes of what must not repeat.
 */
import type { NodeContext } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, atCrash, durable, arriving } from './kept-work.ts'
import { gated } from './live-engine.ts'

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
  const full = { ...host, work: { ...host.work, arrive: () => Promise.reject(new Error('the disk is full')) } }
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

test('an arrival that was refused is not heard later', async () => {
  const source = durable()
  const host = memoryHost()
  const arrive: typeof host.work.arrive = async (work) => {
    await host.work.keep(work)
    throw new Error('not in time')
  }
  const runtime = new LiveRuntime({ ...host, work: { ...host.work, arrive } }, new NodeRegistry([source.definition]))
  onTestFinished(() => runtime.close())
  await runtime.start(flow([{ id: 's', type: 'source', ports: [output('x')] }]))
  await expect(source.accept({ x: 1 })).rejects.toThrow('not in time')
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
  }, 60_000)
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

/** Sends two values one after the other, when a second has passed. */
const twice = (more: Parameters<typeof type>[2] = {}) => {
  const ticks: unknown[] = []
  const start = (ctx: NodeContext) => ({
    onValue: (_port: string, value: unknown) => ctx.setTimer('t', ctx.now() + 1000, value),
    onTimer(_key: string, data: unknown) {
      ticks.push(data)
      ctx.send('y', `${String(data)} first`)
      ctx.send('y', `${String(data)} second`)
    },
  })
  return { ticks, definition: type('twice', start, more) }
}
const ticking = (): FlowDocument =>
  flow([
    { id: 't', type: 'twice', ports: [input('x'), output('y')] },
    { id: 'a', type: 'gated', ports: [input('y')] },
  ])

test('a reader that must not repeat itself gets the second value of a tick after a crash between them', async () => {
  const once = gated({ idempotent: false })
  const before = engine([once.definition, twice().definition])
  await before.start(ticking())
  before.runtime.publish('f.x', 1)
  await before.host.advance(1000)
  await turn()
  once.running[0]?.end()
  await vi.waitFor(() => expect(once.running).toHaveLength(2), 60_000)
  // as it is just before the second has begun
  const kept = atCrash(before.host).map((work) => ({ ...work, begun: [] }))
  expect(kept).toMatchObject([{ body: { is: 'timer' }, ended: ['f/a'] }])
  const again = gated({ idempotent: false })
  const after = engine([again.definition, twice().definition], kept, before.host.clock.now())
  const live = await after.start(ticking())
  await after.host.advance(0)
  await vi.waitFor(() => expect(again.running.map(({ value }) => value)).toEqual(['1 second']), 60_000)
  again.running[0]?.end()
  await live.idle()
  expect(atCrash(after.host)).toEqual([])
  expect(after.host.deadLetters).toEqual([])
})

test('a tick of a node that must not repeat itself is not made again, and its readers go on', async () => {
  const first = twice({ idempotent: false })
  const before = engine([gated().definition, first.definition])
  await before.start(ticking())
  before.runtime.publish('f.x', 1)
  await before.host.advance(1000)
  await turn()
  expect(first.ticks).toEqual([1])
  const { running, definition } = gated()
  const second = twice({ idempotent: false })
  const after = engine([definition, second.definition], atCrash(before.host), before.host.clock.now())
  const live = await after.start(ticking())
  await after.host.advance(0)
  await turn()
  running[0]?.end()
  await vi.waitFor(() => expect(running.map(({ value }) => value)).toEqual(['1 first', '1 second']), 60_000)
  running[1]?.end()
  await live.idle()
  expect(second.ticks).toEqual([])
  expect(atCrash(after.host)).toEqual([])
  expect(after.host.deadLetters).toEqual([])
})

test('a tick that had ended is not made again when its timer is still kept', async () => {
  const before = engine([gated().definition, twice().definition])
  await before.start(ticking())
  before.runtime.publish('f.x', 1)
  await turn()
  const kept = atCrash(before.host).map((work) => ({ ...work, ended: ['f/t'] }))
  const second = twice({ idempotent: false })
  const after = engine([gated().definition, second.definition], kept, before.host.clock.now())
  await after.start(ticking())
  await after.host.advance(1000)
  await turn()
  expect(second.ticks).toEqual([])
  expect(atCrash(after.host)).toEqual([])
})

test('a durable arrival of an execution belongs to its cascade, which goes on until it is decided', async () => {
  const relays = type('relays', (ctx) => ({
    onValue: async (_port, value) => {
      await ctx.emitDurably({ y: value })
      return undefined
    },
  }))
  const { calls, definition } = recorder('end')
  const { host, runtime, start } = engine([relays, definition])
  const live = await start(
    flow([
      { id: 'r', type: 'relays', ports: [input('x'), output('y')] },
      { id: 'a', type: 'end', ports: [input('y')] },
    ]),
  )
  const { cascade } = runtime.publish('f.x', 1)
  await live.idle()
  expect(calls).toEqual([['a', 'y', 1]])
  expect(host.cascades).toMatchObject([{ id: cascade, executions: 2, origin: { kind: 'publish' } }])
  expect(atCrash(host)).toEqual([])
})
