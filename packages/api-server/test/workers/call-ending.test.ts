/** How long a call that was given up keeps its place on its worker. */
import { expect, test } from 'vitest'

import { codeCall } from './code-call.ts'
import { inFlight, outcome, settled } from './puppet-pool.ts'

/** A call that is given up and has taken the one place, another that waits for it, and a worker that goes on. */
async function givenUp() {
  const around = inFlight()
  const { worker, call, done, dispatcher, clock, pool } = around
  const next = codeCall({})
  void outcome(dispatcher.call(next))
  await settled()
  call.record.cancel()
  await done
  const alive = async (seconds: number, calls: readonly string[]): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += 10) {
      void worker.send({ type: 'heartbeat', calls: [...calls] })
      // oxlint-disable-next-line no-await-in-loop -- one sign of life after the other
      await clock.advance(10_000)
    }
  }
  const shown = () =>
    pool
      .list()[0]
      ?.view()
      .calls.map(({ call: id, status }) => [id, status])
  return { ...around, next, alive, shown }
}

test('a call that was given up and that its worker does not name any more has ended: its place is free', async () => {
  const { worker, call, next, alive, shown } = await givenUp()
  await alive(20, [call.id])
  await alive(10, [])
  expect(shown()).toEqual([[call.id, 'ending']])
  await alive(10, [])
  expect(worker.calls()).toEqual([call.id, next.id])
  expect(shown()).toEqual([[next.id, 'running']])
})

test('a worker that goes on with a call that was given up keeps nobody waiting: the call is lost, and shown', async () => {
  const { worker, call, next, alive, shown, news, pool } = await givenUp()
  await alive(50, [call.id])
  expect([worker.calls(), shown()]).toEqual([[call.id], [[call.id, 'ending']]])
  await alive(10, [call.id])
  expect(worker.calls()).toEqual([call.id, next.id])
  expect(shown()).toEqual([
    [call.id, 'lost'],
    [next.id, 'running'],
  ])
  await alive(100, [call.id, next.id])
  const lost = { worker: 'w', flow: 'fit', node: 'train', run: null }
  expect(news).toEqual([{ kind: 'worker', level: 'warning', action: 'worker.lost_call', detail: lost }])
  // its end frees no second place
  void worker.send({ type: 'error', call: call.id, error: { type: 'cancelled', message: '', traceback: null } })
  expect([shown(), pool.list()[0]?.load]).toEqual([[[next.id, 'running']], 1])
})

test('a worker that says nothing keeps the place of a call that was given up', async () => {
  const { worker, call, clock, shown } = await givenUp()
  await clock.advance(3_600_000)
  expect([worker.calls(), shown()]).toEqual([[call.id], [[call.id, 'ending']]])
})
