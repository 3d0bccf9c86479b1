/**
 * What a flow holds outlives the engine. A crash is a new host that starts with what the old one had kept then.
 */
import type { FlowDocument } from '@flow-service/protocol'
import { MAX_HELD } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine, atCrash, passing } from './kept-work.ts'
import { gated } from './live-engine.ts'

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
