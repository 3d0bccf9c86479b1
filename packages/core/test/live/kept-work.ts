/**
 * Work that outlives the engine: what a flow holds, its timers, and durable arrivals. A crash is a new host that starts
 * with what the old one had kept at that moment.
 */
import type { NodeContext } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'
import { onTestFinished } from 'vitest'

import { type KeptWork, LiveRuntime, NodeRegistry, type StartOptions } from '../../src/index.ts'
import { type MemoryHost, memoryHost } from '../../src/testing.ts'
import { flow, input, output, pass, type } from '../documents.ts'

type Definitions = ConstructorParameters<typeof NodeRegistry>[0]

export function engine(definitions: Definitions, kept: Iterable<KeptWork> = [], startMs?: number) {
  const host = memoryHost({ kept, ...(startMs === undefined ? {} : { startMs }) })
  const runtime = new LiveRuntime(host, new NodeRegistry([pass, ...definitions]))
  // one that has crashed has executions that nobody ends
  onTestFinished(() => void runtime.close())
  return { host, runtime, start: (document: FlowDocument, start?: StartOptions) => runtime.start(document, start) }
}

/** What the database would hold if the engine died now. */
export const atCrash = ({ work }: MemoryHost): KeptWork[] => structuredClone([...work.items.values()])

export const passing = (): FlowDocument => flow([{ id: 'a', type: 'end', ports: [input('x')] }])

/** Takes values in from outside, durably. */
export function durable() {
  const contexts: NodeContext[] = []
  const definition = type('source', (ctx) => {
    contexts.push(ctx)
    return {}
  })
  return { definition, accept: (values: Record<string, unknown>) => contexts.at(-1)!.emitDurably(values) }
}

export const arriving = (readers: readonly string[]): FlowDocument =>
  flow([
    { id: 's', type: 'source', ports: [output('x')] },
    ...readers.map((id) => ({ id, type: 'gated', ports: [input('x')] })),
  ])

/** Sends each value on after a second. */
export const later = type('later', (ctx) => ({
  onValue: (_port, value) => ctx.setTimer(`${String(value)}`, ctx.now() + 1000, value),
  onTimer: (_key, data) => ({ y: data }),
}))

export const delayed = (): FlowDocument =>
  flow([
    { id: 'l', type: 'later', ports: [input('x'), output('y')] },
    { id: 'a', type: 'end', ports: [input('y')] },
  ])
