import { LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { debounceNode, delayNode, injectNode } from '@flow-service/node-types'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createClock } from '../../src/flows/host.ts'

const DAY = 86_400

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 31, 8), toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => vi.useRealTimers())

const output = { direction: 'output', name: 'out' }
const input = { direction: 'input', name: 'in' }
const inject = (settings: object) => ({
  id: 'n',
  type: 'inject',
  settings: { payload: 1, ...settings },
  ports: [output],
})
const piped = (type: string, settings: object) => ({ id: 'n', type, settings, ports: [input, output] })

// timers of the platform keep 24.8 days; a longer one fires at once
test.each([
  ['an interval', inject({ interval: 30 * DAY }), 30, [], [1]],
  ['a delay after the start', inject({ at_start: true, start_delay: 40 * DAY }), 40, [], [1]],
  ['a delay', piped('delay', { delay: 25 * DAY }), 25, [], [1, 2]],
  ['the window of a rate', piped('delay', { interval: 365 * DAY }), 365, [1], [1, 2]],
  ['a wait', piped('debounce', { wait: 50 * DAY, then: 'quiet' }), 50, [true], [true, 'quiet']],
])('%s beyond 24.8 days fires on time, by the engine’s own clock [F42]', async (_what, node, days, before, after) => {
  const host = { ...memoryHost(), clock: createClock() }
  const runtime = new LiveRuntime(host, new NodeRegistry([injectNode, delayNode, debounceNode]))
  const document = { nodes: [node], inputs: node.type === 'inject' ? [] : [{ name: 'in' }] }
  const flow = await runtime.start(normalizeDocument('f', flowDocumentInputSchema.parse(document)))
  for (const value of [1, 2]) runtime.publish('f.in', value)
  await vi.advanceTimersByTimeAsync((days * DAY - 1) * 1000)
  expect(host.values('f.out')).toEqual(before)
  await vi.advanceTimersByTimeAsync(1000)
  expect(host.values('f.out')).toEqual(after)
  const stopped = flow.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  await stopped
  await runtime.close()
  expect(vi.getTimerCount()).toBe(0)
})
