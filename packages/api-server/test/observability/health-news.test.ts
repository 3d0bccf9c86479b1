import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import type { NewsEntry } from '../../src/events/event-log.ts'
import { HealthNews } from '../../src/observability/health-news.ts'

type Status = 'ok' | 'degraded' | 'down'

function heard() {
  const clock = new VirtualClock(0)
  const told: [action: string, changes: unknown, atMs: number | undefined][] = []
  const eventLog = {
    report: ({ action, detail }: NewsEntry, atMs?: number) => void told.push([action, detail?.changes, atMs]),
  }
  const news = new HealthNews({ clock, eventLog })
  const change = (status: Status, node = 'n') =>
    news.hear({ type: 'health', flow: 'f', node, status, message: null }, clock.now())
  return { clock, told, news, change }
}

test('every change of a quiet node is an event', async () => {
  const { clock, told, change } = heard()
  change('down')
  await clock.advance(60_000)
  change('ok')
  change('degraded', 'other')
  expect(told).toEqual([
    ['health.down', 1, 0],
    ['health.ok', 1, 60_000],
    ['health.degraded', 1, 60_000],
  ])
})

test('a node that flaps is told every 10 seconds, with its last state and how often it changed', async () => {
  const { clock, told, change } = heard()
  for (let second = 0; second < 25; second++) {
    change(second % 2 === 0 ? 'down' : 'ok')
    await clock.advance(1000)
  }
  await clock.advance(60_000)
  expect(told.map(([action]) => action)).toEqual(['health.down', expect.any(String), expect.any(String), 'health.down'])
  expect(told.reduce((sum, [, changes]) => sum + Number(changes), 0)).toBe(25)
  expect(clock.pending).toBe(0)
})

test('what was kept back is told when the engine stops', async () => {
  const { clock, told, news, change } = heard()
  change('down')
  change('ok')
  news.close()
  expect(told.map(([action]) => action)).toEqual(['health.down', 'health.ok'])
  expect(clock.pending).toBe(0)
})
