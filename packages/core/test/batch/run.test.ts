import { defineNode, type Values } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { batch, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { run, stage } from './batch-run.ts'

test('nodes run after what they depend on, and the result has the outputs by their keys [R007] [R096] [R005] [R041]', async () => {
  const nodes = [
    { id: 'b', type: 'pass', ports: [input('y'), output('z')] },
    { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
  ]
  const document = batch(nodes, { inputs: [{ name: 'x' }], outputs: [{ name: 'z', port: 'answer' }, { name: 'x' }] })
  const { outcome, statuses } = run(document, { inputs: { x: 7 } })
  expect(await outcome).toEqual({ status: 'ok', result: { answer: 7, x: 7 }, error: null })
  expect(statuses()).toEqual(['a running', 'a ok', 'b running', 'b ok'])
})

test('ready nodes run at the same time, up to the limit', async () => {
  const ends: (() => void)[] = []
  const slow = type('slow', () => ({ onTrigger: () => new Promise((resolve) => ends.push(() => resolve(undefined))) }))
  const nodes = ['a', 'b', 'c'].map((id) => ({ id, type: 'slow' }))
  const { outcome } = run(batch(nodes), { types: [slow], parallel: 2 })
  await turn()
  expect(ends).toHaveLength(2)
  ends[0]?.()
  await turn()
  expect(ends).toHaveLength(3)
  for (const end of ends) end()
  expect(await outcome).toMatchObject({ status: 'ok' })
})

test('a node that waits for a slot of its run is queued for a process, one that will be skipped waits for nothing', async () => {
  const ends: (() => void)[] = []
  const slow = type('slow', () => ({ onTrigger: () => new Promise((resolve) => ends.push(() => resolve(undefined))) }))
  const nodes = [
    { id: 'bad', type: 'broken', ports: [input('x'), output('y')] },
    { id: 'first', type: 'slow' },
    { id: 'second', type: 'slow' },
    { id: 'behind', type: 'pass', ports: [input('y')] },
  ]
  const document = batch(nodes, { inputs: [{ name: 'x' }] })
  const { outcome, events } = run(document, { inputs: { x: 1 }, types: [slow], parallel: 1 })
  const told = () =>
    events
      .splice(0)
      .flatMap((event) =>
        event.kind === 'node' ? [`${event.node} ${event.status}${event.waitingFor ? ` ${event.waitingFor}` : ''}`] : [],
      )
  await turn()
  expect(told()).toEqual(['bad running', 'first queued process', 'second queued process', 'bad error', 'first running'])
  ends[0]?.()
  await turn()
  expect(told()).toEqual(['first ok', 'second running'])
  ends[1]?.()
  await outcome
  expect(told()).toEqual(['second ok', 'behind skipped'])
})

test('a passive input is a dependency too', async () => {
  const order: string[] = []
  const end = type(
    'end',
    ({ node }) => ({ onInput: (values) => void order.push(`${node} ${JSON.stringify(values)}`) }),
    {
      arrival: 'combine',
    },
  )
  const nodes = [
    { id: 'b', type: 'end', ports: [input('x'), input('y', { trigger: false })] },
    { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
  ]
  const { outcome } = run(batch(nodes, { inputs: [{ name: 'x' }] }), { inputs: { x: 1 }, types: [end] })
  await outcome
  expect(order).toEqual(['b {"x":1,"y":1}'])
})

test('no value on a triggering input skips the node and all that hangs on it; a passive reader gets null', async () => {
  const { calls, definition } = recorder('end', 'combine')
  const nodes = [
    { id: 'a', type: 'drop', ports: [input('x'), output('y')] },
    { id: 'b', type: 'end', ports: [input('y'), output('z')] },
    { id: 'c', type: 'end', ports: [input('z')] },
    { id: 'd', type: 'end', ports: [input('x'), input('y', { trigger: false })] },
  ]
  const document = batch(nodes, { inputs: [{ name: 'x' }], outputs: [{ name: 'z' }] })
  const { outcome, statuses } = run(document, { inputs: { x: 1 }, types: [definition] })
  expect(await outcome).toEqual({ status: 'ok', result: { z: null }, error: null })
  expect(
    statuses()
      .filter((line) => !line.endsWith('running'))
      .toSorted(),
  ).toEqual(['a ok', 'b skipped', 'c skipped', 'd ok'])
  expect(calls).toEqual([['d', { x: 1, y: null }]])
})

test('a failing node skips its dependants, passive ones too, and lets independent branches finish [R094]', async () => {
  const nodes = [
    { id: 'bad', type: 'broken', ports: [input('x'), output('y')] },
    { id: 'after', type: 'pass', ports: [input('y'), output('z')] },
    { id: 'passive', type: 'pass', ports: [input('x'), input('z', { trigger: false })] },
    { id: 'good', type: 'pass', ports: [input('x'), output('w')] },
    { id: 'better', type: 'pass', ports: [input('w')] },
  ]
  const { outcome, statuses, events } = run(batch(nodes, { inputs: [{ name: 'x' }] }), { inputs: { x: 1 } })
  expect(await outcome).toEqual({
    status: 'error',
    result: null,
    error: { node: 'bad', type: 'RangeError', message: 'lr is too high' },
  })
  expect(
    statuses()
      .filter((line) => !line.endsWith('running'))
      .toSorted(),
  ).toEqual(['after skipped', 'bad error', 'better ok', 'good ok', 'passive skipped'])
  const failure = events.find((event) => event.kind === 'node' && event.status === 'error')
  expect(failure).toMatchObject({ error: { traceback: expect.stringContaining('RangeError') } })
})

test('emissions come in order with their times, and the final return of a streaming port is the last one [R074]', async () => {
  const document = batch(
    [
      {
        id: 'train',
        type: 'code',
        source: 's',
        ports: [output('loss', { dtype: 'float', stream: true }), output('model')],
      },
      { id: 'reader', type: 'pass', ports: [input('loss'), output('last')] },
    ],
    { outputs: [{ name: 'last' }, { name: 'model' }] },
  )
  const { outcome, events } = run(document, {
    call: async ({ onEmit }) => {
      onEmit({ loss: 3 }, 1000)
      onEmit({ loss: Number.NaN }, 2000)
      return { loss: 1, model: 'm' }
    },
  })
  expect(await outcome).toMatchObject({ result: { last: 1, model: 'm' } })
  const emitted = events.flatMap((event) => (event.kind === 'emit' ? [[event.message, event.value, event.atMs]] : []))
  expect(emitted).toEqual([
    ['f.loss', 3, 1000],
    ['f.loss', 'NaN', 2000],
    ['f.loss', 1, Date.UTC(2026, 0, 1)],
  ])
})

test('a reader of a streaming port runs once, after its producer has ended, with the last value', async () => {
  const { calls, definition } = recorder('end', 'combine')
  const document = batch([
    { id: 'a', type: 'code', source: 's', ports: [output('loss', { stream: true })] },
    { id: 'b', type: 'end', ports: [input('loss')] },
  ])
  const { outcome } = run(document, {
    types: [definition],
    call: async ({ onEmit }) => {
      for (const loss of [3, 2, 1]) onEmit({ loss }, 0)
      await turn()
      expect(calls).toEqual([])
      return {}
    },
  })
  expect(await outcome).toMatchObject({ status: 'ok' })
  expect(calls).toEqual([['b', { loss: 1 }]])
})

test('an emission on a port that does not stream fails the call, and says what to do', async () => {
  const document = batch([{ id: 'a', type: 'code', source: 's', ports: [output('y')] }])
  const { outcome } = run(document, { call: async ({ onEmit }) => (onEmit({ y: 1 }, 0), {}) })
  expect(await outcome).toMatchObject({
    status: 'error',
    error: { message: 'output "y" does not stream; return its value, or set "stream" on the port' },
  })
})

test('an output off its dtype, or for no port, is the node’s error', async () => {
  const at = (outputs: Values) =>
    run(batch([{ id: 'a', type: 'code', source: 's', ports: [output('y', { dtype: 'int' })] }]), {
      call: async () => outputs,
    }).outcome
  expect(await at({ y: 'no' })).toMatchObject({ error: { node: 'a', type: 'DtypeViolation' } })
  expect(await at({ z: 1 })).toMatchObject({ error: { message: 'there is no output port "z"; the node has "y"' } })
})

test('an output of more levels than a reader can write as JSON is the node’s error', async () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  const at = (y: unknown) =>
    run(batch([{ id: 'a', type: 'code', source: 's', ports: [output('y')] }]), { call: async () => ({ y }) }).outcome
  expect(await at(nested(1000))).toMatchObject({ status: 'ok' })
  const message = 'output "y" has more than 1000 levels: hand it over as an artifact'
  for (const levels of [1001, 100_000]) {
    expect(await at([{ deep: nested(levels) }])).toMatchObject({
      error: { node: 'a', type: 'DtypeViolation', message },
    })
  }
})

test('a cancelled run ends at once: what executes is told by its signal, the rest never begins', async () => {
  const controller = new AbortController()
  let told: unknown
  const document = batch([
    { id: 'a', type: 'code', source: 's', ports: [output('y')] },
    { id: 'b', type: 'pass', ports: [input('y')] },
  ])
  const { outcome, statuses } = run(document, {
    signal: controller.signal,
    call: ({ signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => (told = signal.aborted))
      }),
  })
  await turn()
  controller.abort()
  expect(await outcome).toEqual({ status: 'cancelled', result: null, error: null })
  expect(told).toBe(true)
  expect(statuses()).toEqual(['a running', 'a cancelled', 'b cancelled'])
})

test('what a node gives after its run was cancelled is not heard', async () => {
  const controller = new AbortController()
  const late = Promise.withResolvers<Values>()
  const document = batch([{ id: 'a', type: 'code', source: 's', ports: [output('loss', { stream: true })] }])
  const { outcome, events } = run(document, { signal: controller.signal, call: () => late.promise })
  await turn()
  controller.abort()
  await outcome
  late.resolve({ loss: 1 })
  await turn()
  expect(events.filter(({ kind }) => kind === 'emit')).toEqual([])
})

test('each node is stopped after its execution, also a failing one', async () => {
  const stopped: string[] = []
  const witness = type('witness', ({ node }) => ({
    onTrigger: () => {
      if (node === 'bad') throw new Error('no')
    },
    stop: () => void stopped.push(node),
  }))
  const { outcome } = run(
    batch([
      { id: 'good', type: 'witness' },
      { id: 'bad', type: 'witness' },
    ]),
    { types: [witness] },
  )
  await outcome
  expect(stopped.toSorted()).toEqual(['bad', 'good'])
})

test('a message of another flow is read once, at the start', async () => {
  const reads: string[] = []
  const { calls, definition } = recorder('end', 'combine')
  const nodes = [
    { id: 'a', type: 'end', ports: [input('t:climate.temp')] },
    { id: 'b', type: 'end', ports: [input('t:climate.temp'), input('u:climate.gone', { trigger: false })] },
  ]
  const { outcome } = run(batch(nodes), {
    types: [definition],
    lastValue: (message) => {
      reads.push(message)
      return message === 'climate.temp' ? 21 : undefined
    },
  })
  await outcome
  expect(reads.filter((message) => message === 'climate.temp')).toHaveLength(1)
  expect(calls).toEqual([
    ['a', { t: 21 }],
    ['b', { t: 21, u: null }],
  ])
})

test('a node waits for a worker as queued, and runs on it by name', async () => {
  const { outcome, events } = run(stage, {
    inputs: { x: 1 },
    call: async ({ onPlace, onLog }) => {
      onPlace({ waitingFor: 'gpu' })
      onPlace({ worker: 'w1' })
      onLog('stderr', 'warming up')
      return {}
    },
  })
  await outcome
  expect(events.slice(1, 4)).toMatchObject([
    { status: 'queued', waitingFor: 'gpu' },
    { status: 'running', worker: 'w1' },
    { kind: 'log', stream: 'stderr', text: 'warming up' },
  ])
})

test('a delay of a node passes on the host’s clock', async () => {
  const wait = defineNode({
    type: 'wait',
    title: 'Wait',
    description: '',
    category: 'logic',
    settings: z.object({ seconds: z.number() }),
    arrival: 'each',
    start: (ctx) => ({
      onValue: (_port, value) => new Promise((resolve) => ctx.after(ctx.settings.seconds, () => resolve({ y: value }))),
    }),
  })
  const node = { id: 'a', type: 'wait', settings: { seconds: 60 }, ports: [input('x'), output('y')] }
  const { outcome, host } = run(batch([node], { inputs: [{ name: 'x' }], outputs: [{ name: 'y' }] }), {
    inputs: { x: 1 },
    types: [wait],
  })
  await host.advance(60_000)
  expect(await outcome).toMatchObject({ result: { y: 1 } })
})

test('runs of one document at the same time have values and settings of their own [batch.B12]', async () => {
  const ends: (() => void)[] = []
  const adds = defineNode({
    type: 'adds',
    title: 'Adds',
    description: '',
    category: 'logic',
    settings: z.object({ so_far: z.array(z.any()), by: z.any() }),
    arrival: 'each',
    start: ({ settings }) => ({
      onValue: async (_port, value) => {
        await new Promise<void>((resolve) => ends.push(resolve))
        settings.so_far.push(value)
        settings.by.times += 1
        return { y: [...settings.so_far, settings.by.times] }
      },
    }),
  })
  const settings = { so_far: [], by: { times: 0 } }
  const node = { id: 'a', type: 'adds', settings, ports: [input('x'), output('y')] }
  const after = { id: 'b', type: 'pass', ports: [input('y'), output('z')] }
  const document = batch([node, after], { inputs: [{ name: 'x' }], outputs: [{ name: 'z' }] })
  const runs = [1, 2, 3].map((x) => run(document, { inputs: { x }, types: [adds] }))
  await turn()
  for (const end of ends.toReversed()) end()
  const outcomes = await Promise.all(runs.map(({ outcome }) => outcome))
  expect(outcomes.map(({ result }) => result)).toEqual([1, 2, 3].map((x) => ({ z: [x, 1] })))
})
