/** Flows of two engines that read each other: what goes along with kept work, and what an engine that has lost a flow leaves. */
import type { FlowDocument } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { type FarFlowHost, type FarWork, type KeptWork, LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { type MemoryHost, memoryHost } from '../../src/testing.ts'
import { flow, input, output } from '../documents.ts'
import { turn } from '../turn.ts'
import { atCrash, durable } from './kept-work.ts'
import { gated } from './live-engine.ts'

const porch = flow([{ id: 'in', type: 'source', ports: [output('x')] }], { name: 'porch' })
const hall = flow([{ id: 'a', type: 'gated', ports: [input('v:porch.x')] }], { name: 'hall' })

interface Built {
  readonly kept?: Iterable<KeptWork>
  readonly idempotent?: boolean
  /** Whether what is kept for a lost flow may be kept all the same. */
  readonly unsure?: boolean
}

/** An engine with a durable source and a gated node; `lost` has the flows that another one has taken. */
function engine({ kept = [], idempotent = true, unsure = false }: Built = {}) {
  const host = memoryHost({ kept })
  const lost = new Set<string>()
  const work: MemoryHost['work'] = {
    ...host.work,
    has: (name) => !lost.has(name),
    async keep(one) {
      if (lost.has(one.flow)) throw Object.assign(new Error('it has gone to another engine'), { mayBeKept: unsure })
      await host.work.keep(one)
    },
    // as a database does it that has not stored what has taken the part along
    end(id, reader, taker) {
      if (taker === undefined || !lost.has(taker)) host.work.end(id, reader)
    },
  }
  const source = durable()
  const { running, definition } = gated({ idempotent })
  const runtime = new LiveRuntime({ ...host, work }, new NodeRegistry([source.definition, definition]))
  onTestFinished(() => void runtime.close())
  const start = (document: FlowDocument) => runtime.start(document)
  return { host, lost, running, runtime, source, start }
}

/** A reader of `porch.x` elsewhere, for the flow `hall`; `take` is what its engine does with kept work. */
function farHall(runtime: LiveRuntime, take: (work: FarWork) => Promise<void>): FarWork[] {
  const passed: FarWork[] = []
  const host: FarFlowHost = {
    flow: 'hall',
    tell() {},
    async keep(work) {
      passed.push(work)
      await take(work)
    },
  }
  runtime.farReader(host).read(['porch.x'])
  return passed
}

test('kept work stays until the other engine keeps it, and who only shows it keeps nothing back (far-reader.F2)', async () => {
  const { host, runtime, source, start } = engine()
  await start(porch)
  const taken = Promise.withResolvers<void>()
  const passed = farHall(runtime, () => taken.promise)
  const shown: unknown[] = []
  runtime.farReader({ engine: 'other', tell: (values) => void shown.push(values) }).read(['porch.x'])
  await source.accept({ x: 1 })
  await turn()
  const values = [{ message: 'porch.x', value: 1 }]
  expect(passed).toEqual([{ values, executions: 0, begun: [], ended: [] }])
  expect(shown).toEqual([{ values, executions: 0 }])
  expect(atCrash(host)).toMatchObject([{ flow: 'porch', ended: [] }])
  taken.resolve()
  await turn()
  expect(atCrash(host)).toEqual([])
})

test('a node that had begun and may not repeat is not asked again when its flow goes on at another engine than what it reads (far-reader.F2)', async () => {
  const first = engine({ idempotent: false })
  await first.start(porch)
  await first.start(hall)
  await first.source.accept({ x: 1 })
  await turn()
  expect(first.running).toHaveLength(1)
  const publisher = engine({ kept: atCrash(first.host) })
  const reader = engine({ idempotent: false })
  await reader.start(hall)
  farHall(publisher.runtime, async ({ begun, ended, ...values }) => {
    reader.runtime.deliverFar('hall', values, { begun, ended })
  })
  await publisher.start(porch)
  await turn()
  expect(reader.running).toEqual([])
  expect(reader.host.deadLetters).toMatchObject([{ flow: 'hall', node: 'a', value: 1, reason: 'crash' }])
  expect([...atCrash(publisher.host), ...atCrash(reader.host)]).toEqual([])
})

test('a node that was done is not asked again either, and one that may repeat is', async () => {
  const reader = engine()
  await reader.start(hall)
  const values = { values: [{ message: 'porch.x', value: 1 }], executions: 0 }
  reader.runtime.deliverFar('hall', values, { begun: [], ended: ['hall/a'] })
  await turn()
  expect(reader.running).toEqual([])
  reader.runtime.deliverFar('hall', values, { begun: ['hall/a'], ended: [] })
  await turn()
  expect(reader.running.map(({ value }) => value)).toEqual([1])
})

test('messages reach a flow from the end of its start to the end of its stop, which is told before another one is published', async () => {
  const { running, runtime, source, start } = engine()
  await start(porch)
  const told: (readonly [flow: string, reads: boolean])[] = []
  const stop = runtime.onReads((flow) => {
    told.push([flow, runtime.reads(flow)])
    if (!runtime.reads(flow)) farHall(runtime, async () => {})
  })
  await start(hall)
  await source.accept({ x: 1 })
  await turn()
  running[0]?.end()
  await runtime.get('hall')?.stop()
  expect(told).toEqual([
    ['hall', true],
    ['hall', false],
  ])
  stop()
  await start(hall)
  expect(told).toHaveLength(2)
})

test.for([false, true])(
  'what a flow had of the work of another one goes to the engine that has taken it, once it has ended here, as what it may have done where it may have it: %s',
  async (unsure) => {
    const { host, lost, running, runtime, source, start } = engine({ unsure })
    await start(porch)
    await start(hall)
    await source.accept({ x: 1 })
    await turn()
    expect(running).toHaveLength(1)
    const passed: FarWork[][] = []
    const taken = Promise.withResolvers<void>()
    runtime.onReads(() => passed.push(farHall(runtime, () => taken.promise)))
    lost.add('hall')
    const stopped = runtime.get('hall')?.stop({ keep: true, graceMs: 0 })
    await host.advance(0)
    await stopped
    await turn()
    const begun = unsure ? ['hall/a'] : []
    expect(passed).toEqual([[{ values: [{ message: 'porch.x', value: 1 }], executions: 1, begun, ended: [] }]])
    expect(atCrash(host)).toMatchObject([{ flow: 'porch', ended: [] }])
    taken.resolve()
    await turn()
    expect(atCrash(host)).toEqual([])
  },
)

test('what had begun there and may not repeat is a dead letter, and what nobody passes on is left', async () => {
  const once = engine({ idempotent: false })
  for (const { host, lost, runtime, source, start } of [once, engine()]) {
    await start(porch)
    await start(hall)
    await source.accept({ x: 1 })
    await turn()
    lost.add('hall')
    const stopped = runtime.get('hall')?.stop({ keep: true, graceMs: 0 })
    await host.advance(0)
    await stopped
    await turn()
    const begun = host === once.host
    expect(host.deadLetters).toMatchObject(begun ? [{ flow: 'hall', node: 'a', value: 1, reason: 'crash' }] : [])
    expect(atCrash(host)).toMatchObject(begun ? [] : [{ flow: 'porch', ended: [] }])
  }
})
