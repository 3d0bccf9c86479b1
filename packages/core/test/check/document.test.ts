/** What is wrong with the nodes of a document: their types, settings, ports and code. */
import { expect, test } from 'vitest'

import { noSecrets, type Surroundings } from '../../src/index.ts'
import { batch, flow, input, output } from '../documents.ts'
import { check, found } from './checks.ts'

test('a sound flow has no issues', () => {
  const nodes = [
    { id: 'a', type: 'pass', ports: [input('x', { dtype: 'int' }), output('y', { dtype: 'int' })] },
    { id: 'b', type: 'pass', ports: [input('y', { dtype: 'float' }), output('z')] },
  ]
  const document = batch(nodes, { inputs: [{ name: 'x', dtype: 'int' }], outputs: [{ name: 'z' }] })
  expect(check(document)).toEqual([])
})

test('an issue says what is wrong in words, and where by node and JSON Pointer [R034]', () => {
  const [issue] = check(flow([{ id: 'a', type: 'nope' }]))
  expect(issue).toEqual({
    severity: 'error',
    code: 'unknown_type',
    message: 'there is no node type "nope"; install its package or change the type',
    node: 'a',
    path: '/nodes/0/type',
  })
})

test('a type that is not registered is unknown_type [R049]', () => {
  expect(found(flow([{ id: 'a', type: 'nope' }]))).toEqual(['error unknown_type /nodes/0/type'])
})

test('two nodes of one id are duplicate_node_id', () => {
  const nodes = [
    { id: 'a', type: 'pass' },
    { id: 'a', type: 'pass' },
  ]
  expect(found(flow(nodes))).toEqual(['error duplicate_node_id /nodes/1/id'])
})

test('two ports of one direction and name are duplicate_port; an input and an output may share one', () => {
  const ports = [input('in:a'), output('in:b'), input('in:a')]
  expect(found(flow([{ id: 'a', type: 'pass', ports }], { inputs: [{ name: 'a' }] }))).toEqual([
    'error duplicate_port /nodes/0/ports/2',
  ])
})

test('settings that the schema refuses are bad_setting, absent ones missing_setting, unknown ones bad_setting [R051]', () => {
  const at = (settings: Record<string, never> | object) =>
    found(flow([{ id: 'a', type: 'strict', settings: settings as Record<string, never> }]))
  expect(at({ host: 1 })).toEqual(['error bad_setting /nodes/0/settings/host'])
  expect(at({})).toEqual(['error missing_setting /nodes/0/settings/host'])
  expect(at({ host: 'h', 'a/b': 1 })).toEqual(['error bad_setting /nodes/0/settings/a~1b'])
  expect(at({ host: 'h', auth: {} })).toEqual(['error missing_setting /nodes/0/settings/auth/token'])
})

test('a type with free settings takes any key', () => {
  const node = { id: 'a', type: 'code', source: 'x', settings: { anything: 1 } }
  expect(found(flow([node]))).toEqual([])
})

test('a secret that does not exist is unknown_secret at its place, and no bad_setting beside it', () => {
  const settings = { host: { $secret: 'h' }, auth: { token: { $secret: 't' } } }
  const document = flow([{ id: 'a', type: 'strict', settings }])
  expect(found(document, { message: () => undefined, secrets: noSecrets })).toEqual([
    'error unknown_secret /nodes/0/settings/host',
    'error unknown_secret /nodes/0/settings/auth/token',
  ])
  // where nothing is known of secrets, none is missed
  expect(found(document)).toEqual([])
})

test('a setting is checked with the value of its secret, which no issue tells [R052]', () => {
  const secrets = (values: Record<string, string>): Surroundings => ({
    message: () => undefined,
    secrets: {
      valueOf: (name) => values[name],
      mask: (shown) => JSON.parse(JSON.stringify(shown).replaceAll('the value', '***')) as typeof shown,
    },
  })
  const settings = { things: [{ $secret: 'thing' }, 'the value'] }
  const nodes = ['a', 'b'].map((id) => ({ id, type: 'owning', settings }))
  const issues = check(flow(nodes), secrets({ thing: 'the value' }))
  expect(issues.map(({ code: issue, message }) => [issue, message])).toEqual([
    ['bad_setting', expect.stringContaining('the same thing ***')],
  ])
  const strictly = [{ id: 'a', type: 'strict', settings: { host: { $secret: 'h', more: 1 } } }]
  expect(found(flow(strictly), secrets({ h: 'x' }))).toEqual(['error bad_setting /nodes/0/settings/host'])
})

test('a port of a code node has to be an identifier that no language reserves', () => {
  const ports = ['ok', 'two words', 'lambda', 'new'].map((port, at) => output(`${port}:m${at}`))
  expect(found(flow([{ id: 'a', type: 'code', source: 'x', ports }]))).toEqual([
    'error port_not_identifier /nodes/0/ports/1/port',
    'error port_not_identifier /nodes/0/ports/2/port',
    'error port_not_identifier /nodes/0/ports/3/port',
  ])
  expect(found(flow([{ id: 'a', type: 'pass', ports: [output('two words:m')] }]))).toEqual([])
})

test('an input port named like a setting of a code node is name_collision', () => {
  const node = { id: 'a', type: 'code', source: 'x', settings: { lr: 1 }, ports: [input('lr')] }
  expect(found(flow([node], { inputs: [{ name: 'lr' }] }))).toEqual(['error name_collision /nodes/0/ports/0/port'])
})

test('ports that a type does not have are unsupported_ports', () => {
  expect(found(flow([{ id: 'a', type: 'listener', ports: [input('m')] }], { inputs: [{ name: 'm' }] }))).toEqual([
    'error unsupported_ports /nodes/0/ports/0',
  ])
  const at = (ports: ReturnType<typeof input>[]) =>
    found(flow([{ id: 'a', type: 'fixed', ports }], { inputs: [{ name: 'm' }] }))
  expect(at([input('wait:m', { trigger: false, dtype: 'float' })])).toEqual([])
  expect(at([])).toEqual(['error unsupported_ports /nodes/0/ports'])
  expect(at([input('wait:m', { trigger: false }), input('x:m')])).toEqual(['error unsupported_ports /nodes/0/ports/1'])
})

test('what a type imposes on a port, its trigger and its dtype, is not given otherwise', () => {
  const at = (options: object) =>
    found(flow([{ id: 'a', type: 'fixed', ports: [input('wait:m', options)] }], { inputs: [{ name: 'm' }] }))
  expect(at({ trigger: true })).toEqual(['error unsupported_ports /nodes/0/ports/0/trigger'])
  expect(at({})).toEqual(['error unsupported_ports /nodes/0/ports/0/trigger'])
  expect(at({ trigger: false, dtype: 'str' })).toEqual(['error dtype_mismatch /nodes/0/ports/0/dtype'])
  expect(at({ trigger: false, dtype: 'int' })).toEqual([])
})

test('a port on demand belongs to a device', () => {
  expect(found(flow([{ id: 'a', type: 'pass', ports: [output('m', { on_demand: true })] }]))).toEqual([
    'error unsupported_ports /nodes/0/ports/0/on_demand',
  ])
})

test('a node without its source is missing_source, one of TypeScript without its entry no_entry', () => {
  expect(found(flow([{ id: 'a', type: 'code' }]))).toEqual(['error missing_source /nodes/0/source'])
  expect(found(flow([{ id: 'a', type: 'bundle' }]))).toEqual(['error no_entry /nodes/0/entry'])
})

test('a library source that does not exist is unknown_library; with the code of the library the node is sound', () => {
  const node = { id: 'a', type: 'code', library: 'lib' }
  expect(found(flow([node]))).toEqual(['error unknown_library /nodes/0/library'])
  expect(found(flow([{ ...node, source: 'x' }]))).toEqual([])
})

test('a source on a type that has none is ignored with a warning', () => {
  expect(found(flow([{ id: 'a', type: 'pass', source: 'x' }]))).toEqual(['warning source_ignored /nodes/0/source'])
  expect(found(flow([{ id: 'a', type: 'pass', library: 'l' }]))).toEqual(['warning source_ignored /nodes/0/library'])
})

test('a setting of a code node has to be usable as the name of an argument', () => {
  const node = { id: 'a', type: 'code', source: 'x', settings: { lambda: 1, lr: 2 } }
  expect(found(flow([node]))).toEqual(['error bad_setting /nodes/0/settings/lambda'])
})

test('a type names its ports by direction, and the issue stands at their place in the document', () => {
  const ports = [input('x:m'), output('a'), input('y:m'), output('b')]
  expect(found(flow([{ id: 'n', type: 'picky', ports }], { inputs: [{ name: 'm' }] }))).toEqual([
    'error unsupported_ports /nodes/0/ports/2/trigger',
    'error dtype_mismatch /nodes/0/ports/1',
  ])
})

test('a type whose own checks throw is an issue of its node, and the other nodes are checked', () => {
  const nodes = [
    { id: 'a', type: 'faulty' },
    { id: 'b', type: 'nope' },
  ]
  const issues = check(flow(nodes))
  expect(issues).toMatchObject([
    { code: 'bad_setting', node: 'a', path: '/nodes/0', message: expect.stringContaining('own fault') },
    { code: 'unknown_type', node: 'b' },
  ])
})

test('what two nodes claim for themselves is bad_setting of the later one, which names both', () => {
  const owner = (id: string, ...things: string[]) => ({ id, type: 'owning', settings: { things } })
  const document = flow([owner('a', 'x', 'x'), owner('b', 'y', 'x'), owner('c', 'z'), owner('d', 'z', 'x')])
  expect(check(document)).toMatchObject([
    { severity: 'error', code: 'bad_setting', node: 'b', path: '/nodes/1/settings' },
    { node: 'd', path: '/nodes/3/settings', message: expect.stringMatching(/"c" and "d" have the same thing z,/) },
    { node: 'd', path: '/nodes/3/settings', message: expect.stringMatching(/"a" and "d" have the same thing x,/) },
  ])
  expect(check(flow([owner('a', 'x'), owner('b', 'y')]))).toEqual([])
})

test('a limit of runs on a live flow, which has none, is a warning', () => {
  expect(found(flow([], { mode: 'live', concurrency: 2 }))).toEqual(['warning bad_setting /concurrency'])
  expect(found(flow([], { mode: 'batch', concurrency: 2 }))).toEqual([])
})

test('a flavor that does not exist is unknown_flavor', () => {
  const document = flow([], { resources: { flavor: 'big' } })
  const among = (...flavors: string[]) => found(document, { flavors: new Set(flavors) })
  expect(among('small')).toEqual(['error unknown_flavor /resources/flavor'])
  expect(among('small', 'big')).toEqual([])
  // where nothing is known of flavors, none is missed
  expect(found(document)).toEqual([])
})

test('a worker label on a type that runs in the engine is ignored with a warning', () => {
  expect(found(flow([{ id: 'a', type: 'pass', worker: 'gpu' }]))).toEqual(['warning worker_ignored /nodes/0/worker'])
  expect(found(flow([{ id: 'a', type: 'code', source: 'x', worker: 'gpu' }]))).toEqual([])
})

test('a type whose dependency is absent is missing_dependency, and the text names it [R160]', () => {
  const around = { message: () => undefined, missing: (name: string) => (name === 'code' ? 'python' : null) }
  const [issue] = check(flow([{ id: 'a', type: 'code', source: 'x' }]), around)
  expect(issue).toMatchObject({ code: 'missing_dependency', message: expect.stringContaining('python') })
  // it is there, or not, on the worker that has to execute the node
  const remote = { id: 'a', type: 'code', source: 'x', worker: 'gpu' }
  expect(check(flow([remote]), around)).toEqual([])
  expect(check(flow([{ ...remote, worker_policy: 'prefer' }]), around)).toMatchObject([{ code: 'missing_dependency' }])
})

test('a node with routes in a live flow named as their state is shadowed_route', () => {
  const nodes = [{ id: 'a', type: 'answering' }]
  const [issue, ...more] = check(flow(nodes, { name: 'state' }))
  expect([issue, more]).toMatchObject([{ severity: 'error', code: 'shadowed_route', node: 'a' }, []])
  expect(issue?.message).toContain('give the flow another name')
  expect(found(flow(nodes))).toEqual([])
  expect(found(flow([{ id: 'a', type: 'pass' }], { name: 'state' }))).toEqual([])
  expect(found(batch(nodes, { name: 'state' }))).toEqual([])
})

test('a type adds findings of its own, at places of its node', () => {
  expect(
    found(
      flow([
        { id: 'x', type: 'pass' },
        { id: 'a', type: 'routed' },
      ]),
    ),
  ).toEqual(['error unknown_output /nodes/1/settings/rules/0'])
})
