/** Executions that a stop cuts off after its 10 s: what the flow keeps of them. */
import { expect, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { atCrash, durable } from './kept-work.ts'
import { engine, gated } from './live-engine.ts'

/** A flow whose node `a` reads what its listener publishes durably, and goes on until its signal aborts. */
function listening(idempotent = true) {
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
  const { host, executed, start, stop } = listening()
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
  const { host, executed, start, stop } = listening(false)
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
  const { host, executed, start, stop } = listening()
  await start()
  await host.hook('f', 'in', {})
  await turn()
  await stop(false)
  expect(host.work.items.size).toBe(0)
  expect(host.cascades).toMatchObject([{ status: 'abandoned', executions: 1 }])
  await start()
  expect(executed).toEqual([1])
})

/** Two flows: the source's arrival is read by the other, which has been stopped while it executed. */
async function crossing(reader: ReturnType<typeof gated>) {
  const source = durable()
  const { host, runtime, start } = engine([reader.definition, source.definition])
  await start(flow([{ id: 's', type: 'source', ports: [output('x')] }]))
  const document = flow([{ id: 'r', type: 'gated', ports: [input('x:f.x')] }], { name: 'g' })
  await start(document)
  await source.accept({ x: 1 })
  await turn()
  const stopped = runtime.get('g')?.stop({ keep: true })
  await host.advance(10_000)
  await stopped
  return { host, restart: () => start(document) }
}

test('of an arrival that crosses flows, what a stop has cut off goes on when the reading flow starts', async () => {
  const endless = gated()
  const { host, restart } = await crossing(endless)
  expect(atCrash(host)).toMatchObject([{ flow: 'g', node: 'r', body: { is: 'delivery', arrivals: [['x', 1]] } }])
  const again = await restart()
  await turn()
  expect(endless.running.map(({ value }) => value)).toEqual([1, 1])
  endless.running[1]?.end()
  await again.idle()
  expect(atCrash(host)).toEqual([])
})

test('of an arrival that crosses flows, what must not be repeated is a dead letter then', async () => {
  const once = gated({ idempotent: false })
  const { host, restart } = await crossing(once)
  await restart()
  await turn()
  expect(once.running).toHaveLength(1)
  expect(host.deadLetters).toMatchObject([{ flow: 'g', node: 'r', value: 1, reason: 'crash' }])
  expect(atCrash(host)).toEqual([])
})
