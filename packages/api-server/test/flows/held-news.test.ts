import { VirtualClock } from '@flow-service/core/testing'
import type { FlowStatus } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { createEventBus } from '../../src/events/event-bus.ts'
import { followHeld } from '../../src/flows/held-news.ts'

/** Flows of which a test says what they hold, and what is told of them. */
function followed() {
  const clock = new VirtualClock(0)
  const bus = createEventBus()
  const flows = new Map([['hall', { paused: true, held: 0 }]])
  const told: [afterMs: number, name: string, held: number][] = []
  const end = followHeld({ bus, clock, runtime: flows })
  bus.subscribe((event) => {
    if (event.type === 'flow') told.push([clock.now(), event.name, event.held])
  })
  const announce = (status: FlowStatus): void =>
    bus.publish({ type: 'flow', name: 'hall', status, held: flows.get('hall')!.held, version: 3 })
  return { clock, flows, told, end, announce }
}

test('what a paused flow holds is told at most every 500 ms while it changes, the last number always', async () => {
  const { clock, flows, told, announce } = followed()
  const hall = flows.get('hall')!
  announce('paused')
  for (let at = 0; at < 120; at++) {
    hall.held++
    await clock.advance(10)
  }
  await clock.advance(60_000)
  expect(told).toEqual([
    [0, 'hall', 0],
    [500, 'hall', 50],
    [1000, 'hall', 100],
    [1500, 'hall', 120],
  ])
})

test('nothing is told of a flow that is not paused any more, and nothing waits for it', async () => {
  const { clock, flows, told, announce, end } = followed()
  const hall = flows.get('hall')!
  announce('paused')
  hall.held = 7
  announce('active')
  await clock.advance(10_000)
  expect([told.length, clock.pending]).toEqual([2, 0])
  announce('paused')
  flows.delete('hall')
  await clock.advance(10_000)
  expect([told.length, clock.pending]).toEqual([3, 0])
  flows.set('hall', hall)
  announce('paused')
  end()
  expect(clock.pending).toBe(0)
})
