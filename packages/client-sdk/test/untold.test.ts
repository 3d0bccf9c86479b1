/** Followers of runs whose ends they are not told of: the flow got another name, or the news were lost. */
import type { EventFrame } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { ApiError } from '../src/api-error.ts'
import { pointsOf } from '../src/curve.ts'
import { endedByReturn } from '../src/ended-by-return.ts'
import type { EventOptions } from '../src/event-stream.ts'
import type { Run } from '../src/index.ts'
import { RunWaiting } from '../src/run-waiting.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const snapshot = { type: 'snapshot' } as EventFrame

/** An event stream that says what the test pushes, until its signal aborts. */
function socket() {
  const opened: string[] = []
  let wake = (): void => {}
  const frames: EventFrame[] = []
  const push = (frame: EventFrame): void => {
    frames.push(frame)
    wake()
  }
  async function* said(signal: AbortSignal): AsyncGenerator<EventFrame, void, undefined> {
    signal.addEventListener('abort', () => wake())
    yield snapshot
    while (!signal.aborted) {
      const frame = frames.shift()
      if (frame) yield frame
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const events = ({ flows, signal }: EventOptions) => {
    opened.push(flows?.join(',') ?? '')
    return endedByReturn(signal, said)
  }
  return { opened, push, events }
}

const runOf = (id: string, run: Partial<Run>): Run => ({ id, flow: 'fit', status: 'running', ...run }) as Run

test('a run is found finished after its flow got another name, under which the others are followed', async () => {
  const { opened, push, events } = socket()
  const runs = new Map(['a', 'b'].map((id) => [id, runOf(id, {})]))
  const waiting = new RunWaiting({ get: async (id) => runs.get(id)!, events })
  const [a, b] = [waiting.wait('a', 'fit'), waiting.wait('b', 'fit')]
  await vi.advanceTimersByTimeAsync(10_000)
  runs.set('a', runOf('a', { flow: 'fitted', status: 'ok' }))
  runs.set('b', runOf('b', { flow: 'fitted' }))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await a).toMatchObject({ status: 'ok' })
  expect(opened).toEqual(['fit', 'fitted'])
  const ended = runOf('b', { flow: 'fitted', status: 'error' })
  runs.set('b', ended)
  push({ type: 'run', run: ended } as unknown as EventFrame)
  await vi.advanceTimersByTimeAsync(0)
  expect(await b).toMatchObject({ status: 'error' })
  expect(vi.getTimerCount()).toBe(0)
})

test('an engine that is away is waited for, and a run that was deleted meanwhile is missed', async () => {
  const { events } = socket()
  let answer = (): Run => runOf('a', {})
  const waiting = new RunWaiting({ get: async () => answer(), events })
  const outcome = waiting.wait('a', 'fit').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(1)
  answer = () => {
    throw new TypeError('fetch failed')
  }
  await vi.advanceTimersByTimeAsync(30_000)
  const gone = { type: '', title: '', status: 404, detail: 'there is no run "a"', code: 'not_found' }
  answer = () => {
    throw new ApiError(404, gone as never)
  }
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await outcome).toMatchObject({ status: 404 })
})

test('a curve gives the last points of a burst soon, whatever other messages do, and ends untold', async () => {
  const { push, events } = socket()
  const point = (step: number) => ({ step, ts: '', value: step })
  let run = runOf('a', {})
  let points = [point(0)]
  const source = {
    run: async () => run,
    stored: async () => [{ name: 'fit.loss', node: 'fit', port: 'loss', count: points.length, points }] as never,
    events,
  }
  const seen: number[] = []
  const curve = pointsOf(source, { id: 'a', name: 'loss', flow: 'fit', stride: 1 }, new AbortController().signal)
  const over = (async () => {
    for await (const { step } of curve) seen.push(step)
  })()
  await vi.advanceTimersByTimeAsync(400)
  expect(seen).toEqual([0])
  points = [point(0), point(1)]
  push({ type: 'value', run: 'a', message: 'fit.loss' } as EventFrame)
  await vi.advanceTimersByTimeAsync(100)
  expect(seen).toEqual([0, 1])
  points = [point(0), point(1), point(2)]
  push({ type: 'value', run: 'a', message: 'fit.time' } as EventFrame)
  await vi.advanceTimersByTimeAsync(600)
  expect(seen).toEqual([0, 1])
  run = runOf('a', { status: 'ok' })
  await vi.advanceTimersByTimeAsync(10_000)
  await over
  expect(seen).toEqual([0, 1, 2])
  expect(vi.getTimerCount()).toBe(0)
})

test('no more than 16 runs are asked for at once', async () => {
  const { events } = socket()
  let asked = 0
  let most = 0
  const get = async (id: string): Promise<Run> => {
    most = Math.max(most, ++asked)
    await Promise.resolve()
    asked--
    return runOf(id, { status: 'ok' })
  }
  const waiting = new RunWaiting({ get, events })
  await Promise.all(Array.from({ length: 100 }, (_, at) => waiting.get(`r${at}`)))
  expect(most).toBe(16)
})
