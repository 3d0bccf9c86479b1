/** One run of a batch flow over a host and a stage cache in memory. */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'
import * as z from 'zod'

import {
  type BatchContext,
  type BatchEvent,
  type CodeCall,
  NodeRegistry,
  runBatch,
  type StageCache,
} from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { batch, input, output, pass, type } from '../documents.ts'

/** Code nodes are executed by `call`. */
export const code = type('code', (ctx) => ({ onInput: (values) => ctx.call(values) }), {
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

export type Call = (call: CodeCall) => Promise<Values>
export type Options = Partial<BatchContext> & { call?: Call; types?: ConstructorParameters<typeof NodeRegistry>[0] }

interface MemoryCache extends StageCache {
  readonly stored: Map<string, Values>
}

export function memoryCache(): MemoryCache {
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

export function run(document: FlowDocument, { call, types = [], ...more }: Options = {}) {
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

/** One code node, which a run caches. */
export const stage = batch(
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
