/**
 * Durable arrivals that are published before they are committed.
 */
import { HookRefusal } from '@flow-service/connector-sdk'
import { expect, onTestFinished, test, vi } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { arriving, atCrash, durable } from './kept-work.ts'
import { gated } from './live-engine.ts'

/** A host whose commits of arrivals the test makes; they are published before. */
function uncommitted() {
  const host = memoryHost()
  const commit = Promise.withResolvers<void>()
  const arrive: typeof host.work.arrive = async (work, publish) => {
    await host.work.arrive(work, publish)
    await commit.promise
  }
  return { host, commit, full: { ...host, work: { ...host.work, arrive } } }
}

test('an arrival may be executed before it is committed; who brought it hears of it when it is', async () => {
  const { host, commit, full } = uncommitted()
  const source = durable()
  const runtime = new LiveRuntime(full, new NodeRegistry([recorder('end').definition, source.definition]))
  onTestFinished(() => runtime.close())
  const live = await runtime.start(
    flow([
      { id: 's', type: 'source', ports: [output('x')] },
      { id: 'r', type: 'end', ports: [input('x')] },
    ]),
  )
  const told = vi.fn<() => void>()
  const accepting = source.accept({ x: 1 }).then(told)
  await live.idle()
  expect(host.values('f.x')).toEqual([1])
  expect(atCrash(host)).toEqual([])
  expect(told).not.toHaveBeenCalled()
  commit.resolve()
  await accepting
  expect(told).toHaveBeenCalledOnce()
})

test('what was published before its commit failed goes on, and is let go when it has ended', async () => {
  const { host, commit, full } = uncommitted()
  const source = durable()
  const { running, definition } = gated()
  const runtime = new LiveRuntime(full, new NodeRegistry([definition, source.definition]))
  onTestFinished(() => runtime.close())
  const live = await runtime.start(arriving(['a']))
  const accepting = source.accept({ x: 1 })
  commit.reject(new Error('the database is gone'))
  await expect(accepting).rejects.toThrow('the database is gone')
  expect(running.map(({ value }) => value)).toEqual([1])
  expect(atCrash(host)).toHaveLength(1)
  running[0]?.end()
  await live.idle()
  expect(atCrash(host)).toEqual([])
  expect(host.cascades).toMatchObject([{ status: 'ok', executions: 1 }])
})

test('a request whose commit fails as its flow stops is free for another engine, unless it may be kept all the same', async () => {
  for (const mayBeKept of [false, true]) {
    const { host, commit, full } = uncommitted()
    const hook = type('hook', (ctx) => {
      ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => ctx.emitDurably({ y: 1 }))
      return {}
    })
    const runtime = new LiveRuntime(full, new NodeRegistry([hook]))
    onTestFinished(() => runtime.close())
    const live = await runtime.start(flow([{ id: 'h', type: 'hook', ports: [output('y')] }]))
    const request = host.hook('f', 'in', {})
    await turn()
    const stopped = live.stop()
    commit.reject(Object.assign(new Error('it has gone to another engine'), { mayBeKept }))
    const refusal = await request.then(
      () => expect.unreachable(),
      (error: Error) => error,
    )
    expect([refusal instanceof HookRefusal, refusal.message]).toEqual(
      mayBeKept ? [false, 'it has gone to another engine'] : [true, 'the flow stopped before the request was taken'],
    )
    await stopped
    expect(live.nodeStates()).toMatchObject([{ status: 'idle' }])
  }
})
