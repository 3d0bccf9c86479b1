import { LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { debounceNode, delayNode, injectNode } from '@flow-service/node-types'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createClock } from '../../src/process/clock.ts'

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
  { what: 'an interval', node: inject({ interval: 30 * DAY }), days: 30, before: [], after: [1] },
  {
    what: 'a delay after the start',
    node: inject({ at_start: true, start_delay: 40 * DAY }),
    days: 40,
    before: [],
    after: [1],
  },
  { what: 'a delay', node: piped('delay', { delay: 25 * DAY }), days: 25, before: [], after: [1, 2] },
  {
    what: 'the window of a rate',
    node: piped('delay', { interval: 365 * DAY }),
    days: 365,
    before: [1],
    after: [1, 2],
  },
  {
    what: 'a wait',
    node: piped('debounce', { wait: 50 * DAY, then: 'quiet' }),
    days: 50,
    before: [true],
    after: [true, 'quiet'],
  },
])('$what beyond 24.8 days fires on time, by the engine’s own clock [F42]', async ({ node, days, before, after }) => {
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
