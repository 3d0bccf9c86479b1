import type { FlowDocumentInput } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
  await engine.root('PUT', '/flows/guarded', guarded)
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const source = 'def run(x):\n    return {"y": x}\n'
type Node = NonNullable<FlowDocumentInput['nodes']>[number]
const code: Node = {
  id: 'f',
  type: 'python',
  source,
  ports: [
    { direction: 'input', name: 'x' },
    { direction: 'output', name: 'y' },
  ],
}
const command: Node = { id: 'cmd', type: 'exec', settings: { command: 'true' } }
const plain: Node = {
  id: 'p',
  type: 'change',
  ports: [
    { direction: 'input', name: 'a' },
    { direction: 'output', name: 'b' },
  ],
}
const guarded = {
  mode: 'batch',
  nodes: [code, command, plain],
  resources: { env: { A: '1' }, cpus: 1 },
} satisfies FlowDocumentInput

const entry = { module: 'm.ts', export: 'x', digest: `sha256:${'0'.repeat(64)}`, modules: [] }
const refused: [string, object, string][] = [
  ['adding a python node', { nodes: [code, command, plain, { ...code, id: 'g' }] }, '/nodes/3/type'],
  ['adding an exec node', { nodes: [code, command, plain, { ...command, id: 'g' }] }, '/nodes/3/type'],
  ['adding a code node', { nodes: [code, command, plain, { id: 'g', type: 'code', entry }] }, '/nodes/3/type'],
  ['renaming a python node', { nodes: [{ ...code, id: 'g' }, command, plain] }, '/nodes/0/type'],
  [
    'turning a plain node into python',
    { nodes: [code, command, { ...plain, type: 'python', source }] },
    '/nodes/2/type',
  ],
  ['turning a plain node into exec', { nodes: [code, command, { ...plain, type: 'exec' }] }, '/nodes/2/type'],
  ['turning python into a plain node', { nodes: [{ ...code, type: 'change' }, command, plain] }, '/nodes/0/type'],
  ['swapping the ids of two nodes', { nodes: [{ ...code, id: 'p' }, command, { ...plain, id: 'f' }] }, '/nodes/0/type'],
  ['changing a source', { nodes: [{ ...code, source: `${source}#` }, command, plain] }, '/nodes/0/source'],
  ['removing a source', { nodes: [{ ...code, source: null }, command, plain] }, '/nodes/0/source'],
  ['giving a plain node a source', { nodes: [code, command, { ...plain, source }] }, '/nodes/2/source'],
  ['pointing at a library source', { nodes: [{ ...code, library: 'lib' }, command, plain] }, '/nodes/0/library'],
  ['giving a node an entry', { nodes: [code, command, { ...plain, entry }] }, '/nodes/2/entry'],
  ['changing a command', { nodes: [code, { ...command, settings: { command: 'id' } }, plain] }, '/nodes/1/settings'],
  [
    'adding a setting to exec',
    { nodes: [code, { ...command, settings: { command: 'true', timeout: 9 } }, plain] },
    '/nodes/1/settings',
  ],
  ['changing an environment variable', { resources: { env: { A: '2' }, cpus: 1 } }, '/resources/env'],
  ['adding an environment variable', { resources: { env: { A: '1', LD_PRELOAD: '/x' }, cpus: 1 } }, '/resources/env'],
  ['leaving the environment out', { resources: { cpus: 1 } }, '/resources/env'],
]

test.each(refused)('an ordinary user is refused: %s [R044, R285, R286, R638, R639]', async (_, change, path) => {
  const { status, problem } = await engine.ann('PUT', '/flows/guarded', { ...guarded, version: 1, ...change })
  expect({ status, code: problem.code, path: problem.errors?.[0]?.path }).toEqual({
    status: 403,
    code: 'forbidden',
    path,
  })
  expect((await engine.root('GET', '/flows/guarded')).value.version).toBe(1)
})

test('an ordinary user cannot create a flow with code or environment variables', async () => {
  for (const body of [{ nodes: [code] }, { nodes: [command] }, { resources: { env: { A: '1' } } }]) {
    expect((await engine.ann('PUT', '/flows/smuggled', body)).status).toBe(403)
  }
  expect((await engine.ann('GET', '/flows/smuggled')).status).toBe(404)
})

test('an ordinary user changes wiring, titles, ordinary settings, workers and removes nodes [R640]', async () => {
  const { source: _, ...withoutSource } = code
  const changed = {
    ...guarded,
    version: 1,
    title: 'New',
    resources: { ...guarded.resources, cpus: 4 },
    nodes: [
      { ...plain, settings: { scale: 2 }, title: 'Scale' },
      {
        ...withoutSource,
        settings: { factor: 3 },
        worker: 'gpu',
        timeout: 5,
        cache: false,
        ports: [
          { direction: 'input', name: 'b', port: 'x' },
          { direction: 'output', name: 'y' },
        ],
      },
    ],
  }
  const saved = await engine.ann('PUT', '/flows/guarded', changed)
  expect(saved.status).toBe(200)
  expect(saved.value.nodes.map(({ id }) => id)).toEqual(['p', 'f'])
  expect(saved.value.nodes[1]).toMatchObject({ source, worker: 'gpu', settings: { factor: 3 } })
})

test('a superuser may change all of it, but no one makes code nodes through the API', async () => {
  await engine.root('PUT', '/flows/free', guarded)
  const all = {
    ...guarded,
    version: 1,
    nodes: [
      { ...code, source: '' },
      { ...command, settings: {} },
    ],
    resources: { env: {} },
  }
  expect((await engine.root('PUT', '/flows/free', all)).status).toBe(200)
  for (const node of [
    { id: 'c', type: 'code' },
    { id: 'c', type: 'code', entry },
  ]) {
    const { status, problem } = await engine.root('PUT', '/flows/free', { ...guarded, version: 2, nodes: [node] })
    expect({ status, error: problem.errors?.[0] }).toMatchObject({
      status: 422,
      error: { code: 'bad_setting', path: '/nodes/0/entry' },
    })
  }
})
