import { once } from 'node:events'
import { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { bytes, endpoint, type Handlers, json, reply } from '../../src/http/endpoint.ts'
import { ProblemError } from '../../src/http/errors.ts'
import { bind, mount } from '../../src/http/mount.ts'
import { type Running, serve, user } from './server.ts'

const name = z.object({ name: z.string().regex(/^[\w.-]+$/) })
const contract = {
  list: endpoint({
    id: 'flows.list',
    method: 'get',
    path: '/flows/',
    summary: 'Flows',
    auth: 'user',
    query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(50), q: z.string().optional() }),
    replies: { 200: reply.json('The query', z.object({ limit: z.int(), q: z.string().nullable() })) },
  }),
  get: endpoint({
    id: 'flows.get',
    method: 'get',
    path: '/flows/{name}',
    summary: 'A flow',
    auth: 'user',
    params: name,
    replies: { 200: reply.json('The name', z.object({ name: z.string() })) },
  }),
  nodeTypes: endpoint({
    id: 'flows.nodeTypes',
    method: 'get',
    path: '/flows/node-types',
    summary: 'Node types',
    auth: 'user',
    replies: { 200: reply.json('Names', z.array(z.string())) },
  }),
  save: endpoint({
    id: 'flows.save',
    method: 'put',
    path: '/flows/{name}',
    summary: 'Save',
    auth: 'superuser',
    params: name,
    body: json(z.object({ version: z.int() })),
    replies: { 201: reply.json('Saved', z.object({ version: z.int() }), z.object({ Location: z.string() })) },
  }),
  remove: endpoint({
    id: 'flows.delete',
    method: 'delete',
    path: '/flows/{name}',
    summary: 'Delete',
    auth: 'user',
    params: name,
    replies: { 204: reply.empty('Deleted') },
  }),
  report: endpoint({
    id: 'devices.report',
    method: 'put',
    path: '/devices/{name}/report',
    summary: 'Report',
    auth: 'device',
    params: name,
    replies: { 204: reply.empty('Taken') },
  }),
  rows: endpoint({
    id: 'runs.export',
    method: 'get',
    path: '/runs/export',
    summary: 'Rows',
    auth: 'open',
    query: z.object({ fail: z.enum(['early', 'late']).optional() }),
    replies: { 200: reply.stream('Rows', ['text/csv'], z.object({ 'X-Total-Count': z.string() })) },
  }),
  upload: endpoint({
    id: 'artifacts.put',
    method: 'put',
    path: '/artifacts',
    summary: 'Upload',
    auth: 'user',
    body: bytes(1000),
    replies: { 200: reply.json('The size', z.object({ size: z.int(), type: z.string().nullable() })) },
  }),
  broken: endpoint({
    id: 'broken.shape',
    method: 'post',
    path: '/broken/{kind}',
    summary: 'Answers wrongly',
    auth: 'open',
    params: z.object({ kind: z.string() }),
    replies: { 200: reply.json('A number', z.object({ n: z.number() })) },
  }),
}

const handlers: Handlers<typeof contract> = {
  list: ({ query }) => ({ status: 200, value: { limit: query.limit, q: query.q ?? null } }),
  get: ({ params }) => ({ status: 200, value: { name: params.name } }),
  nodeTypes: () => ({ status: 200, value: ['switch'] }),
  save: ({ body, params, request }) => ({
    status: 201,
    value: { version: body.version },
    headers: { location: `${request.baseUrl}/flows/${params.name}` },
  }),
  remove: ({ params }) => {
    throw new ProblemError('in_use', `flow "${params.name}" is in use`, { used_by: ['x'] })
  },
  report: () => ({ status: 204 }),
  rows: ({ query }) => ({
    status: 200,
    type: 'text/csv',
    headers: { 'x-total-count': '2' },
    body: (async function* () {
      if (query.fail === 'early') throw new Error('the cursor is gone')
      yield 'a,b\n'
      yield '1,2\n'
      if (query.fail === 'late') throw new Error('the cursor is gone')
    })(),
  }),
  upload: async ({ body, request }) => {
    let size = 0
    for await (const chunk of body) size += (chunk as Buffer).length
    return { status: 200, value: { size, type: request.mediaType } }
  },
  broken: ({ params }) => ({
    status: 200,
    value: JSON.parse(params.kind === 'missing' ? '{}' : '{"n":1,"secret":"x"}') as { n: number },
  }),
}

let api: Running
beforeAll(async () => {
  api = await serve(bind(contract, handlers), {
    authenticate: async (request) => {
      if (request.headers.authorization === undefined) throw new ProblemError('unauthenticated', 'send a bearer token')
      return { ...user, superuser: request.headers.authorization === 'Bearer root' }
    },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

interface Init extends RequestInit {
  headers?: Record<string, string>
}
const call = (path: string, init: Init = {}, token: string | null = 'ann') =>
  fetch(`${api.url}${path}`, {
    ...init,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
  })
const putJson = (body: unknown): Init => ({
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

describe('routes', () => {
  test('a literal path wins over a parameter, whatever the order of the contract', async () => {
    expect(await (await call('/flows/node-types')).json()).toEqual(['switch'])
    expect(await (await call('/flows/other')).json()).toEqual({ name: 'other' })
  })

  test('a trailing slash is not significant', async () => {
    expect((await call('/flows')).status).toBe(200)
    expect((await call('/flows/')).status).toBe(200)
    expect(await (await call('/flows/node-types/')).json()).toEqual(['switch'])
  })

  test('an unknown path is a 404 problem', async () => {
    const answer = await call('/flow')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({
      type: 'urn:service:problem:not_found',
      status: 404,
      code: 'not_found',
      detail: 'there is nothing at GET /api/v1/flow',
    })
  })

  test('a known path with another method is 405 and names the methods that exist', async () => {
    const answer = await call('/flows/x', { method: 'POST' }, null)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' })
    expect((await call('/flows', { method: 'OPTIONS' })).status).toBe(405)
  })

  test('a literal path leaves the methods that it does not have to the path with a parameter', async () => {
    expect((await call('/flows/node-types', { method: 'DELETE' })).status).toBe(409)
    const answer = await call('/flows/node-types', { method: 'POST' }, null)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
  })

  test('paths are case-sensitive', async () => {
    expect((await call('/Flows')).status).toBe(404)
  })

  test('HEAD answers the headers of GET without a body', async () => {
    const answer = await call('/flows/other', { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-length')).toBe(String('{"name":"other"}'.length))
    expect(await answer.text()).toBe('')
    const rows = await call('/runs/export', { method: 'HEAD' })
    expect(rows.headers.get('x-total-count')).toBe('2')
    const missing = await call('/nothing', { method: 'HEAD' })
    expect([missing.status, await missing.text()]).toEqual([404, ''])
  })

  test('two endpoints of one path and method are refused when mounted', () => {
    const twice = [...bind(contract, handlers), ...bind(contract, handlers)]
    expect(() => mount(twice, { authenticate: async () => user })).toThrow('flows.list and flows.list are both get')
  })

  test('a broken percent escape is 400', async () => {
    const answer = await call('/flows/%zz')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'bad_request' })
  })
})

describe('who may call', () => {
  test('every endpoint that is not open asks for a credential first [R445, R668]', async () => {
    for (const path of ['/flows', '/flows/x', '/flows/x.svg', '/flows/health', '/flows/docs', '/flows/node-types/']) {
      const answer = await call(path, {}, null)
      expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer'])
    }
    expect((await call('/flows/x', { ...putJson('no number'), method: 'PUT' }, null)).status).toBe(401)
  })

  test('odd spellings of a path are no way around authentication', async () => {
    const spellings = [
      '//flows',
      '/flows;x',
      '/flows/%2e%2e/flows',
      '/flows/a%2fb',
      '/flows/x.',
      '/./flows/x',
      '/FLOWS/x',
    ]
    for (const path of spellings) {
      const { status } = await call(path, { headers: { 'x-http-method-override': 'GET' } }, null)
      expect([path, [401, 404].includes(status)]).toEqual([path, true])
    }
  })

  test('a user is refused where a superuser is asked for, before the body is looked at [R669]', async () => {
    const refused = await call('/flows/x', putJson('nonsense'))
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'forbidden' })
    expect((await call('/flows/x', putJson({ version: 1 }), 'root')).status).toBe(201)
  })

  test('a user, superuser or not, has no right to what a device does', async () => {
    expect((await call('/devices/d/report', { method: 'PUT' }, 'root')).status).toBe(403)
  })
})

describe('parts of a request', () => {
  test('query values are coerced and defaults filled in', async () => {
    expect(await (await call('/flows')).json()).toEqual({ limit: 50, q: null })
    expect(await (await call('/flows?limit=7&q=%C3%A9')).json()).toEqual({ limit: 7, q: 'é' })
  })

  test.each([
    ['limit=0', 'query.limit', 'too_small'],
    ['limit=501', 'query.limit', 'too_big'],
    ['limit=x', 'query.limit', 'invalid_type'],
    ['limit=1&limit=2', 'query.limit', 'duplicate_key'],
    ['q=a%00', 'query.q', 'bad_text'],
    ['unknown=1', 'query.unknown', 'unrecognized_keys'],
    ['__proto__=1', 'query.__proto__', 'reserved_key'],
    ['constructor=1', 'query.constructor', 'unrecognized_keys'],
  ])('the query %s is refused with 422 [R673]', async (query, path, code) => {
    const answer = await call(`/flows?${query}`)
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ path, code }] })
  })

  test('an endpoint without query refuses every query key', async () => {
    expect((await call('/flows/x?access_token=t')).status).toBe(422)
  })

  test('a bad path parameter is 422 and told as path.name', async () => {
    const answer = await call('/flows/a%20b')
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ errors: [{ path: 'path.name' }] })
    expect((await call('/flows/a%00')).status).toBe(422)
  })

  test('links follow the request or the configured base URL', async () => {
    const answer = await call('/flows/x', putJson({ version: 1 }), 'root')
    expect(answer.headers.get('location')).toBe(`${api.url}/flows/x`)
    await using other = await serve(bind(contract, handlers), {
      baseUrl: 'https://flows.example.org/api/v1',
      authenticate: async () => ({ ...user, superuser: true }),
    })
    const far = await fetch(`${other.url}/flows/x`, putJson({ version: 1 }))
    expect(far.headers.get('location')).toBe('https://flows.example.org/api/v1/flows/x')
  })
})

describe('answers', () => {
  test('a refusal of a handler carries its extension members [R677]', async () => {
    const answer = await call('/flows/x', { method: 'DELETE' })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      type: 'urn:service:problem:in_use',
      title: 'Still in use',
      status: 409,
      detail: 'flow "x" is in use',
      code: 'in_use',
      used_by: ['x'],
    })
  })

  test('a stream is sent as it comes', async () => {
    const answer = await call('/runs/export', {}, null)
    expect(answer.headers.get('content-type')).toBe('text/csv')
    expect(await answer.text()).toBe('a,b\n1,2\n')
  })

  test('a stream that fails before its first byte is a 500 problem', async () => {
    const answer = await call('/runs/export?fail=early', {}, null)
    expect(answer.status).toBe(500)
    expect(answer.headers.get('x-total-count')).toBeNull()
    expect(await answer.json()).toMatchObject({ code: 'internal' })
  })

  test('a stream that fails later breaks the connection: half a file never looks whole', async () => {
    await expect(call('/runs/export?fail=late', {}, null).then((answer) => answer.text())).rejects.toThrow('terminated')
  })

  test('the stream for a client that has left is closed, and nothing is logged', async () => {
    const entered = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const stream = Readable.from(['a,b\n']).on('close', closed.resolve)
    const rows: typeof handlers.rows = async ({ signal }) => {
      entered.resolve()
      await once(signal, 'abort')
      return { status: 200, type: 'text/csv', body: stream }
    }
    await using running = await serve(bind(contract, { ...handlers, rows }))
    const leaving = new AbortController()
    const answer = fetch(`${running.url}/runs/export`, { signal: leaving.signal })
    await entered.promise
    leaving.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
    await closed.promise
    expect(running.logged).toEqual([])
  })

  test('an answer that departs from its schema fails under checkReplies', async () => {
    for (const kind of ['missing', 'more']) {
      expect((await call(`/broken/${kind}`, { method: 'POST' }, null)).status).toBe(500)
    }
    expect(api.logged.slice(-2).map(({ fields }) => String((fields as { err: Error }).err))).toEqual([
      expect.stringContaining('broken.shape answers against its schema'),
      expect.stringContaining('broken.shape answers members that its schema does not declare'),
    ])
  })

  test('an unexpected error is told by an id only; the log has the rest', async () => {
    const answer = await call('/broken/missing', { method: 'POST' }, null)
    const body = (await answer.json()) as { error_id: string; detail: string }
    expect(JSON.stringify(body)).not.toMatch(/at |\.ts|schema/)
    expect(api.logged.at(-1)?.fields).toMatchObject({ error_id: body.error_id })
  })
})

describe('raw bytes', () => {
  const put = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
    call('/artifacts', { method: 'PUT', body, headers, duplex: 'half' } as Init)

  test('a handler reads the stream and knows the media type', async () => {
    const answer = await put('x'.repeat(1000), { 'content-type': 'Image/PNG; q=1' })
    expect(await answer.json()).toEqual({ size: 1000, type: 'image/png' })
  })

  test('a declared length over the limit is 413 at once', async () => {
    const answer = await put('x'.repeat(1001))
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large', max_bytes: 1000 })
  })

  test('a stream without a length is cut at the limit with 413', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1
        if (sent > 10_000) controller.close()
        else controller.enqueue(new Uint8Array(10_000))
      },
    })
    const answer = await put(endless)
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large' })
  })

  test('the configuration can set the limit of an endpoint', async () => {
    await using small = await serve(bind(contract, handlers), { maxBodyBytes: { 'artifacts.put': 3 } })
    expect((await fetch(`${small.url}/artifacts`, { method: 'PUT', body: '1234' })).status).toBe(413)
    expect((await fetch(`${small.url}/artifacts`, { method: 'PUT', body: '123' })).status).toBe(200)
  })
})
