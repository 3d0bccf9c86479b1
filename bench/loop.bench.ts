import { defineNode } from '@flow-service/connector-sdk'
import { type Host, LiveRuntime, NodeRegistry } from '@flow-service/core'
import { Cascade, Loop, memoryHost, type Receiver } from '@flow-service/core/testing'
import { accepts, type FlowDocument, flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
/**
 * The delivery loop against what bounds it: direct calls below, an Effect fiber and queue a node above. A message
 * goes through 100 nodes; messages come in bursts of 100. Only ratios of one run are judged.
 */
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import * as Queue from 'effect/Queue'
import { expect, test } from 'vitest'
import * as z from 'zod'

const NODES = 100
const BURST = 100
const HOPS = NODES * BURST

type Step = (value: unknown) => void

const messages = Array.from({ length: NODES + 1 }, (_, index) => `chain.m${index}`)

/** A chain of functions, each calling the next; `work` happens in each. */
function directChain(work: (index: number, value: unknown) => void): Step {
  let next: Step = () => {}
  for (let index = NODES - 1; index >= 0; index--) {
    const after = next
    next = (value) => {
      work(index, value)
      after(value)
    }
  }
  return next
}

/** The same chain over the bare loop. */
function loopChain(): (done: () => void) => void {
  const loop = new Loop<Receiver<string>, string>({ held: (_r, _w, _v, cause) => cause, overflow() {}, closed() {} })
  const origin = { kind: 'publish', node: null, message: null } as const
  const moment = { ms: 0, ids: { reserve: () => 0, make: String }, over() {} }
  const cause = new Cascade({ flow: 'bench', origin, run: null }, moment, 'bench')
  let left = 0
  let finished = (): void => {}
  let next: Receiver<string> = {
    receive: (_what, _value, why) => {
      why.leave()
      if (--left === 0) finished()
    },
  }
  for (let index = 0; index < NODES; index++) {
    const after = next
    next = {
      receive: (what, value, why) => {
        loop.deliver(after, what, value, why)
        why.leave()
      },
    }
  }
  return (done) => {
    left = BURST
    finished = done
    for (let index = 0; index < BURST; index++) loop.deliver(next, 'in', index, cause)
  }
}

const pass = defineNode({
  type: 'pass',
  title: 'Pass',
  description: 'Sends what it gets.',
  category: 'logic',
  settings: z.object({}),
  arrival: 'each',
  start: (ctx) => ({ onValue: (_port, value) => ctx.send('out', value) }),
})

/** A host that keeps the last value of each message, and counts; nobody watches. */
function keepingHost(): Host {
  const last = new Map<string, unknown>()
  const seen = { records: 0 }
  return {
    ...memoryHost(),
    cascadeEnded() {},
    isWatched: () => false,
    record: ({ message }, value) => {
      seen.records++
      last.set(message, value)
    },
  }
}

/** What the engine promises of each hop: a dtype check, the record of the last value, a counter. */
function workOf(host: Host): (index: number, value: unknown) => void {
  const sources = messages.map((message) => ({ message, flow: 'f', node: 'n', port: 'out' }))
  return (index, value) => {
    if (!accepts('float', value)) throw new TypeError('off dtype')
    host.record(sources[index]!, value, host.clock.now(), { id: 'c' })
  }
}

function chainDocument(): FlowDocument {
  const nodes = Array.from({ length: NODES }, (_, index) => ({
    id: `n${index}`,
    type: 'pass',
    ports: [
      { direction: 'input', name: `m${index}`, port: 'in', dtype: 'float' },
      { direction: 'output', name: `m${index + 1}`, port: 'out', dtype: 'float' },
    ],
  }))
  return normalizeDocument('chain', flowDocumentInputSchema.parse({ nodes }))
}

/** A fiber and a queue a node, doing the same work. */
async function effectChain(
  work: (index: number, value: unknown) => void,
): Promise<{ burst: () => Promise<void>; close: () => Promise<void> }> {
  const queues = await Effect.runPromise(Effect.all(Array.from({ length: NODES + 1 }, () => Queue.unbounded<number>())))
  const fibers = queues.slice(0, -1).map((queue, index) => {
    const next = queues[index + 1]!
    const hop = Effect.flatMap(Queue.take(queue), (value) => {
      work(index, value)
      return Queue.offer(next, value)
    })
    return Effect.runFork(Effect.forever(hop))
  })
  const [first] = queues
  const last = queues.at(-1)!
  const takeAll = Effect.forEach(Array.from({ length: BURST }), () => Queue.take(last), { discard: true })
  return {
    burst: () => {
      for (let index = 0; index < BURST; index++) Queue.offerUnsafe(first!, index)
      return Effect.runPromise(takeAll)
    },
    close: () => Effect.runPromise(Fiber.interruptAll(fibers)),
  }
}

const names = [
  'direct calls',
  'direct calls doing the engine’s work',
  'loop',
  'engine',
  'effect fiber and queue',
] as const

test('a hop stays within reach of a direct call, and far below a fiber', async ({ bench }) => {
  const bare = directChain(() => {})
  const working = directChain(workOf(keepingHost()))
  const ring = loopChain()
  const runtime = new LiveRuntime(keepingHost(), new NodeRegistry([pass]))
  const flow = await runtime.start(chainDocument())
  const effect = await effectChain(workOf(keepingHost()))
  const results = await bench.compare(
    bench('direct calls', () => {
      for (let index = 0; index < BURST; index++) bare(index)
    }),
    bench('direct calls doing the engine’s work', () => {
      for (let index = 0; index < BURST; index++) working(index)
    }),
    bench('loop', () => new Promise<void>(ring)),
    bench('engine', async () => {
      for (let index = 0; index < BURST; index++) runtime.publish('chain.m0', index)
      await flow.idle()
    }),
    bench('effect fiber and queue', () => effect.burst()),
    { time: 1000 },
  )
  await Promise.all([runtime.close(), effect.close()])
  const nsPerHop = (name: (typeof names)[number]): number => (results.get(name).latency.p50 * 1e6) / HOPS
  for (const name of names) console.log(`${nsPerHop(name).toFixed(1).padStart(8)} ns/hop  ${name}`)
  const [direct, work, loop, engine, fiber] = names.map(nsPerHop) as [number, number, number, number, number]
  expect(loop / direct).toBeLessThan(5)
  expect(engine / work).toBeLessThan(3)
  expect(fiber / engine).toBeGreaterThan(10)
})
