/** What a clock that is set forward or back by an hour does to nodes that reckon with time: nothing but to cron. */
import { nodeTypes } from '@flow-service/node-types'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../core/src/index.ts'
import { memoryHost } from '../../core/src/testing.ts'

const HOUR_MS = 3_600_000

/** A live flow of one node with the output `out`; time passes by `advance`, and `jump` sets the clock. */
async function started(type: string, settings: object, inputs: readonly string[] = []) {
  const host = memoryHost()
  let setMs = 0
  const clock = {
    now: () => host.clock.now() + setMs,
    setTimer: (delayMs: number, run: () => void) => host.clock.setTimer(delayMs, run),
  }
  const runtime = new LiveRuntime({ ...host, clock }, new NodeRegistry(nodeTypes))
  onTestFinished(() => runtime.close())
  const ports = [
    ...inputs.map((name) => ({ direction: 'input', name }) as const),
    { direction: 'output', name: 'out' } as const,
  ]
  const nodes = [{ id: 'n', type, settings, ports }]
  const document = normalizeDocument('f', flowDocumentInputSchema.parse({ nodes }))
  await runtime.start(document)
  await host.advance(0)
  return {
    jump: (ms: number) => void (setMs += ms),
    /** How many values came out in so many seconds. */
    async in(seconds: number): Promise<number> {
      const before = host.values('f.out').length
      await host.advance(seconds * 1000)
      return host.values('f.out').length - before
    },
    give: (value: unknown) => runtime.publish('f.in', value),
  }
}

describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('a clock that is set %s by an hour', (_, jumpMs) => {
  test.each([10, 0.5])('leaves an interval of %d s as it is [F38]', async (interval) => {
    const node = await started('inject', { payload: 1, interval })
    expect(await node.in(60)).toBe(60 / interval)
    node.jump(jumpMs)
    // the grid may begin anew: one more or less
    for (const seconds of [60, 60, 600]) expect(Math.abs((await node.in(seconds)) - seconds / interval)).toBeLessThan(2)
  })

  test('leaves a delay, a window and a wait as they are [F38]', async () => {
    for (const [type, settings] of [
      ['delay', { delay: 10 }],
      ['debounce', { wait: 10, first: null, then: 1 }],
    ] as const) {
      const node = await started(type, settings, ['in'])
      node.give(1)
      await node.in(5)
      node.jump(jumpMs)
      expect([type, await node.in(4.9), await node.in(0.2), await node.in(7200)]).toEqual([type, 0, 1, 0])
    }
    const limited = await started('delay', { interval: 10 }, ['in'])
    limited.give(1)
    await limited.in(5)
    limited.jump(jumpMs)
    for (let value = 2; value < 10; value += 1) {
      limited.give(value)
      await limited.in(0.1)
    }
    // one that was held, and the next windows
    expect(await limited.in(11)).toBe(1)
    limited.give(10)
    expect(await limited.in(11)).toBe(1)
  })
})

test('a cron entry that was passed over is made up once, and none is made again [F38]', async () => {
  const node = await started('inject', { payload: 1, cron: '*/15 * * * *' })
  expect(await node.in(3600)).toBe(4)
  await node.in(300)
  node.jump(HOUR_MS)
  // 02:05: the entries between are not made up one by one
  expect(await node.in(900)).toBeLessThanOrEqual(2)
  await node.in(2700)
  expect(await node.in(3600)).toBe(4)
  node.jump(-HOUR_MS)
  // an hour that has been
  expect(await node.in(3600)).toBeLessThanOrEqual(1)
  expect(await node.in(3600)).toBeGreaterThanOrEqual(3)
})
