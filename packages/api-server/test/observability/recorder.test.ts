import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { Recorder } from '../../src/observability/recorder.ts'
import type { CascadeRow, MinuteRow, ObservabilityStore } from '../../src/observability/store.ts'

/** A recorder on a database that can be out of order. */
function recording() {
  const clock = new VirtualClock(60_000)
  const state = { isBroken: false, warnings: 0 }
  const cascades: CascadeRow[] = []
  const minutes: MinuteRow[] = []
  const store = {
    addCascades: async (_tx: unknown, rows: readonly CascadeRow[]) => void cascades.push(...rows),
    addMinutes: async (_tx: unknown, rows: readonly MinuteRow[]) => void minutes.push(...rows),
  } as unknown as ObservabilityStore
  const transaction = async (work: (tx: never) => Promise<unknown>) => {
    if (state.isBroken) throw new Error('out of order')
    return work(undefined as never)
  }
  const recorder = new Recorder({
    database: { transaction: transaction as Database['transaction'] },
    store,
    clock,
    log: { warn: () => void (state.warnings += 1) },
  })
  let executions = 0
  recorder.open(() => {
    const stats = { flow: 'f', executions, errors: 0, durationsMs: Array.from({ length: executions }, () => 1) }
    executions = 0
    return stats.executions === 0 ? [] : [stats]
  })
  const happen = (): void => {
    executions += 1
    const cascade = {
      id: crypto.randomUUID(),
      flow: 'f',
      origin: { kind: 'trigger', node: 'n', message: null },
      run: null,
      status: 'ok',
      executions: 1,
      startedMs: clock.now(),
      error: null,
    } as const
    recorder.cascades.ended({ ...cascade, record: (endedMs) => ({ ...cascade, endedMs }) }, clock.now())
  }
  return { clock, state, cascades, minutes, recorder, happen }
}

test('what happens is written within seconds, without anybody asking', async () => {
  const { clock, cascades, minutes, happen } = recording()
  happen()
  await clock.advance(5_000)
  expect([cascades.length, minutes.length]).toEqual([1, 1])
  expect(minutes[0]).toMatchObject({ flow: 'f', executions: 1, timed: 1, duration_ms: 1 })
  happen()
  happen()
  await clock.advance(5_000)
  expect(cascades).toHaveLength(3)
  expect(minutes[1]).toMatchObject({ executions: 2 })
})

test('what cannot be written is kept, told once, and written when the database works again', async () => {
  const { clock, state, cascades, minutes, recorder, happen } = recording()
  state.isBroken = true
  happen()
  await expect(recorder.flush()).rejects.toThrow('out of order')
  for (let tick = 0; tick < 5; tick++) {
    happen()
    await clock.advance(5_000)
  }
  expect([cascades.length, state.warnings]).toEqual([0, 1])
  state.isBroken = false
  expect(await recorder.flush()).toEqual({ minutes: expect.any(Number), cascades: 6 })
  expect(cascades).toHaveLength(6)
  expect(minutes.reduce((sum, { executions }) => sum + executions, 0)).toBe(6)
  expect(recorder.executions.totals.get('f')?.executions).toBe(6)
})

test('the end writes the rest, and leaves no timer', async () => {
  const { clock, cascades, recorder, happen } = recording()
  happen()
  await recorder.close()
  await clock.advance(60_000)
  expect([cascades.length, clock.pending]).toEqual([1, 0])
})
