/** A run or a sweep that is watched, when not everything is told. */
import type { Client, Run } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { expect, test, vi } from 'vitest'

import { cancelAll } from '../src/commands/sweep.ts'
import { watchRun } from '../src/run-progress.ts'

test('a run whose end is not told, as its flow got another name, is shown as it ended', async () => {
  vi.useFakeTimers()
  let status = 'running'
  const get = async () =>
    ({
      id: 'r',
      flow: 'fit',
      status,
      nodes: [],
      metrics: [],
      result: { y: 1 },
      error: null,
      duration_s: 1,
    }) as unknown as Run
  const client = {
    async *events({ signal }: { signal: AbortSignal }) {
      yield { type: 'snapshot' } as EventFrame
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    http: { runs: { submit: get } },
    runs: { get },
  } as unknown as Client
  const printed: string[] = []
  const watched = watchRun(client, { name: 'fit' } as never, { print: (text) => printed.push(text) })
  await vi.advanceTimersByTimeAsync(6000)
  expect(printed).toEqual(['run r of fit'])
  status = 'ok'
  await vi.advanceTimersByTimeAsync(5000)
  expect((await watched).status).toBe('ok')
  expect(printed.at(-1)).toContain('y = 1')
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('what is left of a sweep is cancelled 16 at a time, and what refuses is told', async () => {
  let asked = 0
  let most = 0
  const cancelled: string[] = []
  const cancel = async (id: string) => {
    most = Math.max(most, ++asked)
    await Promise.resolve()
    asked--
    if (id === 'r7') throw new Error('no luck')
    cancelled.push(id)
  }
  const printed: string[] = []
  const ids = Array.from({ length: 100 }, (_, at) => `r${at}`)
  await cancelAll({ runs: { cancel } } as unknown as Client, ids, (line) => printed.push(line))
  expect([most, cancelled.length, printed]).toEqual([16, 99, ['  r7: no luck']])
})
