import { defineNode } from '@flow-service/connector-sdk'
import type { FlowDocumentInput, Issue, IssueCode, NodeType, ValidationResult } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { type Engine, openEngine, relay } from './engine.ts'
import { change, input, type NodeInput, output, python, validate, x } from './validation.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

/** Documents of built-in types, and the one issue that each of them has. */
const documents: [code: IssueCode, path: string, document: FlowDocumentInput, severity?: Issue['severity']][] = [
  ['unknown_type', '/nodes/0/type', { nodes: [{ id: 'n', type: 'acme_meter' }] }],
  [
    'duplicate_port',
    '/nodes/0/ports/2',
    { ...x, nodes: [python('def run(x): pass', { ports: [input('x'), output('y'), output('z', { port: 'y' })] })] },
  ],
  [
    'bad_setting',
    '/nodes/0/settings/scale',
    { ...x, nodes: [change([input('x'), output('y')], { settings: { scale: 'big' } })] },
  ],
  [
    'bad_setting',
    '/nodes/0/settings/bogus',
    { ...x, nodes: [change([input('x'), output('y')], { settings: { bogus: 1 } })] },
  ],
  ['missing_setting', '/nodes/0/settings/url', { nodes: [{ id: 'n', type: 'http', ports: [output('y')] }] }],
  [
    'port_not_identifier',
    '/nodes/0/ports/1/port',
    { ...x, nodes: [python('def run(x): pass', { ports: [input('x'), output('y', { port: 'my y' })] })] },
  ],
  [
    'port_not_identifier',
    '/nodes/0/ports/0/port',
    { ...x, nodes: [python('def run(**all): pass', { ports: [input('x', { port: 'lambda' })] })] },
  ],
  [
    'bad_setting',
    '/nodes/0/settings/class',
    { ...x, nodes: [python('def run(**all): pass', { settings: { class: 1 } })] },
  ],
  ['name_collision', '/nodes/0/ports/0/port', { ...x, nodes: [python('def run(x): pass', { settings: { x: 1 } })] }],
  ['name_collision', '/inputs/1/name', { inputs: [{ name: 'x' }, { name: 'x' }] }],
  [
    'dtype_mismatch',
    '/nodes/0/ports/0/dtype',
    { inputs: [{ name: 'x', dtype: 'str' }], nodes: [change([input('x', { dtype: 'int' }), output('y')])] },
  ],
  ['dtype_mismatch', '/inputs/0/initial', { inputs: [{ name: 'x', dtype: 'int', initial: 'one' }] }],
  ['unproduced_message', '/nodes/0/ports/0/name', { nodes: [change([input('x'), output('y')])] }, 'advisory'],
  ['unproduced_message', '/nodes/0/ports/0/name', { mode: 'batch', nodes: [change([input('x'), output('y')])] }],
  ['unproduced_output', '/outputs/0/name', { mode: 'batch', outputs: [{ name: 'y' }] }],
  ['unproduced_output', '/outputs/0/name', { outputs: [{ name: 'y' }] }, 'warning'],
  [
    'duplicate_producer',
    '/nodes/0/ports/1/name',
    { inputs: [{ name: 'x' }, { name: 'y' }], mode: 'batch', nodes: [change([input('x'), output('y')])] },
  ],
  [
    'interval_on_batch_port',
    '/nodes/0/ports/1/interval',
    { ...x, mode: 'batch', nodes: [change([input('x'), output('y', { interval: 1 })])] },
  ],
  [
    'live_only_node',
    '/nodes/0/type',
    { ...x, mode: 'batch', nodes: [{ id: 'n', type: 'debounce', ports: [input('x'), output('y')] }] },
  ],
  [
    'unknown_output',
    '/nodes/0/settings/otherwise',
    { ...x, nodes: [{ id: 'n', type: 'switch', settings: { otherwise: 'z' }, ports: [input('x'), output('y')] }] },
  ],
  ['missing_source', '/nodes/0/source', { ...x, nodes: [python(null)] }],
  ['unsupported_ports', '/nodes/0/ports/0', { ...x, nodes: [{ id: 'n', type: 'inject', ports: [input('x')] }] }],
  ['unknown_library', '/nodes/0/library', { ...x, nodes: [python(null, { library: 'nowhere' })] }],
  [
    'unknown_secret',
    '/nodes/0/settings/headers/auth',
    {
      ...x,
      nodes: [
        {
          id: 'n',
          type: 'http',
          settings: { url: 'http://host/', headers: { auth: { $secret: 's' } } },
          ports: [input('x'), output('y')],
        },
      ],
    },
  ],
  ['unknown_message', '/nodes/0/ports/0/name', { nodes: [change([input('nobody.x'), output('y')])] }, 'warning'],
  ['unknown_flavor', '/resources/flavor', { resources: { flavor: 'huge' } }],
  [
    'worker_ignored',
    '/nodes/0/worker',
    { ...x, nodes: [change([input('x'), output('y')], { worker: 'gpu' })] },
    'warning',
  ],
  [
    'source_ignored',
    '/nodes/0/source',
    { ...x, nodes: [change([input('x'), output('y')], { source: 'x' })] },
    'warning',
  ],
  [
    'webhook_without_secret',
    '/nodes/0/settings/secret',
    { nodes: [{ id: 'n', type: 'http', settings: { url: 'a' }, ports: [output('y')] }] },
    'advisory',
  ],
  ['bad_source', '/nodes/0/source', { ...x, nodes: [python('def run(x):\n  return (')] }],
]

test.each(documents)(
  '%s at %s is found, with its node and words to act on [R034, R472]',
  async (code, path, document, severity = 'error') => {
    const { issues } = await validate(engine, document)
    const node = path.startsWith('/nodes/') ? 'n' : null
    expect(issues).toEqual([{ code, severity, path, node, message: expect.stringMatching(/^.{20,}$/s) }])
  },
)

test('a cycle of a batch flow is found', async () => {
  const nodes = [change([input('a'), output('b')]), change([input('b'), output('a')], { id: 'm' })]
  const { issues } = await validate(engine, { mode: 'batch', nodes })
  expect(issues).toMatchObject([{ code: 'cycle', severity: 'error', path: expect.stringMatching(/^\/nodes\/[01]$/) }])
})

test('validation finds all issues of all nodes at once, in the order of the document', async () => {
  const nodes: NodeInput[] = [
    { id: 'a', type: 'nope' },
    python('def run(x): return', { id: 'b', ports: [input('x'), output('my y')].slice(0, 1), settings: { lr: 1 } }),
    { id: 'c', type: 'http', settings: { url: 'in' }, ports: [output('z')] },
  ]
  const { valid, issues } = await validate(engine, { ...x, nodes })
  expect(valid).toBe(false)
  expect(issues.map(({ code, node }) => [code, node])).toEqual([
    ['unknown_type', 'a'],
    ['webhook_without_secret', 'c'],
    ['bad_source', 'b'],
  ])
})

test('validation of an unknown flow is not found; it changes no version', async () => {
  expect((await engine.ann('POST', '/flows/nobody/validate')).status).toBe(404)
  await engine.root('PUT', '/flows/unchanged', relay)
  await engine.ann('POST', '/flows/unchanged/validate')
  expect((await engine.ann('GET', '/flows/unchanged')).value.version).toBe(1)
})

test('without a draft the published content is validated', async () => {
  await engine.publish('validated-published', relay)
  const { value } = await engine.ann<ValidationResult>('POST', '/flows/validated-published/validate')
  expect(value).toEqual({ valid: true, issues: [] })
})

test('a connection that is down is a warning of its node, and the flow stays valid', async () => {
  const broker = defineNode({
    type: 'broker',
    title: 'Broker',
    description: '',
    category: 'network',
    settings: z.object({}),
    arrival: 'each',
    start(ctx) {
      ctx.reportHealth('down', 'the broker does not answer')
      return {}
    },
  })
  await using other = await openEngine({ types: [broker] })
  await other.publish('down', { nodes: [{ id: 'n', type: 'broker', ports: [output('y')] }] })
  expect((await other.root('POST', '/flows/down/start')).status).toBe(200)
  const { value } = await other.ann('GET', '/flows/down')
  expect(value.status).toBe('active')
  expect(value.issues).toMatchObject([
    { code: 'connector_down', severity: 'warning', node: 'n', message: 'the broker does not answer' },
  ])
  const checked = await other.ann<ValidationResult>('POST', '/flows/down/validate')
  expect(checked.value.valid).toBe(true)
})

test('what a node type lacks on the engine is named in an issue, and in the catalogue [R160] [R167]', async () => {
  await using other = await openEngine({ missing: (type) => (type === 'python' ? 'Python 3.11 or newer' : null) })
  const { value } = await other.root('PUT', '/flows/lacking', { ...x, nodes: [python('def run(x): pass')] })
  expect(value.issues).toEqual([
    {
      code: 'missing_dependency',
      severity: 'error',
      node: 'n',
      path: '/nodes/0/type',
      message: expect.stringMatching(/Python 3\.11.*install it/),
    },
  ])
  const types = (await other.ann<NodeType[]>('GET', '/flows/node-types')).value
  expect(types.filter(({ available }) => !available)).toMatchObject([
    { type: 'python', available: false, missing: 'Python 3.11 or newer', params: { type: 'object' } },
  ])
  expect(types.filter(({ missing }) => missing === null).length).toBe(types.length - 1)
})
