import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument, NodeRetry } from '@flow-service/protocol'
import { expect, test } from 'vitest'
import * as z from 'zod'

import {
  type BatchEvent,
  checkDocument,
  type CodeCall,
  CodeError,
  NodeRegistry,
  runBatch,
  type StageEnd,
} from '../../src/index.ts'
import { retryDelayMs as delayMs } from '../../src/retry-delay.ts'
import { memoryHost } from '../../src/testing.ts'
import { batch, input, output, pass, type } from '../documents.ts'

const code = type('code', (ctx) => ({ onInput: (values) => ctx.call(values), onTrigger: () => ctx.call({}) }), {
  arrival: 'combine',
  code: 'python',
  settings: z.looseObject({}),
})
const tries = { harmless: 0, harmful: 0 }
const harmless = type('harmless', () => ({
  onTrigger() {
    tries.harmless += 1
    throw new Error('no')
  },
}))
const harmful = type(
  'harmful',
  () => ({
    onTrigger() {
      tries.harmful += 1
      throw new Error('no')
    },
  }),
  { idempotent: false },
)
const registry = new NodeRegistry([pass, code, harmless, harmful])
const retry: NodeRetry = { attempts: 3, delay_s: 10, factor: 2, max_delay_s: 300 }
const stage = (id: string, more: object = {}) => ({
  id,
  type: 'code',
  source: 'x',
  ports: [output(id)],
  retry,
  ...more,
})

function run(document: FlowDocument, call: (call: CodeCall) => Promise<Values>, parallel = 4) {
  const events: BatchEvent[] = []
  const settled: StageEnd[] = []
  const host = memoryHost({ call })
  const abort = new AbortController()
  const outcome = runBatch(document, {
    host,
    registry,
    run: 'run-1',
    inputs: {},
    noCache: false,
    parallel,
    signal: abort.signal,
    cache: {
      take: async () => ({ is: 'miss', why: [] }),
      settle: async (_, end) => void settled.push(end),
    },
    observe: (event) => void events.push(event),
    lastValue: () => undefined,
  })
  const attempts = () => events.flatMap((event) => (event.kind === 'attempt' ? [event] : []))
  return { outcome, events, settled, host, abort, attempts }
}

/** Fails so many times, then answers. */
function failing(times: number, calls: CodeCall[] = []): (call: CodeCall) => Promise<Values> {
  return async (call) => {
    calls.push(call)
    if (calls.length <= times) throw new CodeError('ValueError', `try ${calls.length}`, null)
    return { [call.node.id]: calls.length }
  }
}

test('a failing node is executed again after growing pauses, and only its success is cached', async () => {
  const calls: CodeCall[] = []
  const { outcome, attempts, settled, host, events } = run(
    batch([stage('a')], { outputs: [{ name: 'a' }] }),
    failing(2, calls),
  )
  const startMs = host.clock.now()
  await host.clock.advance(7_499)
  expect(calls).toHaveLength(1)
  await host.clock.advance(2_501)
  expect(calls).toHaveLength(2)
  await host.clock.advance(20_000)
  expect(await outcome).toEqual({ status: 'ok', result: { a: 3 }, error: null })
  expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  // The same numbers each time: an attempt is no other stage.
  expect(new Set(calls.map(({ seed }) => seed)).size).toBe(1)
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  expect(attempts().map(({ attempt, error }) => [attempt, error?.message ?? null])).toEqual([
    [1, 'try 1'],
    [2, 'try 2'],
    [3, null],
  ])
  const [first, second, third] = attempts().map(({ startMs: at }) => at - startMs)
  expect(first).toBe(0)
  expect(second).toBeGreaterThan(7_500)
  expect(second).toBeLessThanOrEqual(10_000)
  expect(third! - second!).toBeGreaterThan(15_000)
  expect(third! - second!).toBeLessThanOrEqual(20_000)
  expect(settled).toEqual([{ is: 'ok', outputs: { a: 3 } }])
  const logs = events.flatMap((event) => (event.kind === 'log' ? [event.text] : []))
  expect(logs).toEqual(['attempt 1 of 3 failed: ValueError: try 1\n', 'attempt 2 of 3 failed: ValueError: try 2\n'])
})

test('an attempt begins with its code, after the wait for a worker', async () => {
  const { outcome, attempts, host } = run(batch([stage('a')]), async ({ onPlace }) => {
    onPlace({ waitingFor: 'process' })
    await host.clock.advance(5_000)
    onPlace({ worker: 'engine' })
    await host.clock.advance(1_500)
    return {}
  })
  await outcome
  expect(attempts().map(({ startMs, atMs }) => atMs - startMs)).toEqual([1_500])
})

test('the error of the last attempt is the error of the node', async () => {
  const nodes = [stage('a'), { id: 'b', type: 'pass', ports: [input('a'), output('z')] }]
  const { outcome, attempts, settled, host, events } = run(batch(nodes), failing(9))
  await host.clock.advance(60_000)
  expect(await outcome).toEqual({
    status: 'error',
    result: null,
    error: { node: 'a', type: 'ValueError', message: 'try 3' },
  })
  expect(attempts()).toHaveLength(3)
  expect(settled).toEqual([{ is: 'failed' }])
  expect(events.at(-1)).toMatchObject({ node: 'b', status: 'skipped' })
})

test('a cancel ends the pause at once and leaves no timer', async () => {
  const calls: CodeCall[] = []
  const { outcome, attempts, abort, host } = run(batch([stage('a')]), failing(9, calls))
  await host.clock.advance(1)
  expect(host.clock.pending).toBe(1)
  abort.abort()
  expect(await outcome).toEqual({ status: 'cancelled', result: null, error: null })
  expect(host.clock.pending).toBe(0)
  expect(attempts()).toHaveLength(1)
  await host.clock.advance(60_000)
  expect(calls).toHaveLength(1)
})

test('a cancelled execution is not tried again', async () => {
  const calls: CodeCall[] = []
  const { outcome, attempts, abort, host } = run(
    batch([stage('a')]),
    (call) =>
      new Promise((_, reject) => {
        calls.push(call)
        call.signal.addEventListener('abort', () => reject(new CodeError('cancelled', 'cancelled', null)))
      }),
  )
  await host.clock.advance(1)
  abort.abort()
  expect(await outcome).toMatchObject({ status: 'cancelled' })
  await host.clock.advance(60_000)
  expect(calls).toHaveLength(1)
  expect(attempts()).toEqual([])
})

test('others use the slot of a node that pauses', async () => {
  const order: string[] = []
  const once = failing(1)
  const { outcome, host } = run(
    batch([stage('a'), stage('b', { retry: null })]),
    async (call) => {
      order.push(call.node.id)
      return call.node.id === 'a' ? once(call) : {}
    },
    1,
  )
  await host.clock.advance(10_000)
  expect(await outcome).toMatchObject({ status: 'ok' })
  expect(order).toEqual(['a', 'b', 'a'])
})

test('what may do harm is executed once, and the check says so', async () => {
  const document = batch([
    { id: 'a', type: 'harmless', retry },
    { id: 'b', type: 'harmful', retry },
  ])
  const { outcome, host } = run(document, failing(0))
  await host.clock.advance(60_000)
  await outcome
  expect(tries).toEqual({ harmless: 3, harmful: 1 })
  const found = (checked: FlowDocument) =>
    checkDocument(checked, registry).map(({ severity, code: issue, path }) => `${severity} ${issue} ${path}`)
  expect(found(document)).toEqual(['warning retry_ignored /nodes/1/retry'])
  expect(found({ ...document, mode: 'live' })).toEqual(['warning retry_ignored /nodes/1/retry'])
})

test('a pause is never longer than its limit, at least three quarters of its length, and differs by run', () => {
  const many = Array.from({ length: 200 }, (_, at) => delayMs({ ...retry, max_delay_s: 30 }, 5, `run-${at}/a`))
  expect(Math.max(...many)).toBeLessThanOrEqual(30_000)
  expect(Math.min(...many)).toBeGreaterThan(22_500)
  expect(new Set(many).size).toBeGreaterThan(190)
  expect(delayMs(retry, 1, 'run-1/a')).toBe(delayMs(retry, 1, 'run-1/a'))
  expect(delayMs({ ...retry, delay_s: 0 }, 3, 'x')).toBe(0)
})
