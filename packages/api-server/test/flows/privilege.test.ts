import type { FlowDocumentInput } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'

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

test.each(refused)('an ordinary user is refused: %s [R044, R285, R286, R638, R639, T26]', async (_, change, path) => {
  const { status, problem } = await engine.ann('PUT', '/flows/guarded', { ...guarded, version: 1, ...change })
  expect({ status, code: problem.code, path: problem.errors?.[0]?.path }).toEqual({
    status: 403,
    code: 'forbidden',
    path,
  })
  expect((await engine.root('GET', '/flows/guarded')).value.version).toBe(1)
})

test('an ordinary user cannot create a flow with code or environment variables [T26]', async () => {
  for (const body of [{ nodes: [code] }, { nodes: [command] }, { resources: { env: { A: '1' } } }]) {
    expect((await engine.ann('PUT', '/flows/smuggled', body)).status).toBe(403)
  }
  expect((await engine.ann('GET', '/flows/smuggled')).status).toBe(404)
})

test('an ordinary user changes wiring, titles, ordinary settings, workers and removes nodes [R640, T26]', async () => {
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

test('what a superuser took out of the draft comes back with the published form alone, not by a save [R638, T26]', async () => {
  const whole = { ...guarded, inputs: [{ name: 'x' }, { name: 'a' }], nodes: [code, plain] }
  expect((await engine.publish('forms', whole)).status).toBe(200)
  await engine.root('PUT', '/flows/forms', { ...whole, version: 1, nodes: [plain], resources: {} })
  for (const [change, path] of [
    [{ nodes: [plain, code] }, '/nodes/1/type'],
    [{ nodes: [plain], resources: guarded.resources }, '/resources/env'],
  ] as const) {
    const { status, problem } = await engine.ann('PUT', '/flows/forms', { version: 2, mode: 'batch', ...change })
    expect({ status, path: problem.errors?.[0]?.path }).toEqual({ status: 403, path })
  }
  const back = await engine.ann('POST', '/flows/forms/discard-draft')
  expect(back.value.nodes.map(({ id }) => id)).toEqual(['f', 'p'])
  expect((await engine.ann('PUT', '/flows/forms', back.value)).status).toBe(200)
  const smuggled = { ...back.value, version: 4, nodes: [{ ...code, source: `${source}#` }, plain] }
  expect((await engine.ann('PUT', '/flows/forms', smuggled)).problem.errors?.[0]?.path).toBe('/nodes/0/source')
})

test('an ordinary user who has removed a node does not add it again, and one who has deleted a flow does not make it again [R638, T26]', async () => {
  await engine.root('PUT', '/flows/removed', guarded)
  expect((await engine.ann('PUT', '/flows/removed', { ...guarded, version: 1, nodes: [code, plain] })).status).toBe(200)
  const again = await engine.ann('PUT', '/flows/removed', { ...guarded, version: 2 })
  expect(again.problem).toMatchObject({ status: 403, errors: [{ path: '/nodes/1/type' }] })
  expect((await engine.ann('DELETE', '/flows/removed')).status).toBe(204)
  expect((await engine.ann('PUT', '/flows/removed', guarded)).status).toBe(403)
})

test('ids and names are other ones when a letter is of another case [T26]', async () => {
  await engine.root('PUT', '/flows/twins', guarded)
  const twin = await engine.ann('PUT', '/flows/twins', { ...guarded, version: 1, nodes: [{ ...code, id: 'F' }] })
  expect(twin.problem).toMatchObject({ status: 403, errors: [{ path: '/nodes/0/type' }] })
  expect((await engine.ann('PUT', '/flows/Twins', guarded)).status).toBe(403)
})

test('a key given twice is refused, in whatever spelling: what was checked is what is stored [T26]', async () => {
  await engine.root('PUT', '/flows/doubled', guarded)
  const harmless = JSON.stringify({ ...guarded, version: 1 }).slice(0, -1)
  const wanted = JSON.stringify([{ ...code, source: 'evil' }])
  for (const [body, path] of [
    [`${harmless},"nodes":${wanted}}`, '/nodes'],
    [`${harmless},"\\u006eodes":${wanted}}`, '/nodes'],
    [`{"version":1,"mode":"batch","nodes":[{"id":"f","id":"cmd","type":"exec"}]}`, '/nodes/0/id'],
    [`{"version":1,"mode":"batch","nodes":[{"id":"p","type":"change","type":"exec"}]}`, '/nodes/0/type'],
    [`{"version":1,"__proto__":{"nodes":${wanted}}}`, '/__proto__'],
  ] as const) {
    const { status, problem } = await engine.ann('PUT', '/flows/doubled', body)
    expect({ status, path: problem.errors?.[0]?.path }).toEqual({ status: 422, path })
  }
  expect((await engine.root('GET', '/flows/doubled')).value).toMatchObject({ version: 1, nodes: [{ source }, {}, {}] })
})

test('a renamed flow leaves no permission under its old name, and its copy has none [R638, T26]', async () => {
  await engine.root('PUT', '/flows/moved', guarded)
  expect((await engine.ann('POST', '/flows/moved/rename', { name: 'moved_on' })).status).toBe(200)
  expect((await engine.ann('PUT', '/flows/moved', guarded)).status).toBe(403)
  expect((await engine.ann('POST', '/flows/moved_on/duplicate', { name: 'moved' })).problem).toMatchObject({
    status: 403,
    errors: [{ path: '/nodes/0/type' }, { path: '/nodes/1/type' }, { path: '/resources/env' }],
  })
  expect((await engine.ann('PUT', '/flows/moved_on', { ...guarded, version: 2, title: 'T' })).status).toBe(200)
})

test('names, states and times that a body claims are ignored or refused [R638, T25]', async () => {
  await engine.root('PUT', '/flows/claimed', relay)
  const claims = {
    origin: 'code',
    code: { module: 'x', digest: 'y', commit: null },
    status: 'active',
    published_version: 7,
    updated_by: 'root@example.org',
    created_at: '2000-01-01T00:00:00.000000+00:00',
    has_draft: false,
    held: 9,
  }
  const { value } = await engine.ann('PUT', '/flows/claimed', { ...relay, version: 1, ...claims })
  expect(value).toMatchObject({
    origin: 'api',
    code: null,
    status: 'draft',
    published_version: null,
    updated_by: 'ann@example.org',
    held: 0,
  })
  for (const claim of [{ is_superuser: true }, { id: 'x' }, { wished: 'active' }, { draft: {} }, { library: {} }]) {
    expect((await engine.ann('PUT', '/flows/claimed', { ...relay, version: 2, ...claim })).status).toBe(422)
  }
})
