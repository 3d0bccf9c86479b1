import { createClient } from '@flow-service/client-sdk'
import { createMcpServer } from '@flow-service/mcp'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { beforeAll, expect, test } from 'vitest'

const long = '😀 a long text\n'.repeat(150)
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const name = (at: number): string => `${'n'.repeat(90)}${at}`
const id = '0199c0de-0000-7000-8000-000000000000'
const ts = '2026-11-23T10:00:00.000000Z'

const error = { type: 'ValueError', message: long, node: name(1), traceback: long, ts }
const issue = { severity: 'error', code: 'bad_setting', message: long, node: name(1), path: `/${long}` }
const port = { direction: 'input', port: name(1), dtype: 'float', trigger: true }
const type = {
  type: name(1),
  title: long,
  description: long,
  category: 'logic',
  modes: ['live'],
  available: false,
  missing: long,
  has_source: false,
  superuser: false,
  ports: { inputs: 'any', outputs: 'any', fixed: many(100, () => port) },
  params: {
    type: 'object',
    properties: Object.fromEntries(many(100, (at) => [name(at), { type: 'string', description: long }])),
  },
}
const node = {
  id: name(1),
  type: 'change',
  title: long.slice(0, 200),
  settings: { text: long },
  source: null,
  library: null,
  ports: many(20, (at) => ({ ...port, name: name(at), interval: null, stream: false, on_demand: false })),
}
const flow = {
  name: name(1),
  title: long,
  description: long,
  mode: 'live',
  status: 'failed',
  version: 7,
  published_version: 7,
  is_draft: false,
  has_draft: true,
  origin: 'api',
  updated_at: ts,
  inputs: many(1000, (at) => ({ name: name(at), dtype: 'any', initial: null, title: '' })),
  outputs: [],
  nodes: many(2000, () => node),
  issues: many(1000, () => issue),
  resources: {},
  concurrency: null,
  layout: {},
  rebuilt: many(10_000, name),
}
const record = {
  node: name(1),
  type: 'python',
  status: 'error',
  cached: false,
  cached_from: null,
  cache: { hit: false, key: null, why: many(30, () => long) },
  duration_s: 1,
  waiting_for: null,
  logs: 'x'.repeat(65_536),
  logs_truncated: true,
  traceback: long,
  error,
}
const run = {
  id,
  flow: name(1),
  status: 'error',
  draft: false,
  seed: 1,
  group_id: null,
  flow_version: 7,
  digest: null,
  commit: null,
  created_at: ts,
  duration_s: 1,
  error,
  params: Object.fromEntries(many(200, (at) => [name(at), `${long}${crypto.randomUUID()}`])),
  inputs: [],
  nodes: many(60, () => record),
  result: Object.fromEntries(many(200, (at) => [name(at), long])),
  metrics: many(1000, (at) => ({ name: name(at), count: 9, last: 1, step: 8 })),
  artifacts: many(1000, () => ({ name: name(1), media_type: 'a/b', size: 1, node: name(1) })),
}
const series = {
  name: name(1),
  node: name(2),
  port: 'loss',
  count: 1_000_000,
  points: many(200, (step) => ({ step, ts, value: Math.PI * step })),
}
const reader = { flow: name(1), node: name(2), port: 'in' }
const message = {
  name: name(1),
  flow: name(1),
  dtype: 'any',
  value: long,
  ts,
  sources: many(50, () => reader),
  readers: many(50, () => reader),
}
const cascade = {
  id,
  flow: name(1),
  origin: { kind: 'webhook', node: name(1), message: null },
  status: 'error',
  executions: 1,
  started_at: ts,
  duration_ms: 1,
  error,
}
const letter = { id, ts, flow: name(1), node: name(2), message: name(3), value: long, reason: 'crash', attempts: 1 }

const answers: readonly (readonly [RegExp, unknown])[] = [
  [/\/node-types$/, [...many(99, (at) => ({ ...type, type: name(at + 2) })), type]],
  [/\/validate$/, { valid: false, issues: flow.issues }],
  [/\/try$/, { ...run, nodes: run.nodes }],
  [/\/sweep$/, { group_id: id, runs: many(200, () => ({ ...run, nodes: [], params: {}, result: null })) }],
  [
    /\/flows\/$/,
    many(2000, () => ({
      ...flow,
      inputs: [],
      rebuilt: [],
      issues: { error: 1, warning: 0, advisory: 0 },
      failed_nodes: 3,
      nodes: [],
    })),
  ],
  [/\/runs\/flows\/|\/cancel$/, run],
  [/\/metrics$/, many(40, (at) => ({ ...series, node: name(at) }))],
  [/\/api\/v1\/runs$/, many(50, () => ({ ...run, nodes: [], params: {}, result: {} }))],
  [/\/runs\/[\w-]+$/, run],
  [/\/history$/, many(30, () => ({ ts, value: long, truncated: false, source: reader, run: null }))],
  [/\/messages\/$/, many(200, () => message)],
  [/\/observability\/runs$/, many(30, () => cascade)],
  [/\/dead-letter$/, many(30, () => letter)],
  [/\/flows\//, flow],
]

let agent: Client
let problem: object | null = null
beforeAll(async () => {
  const texts = new Map(answers.map(([path, value]) => [path, JSON.stringify(value)]))
  const fetch = async (input: unknown): Promise<Response> => {
    if (problem) return Response.json(problem, { status: 422 })
    const { pathname } = new URL((input as Request).url)
    const text = [...texts].find(([path]) => path.test(pathname))?.[1]
    return new Response(text ?? 'null', { headers: { 'content-type': 'application/json' } })
  }
  const client = createClient({
    baseUrl: 'http://service/api/v1',
    token: 'none',
    fetch: fetch as typeof globalThis.fetch,
  })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await createMcpServer({ client, scopes: null }).connect(far)
  agent = new Client({ name: 'test', version: '1' })
  await agent.connect(near)
})

const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ['find_node_types', {}],
  ['find_node_types', { type: name(1) }],
  ['list_flows', {}],
  ['get_flow', { name: 'lab' }],
  ['validate', { name: 'lab' }],
  ['validate', { name: 'lab', document: {} }],
  ['save_draft', { name: 'lab', version: 7, document: {} }],
  ['try_draft', { name: 'lab' }],
  ['list_runs', {}],
  ['get_run', { id }],
  ['compare_runs', { runs: [id, id] }],
  ['get_curve', { run: id, metric: 'loss', points: 200 }],
  ['get_logs', { run: id }],
  ['why_miss', { run: id }],
  ['submit_run', { flow: 'lab' }],
  ['submit_sweep', { flow: 'lab', runs: [{}] }],
  ['cancel_run', { id }],
  ['list_messages', {}],
  ['get_history', { message: 'lab.out' }],
  ['list_cascades', {}],
  ['list_dead_letters', {}],
  ['publish_flow', { name: 'lab', version: 7 }],
]

test.each(calls)('%s with %j stays short, whatever there is', async (tool, input) => {
  const { isError = false, content, structuredContent } = await agent.callTool({ name: tool, arguments: input })
  const [text] = content.map((part) => (part.type === 'text' ? part.text : ''))
  expect([isError, content.length, (text ?? '').length > 0]).toEqual([false, 1, true])
  expect((text ?? '').length).toBeLessThan(2000)
  expect((text ?? '').isWellFormed()).toBe(true)
  expect(JSON.stringify(structuredContent).length).toBeLessThan(250_000)
})

test.each(calls)('a long refusal of %s stays short', async (tool, input) => {
  problem = {
    type: 'urn:service:problem:flow_invalid',
    title: 'x',
    status: 422,
    code: 'flow_invalid',
    detail: long,
    errors: many(1000, () => ({ path: `/${long}`, code: 'bad', message: long })),
  }
  const { isError, content, structuredContent } = await agent.callTool({ name: tool, arguments: input })
  problem = null
  const [text] = content.map((part) => (part.type === 'text' ? part.text : ''))
  expect([isError, structuredContent]).toEqual([true, expect.objectContaining({ code: 'flow_invalid' })])
  expect((text ?? '').length).toBeLessThan(2000)
  expect(JSON.stringify(structuredContent).length).toBeLessThan(20_000)
})

test('every tool is held against it', async () => {
  const { tools } = await agent.listTools()
  expect([...new Set(calls.map(([tool]) => tool))].toSorted()).toEqual(tools.map(({ name: tool }) => tool).toSorted())
})
