import type { CodeError } from '@flow-service/core'
import { expect, test } from 'vitest'

import { type CallBook, RunCalls } from '../../src/workers/run-calls.ts'
import { codeCall } from './code-call.ts'

const book: CallBook = {
  begin: async () => {},
  applied() {},
  ended() {},
  givenBack() {},
  safe: () => undefined,
}

/** A call that its worker may have, of a run that goes on. */
function going() {
  const calls = new RunCalls()
  const call = codeCall({})
  calls.foundBy(async () => new Set([call.id]))
  calls.enter(call.id, book, { seq: 3, onWaiting() {} })
  const wait = () =>
    calls
      .goesOn(call, () => ({ cpus: 0, gpus: 0, ramMb: 0 }))
      ?.then(
        () => 'over',
        (error: unknown) => (error as CodeError).type,
      )
  return { calls, call, wait, adopt: () => calls.adopt('s', 'j', [{ call: call.id, seq: 5 }]) }
}

test('a call waits for its worker, which has it from then on', async () => {
  const { call, wait, adopt } = going()
  void wait()
  expect((await adopt()).resumed).toMatchObject([{ call: call.id, seq: 3 }])
})

test('a call of which nobody keeps a book any more does not wait for ever [run-calls.R2]', async () => {
  const { calls, call, wait, adopt } = going()
  const waiting = wait()
  calls.leave(call.id)
  expect(await waiting).toBe('worker_lost')
  expect((await adopt()).dropped).toEqual([call.id])
})

test('a call that was given up before it came to wait is lost, and not begun once more [run-calls.R1]', async () => {
  const { calls, call, wait, adopt } = going()
  calls.lost(call.id)
  expect((await adopt()).dropped).toEqual([call.id])
  expect(await wait()).toBe('worker_lost')
})

test('a call that is cancelled while it waits is dropped by its worker [run-calls.R2]', async () => {
  const { call, wait, adopt } = going()
  const waiting = wait()
  call.record.cancel()
  expect(await waiting).toBe('cancelled')
  expect((await adopt()).dropped).toEqual([call.id])
})
