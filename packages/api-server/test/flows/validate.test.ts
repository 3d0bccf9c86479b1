import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defineNode } from '@flow-service/connector-sdk'
import { batchFlow, stage, t } from '@flow-service/flow-sdk'
import type { FlowDocumentInput, FlowListItem, Issue, IssueCode, ValidationResult } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { type Engine, openEngine, relay } from './engine.ts'

type NodeInput = NonNullable<FlowDocumentInput['nodes']>[number]
type PortInput = NonNullable<NodeInput['ports']>[number]

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

let made = 0
/** Stores a document as a draft and validates it. */
async function validate(document: FlowDocumentInput): Promise<ValidationResult> {
  const name = `validated-${(made += 1)}`
  const saved = await engine.root('PUT', `/flows/${name}`, document)
  expect(saved.status).toBe(201)
  const { status, value } = await engine.ann<ValidationResult>('POST', `/flows/${name}/validate`)
  expect(status).toBe(200)
  expect(value.issues).toEqual(saved.value.issues)
  expect(value.valid).toBe(!value.issues.some(({ severity }) => severity === 'error'))
  return value
}

const input = (name: string, more: Partial<PortInput> = {}): PortInput => ({ direction: 'input', name, ...more })
const output = (name: string, more: Partial<PortInput> = {}): PortInput => ({ direction: 'output', name, ...more })
const change = (ports: PortInput[], more: Partial<NodeInput> = {}): NodeInput => ({
  id: 'n',
  type: 'change',
  ports,
  ...more,
})
const python = (source: string | null, more: Partial<NodeInput> = {}): NodeInput => ({
  id: 'n',
  type: 'python',
  source,
  ports: [input('x'), output('y')],
  ...more,
})
const x = { inputs: [{ name: 'x' }] }

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
  [
    'unsupported_ports',
    '/nodes/0/ports/2/trigger',
    {
      inputs: [{ name: 'x' }, { name: 'w', dtype: 'float' }],
      nodes: [
        {
          id: 'n',
          type: 'debounce',
          settings: { wait_port: 'w' },
          ports: [output('y'), input('x'), input('w', { dtype: 'float', trigger: true })],
        },
      ],
    },
  ],
  ['unknown_library', '/nodes/0/library', { ...x, nodes: [python(null, { library: 'nowhere' })] }],
  [
    'unknown_secret',
    '/nodes/0/settings/default',
    { ...x, nodes: [change([input('x'), output('y')], { settings: { default: { $secret: 's' } } })] },
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
    const { issues } = await validate(document)
    const node = path.startsWith('/nodes/') ? 'n' : null
    expect(issues).toEqual([{ code, severity, path, node, message: expect.stringMatching(/^.{20,}$/s) }])
  },
)

test('a cycle of a batch flow is found', async () => {
  const nodes = [change([input('a'), output('b')]), change([input('b'), output('a')], { id: 'm' })]
  const { issues } = await validate({ mode: 'batch', nodes })
  expect(issues).toMatchObject([{ code: 'cycle', severity: 'error', path: expect.stringMatching(/^\/nodes\/[01]$/) }])
})

test('validation finds all issues of all nodes at once, in the order of the document', async () => {
  const nodes: NodeInput[] = [
    { id: 'a', type: 'nope' },
    python('def run(x): return', { id: 'b', ports: [input('x'), output('my y')].slice(0, 1), settings: { lr: 1 } }),
    { id: 'c', type: 'http', settings: { url: 'in' }, ports: [output('z')] },
  ]
  const { valid, issues } = await validate({ ...x, nodes })
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

describe('the entry of a Python source', () => {
  const sourceIssues = async (source: string, more: Partial<NodeInput> = {}): Promise<string[]> => {
    const { issues } = await validate({ inputs: [{ name: 'x' }, { name: 'z' }], nodes: [python(source, more)] })
    return issues.filter(({ code }) => code === 'bad_source').map(({ message }) => message)
  }

  test.each([
    ['takes ports and settings by name', 'def run(x, lr): pass', { settings: { lr: 1 } }],
    ['takes some of them as **kwargs', 'def run(x, **more): pass', { settings: { lr: 1, deep: true } }],
    ['has defaults for what is not given', 'def run(x, lr=0.1, *, depth=2): pass', {}],
    ['has keyword-only parameters', 'def run(*, x): pass', {}],
    ['is a coroutine', 'async def run(x): pass', {}],
    ['is a generator', 'def run(x):\n    yield {"y": x}', {}],
    ['is the only public function', 'def _help(): pass\ndef work(x): pass', {}],
    [
      'is defined inside of a condition',
      'try:\n    import torch\n    def run(x): pass\nexcept ImportError:\n    def run(x): pass',
      {},
    ],
    ['is imported', 'from lib import run', {}],
    ['may be imported by a star', 'from lib import *', {}],
    ['is assigned', 'run = make(1)', {}],
    ['is a lambda', 'run = lambda x: {"y": x}', {}],
    ['is a decorated function, whose parameters nobody can tell', '@app.task\ndef run(self, other): pass', {}],
  ])('%s', async (_what, source, more) => {
    expect(await sourceIssues(source, more)).toEqual([])
  })

  test.each([
    [
      'misses an input port',
      'def run(): pass',
      {},
      /line 1: run\(\) does not take "x", an input port .*add a parameter/,
    ],
    ['misses a setting', 'def run(x): pass', { settings: { lr: 1 } }, /does not take "lr", a setting/],
    ['asks for more', 'def run(x, z): pass', {}, /asks for "z", which is neither an input port nor a setting/],
    ['asks by position', 'def run(x, /): pass', { ports: [] }, /"x", by position only/],
    ['is a lambda that asks for more', 'run = lambda x, z: x', {}, /line 1: run\(\) asks for "z"/],
    ['is nowhere', 'X = 1', {}, /the source has no function "run"; name the function to call "run"/],
    ['is nowhere in an empty source', '', {}, /no function "run"/],
    ['could be one of two', 'def a(x): pass\ndef b(x): pass', {}, /no function "run", and 2 public ones: "a", "b"/],
    ['is in a source with a syntax error', 'x = 1\ndef run(x:\n', {}, /line 2: /],
    ['is in a source that the language refuses', 'return 1', {}, /line 1: .*return/],
  ])('that %s is an issue with words to act on', async (_what, source, more, message) => {
    expect(await sourceIssues(source, more)).toEqual([expect.stringMatching(message)])
  })

  test('a passive input is an argument, too', async () => {
    const ports = [input('x'), input('z', { trigger: false }), output('y')]
    expect(await sourceIssues('def run(x): pass', { ports })).toEqual([expect.stringMatching(/does not take "z"/)])
    expect(await sourceIssues('def run(x, z=None): pass', { ports })).toEqual([])
  })

  test('one issue is told for each fault of a source', async () => {
    expect(await sourceIssues('def run(a, b): pass', { settings: { lr: 1 } })).toHaveLength(4)
  })
})

test('no source is executed by saving, validating, publishing or sharing it [T77]', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'marker-'))
  const marker = join(directory, 'executed')
  const touch = `open(${JSON.stringify(marker)}, "w")`
  const source = [
    `import os, subprocess`,
    touch,
    `os.system("touch ${marker}")`,
    `class Meta(type):\n    def __new__(*args): ${touch}`,
    `class Model(metaclass=Meta): x = ${touch}`,
    `def deco(f): ${touch}; return f`,
    `@deco\n@(lambda f: ${touch})\ndef helper(a=${touch}, *, b: ${touch} = ${touch}) -> ${touch}: pass`,
    `def run(x, y=${touch}): return {"y": [${touch} for _ in ${touch}]}`,
  ].join('\n')
  const document: FlowDocumentInput = { ...x, mode: 'batch', nodes: [python(source)] }
  await engine.root('PUT', '/flows/hostile', document)
  expect((await engine.ann<ValidationResult>('POST', '/flows/hostile/validate')).value).toEqual({
    valid: true,
    issues: [],
  })
  expect((await engine.root('POST', '/flows/hostile/publish', { version: 1 })).status).toBe(200)
  expect((await engine.root('POST', '/flows/hostile/nodes/n/share', { name: 'hostile' })).status).toBe(200)
  expect((await engine.root('PUT', '/flows/hostile/nodes/n/source', { code: `${source}\n# more` })).status).toBe(200)
  await expect(access(marker)).rejects.toThrow('ENOENT')
  await rm(directory, { recursive: true })
})

test('validation executes nothing of a flow in TypeScript [T77]', async () => {
  let executions = 0
  const count = () => {
    executions += 1
    return { z: 1 }
  }
  const counting = stage('g', { in: { y: t.any }, out: { z: t.any }, run: count })
  const flow = batchFlow('typed', { y: t.float }, (p, use) => ({ z: use(counting, { y: p.y }).z }))
  await using other = await openEngine({ objects: [flow] })
  const { value } = await other.ann<ValidationResult>('POST', '/flows/typed/validate')
  expect(value).toEqual({ valid: true, issues: [] })
  expect(executions).toBe(0)
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

test('sources made to break a parser are issues, and the engine goes on [T77]', async () => {
  const hostile = ['('.repeat(1e6), `x = ${'-'.repeat(9e5)}1`, `${'a = 1\n'.repeat(160_000)}def run(:`]
  for (const source of hostile) {
    const { valid, issues } = await validate({ ...x, nodes: [python(source)] })
    expect(valid).toBe(false)
    expect(issues).toMatchObject([{ code: 'bad_source', node: 'n', message: expect.stringMatching(/^.{10,300}$/s) }])
  }
  expect((await engine.ann('GET', '/flows/')).status).toBe(200)
})

test('what a node type lacks on the engine is named in an issue [R160]', async () => {
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
})

describe('content that does not fit any more', () => {
  /** Puts content into a row as no API would. */
  const poison = (name: string, column: 'draft' | 'published', json: string) =>
    column === 'draft'
      ? engine.database.sql`update flow set draft = ${json}::jsonb where name = ${name}`
      : engine.database.sql`update flow set published = ${json}::jsonb, draft = null where name = ${name}`

  const shapes = [
    '"text"',
    '7',
    '[]',
    '{"nodes": 3}',
    '{"nodes": [null]}',
    '{"nodes": {"library": "x"}}',
    '{"mode": "cron"}',
  ]
  test.each(shapes)('is one issue of its flow: %s [F60]', async (json) => {
    for (const column of ['draft', 'published'] as const) {
      const name = `poisoned-${(made += 1)}`
      await engine.publish(name, relay)
      await poison(name, column, json)
      const { status, value } = await engine.ann('GET', `/flows/${name}`)
      expect(status).toBe(200)
      expect(value.issues).toMatchObject([{ severity: 'error', message: expect.stringMatching(/save the flow anew/) }])
      const checked = await engine.ann<ValidationResult>('POST', `/flows/${name}/validate`)
      expect(checked.value).toMatchObject({ valid: false, issues: value.issues })
      const list = await engine.ann<FlowListItem[]>('GET', '/flows/')
      expect(list.value.find((item) => item.name === name)?.issues.error).toBeGreaterThan(0)
      expect((await engine.ann('GET', '/flows/library')).status).toBe(200)
      expect((await engine.root('GET', `/flows/${name}/nodes/pass/source`)).status).toBe(404)
      const repaired = await engine.root('PUT', `/flows/${name}`, { ...relay, version: value.version })
      expect(repaired.value.issues).toEqual([])
    }
  })

  test('keeps no engine from starting and no other flow from working [F60, R036]', async () => {
    const first = await openEngine()
    for (const name of ['sound', 'shapeless', 'typeless', 'unset', 'doubled', 'orphaned', 'orphaned-draft']) {
      await first.publish(name, relay)
      await first.root('POST', `/flows/${name}/start`)
    }
    const publish = (name: string, content: unknown) =>
      first.database.sql`update flow set published = ${JSON.stringify(content)}::jsonb where name = ${name}`
    const [node] = relay.nodes ?? []
    await publish('shapeless', { nodes: 'none' })
    await publish('typeless', { nodes: [{ id: 'n', type: 'gone' }] })
    await publish('unset', { nodes: [{ ...node, settings: { scale: 'x' } }] })
    await publish('doubled', { ...relay, nodes: [node, node] })
    await publish('orphaned', { nodes: [python(null, { library: 'gone' })] })
    const draft = JSON.stringify({ nodes: [python(null, { library: 'gone' })] })
    await first.database.sql`update flow set draft = ${draft}::jsonb where name = 'orphaned-draft'`
    await first.close()

    await using second = await openEngine({ dataDir: first.dataDir })
    const { value } = await second.ann<FlowListItem[]>('GET', '/flows/')
    const stateOf = new Map(value.map(({ name, status, issues }) => [name, { status, broken: issues.error > 0 }]))
    expect(stateOf.get('sound')).toEqual({ status: 'active', broken: false })
    expect(stateOf.get('orphaned-draft')).toEqual({ status: 'active', broken: true })
    for (const name of ['shapeless', 'typeless', 'unset'])
      expect(stateOf.get(name)).toEqual({ status: 'failed', broken: true })
    for (const name of ['doubled', 'orphaned']) expect(stateOf.get(name)).toMatchObject({ broken: true })
    const codes = await Promise.all(
      ['typeless', 'unset', 'doubled', 'orphaned', 'orphaned-draft'].map(async (name) => {
        const checked = await second.ann<ValidationResult>('POST', `/flows/${name}/validate`)
        return checked.value.issues.filter(({ severity }) => severity === 'error').map(({ code }) => code)
      }),
    )
    expect(codes).toEqual([
      ['unknown_type'],
      ['bad_setting'],
      ['duplicate_node_id'],
      ['unknown_library'],
      ['unknown_library'],
    ])
    second.runtime.publish('sound.on', 3)
    await expect.poll(() => second.lastValues.get('sound.off')?.value).toBe(3)
    const start = await second.root('POST', '/flows/typeless/start')
    expect(start.problem).toMatchObject({ status: 422, code: 'flow_invalid', errors: [{ code: 'unknown_type' }] })
    expect((await second.root('DELETE', '/flows/shapeless')).status).toBe(204)
  })
})
