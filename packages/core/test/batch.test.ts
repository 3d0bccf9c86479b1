import { defineNode, type Values } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'
import { MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'
import { expect, test } from 'vitest'
import * as z from 'zod'

import {
  type BatchContext,
  type BatchEvent,
  type CodeCall,
  NodeRegistry,
  runBatch,
  type StageCache,
  stageKey,
} from '../src/index.ts'
import { memoryHost } from '../src/testing.ts'
import { batch, input, output, pass, recorder, type } from './documents.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Code nodes are executed by `call`. */
const code = type('code', (ctx) => ({ onInput: (values) => ctx.call(values) }), {
  arrival: 'combine',
  code: 'python',
  settings: z.looseObject({}),
})
const drop = type('drop', () => ({ onValue: () => undefined }))
const broken = type('broken', () => ({
  onValue: () => {
    throw new RangeError('lr is too high')
  },
}))

type Call = (call: CodeCall) => Promise<Values>
type Options = Partial<BatchContext> & { call?: Call; types?: ConstructorParameters<typeof NodeRegistry>[0] }

interface MemoryCache extends StageCache {
  readonly stored: Map<string, Values>
}

function memoryCache(): MemoryCache {
  const stored = new Map<string, Values>()
  return {
    stored,
    async take({ key }, { fresh }) {
      const outputs = fresh ? undefined : stored.get(key)
      return outputs ? { is: 'hit', outputs, run: 'first', why: [] } : { is: 'miss', why: ['first run'] }
    },
    async settle({ key }, end) {
      if (end.is === 'ok') stored.set(key, end.outputs)
    },
  }
}

function run(document: FlowDocument, { call, types = [], ...more }: Options = {}) {
  const events: BatchEvent[] = []
  const host = memoryHost(call === undefined ? {} : { call })
  const context: BatchContext = {
    host,
    registry: new NodeRegistry([pass, code, drop, broken, ...types]),
    run: 'run-1',
    inputs: {},
    noCache: false,
    parallel: 4,
    signal: new AbortController().signal,
    cache: memoryCache(),
    observe: (event) => void events.push(event),
    lastValue: () => undefined,
    ...more,
  }
  const outcome = runBatch(document, context)
  const statuses = () => events.flatMap((event) => (event.kind === 'node' ? [`${event.node} ${event.status}`] : []))
  return { outcome, events, host, statuses }
}

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

const stage = batch(
  [
    {
      id: 'a',
      type: 'code',
      source: 'def run(x): ...',
      ports: [input('x'), output('y'), output('curve', { stream: true })],
    },
  ],
  { inputs: [{ name: 'x' }], outputs: [{ name: 'y' }] },
)

test('a cache hit marks the node, restores its outputs and replays no emission [R095] [R104] [R419]', async () => {
  let executions = 0
  const cache = memoryCache()
  const call: Call = async ({ onEmit }) => {
    executions++
    onEmit({ curve: 1 }, 0)
    return { y: 5 }
  }
  await run(stage, { inputs: { x: 1 }, cache, call }).outcome
  const second = run(stage, { inputs: { x: 1 }, cache, call })
  expect(await second.outcome).toMatchObject({ status: 'ok', result: { y: 5 } })
  expect(executions).toBe(1)
  expect(second.events).toMatchObject([
    {
      kind: 'node',
      node: 'a',
      status: 'ok',
      cachedFrom: 'first',
      outputs: { y: 5, curve: 1 },
      key: expect.stringMatching(/^sha256:/),
    },
  ])
})

test('other inputs miss, no_cache executes and still stores, and cache: false does neither [R484] [R059]', async () => {
  let executions = 0
  const call: Call = async () => ({ y: ++executions })
  const cache = memoryCache()
  const again = (document: FlowDocument, more: Options) =>
    run(document, { inputs: { x: 1 }, cache, call, ...more }).outcome
  await again(stage, {})
  await again(stage, { inputs: { x: 2 } })
  expect(executions).toBe(2)
  await again(stage, { noCache: true })
  expect(executions).toBe(3)
  expect(await again(stage, {})).toMatchObject({ result: { y: 3 } })
  const [node] = stage.nodes
  await again({ ...stage, nodes: [{ ...node!, cache: false }] }, {})
  expect(executions).toBe(4)
  expect(cache.stored.size).toBe(2)
})

test('outputs over 262,144 bytes, failures and nodes without code are not cached', async () => {
  const cache = memoryCache()
  await run(stage, { inputs: { x: 1 }, cache, call: async () => ({ y: 'ä'.repeat(MAX_STORED_VALUE_BYTES / 2) }) })
    .outcome
  await run(stage, { inputs: { x: 2 }, cache, call: () => Promise.reject(new Error('no')) }).outcome
  await run(batch([{ id: 'a', type: 'pass', ports: [input('x')] }], { inputs: [{ name: 'x' }] }), {
    inputs: { x: 1 },
    cache,
  }).outcome
  expect(cache.stored.size).toBe(0)
})

test('what the cache had for a node comes with its events: a hit, or why it executes', async () => {
  const cache = memoryCache()
  const caches = async (document: FlowDocument, more: Options = {}) => {
    const { outcome, events } = run(document, { inputs: { x: 1 }, cache, call: async () => ({ y: 1 }), ...more })
    await outcome
    return events.flatMap((event) => (event.kind === 'node' && event.cache ? [[event.status, event.cache]] : []))
  }
  const key = expect.stringMatching(/^sha256:/) as string
  expect(await caches(stage)).toEqual([['running', { hit: false, key, why: ['first run'] }]])
  expect(await caches(stage)).toEqual([['ok', { hit: true, key, why: [] }]])
  const off = { ...stage, nodes: stage.nodes.map((node) => ({ ...node, cache: false })) }
  expect(await caches(off)).toEqual([['running', { hit: false, key: null, why: ['cache: false'] }]])
  expect(await caches(batch([{ id: 'a', type: 'pass', ports: [] }]))).toEqual([])
})

test('a node that waits for the same stage of another run leaves its place to others, and then takes what there is', async () => {
  const over = Promise.withResolvers<void>()
  const plain = memoryCache()
  let attached = 0
  const cache: StageCache = {
    ...plain,
    async take(asked, options) {
      const take = await plain.take(asked, options)
      if (take.is === 'hit' || asked.node !== 'a') return take
      attached++
      return { is: 'attached', run: 'other', over: over.promise }
    },
  }
  const [first] = stage.nodes
  const second = { ...first!, id: 'b', ports: [input('x'), output('z')] }
  const document = batch([first!, second], { inputs: [{ name: 'x' }], outputs: [{ name: 'y' }, { name: 'z' }] })
  const keys: string[] = []
  const executed: string[] = []
  const { outcome, events } = run(document, {
    inputs: { x: 1 },
    parallel: 1,
    cache,
    observe: (event) => void (event.kind === 'node' && keys.push(`${event.node} ${event.status}`)),
    async call({ node }) {
      executed.push(node.id)
      return { z: 2 }
    },
  })
  await expect.poll(() => keys).toEqual(['a pending', 'b running', 'b ok'])
  plain.stored.set(stageKey(first!, code, { x: 1 }), { y: 1 })
  over.resolve()
  expect(await outcome).toMatchObject({ status: 'ok', result: { y: 1, z: 2 } })
  expect([attached, executed, events]).toEqual([1, ['b'], []])
})

test('a run that is cancelled while a node of it waits for another run ends at once', async () => {
  const abort = new AbortController()
  const cache: StageCache = {
    take: async () => ({ is: 'attached', run: 'other', over: new Promise(() => {}) }),
    settle: () => Promise.reject(new Error('it executes nothing')),
  }
  const { outcome, statuses } = run(stage, { inputs: { x: 1 }, cache, signal: abort.signal })
  await turn()
  abort.abort()
  expect(await outcome).toMatchObject({ status: 'cancelled' })
  expect(statuses()).toEqual(['a pending', 'a cancelled'])
})

test('a cache that fails costs no result, and the node’s log tells', async () => {
  const cache = { take: () => Promise.reject(new Error('down')), settle: () => Promise.reject(new Error('down')) }
  const { outcome, events } = run(stage, { inputs: { x: 1 }, cache, call: async () => ({ y: 5 }) })
  expect(await outcome).toMatchObject({ status: 'ok', result: { y: 5 } })
  expect(events.filter(({ kind }) => kind === 'log')).toHaveLength(2)
})

test('the generator of numbers is fed by a wired seed, else by the stage key, which equal stages share', async () => {
  const seeds: string[] = []
  const call: Call = async ({ seed }) => (seeds.push(seed), {})
  const seeded = batch([{ id: 'a', type: 'code', source: 's', cache: false, ports: [input('seed')] }], {
    inputs: [{ name: 'seed' }],
  })
  await run(seeded, { inputs: { seed: 42 }, call }).outcome
  const plain = (x: number) =>
    run({ ...stage, nodes: stage.nodes.map((node) => ({ ...node, cache: false })) }, { inputs: { x }, call }).outcome
  for (const x of [1, 1, 2]) await plain(x)
  expect(seeds[0]).toBe('42')
  expect(seeds[1]).toBe(seeds[2])
  expect(seeds[1]).not.toBe(seeds[3])
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
