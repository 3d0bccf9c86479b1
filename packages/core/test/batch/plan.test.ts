import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { buildGraph, NodeRegistry, type PlanContext, planRun } from '../../src/index.ts'
import { batch, input, output, pass, type } from '../documents.ts'

const code = type('code', () => ({}), { arrival: 'combine', code: 'python' })
const registry = new NodeRegistry([pass, code])
const stage = (id: string, ports: ReturnType<typeof input>[], more: object = {}) => ({
  id,
  type: 'code',
  source: id,
  ports,
  ...more,
})

/** `stored` has the outputs of the stages that are cached, by node. */
async function plan(document: FlowDocument, stored: Record<string, Values>, more: Partial<PlanContext> = {}) {
  const looked: string[] = []
  const planned = await planRun(document, buildGraph(document), {
    registry,
    inputs: { x: 1 },
    noCache: false,
    look: async ({ node }) => {
      looked.push(node)
      return stored[node] ? { outputs: stored[node] } : { outputs: null, why: ['first run'] }
    },
    lastValue: () => undefined,
    ...more,
  })
  return { looked, states: planned.map(({ node, is, ...rest }) => [node, is, 'why' in rest ? rest.why.join() : '']) }
}

const x = { inputs: [{ name: 'x' }] }
const chain = batch(
  [
    stage('report', [input('b'), output('c')]),
    stage('fit', [input('a'), output('b')]),
    stage('load', [input('x'), output('a')]),
    stage('check', [input('x'), output('d')]),
  ],
  x,
)

test('stages come in dependency order, and cached ones give the values from which the next key follows', async () => {
  const all = { load: { a: 1 }, fit: { b: 2 }, report: { c: 3 }, check: { d: 4 } }
  const { states } = await plan(chain, all)
  expect(states.map(([node, is]) => `${node} ${is}`)).toEqual(['load hit', 'check hit', 'fit hit', 'report hit'])
})

test('what depends on a stage that executes is unknown, and nothing else', async () => {
  const { states, looked } = await plan(chain, { load: { a: 1 }, report: { c: 3 }, check: { d: 4 } })
  expect(states).toEqual([
    ['load', 'hit', ''],
    ['check', 'hit', ''],
    ['fit', 'executes', 'first run'],
    ['report', 'unknown', 'unknown until its inputs are known: b (fit executes first)'],
  ])
  expect(looked).toEqual(['load', 'check', 'fit'])
})

test('what is not known is blamed on the nodes that execute, not on those between', async () => {
  const { states } = await plan(chain, { check: { d: 4 } })
  expect(states).toEqual([
    ['load', 'executes', 'first run'],
    ['check', 'hit', ''],
    ['fit', 'unknown', 'unknown until its inputs are known: a (load executes first)'],
    ['report', 'unknown', 'unknown until its inputs are known: b (load executes first)'],
  ])
})

test('nodes without a key execute, and so does everything with no_cache', async () => {
  const document = batch(
    [
      stage('off', [input('x'), output('a')], { cache: false }),
      { id: 'pass', type: 'pass', ports: [input('a'), output('b')] },
      stage('after', [input('b')]),
    ],
    x,
  )
  expect((await plan(document, {})).states).toEqual([
    ['off', 'executes', 'cache: false'],
    ['pass', 'executes', 'nodes of type pass are not cached'],
    ['after', 'unknown', 'unknown until its inputs are known: b (pass executes first)'],
  ])
  const { states, looked } = await plan(chain, { load: { a: 1 } }, { noCache: true })
  expect(states.map(([, is, why]) => `${is}: ${why}`)).toEqual(Array.from({ length: 4 }, () => 'executes: no_cache'))
  expect(looked).toEqual([])
})

test('a stage whose trigger has no value is skipped, and so is what waits for it', async () => {
  const { states } = await plan(chain, { load: {}, check: { d: 4 } })
  expect(states.map(([node, is]) => `${node} ${is}`)).toEqual([
    'load hit',
    'check hit',
    'fit skipped',
    'report skipped',
  ])
})
