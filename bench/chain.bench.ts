/**
 * Built-in nodes with real messages: chains in which many thousands wait at once, a fan-out, a large flow. The limit is a
 * ring and typed records that do what the engine promises of each hop: a value is queued with its cause, both dtypes are
 * checked, the last value is kept with its time and cause, and executions are counted. It shares nothing with the engine.
 * What the project promises in absolute figures is scaled by how much slower than its reference machine this one is.
 */
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { type Host, LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { nodeTypes } from '@flow-service/node-types'
import { type FlowDocument, flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

/** Messages that wait at once. */
const WAITING = 20_000
/** Messages of a burst that tells the speed of the machine. */
const BURST = 100
/** Nanoseconds a hop of the limit on the reference machine. */
const REFERENCE_NS = 25

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

type NodeInput = NonNullable<Parameters<typeof flowDocumentInputSchema.parse>[0]>

/** What the host keeps of a message. */
class Last {
  value: unknown = null
}

/** Keeps the last value of each message, found as the server does before it writes behind. */
const host: Host = {
  ...memoryHost(),
  isWatched: () => false,
  cascadeEnded() {},
  record: (source, value) => {
    const { memo } = source
    if (memo instanceof Last) memo.value = value
    else source.memo = Object.assign(new Last(), { value })
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

/** A node of the limit, with the record of its message and its counter. */
interface Step {
  readonly dtype: string
  readonly next: Step | null
  executions: number
  latest: unknown
  lastMs: number
  lastCause: Consequences | null
}

/** What came of one message. */
interface Consequences {
  open: number
  executions: number
}

function isOf(dtype: string, value: unknown): boolean {
  switch (dtype) {
    case 'float':
      return typeof value === 'number' && Number.isFinite(value)
    case 'str':
      return typeof value === 'string'
    default:
      return value !== undefined
  }
}

/** Messages through a ring of plain slots: the least that a hop can cost. */
function limit(length: number): (messages: number) => void {
  let first: Step | null = null
  for (let at = 0; at < length; at++) {
    first = { dtype: 'float', next: first, executions: 0, latest: null, lastMs: 0, lastCause: null }
  }
  const size = 2 ** Math.ceil(Math.log2(WAITING + 1))
  const steps = new Array<Step | null>(size).fill(null)
  const values = new Array<unknown>(size).fill(null)
  const causes = new Array<Consequences | null>(size).fill(null)
  let [head, tail] = [0, 0]
  const push = (step: Step, value: unknown, cause: Consequences): void => {
    const at = tail++ & (size - 1)
    steps[at] = step
    values[at] = value
    causes[at] = cause
    cause.open++
  }
  const pass = (step: Step, value: unknown, cause: Consequences, nowMs: number): void => {
    if (!isOf(step.dtype, value)) throw new TypeError('off dtype')
    step.executions++
    cause.executions++
    if (!isOf(step.dtype, value)) throw new TypeError('off dtype')
    step.latest = value
    step.lastMs = nowMs
    step.lastCause = cause
    if (step.next !== null) push(step.next, value, cause)
    cause.open--
  }
  return (messages) => {
    const nowMs = performance.now()
    for (let at = 0; at < messages; at++) push(first!, at + 0.5, { open: 0, executions: 0 })
    while (head !== tail) {
      const at = head++ & (size - 1)
      const [step, value, cause] = [steps[at]!, values[at], causes[at]!]
      steps[at] = null
      values[at] = null
      causes[at] = null
      pass(step, value, cause, nowMs)
    }
    head = tail = 0
  }
}

/** Nanoseconds of processor time a message: the best of many rounds, as a shared machine only ever takes time away. */
async function best(rounds: number, ways: readonly (() => unknown)[]): Promise<number[]> {
  const least = ways.map(() => Infinity)
  for (let round = 0; round < rounds; round++) {
    for (const [at, way] of ways.entries()) {
      const before = process.cpuUsage()
      // oxlint-disable-next-line no-await-in-loop -- in turns, so that a change of the machine's speed hits all of them
      await way()
      const { user, system } = process.cpuUsage(before)
      least[at] = Math.min(least[at]!, ((user + system) * 1000) / WAITING)
    }
  }
  return least
}

for (const { length, rounds, share } of [
  { length: 1, rounds: 300, share: 0.14 },
  { length: 10, rounds: 100, share: 0.26 },
  { length: 100, rounds: 20, share: 0.24 },
]) {
  test(`a chain of ${length} nodes carries messages, of which 20,000 wait at once, at its share of the limit`, async () => {
    const { runtime, flow } = await started(chain(length))
    const least = limit(length)
    const [most = 0, measured = 0] = await best(rounds, [
      () => least(WAITING),
      () => {
        for (let at = 0; at < WAITING; at++) runtime.publish('bench.m0', at + 0.5)
        return flow.idle()
      },
    ])
    await runtime.close()
    const ratio = most / measured
    console.log(
      `chain of ${length}: ${measured.toFixed(0)} ns/message (${(measured / length).toFixed(0)} ns/hop), limit ${(most / length).toFixed(0)} ns/hop: ratio ${ratio.toFixed(3)}`,
    )
    expect(ratio).toBeGreaterThan(share)
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

test('one message reaches a thousand nodes in under 100 µs, and after a pause as fast as its share of the limit', async () => {
  const readers = Array.from({ length: 1000 }, (_, at) => change(`n${at}`, 'm0', `out${at}`))
  const { runtime, flow } = await started(document(readers))
  const timed = async (way: () => unknown): Promise<number> => {
    const startedMs = performance.now()
    await way()
    return (performance.now() - startedMs) * 1000
  }
  const publish = (): Promise<void> => {
    runtime.publish('bench.m0', 0.5)
    return flow.idle()
  }
  const repeated: number[] = []
  // oxlint-disable-next-line no-await-in-loop
  for (let at = 0; at < 400; at++) repeated.push(await timed(publish))
  const [paused, other]: [number[], number[]] = [[], []]
  const pass = limit(1000)
  for (let at = 0; at < 200; at++) pass(1)
  for (let at = 0; at < 60; at++) {
    for (const [way, times] of [
      [publish, paused],
      [() => pass(1), other],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(15)
      // oxlint-disable-next-line no-await-in-loop
      times.push(await timed(way))
    }
  }
  await runtime.close()
  const at = (times: readonly number[], share: number): number =>
    times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
  const us = at(repeated, 0.1)
  const ratio = at(other, 0.1) / at(paused, 0.1)
  const scale = slowness()
  console.log(
    `fan-out to 1,000: ${us.toFixed(0)} µs (this machine is ${scale.toFixed(1)} times slower); after a pause ${at(paused, 0.1).toFixed(0)} µs, limit ${at(other, 0.1).toFixed(0)}: ratio ${ratio.toFixed(2)}`,
  )
  expect(us / scale).toBeLessThan(100)
  expect(ratio).toBeGreaterThan(1 / 30)
})

test('20,000 messages to a thousand nodes wait in little memory, and keep their publisher from nothing', async () => {
  const readers = Array.from({ length: 1000 }, (_, at) => change(`n${at}`, 'm0', `out${at}`))
  const { runtime, flow } = await started(document(readers))
  collect()
  const before = process.memoryUsage().heapUsed
  const startedMs = performance.now()
  for (let at = 0; at < WAITING; at++) runtime.publish('bench.m0', at + 0.5)
  const publishedMs = performance.now() - startedMs
  collect()
  const bytes = (process.memoryUsage().heapUsed - before) / WAITING
  await flow.idle()
  const allMs = performance.now() - startedMs
  await runtime.close()
  console.log(
    `20,000 messages to 1,000 nodes: published in ${publishedMs.toFixed(0)} ms, delivered in ${allMs.toFixed(0)} ms ` +
      `(${((allMs * 1e6) / (1000 * WAITING)).toFixed(0)} ns a delivery); ${bytes.toFixed(0)} bytes a message that waits`,
  )
  expect(publishedMs / allMs).toBeLessThan(0.05)
  expect(bytes).toBeLessThan(1000)
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
