/** Stages of runs: what the cache spares, what it stores, and what a node waits for. */
import { type FlowDocument, MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'
import { assert, expect, test } from 'vitest'

import { openValues, type StageCache, stageKey, StoredValue } from '../../src/index.ts'
import { batch, input, output, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { type Call, code, memoryCache, type Options, run, stage } from './batch-run.ts'

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
  // the value itself has as many as may be kept
  await run(stage, { inputs: { x: 1 }, cache, call: async () => ({ y: 'ä'.repeat(MAX_STORED_VALUE_BYTES / 2 - 1) }) })
    .outcome
  await run(stage, { inputs: { x: 2 }, cache, call: () => Promise.reject(new Error('no')) }).outcome
  await run(batch([{ id: 'a', type: 'pass', ports: [input('x')] }], { inputs: [{ name: 'x' }] }), {
    inputs: { x: 1 },
    cache,
  }).outcome
  expect(cache.stored.size).toBe(0)
})

test('a value over 262,144 bytes is stored, and what is left is cached; code and types without code get the value', async () => {
  const cache = memoryCache()
  const text = 'ä'.repeat(MAX_STORED_VALUE_BYTES / 2)
  const given: unknown[] = []
  const call: Call = async ({ node, inputs }) => {
    if (node.id === 'a') return { y: text }
    given.push(inputs['y'])
    return { z: 1 }
  }
  const [a] = stage.nodes
  const see = type('see', () => ({ onValue: (_, value) => void given.push(value) }))
  const b = { id: 'b', type: 'code', source: 'def run(y): ...', ports: [input('y'), output('z')] }
  const more = [b, { id: 'c', type: 'see', ports: [input('y')] }]
  const document = batch([a!, ...more], { inputs: [{ name: 'x' }], outputs: [{ name: 'y' }] })
  const first = run(document, { inputs: { x: 1 }, cache, call, types: [see] })
  const { result } = await first.outcome
  const stored = result?.['y']
  assert(stored instanceof StoredValue)
  expect(stored.ref).toMatchObject({ media_type: 'application/vnd.flow-service.value+json', size: 2 + 262_144 })
  expect(first.events).toContainEqual({ kind: 'artifact', node: 'a', ref: stored.ref })
  expect(given).toEqual([stored, text])
  expect(await openValues({ y: given[0] }, (digest) => first.host.artifacts.load(digest))).toEqual({ y: text })
  expect([...cache.stored.values()]).toEqual([{ y: stored }, { z: 1 }])
  expect(JSON.parse(JSON.stringify(result))).toEqual({ y: stored.ref })
})

test('a stored value and the reference of its bytes are different inputs; dtypes hold for both', async () => {
  const ref = { digest: `sha256:${'0'.repeat(64)}`, name: '', media_type: 'a/b', size: 1, volatile: false }
  const [a] = stage.nodes
  const [byValue, byRef] = [new StoredValue(ref, 'object'), ref].map((x) => stageKey(a!, code, { x }))
  expect(byValue).not.toBe(byRef)
  const typed = { ...stage, nodes: [{ ...a!, ports: a!.ports.map((port) => ({ ...port, dtype: 'array' as const })) }] }
  const call: Call = async () => ({ y: new StoredValue(ref, 'object') })
  expect(await run(typed, { inputs: { x: [] }, call }).outcome).toMatchObject({
    status: 'error',
    error: { message: expect.stringContaining('output "y" is array, which') },
  })
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
  await expect.poll(() => keys).toEqual(['b queued', 'a pending', 'b running', 'b ok'])
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
