import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  type FlowDocument,
  type FlowDocumentInput,
  flowDocumentInputSchema,
  normalizeDocument,
} from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { children, python as interpreter } from '../../../worker-agent/test/harness.ts'
import { Spares } from '../../src/flows/spares.ts'
import { startLive } from './live-service.ts'

type Nodes = NonNullable<FlowDocumentInput['nodes']>
const flow = (nodes: Nodes, more: FlowDocumentInput = {}): FlowDocument =>
  normalizeDocument('flow', flowDocumentInputSchema.parse({ ...more, nodes }))

/** Spares over flows that are published one after the other. */
function setup(first: readonly FlowDocument[] = []) {
  const flows = new Map(first.map((document, at) => [`${at}`, document]))
  const asked: string[][] = []
  const ready: (() => void)[] = []
  let tell: (name: string) => void = () => {}
  const spares = new Spares({
    agent: {
      prepare: (kinds) => {
        asked.push([...kinds].toSorted())
        return new Promise((resolve) => ready.push(resolve))
      },
    },
    published: {
      all: () => [...flows.values()],
      get: (name) => flows.get(name),
      onChange: (listener) => {
        tell = listener
        return () => (tell = () => {})
      },
    },
  })
  const publish = (name: string, document: FlowDocument): void => {
    flows.set(name, document)
    tell(name)
  }
  return { spares, asked, ready, publish, remove: (name: string) => (flows.delete(name), tell(name)) }
}

const python: Nodes[number] = { id: 'a', type: 'python', source: 'def run(): pass' }
const change: Nodes[number] = { id: 'b', type: 'change' }

test('an engine whose flows execute no code asks for none', async () => {
  const { spares, asked, publish, remove } = setup([flow([change])])
  spares.open()
  publish('more', flow([change, { id: 'c', type: 'delay' }]))
  remove('more')
  await spares.ready()
  expect(asked).toEqual([])
})

test('those of the flows that there are, then those of each that is published; who publishes can wait for them', async () => {
  const { spares, asked, ready, publish } = setup([flow([python, change])])
  expect(asked).toEqual([])
  spares.open()
  publish('typed', flow([{ id: 'c', type: 'code' }, python]))
  expect(asked).toEqual([['python'], ['code', 'python']])
  let isReady = false
  const waiting = spares.ready().then(() => (isReady = true))
  ready[1]?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isReady).toBe(false)
  ready[0]?.()
  await waiting
  spares.close()
  publish('late', flow([python]))
  expect(asked).toHaveLength(2)
})

test('none for nodes that execute elsewhere, on another interpreter, or in the process of the host', () => {
  const { spares, asked, publish } = setup()
  spares.open()
  publish('away', flow([{ ...python, worker: 'gpu' }]))
  publish('named', flow([python], { resources: { python: 'torch' } }))
  const digest = `sha256:${'0'.repeat(64)}`
  const entry = { module: '(object)', export: 'f', digest, modules: [] }
  publish('hosted', flow([{ id: 'c', type: 'code', entry } as never]))
  expect(asked).toEqual([])
  publish('preferred', flow([{ ...python, worker: 'gpu', worker_policy: 'prefer' }]))
  expect(asked).toEqual([['python']])
})

test.skipIf(interpreter === null)(
  'an engine has no process of its own until a flow with code is published or started, and one ready then',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'spares-'))
    const engine = await startLive({ dataDir })
    try {
      expect(children(dataDir)).toEqual([])
      const ports = [
        { direction: 'input', name: 'x', dtype: 'float' },
        { direction: 'output', name: 'y', dtype: 'float' },
      ] as const
      await engine.publish('typed', { mode: 'live', nodes: [{ ...change, ports: [...ports] }] })
      expect(children(dataDir)).toEqual([])
      await engine.publish('coded', { mode: 'live', nodes: [python] })
      // the zygote and its first fork
      expect(children(dataDir).length).toBeGreaterThanOrEqual(2)
    } finally {
      await engine.close()
      await rm(dataDir, { recursive: true, force: true })
    }
    expect(children(dataDir)).toEqual([])
  },
)
