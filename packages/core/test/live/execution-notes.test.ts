/**
 * When an execution that must not be repeated is noted.
 */
import { expect, test, vi } from 'vitest'

import type { Work } from '../../src/live/cascade.ts'
import { type Begun, ExecutionNotes, QUICK_MS } from '../../src/live/execution-notes.ts'
import { VirtualClock } from '../../src/testing.ts'
import { flow, input } from '../documents.ts'
import { atCrash, engine } from './kept-work.ts'
import { gated } from './live-engine.ts'

test('after a quick execution of a node that must not repeat itself the next is noted once it is none, or when the flow stops and leaves it', async () => {
  const once = gated({ idempotent: false })
  const { host, runtime, start } = engine([once.definition])
  const document = flow([{ id: 'a', type: 'gated', ports: [input('x')] }])
  const live = await start(document)
  const keep = vi.spyOn(host.work, 'keep')
  const execute = async (value: number, forMs: number): Promise<void> => {
    runtime.publish('f.x', value)
    await host.advance(forMs)
  }
  const end = async (): Promise<void> => {
    once.running.at(-1)?.end()
    await live.idle()
  }
  for (const value of [0, 1, 2]) {
    // oxlint-disable no-await-in-loop -- one after the other, all in all longer than a quick one
    await execute(value, QUICK_MS - 1)
    await end()
    // oxlint-enable no-await-in-loop
  }
  expect(keep).toHaveBeenCalledTimes(1)
  await execute(3, QUICK_MS)
  expect(atCrash(host)).toMatchObject([{ node: 'a', body: { is: 'execution', arrivals: [['x', 3]] } }])
  await end()
  expect(atCrash(host)).toEqual([])
  // no longer quick
  await execute(4, 0)
  expect(atCrash(host)).toMatchObject([{ body: { is: 'execution', arrivals: [['x', 4]] } }])
  await end()
  await execute(5, 0)
  expect(atCrash(host)).toEqual([])
  const stopped = live.stop({ keep: true })
  expect(atCrash(host)).toMatchObject([{ body: { is: 'execution', arrivals: [['x', 5]] } }])
  await host.advance(10_000)
  await stopped
  await (await start(document)).idle()
  expect(host.deadLetters).toMatchObject([{ node: 'a', message: 'f.x', value: 5, reason: 'crash' }])
})

test('a clock that is set back while a node executes does not put its note off [F38]', async () => {
  const clock = new VirtualClock(0)
  let setMs = 0
  const setTimer = clock.setTimer.bind(clock)
  const keep = vi.fn<(begun: Begun) => Work>(() => ({ leave() {} }) as Work)
  const notes = new ExecutionNotes({ now: () => clock.now() + setMs, setTimer }, keep)
  const begun = { node: {}, arrivals: [], cascade: {} } as unknown as Begun
  notes.begin(begun)()
  const end = notes.begin(begun)
  setMs = -3_600_000
  await clock.advance(QUICK_MS)
  expect(keep).toHaveBeenCalledTimes(2)
  end()
})
