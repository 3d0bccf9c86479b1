/** Executions that a stop cuts off after its 10 s: what the flow keeps of them. */
import { expect, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../src/index.ts'
import { memoryHost } from '../src/testing.ts'
import { flow, input, output, type } from './documents.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A flow whose node `a` reads what its listener publishes durably, and goes on until its signal aborts. */
function engine(idempotent = true) {
  const executed: unknown[] = []
  const listener = type('listener', (ctx) => {
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => ctx.emitDurably({ x: 1 }))
    return {}
  })
  const endless = type(
    'endless',
    (ctx) => ({
      onValue: (_port, value) =>
        new Promise<undefined>((_resolve, reject) => {
          executed.push(value)
          ctx.signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    }),
    { idempotent },
  )
  const host = memoryHost()
  const runtime = new LiveRuntime(host, new NodeRegistry([listener, endless]))
  const document = flow([
    { id: 'l', type: 'listener', ports: [output('x')] },
    { id: 'a', type: 'endless', ports: [input('x')] },
  ])
  const stop = async (keep: boolean): Promise<void> => {
    const stopped = runtime.get('f')?.stop({ keep })
    await host.advance(10_000)
    await stopped
    await turn()
  }
  const start = async (): Promise<void> => {
    await runtime.start(document)
    await turn()
  }
  return { host, executed, start, stop }
}

test('what a restart or a new version cuts off is executed again', async () => {
  const { host, executed, start, stop } = engine()
  await start()
  await host.hook('f', 'in', {})
  await turn()
  expect(executed).toEqual([1])
  await stop(true)
  expect(host.work.items.size).toBe(1)
  await start()
  expect(executed).toEqual([1, 1])
  expect(host.deadLetters).toEqual([])
})

test('one that must not be repeated is a dead letter instead', async () => {
  const { host, executed, start, stop } = engine(false)
  await start()
  await host.hook('f', 'in', {})
  await turn()
  expect(executed).toEqual([1])
  await stop(true)
  await start()
  expect(executed).toEqual([1])
  expect(host.deadLetters).toMatchObject([{ node: 'a', value: 1, reason: 'crash' }])
  expect(host.work.items.size).toBe(0)
})

test('a stop keeps nothing of what it cuts off, whose cascade is abandoned', async () => {
  const { host, executed, start, stop } = engine()
  await start()
  await host.hook('f', 'in', {})
  await turn()
  await stop(false)
  expect(host.work.items.size).toBe(0)
  expect(host.cascades).toMatchObject([{ status: 'abandoned', executions: 1 }])
  await start()
  expect(executed).toEqual([1])
})
