import type { CodeError } from '@flow-service/core'
import { expect, test } from 'vitest'

import { callsInMemory } from '../../src/workers/kept-calls.ts'
import { codeCall } from './code-call.ts'
import { outcome, settled, setup } from './puppet-pool.ts'

/** A worker that cannot come back, in an engine whose runs outlive it. */
function noting() {
  const asked: string[] = []
  const noted = Promise.withResolvers<void>()
  const beginHere = (call: string): Promise<void> => (asked.push(call), noted.promise)
  const { attach, dispatcher } = setup({ resumeS: 60, kept: { ...callsInMemory, beginHere } })
  const worker = attach({ name: 'w', parallel: 1 })
  const call = codeCall({ node: { worker: 'w', worker_policy: 'require' } })
  const done = outcome(dispatcher.call(call))
  return { asked, noted, worker, call, done }
}

test('a worker that cannot come back to a call gets it when that is noted', async () => {
  const { asked, noted, worker, call, done } = noting()
  await settled()
  expect(asked).toEqual([call.id])
  expect(worker.calls()).toEqual([])
  noted.resolve()
  await settled()
  expect(worker.calls()).toEqual([call.id])
  void worker.send({ type: 'result', call: call.id, outputs: { y: 1 } })
  expect(await done).toEqual({ y: 1 })
})

test('it does not get one that may not begin, or was cancelled before', async () => {
  const refused = noting()
  await settled()
  refused.noted.reject(new Error('another engine has the run'))
  expect(await refused.done).toMatchObject({ type: 'not_kept', message: 'another engine has the run' })

  const cancelled = noting()
  await settled()
  cancelled.call.record.cancel()
  expect(((await cancelled.done) as CodeError).type).toBe('cancelled')
  cancelled.noted.resolve()
  await settled()
  expect([...refused.worker.calls(), ...cancelled.worker.calls()]).toEqual([])
})
