/**
 * Built-in nodes with real messages: chains, a fan-out, a large flow. The limit is a plain loop over arrays that does
 * what the engine promises of each hop: it queues the value, checks its dtype, has the same host keep it as the last one
 * and counts it.
 * What the project promises in absolute figures is scaled by how much slower than its reference machine this one is.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { type Host, LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { nodeTypes } from '@flow-service/node-types'
import { accepts, type FlowDocument, flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

const BURST = 100
/** Nanoseconds a hop of the limit on the reference machine. */
const REFERENCE_NS = 25

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

type NodeInput = NonNullable<Parameters<typeof flowDocumentInputSchema.parse>[0]>

const last = new Map<string, unknown>()
const seen = { records: 0, ids: 0 }
/** Keeps the last value of each message and counts, as the server does before it writes behind. */
const host: Host = {
  ...memoryHost(),
  newId: () => String(seen.ids++),
  isWatched: () => false,
  cascadeEnded() {},
  record: ({ message }, value) => {
    seen.records++
    last.set(message, value)
  },
}

const document = (nodes: unknown[]): FlowDocument =>
  normalizeDocument('bench', flowDocumentInputSchema.parse({ nodes } as NodeInput))

const change = (id: string, from: string, to: string) => ({
  id,
  type: 'change',
  ports: [
    { direction: 'input', name: from, port: 'in', dtype: 'float' },
    { direction: 'output', name: to, port: 'out', dtype: 'float' },
  ],
})

const chain = (length: number): FlowDocument =>
  document(Array.from({ length }, (_, at) => change(`n${at}`, `m${at}`, `m${at + 1}`)))

async function started(of: FlowDocument) {
  const runtime = new LiveRuntime(host, new NodeRegistry(nodeTypes))
  return { runtime, flow: await runtime.start(of) }
}

/** Messages through a queue of plain array slots that hold values of any kind: the least that a hop can cost. */
function limit(length: number): (messages: number) => void {
  const queue: number[] = []
  const values: unknown[] = []
  const sources = Array.from({ length }, (_, at) => ({
    message: `bench.m${at}`,
    flow: 'bench',
    node: `n${at}`,
    port: 'out',
  }))
  const counts = new Float64Array(length)
  return (messages) => {
    // without a value that is no number, V8 would keep bare numbers, as no queue of messages can
    values.push(null)
    queue.push(-1)
    for (let at = 0; at < messages; at++) {
      queue.push(0)
      values.push(at + 0.5)
    }
    for (let head = 1; head < queue.length; head++) {
      const node = queue[head]!
      const value = values[head]
      if (!accepts('float', value)) throw new TypeError('off dtype')
      host.record(sources[node]!, value, 0, '')
      counts[node]!++
      if (node + 1 < length) {
        queue.push(node + 1)
        values.push(value)
      }
    }
    queue.length = 0
    values.length = 0
  }
}

for (const length of [10, 100]) {
  test(`a chain of ${length} nodes carries at least a third of what the limit does`, async ({ bench }) => {
    const { runtime, flow } = await started(chain(length))
    const least = limit(length)
    const results = await bench.compare(
      bench('limit', () => least(BURST)),
      bench('engine', async () => {
        for (let at = 0; at < BURST; at++) runtime.publish('bench.m0', at + 0.5)
        await flow.idle()
      }),
      { time: 1500 },
    )
    await runtime.close()
    const perSecond = (name: 'limit' | 'engine'): number => (BURST * 1000) / results.get(name).latency.p50
    const [most, measured] = [perSecond('limit'), perSecond('engine')]
    const ns = 1e9 / (measured * length)
    console.log(
      `chain of ${length}: ${Math.round(measured)} messages/s (${ns.toFixed(0)} ns/hop), limit ${Math.round(most)}/s: ratio ${(measured / most).toFixed(2)}`,
    )
    expect(measured / most).toBeGreaterThan(1 / 3)
  })
}

test('a million messages through a chain leave the heap as it was', async () => {
  const { runtime, flow } = await started(chain(10))
  const carry = async (messages: number): Promise<void> => {
    for (let at = 0; at < messages; at++) {
      runtime.publish('bench.m0', at)
      if (at % 1000 === 0) await flow.idle()
    }
    await flow.idle()
  }
  await carry(50_000)
  collect()
  const before = process.memoryUsage().heapUsed
  await carry(1_000_000)
  collect()
  const grown = (process.memoryUsage().heapUsed - before) / 1e6
  await runtime.close()
  console.log(`heap after a million messages: ${grown.toFixed(1)} MB more`)
  expect(grown).toBeLessThan(5)
})

/** How much slower than the reference machine this one is, at least 1. */
function slowness(): number {
  const least = limit(100)
  for (let at = 0; at < 100; at++) least(BURST)
  const times = Array.from({ length: 40 }, () => {
    const startedMs = performance.now()
    least(BURST)
    return performance.now() - startedMs
  }).toSorted((a, b) => a - b)
  return Math.max(1, ((times[20] ?? 0) * 1e6) / (100 * BURST) / REFERENCE_NS)
}

test('one message reaches a thousand nodes in under 100 µs', async () => {
  const readers = Array.from({ length: 1000 }, (_, at) => change(`n${at}`, 'm0', `out${at}`))
  const { runtime, flow } = await started(document(readers))
  const times: number[] = []
  for (let at = 0; at < 400; at++) {
    const startedMs = performance.now()
    runtime.publish('bench.m0', at)
    await flow.idle()
    times.push(performance.now() - startedMs)
  }
  await runtime.close()
  const us = (times.toSorted((a, b) => a - b)[200] ?? 0) * 1000
  const scale = slowness()
  console.log(`fan-out to 1,000: ${us.toFixed(0)} µs (this machine is ${scale.toFixed(1)} times slower)`)
  expect(us / scale).toBeLessThan(100)
})

test('a flow of ten thousand nodes starts in under a second and takes under 3 kB a node', async () => {
  const large = chain(10_000)
  collect()
  const before = process.memoryUsage().heapUsed
  const startedMs = performance.now()
  const { runtime } = await started(large)
  const ms = performance.now() - startedMs
  collect()
  const bytes = (process.memoryUsage().heapUsed - before) / 10_000
  await runtime.close()
  const scale = slowness()
  console.log(
    `10,000 nodes: started in ${ms.toFixed(0)} ms, ${bytes.toFixed(0)} bytes a node (${scale.toFixed(1)} times slower)`,
  )
  expect(ms / scale).toBeLessThan(1000)
  expect(bytes).toBeLessThan(3000)
})
