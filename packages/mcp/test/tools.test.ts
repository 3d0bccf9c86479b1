import { createClient } from '@flow-service/client-sdk'
import { createMcpServer } from '@flow-service/mcp'
import { type Scope, scopes } from '@flow-service/protocol'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'

/** An agent whose token has these scopes; its service has nothing. */
async function agentWith(
  granted: readonly Scope[] | null,
  fetch: () => Promise<Response> = async () => Response.json([]),
): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = createClient({ baseUrl: 'http://service/api/v1', token: 'none', fetch })
  await createMcpServer({ client, scopes: granted && new Set(granted) }).connect(far)
  const agent = new Client({ name: 'test', version: '1' })
  await agent.connect(near)
  return agent
}

const shownTo = async (granted: readonly Scope[] | null): Promise<string[]> =>
  (await (await agentWith(granted)).listTools()).tools.map(({ name }) => name)

const byScope: Partial<Record<Scope, string[]>> = {
  'flows:read': ['find_node_types', 'list_flows', 'get_flow', 'validate'],
  'flows:write': ['save_draft'],
  'flows:publish': ['publish_flow'],
  'runs:read': ['list_runs', 'get_run', 'compare_runs', 'get_curve', 'get_logs', 'why_miss'],
  'runs:write': ['try_draft', 'submit_run', 'submit_sweep', 'cancel_run'],
  'messages:read': ['list_messages', 'get_history'],
  'observability:read': ['list_cascades', 'list_dead_letters'],
}
const all = Object.values(byScope).flat()

test.each(scopes.filter((scope) => scope !== 'admin'))('an agent with %s is shown its tools alone', async (scope) => {
  expect((await shownTo([scope])).toSorted()).toEqual((byScope[scope] ?? []).toSorted())
})

test('all tools are shown to who may do everything, and none to who may do nothing', async () => {
  expect((await shownTo(['admin'])).toSorted()).toEqual(all.toSorted())
  expect((await shownTo(null)).toSorted()).toEqual(all.toSorted())
  expect(await shownTo([])).toEqual([])
})

test('every tool says what it is for, what it takes and answers, and what it does', async () => {
  const { tools } = await (await agentWith(null)).listTools()
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    expect([name, title !== '', (description ?? '').length > 40]).toEqual([name, true, true])
    expect([name, inputSchema.type, outputSchema?.type]).toEqual([name, 'object', 'object'])
    expect([name, outputSchema?.required]).toEqual([name, expect.arrayContaining(['next'])])
    const isReader = /^(?:find|list|get|compare|why)_|^validate$/.test(name)
    expect([name, annotations]).toEqual([name, expect.objectContaining({ readOnlyHint: isReader })])
  }
  const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true)
  expect(destructive.map(({ name }) => name)).toEqual(['save_draft', 'cancel_run', 'publish_flow'])
  // what every conversation begins with
  expect(JSON.stringify(tools).length).toBeLessThan(64_000)
})

test('a tool that the token does not cover is refused, and says which scope it needs', async () => {
  const agent = await agentWith(['flows:read'])
  const { isError, structuredContent, content } = await agent.callTool({
    name: 'publish_flow',
    arguments: { name: 'lab', version: 1 },
  })
  expect([isError, structuredContent]).toEqual([
    true,
    expect.objectContaining({ code: 'forbidden', required_scope: 'flows:publish' }),
  ])
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('What to do: ask') }])
})

test.each([
  ['list_flows', { cursor: 'x' }, '/cursor: "x" is none of this tool'],
  ['list_flows', { cursor: 7 }, '/cursor: give it a text'],
  ['list_flows', { limit: 7 }, '/limit: it is not known here; leave it out'],
  ['get_flow', {}, '/name: it is missing; give it a text'],
  ['get_flow', { name: '../x' }, '/name: '],
  ['get_run', { id: 'x' }, '/id: use the id of a run, as list_runs and submit_run tell it'],
  ['list_runs', { since: 'yesterday' }, '/since: '],
  ['list_runs', { cursor: 'yesterday' }, '/cursor: "yesterday" is none of this tool'],
  ['get_history', { message: 'a.b', cursor: '7' }, '/cursor: "7" is none of this tool'],
  ['compare_runs', { runs: ['x'] }, '/runs'],
  ['get_curve', { run: crypto.randomUUID(), metric: '', points: 1 }, '/metric: '],
  ['save_draft', { name: 'lab', document: {} }, '/version: it is missing; give it a number'],
  [
    'save_draft',
    { name: 'lab', version: 0, document: { nodes: [{ id: 'a' }] } },
    '/document/nodes/0/type: it is missing',
  ],
])('%s refuses %j with what to do', async (name, input, detail) => {
  const { isError, structuredContent } = await (await agentWith(null)).callTool({ name, arguments: input })
  expect([isError, structuredContent]).toEqual([
    true,
    expect.objectContaining({ code: 'validation_failed', detail: expect.stringContaining(detail) }),
  ])
})

test('a service that is not there is told in words', async () => {
  const agent = await agentWith(null, async () => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  })
  const { isError, structuredContent } = await agent.callTool({ name: 'list_flows', arguments: {} })
  expect([isError, structuredContent]).toEqual([
    true,
    expect.objectContaining({ code: 'unavailable', detail: 'the service does not answer: connect ECONNREFUSED' }),
  ])
})

test('an unknown tool is an error of the protocol', async () => {
  const agent = await agentWith(null)
  await expect(agent.callTool({ name: 'drop_tables', arguments: {} })).rejects.toThrow(/there is no tool "drop_tables"/)
})
