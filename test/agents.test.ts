import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { pairDevice } from './device-client.ts'
import { pythonFlow, scaleFlow } from './documents.ts'
import { type Agent, agentAt, tokenFor } from './mcp-agent.ts'
import { startService, type TestService } from './service.ts'

const console = 'https://console.example'
let at: TestService
beforeAll(async () => {
  at = await startService({ mcp: true, corsOrigins: [console] })
})
afterAll(() => at[Symbol.asyncDispose]())

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

const headersOf = (token: string | null) => ({
  ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})

const ask = (token: string | null, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
  fetch(`${at.baseUrl}/mcp`, {
    method: 'POST',
    headers: { ...headersOf(token), ...headers },
    body: JSON.stringify(initialize),
    ...init,
  })

describe('who may use the tools over HTTP', () => {
  test('the token of an agent is taken, and that of a session, key, worker or device, or none, is not [R625, T91]', async () => {
    const worker = await at.client.workers.mintToken({ name: 'w' }).then(({ token }) => token)
    expect((await ask(await tokenFor(at, ['flows:read']))).status).toBe(200)
    const { key } = await at.client.keys.create({ name: 'all', scopes: ['admin'] })
    for (const token of [at.token, key, worker, await pairDevice(at, 'hall'), 'nonsense', null]) {
      const answer = await ask(token)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${at.origin}/.well-known/oauth-protected-resource/api/v1/mcp"`,
      ])
    }
  })

  test.each([
    ['page of another site', 403, { origin: 'https://evil.example' }],
    ['page of nowhere', 403, { origin: 'null' }],
    ['page of the service', 200, { origin: 'SELF' }],
  ])('a %s is answered %i [T91]', async (_who, status, headers) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('SELF', at.origin)]),
    )
    expect((await ask(await tokenFor(at, ['flows:read']), given)).status).toBe(status)
  })

  test('an agent in a page of an allowed origin may send what the protocol demands, and read where to sign in', async () => {
    const sent = ['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name', 'last-event-id']
    const read = ['mcp-session-id', 'www-authenticate']
    const namedAt = async (path: string, origin: string) => {
      const asked = { origin, 'access-control-request-method': 'POST' }
      const preflight = await fetch(`${at.baseUrl}${path}`, { method: 'OPTIONS', headers: asked })
      const answer = await fetch(`${at.baseUrl}${path}`, { method: 'POST', headers: { origin } })
      const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? []
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ') ?? []
      return [...sent.filter((name) => allowed.includes(name)), ...read.filter((name) => exposed.includes(name))]
    }
    expect(await namedAt('/mcp', console)).toEqual([...sent, ...read])
    expect(await namedAt('/flows', console)).toEqual([])
    expect(await namedAt('/mcp', 'https://evil.example')).toEqual([])
  })

  test('a name that somebody else has given the address of the service is refused [T91]', async () => {
    const token = await tokenFor(at, ['flows:read'])
    const asked = async (host: string) => {
      const sent = request(`${at.baseUrl}/mcp`, {
        method: 'POST',
        headers: { ...headersOf(token), host, origin: `http://${host}` },
      })
      sent.end(JSON.stringify(initialize))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return [answer.statusCode, await text(answer)]
    }
    const { port } = new URL(at.origin)
    expect(await asked(`rebound.example:${port}`)).toEqual([403, expect.stringContaining('SERVICE_BASE_URL')])
    expect(await asked(`localhost:${port}`)).toEqual([200, expect.any(String)])
  })

  test('a token is void once it is revoked, in the middle of a conversation too [T91]', async () => {
    await using agent = await agentAt(at, ['flows:read'])
    expect((await agent.call('list_flows')).isError).toBe(false)
    const { id } = (await at.client.oauth.listTokens({}))[0] ?? { id: '' }
    await at.client.http.oauth.revokeToken({ id })
    await expect(agent.call('list_flows')).rejects.toThrow(/401|Unauthorized/i)
  })

  test('what is too long, no JSON or no message is refused, and GET and DELETE are not for a server without sessions', async () => {
    const token = await tokenFor(at, ['flows:read'])
    const statusOf = async (init: RequestInit) => (await ask(token, {}, init)).status
    expect(await statusOf({ body: `"${'x'.repeat(5_000_000)}"` })).toBe(413)
    expect(await statusOf({ body: '{' })).toBe(400)
    expect(await statusOf({ body: `${'['.repeat(1000)}${']'.repeat(1000)}` })).toBe(422)
    expect(await statusOf({ body: '7' })).toBe(400)
    expect(await statusOf({ method: 'GET', body: null })).toBe(405)
    expect(await statusOf({ method: 'DELETE', body: null })).toBe(405)
    expect((await ask(token, { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

test('without the setting there is nothing', async () => {
  await using off = await startService()
  expect((await fetch(`${off.baseUrl}/mcp`, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${off.baseUrl}/nobody`, { method: 'POST' })).status).toBe(404)
})

const drafting = ['flows:read', 'flows:write', 'runs:read', 'runs:write'] as const

describe('an agent that may draft', () => {
  let agent: Agent
  beforeAll(async () => {
    agent = await agentAt(at, drafting)
  })
  afterAll(() => agent[Symbol.asyncDispose]())

  test('finds node types, writes a draft, mends it, tries it, and cannot publish it [T91]', async () => {
    expect(await agent.tools()).toEqual(expect.arrayContaining(['save_draft', 'try_draft', 'get_run']))
    expect(await agent.tools()).not.toContain('publish_flow')
    const types = await agent.call('find_node_types', { query: 'scale', mode: 'batch' })
    expect(types.text).toContain('change: ')
    const change = await agent.call('find_node_types', { type: 'change' })
    expect(change.value.settings).toMatchObject({ properties: { scale: { type: 'number' } } })
    const broken = { ...scaleFlow, nodes: [{ ...scaleFlow.nodes[0], settings: { scale: 'ten' } }] }
    const first = await agent.call('save_draft', { name: 'scaled', version: 0, document: broken })
    expect(first.value).toMatchObject({ version: 1, errors: 1, issues: [{ severity: 'error', code: 'bad_setting' }] })
    expect((await agent.call('try_draft', { name: 'scaled' })).value).toMatchObject({ code: 'flow_invalid' })
    const mended = await agent.call('save_draft', { name: 'scaled', version: 1, document: scaleFlow })
    expect(mended.value).toMatchObject({ version: 2, errors: 0 })
    expect((await agent.call('validate', { name: 'scaled' })).value).toMatchObject({ valid: true })
    const tried = await agent.call('try_draft', { name: 'scaled', inputs: { n: 4.5 } })
    expect(tried.value).toMatchObject({ status: 'ok', values: [{ name: 'scaled', value: 45 }], errors: [] })
    const refused = await agent.call('publish_flow', { name: 'scaled', version: 2 })
    expect([refused.isError, refused.value]).toMatchObject([
      true,
      { code: 'forbidden', required_scope: 'flows:publish' },
    ])
    expect((await at.client.http.flows.get({ name: 'scaled' })).published_version).toBeNull()
  })

  test('a draft of an older version is refused with what to do', async () => {
    await at.client.http.flows.save({ name: 'shared', flowDocument: scaleFlow as never })
    await at.client.http.flows.save({ name: 'shared', flowDocument: { ...scaleFlow, version: 1 } as never })
    const { value } = await agent.call('save_draft', { name: 'shared', version: 1, document: scaleFlow })
    expect(value).toMatchObject({
      code: 'version_conflict',
      current_version: 2,
      remedy: expect.stringContaining('get_flow'),
    })
  })

  test('what a person has drawn stays where it was', async () => {
    const layout = { nodes: { scale: { x: 10, y: 20 } } }
    await at.client.http.flows.save({ name: 'drawn', flowDocument: { ...scaleFlow, layout } as never })
    const { document, version } = (await agent.call('get_flow', { name: 'drawn' })).value
    expect((await agent.call('save_draft', { name: 'drawn', version, document })).isError).toBe(false)
    const { layout: kept, nodes } = await at.client.http.flows.get({ name: 'drawn' })
    expect([kept, nodes]).toEqual([layout, (await at.client.http.flows.get({ name: 'drawn' })).nodes])
  })

  test('code takes a superuser with the scope for it, as everywhere', async () => {
    const document = pythonFlow('def run(n):\n    return {"out": n}\n')
    const { value } = await agent.call('save_draft', { name: 'coded', version: 0, document })
    expect(value).toMatchObject({ code: 'forbidden', required_scope: 'flows:code' })
  })

  test('it tries a live flow that sends nothing, and not one whose work must not be done twice', async () => {
    const live = { ...scaleFlow, mode: 'live', outputs: [] }
    await agent.call('save_draft', { name: 'quiet', version: 0, document: live })
    const tried = await agent.call('try_draft', { name: 'quiet', inputs: { n: 3 } })
    expect(tried.value).toMatchObject({
      status: 'ok',
      values: expect.arrayContaining([{ name: 'quiet.scaled', value: 30, truncated: false }]),
    })
    const post = {
      id: 'post',
      type: 'http',
      settings: { url: 'http://127.0.0.1:9/', method: 'POST' },
      ports: [{ direction: 'input', name: 'n', dtype: 'float' }],
    }
    await agent.call('save_draft', { name: 'loud', version: 0, document: { ...live, nodes: [post] } })
    const refused = await agent.call('try_draft', { name: 'loud', inputs: { n: 3 } })
    expect(refused.value).toMatchObject({ code: 'forbidden', required_scope: 'flows:publish' })
    expect(refused.value.detail).toContain('"post"')
  })
})

test('an agent that may publish does so for its user, and the audit trail tells its name', async () => {
  await using agent = await agentAt(at, [...drafting, 'flows:publish'])
  const { version } = (await agent.call('save_draft', { name: 'told', version: 0, document: scaleFlow })).value
  const published = await agent.call('publish_flow', { name: 'told', version })
  expect([published.isError, published.value]).toMatchObject([false, { status: 'ready', version: 1 }])
  const events = await at.client.observability.events({ flow: 'told' })
  expect(events.map(({ action, actor }) => [action, actor?.via, actor?.name, actor?.email])).toContainEqual([
    'flow.publish',
    'mcp',
    'helper',
    'admin@localhost',
  ])
})
