import type { Flow, FlowDocumentInput } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const python = { id: 'f', type: 'python', source: 'def run():\n    return {}\n' } as const
const copy = (name: string, body?: unknown) => engine.ann('POST', `/flows/${name}/duplicate`, body)

test('a copy is an unpublished flow of its own, named {name}_copy [R030] [R455]', async () => {
  const layout = { nodes: { pass: { x: 1, y: 2 } }, zoom: 2 }
  await engine.publish('one', { ...relay, title: 'published' })
  await engine.root('PUT', '/flows/one', { ...relay, version: 1, title: 'draft', layout })
  const made = await copy('one')
  expect(made.status).toBe(201)
  expect(made.headers.get('location')).toBe(`${engine.url}/flows/one_copy`)
  expect(made.value).toMatchObject({
    name: 'one_copy',
    title: 'draft',
    layout,
    version: 1,
    status: 'draft',
    has_draft: true,
    published_version: null,
    origin: 'api',
    updated_by: 'ann@example.org',
  })
  expect(made.value.nodes[0]?.ports[0]).toMatchObject({ name: 'on', message: 'one_copy.on' })
  expect((await engine.root('GET', '/flows/one')).value).toMatchObject({ version: 2, published_version: 1 })
})

test('an empty body and a name of the caller are taken, a taken name and a bad one refused [R455]', async () => {
  await engine.root('PUT', '/flows/two', relay)
  expect((await copy('two', {})).value.name).toBe('two_copy')
  expect((await copy('two', {})).problem).toMatchObject({ status: 409, code: 'already_exists' })
  expect((await copy('two', { name: 'second' })).value.name).toBe('second')
  expect((await copy('two', { name: 'two' })).problem).toMatchObject({ status: 409, code: 'already_exists' })
  for (const name of ['graph', 'a b', '', null]) {
    expect((await copy('two', { name })).problem).toMatchObject({ status: 422, errors: [{ path: '/name' }] })
  }
  expect((await copy('nobody')).problem).toMatchObject({ status: 404 })
  const long = 'x'.repeat(96)
  await engine.root('PUT', `/flows/${long}`, relay)
  expect((await copy(long)).problem).toMatchObject({ status: 422, errors: [{ path: '/name' }] })
  expect((await copy(long, { name: 'short' })).status).toBe(201)
})

test('qualified messages of the original are messages of the copy, those of others stay', async () => {
  const ports = [
    { direction: 'input', name: 'three.on' },
    { direction: 'input', name: 'two.on', port: 'other' },
    { direction: 'output', name: 'off' },
  ] as const
  await engine.root('PUT', '/flows/three', {
    inputs: [{ name: 'on' }],
    nodes: [{ id: 'n', type: 'join', settings: { mode: 'object' }, ports }],
  })
  const { value } = await copy('three')
  expect(value.nodes[0]?.ports.map(({ name, message }) => [name, message])).toEqual([
    ['three_copy.on', 'three_copy.on'],
    ['two.on', 'two.on'],
    ['off', 'three_copy.off'],
  ])
})

const guarded: [string, FlowDocumentInput, string][] = [
  ['a python node', { mode: 'batch', nodes: [python] }, '/nodes/0/type'],
  ['an exec node', { nodes: [{ id: 'c', type: 'exec', settings: { command: 'true' } }] }, '/nodes/0/type'],
  ['environment variables', { ...relay, resources: { env: { LD_PRELOAD: '/x' } } }, '/resources/env'],
]
test.each(guarded)('a copy with %s takes a superuser [R456, R638, T26]', async (what, document, path) => {
  const name = `guarded_${what.replaceAll(' ', '_')}`
  await engine.root('PUT', `/flows/${name}`, document)
  expect((await copy(name)).problem).toMatchObject({ status: 403, code: 'forbidden', errors: [{ path }] })
  expect((await engine.root('GET', `/flows/${name}_copy`)).status).toBe(404)
  const made = await engine.root('POST', `/flows/${name}/duplicate`)
  expect(made.status).toBe(201)
  const original = await engine.root('GET', `/flows/${name}`)
  const code = ({ nodes }: Flow) => nodes.map(({ id, type, source, settings }) => ({ id, type, source, settings }))
  expect(code(made.value)).toEqual(code(original.value))
  expect(made.value.resources).toEqual(original.value.resources)
})

test('content that cannot be read is not copied, so that nothing in it goes unchecked', async () => {
  await engine.root('PUT', '/flows/poisoned', relay)
  const bad = JSON.stringify({ nodes: [{ ...python, ports: 7 }] })
  await engine.database.sql`update flow set draft = ${bad}::jsonb where name = 'poisoned'`
  for (const who of [engine.ann, engine.root]) {
    const { status, problem } = await who('POST', '/flows/poisoned/duplicate')
    expect({ status, code: problem.code }).toEqual({ status: 422, code: 'flow_invalid' })
  }
})

test('the copy keeps what its initial values refer to', async () => {
  const { ref } = await engine.artifacts.put(Buffer.from('model'), { name: 'm', mediaType: 'a/b', volatile: false })
  await engine.root('PUT', '/flows/model', { mode: 'batch', inputs: [{ name: 'm', dtype: 'artifact', initial: ref }] })
  await copy('model')
  expect((await engine.root('DELETE', '/flows/model')).status).toBe(204)
  const owners = await engine.database.sql`select kind from blob_ref where digest = ${ref.digest}`
  expect(owners.map(({ kind }) => kind)).toEqual(['flow_input'])
})

test('of parallel copies to one name one succeeds [R671]', async () => {
  await engine.root('PUT', '/flows/busy', relay)
  const answers = await Promise.all(Array.from({ length: 10 }, () => copy('busy')))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
})
