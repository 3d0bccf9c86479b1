import { expect, test } from 'vitest'

import { IntervalGate, startTimer } from '../src/index.ts'
import { VirtualClock } from '../src/testing.ts'
import { startCron, startInterval } from '../src/timers.ts'

const START = Date.UTC(2026, 0, 31, 8)
const DAY = 86_400_000

test('a delay beyond the platform’s 24.8 days fires on time, and not before [F42]', async () => {
  const clock = new VirtualClock(START)
  let fired = 0
  startTimer(clock, 60 * DAY, () => fired++)
  await clock.advance(60 * DAY - 1)
  expect(fired).toBe(0)
  await clock.advance(1)
  expect([fired, clock.pending]).toEqual([1, 0])
})

test('a long delay can be cancelled between its chunks [F42]', async () => {
  const clock = new VirtualClock(START)
  let fired = 0
  const cancel = startTimer(clock, 60 * DAY, () => fired++)
  await clock.advance(40 * DAY)
  cancel()
  cancel()
  await clock.advance(60 * DAY)
  expect([fired, clock.pending]).toEqual([0, 0])
})

test('an interval keeps to its grid without drift, also with fractions of milliseconds', async () => {
  const clock = new VirtualClock(START + 0.3)
  const times: number[] = []
  const cancel = startInterval(clock, 100.1, () => times.push(clock.now() - START - 0.3))
  await clock.advance(1001)
  cancel.end()
  await clock.advance(1000)
  expect(times.map((time) => Math.round(time * 10) / 10)).toEqual(
    Array.from({ length: 10 }, (_, at) => Math.round((at + 1) * 1001) / 10),
  )
})

test('ticks that were missed are not made up', () => {
  let now = 0
  let due: (() => void) | undefined
  const clock = { now: () => now, setTimer: (_ms: number, run: () => void) => ((due = run), () => {}) }
  let ticks = 0
  startInterval(clock, 10, () => ticks++)
  now = 95
  due?.()
  now = 100
  due?.()
  expect(ticks).toBe(2)
})

test('an interval that is cancelled by its own tick ends', async () => {
  const clock = new VirtualClock(START)
  let ticks = 0
  const cancel = startInterval(clock, 10, () => {
    ticks++
    cancel.end()
  })
  await clock.advance(100)
  expect([ticks, clock.pending]).toEqual([1, 0])
})

test('a cron pattern fires at its times in the engine’s zone, over the change to summer time', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 28, 12))
  const times: string[] = []
  startCron({ clock, timeZone: 'Europe/Berlin' }, '30 7 * * *', () => times.push(new Date(clock.now()).toISOString()))
  await clock.advance(2 * DAY)
  expect(times).toEqual(['2026-03-29T05:30:00.000Z', '2026-03-30T05:30:00.000Z'])
})

test('a gate passes the first item at once, the latest at each window’s end, and never two within a window', async () => {
  const clock = new VirtualClock(0)
  const passed: [number, number][] = []
  const gate = new IntervalGate<number>(clock, 100, (item) => passed.push([clock.now(), item]))
  for (let item = 0; item < 25; item++) {
    gate.offer(item)
    await clock.advance(10)
  }
  await clock.advance(1000)
  expect(passed).toEqual([
    [0, 0],
    [100, 9],
    [200, 19],
    [300, 24],
  ])
  expect(clock.pending).toBe(0)
})

test('closing a gate passes what waits', () => {
  const clock = new VirtualClock(0)
  const passed: number[] = []
  const gate = new IntervalGate<number>(clock, 100, (item) => passed.push(item))
  gate.offer(1)
  gate.offer(2)
  gate.close()
  gate.close()
  expect([passed, clock.pending]).toEqual([[1, 2], 0])
})
