import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { isCompressible } from '../../src/http/compression.ts'
import { endpoint, type Handlers, reply } from '../../src/http/endpoint.ts'
import { knowsTag } from '../../src/http/entity-tag.ts'
import { bind, mount } from '../../src/http/mount.ts'
import { listen, type Running, serve, user } from './server.ts'

const text = (size: number): string => 'flow '.repeat(Math.ceil(size / 5)).slice(0, size)
const query = z.object({ size: z.coerce.number().int() })
const etag = '"the-tag"'
const contract = {
  whole: endpoint({
    id: 'sizes.whole',
    method: 'get',
    path: '/whole',
    summary: 'JSON of a size',
    auth: 'open',
    query,
    replies: { 200: reply.json('A text', z.string()), 304: reply.empty('The client has it') },
  }),
  compare: endpoint({
    id: 'sizes.compare',
    method: 'post',
    path: '/sizes/compare',
    summary: 'JSON of a size, asked for by POST',
    auth: 'open',
    query,
    replies: { 200: reply.json('A text', z.string()) },
  }),
  rows: endpoint({
    id: 'sizes.rows',
    method: 'get',
    path: '/rows',
    summary: 'A stream of a size',
    auth: 'open',
    query: query.extend({ type: z.string(), fail: z.coerce.number().default(Infinity) }),
    replies: { 200: reply.stream('Rows', ['application/x-ndjson']) },
  }),
  secret: endpoint({
    id: 'secrets.list',
    method: 'get',
    path: '/secrets/',
    summary: 'What is never compressed',
    auth: 'open',
    query,
    replies: { 200: reply.json('A text', z.string()) },
  }),
} as const

/** How far the stream of rows was read, and whether it was ended. */
const stream = { sent: 0, ended: Promise.withResolvers<void>() }

const handlers: Handlers<typeof contract> = {
  whole: ({ query, request }) =>
    knowsTag(request.headers['if-none-match'], etag)
      ? { status: 304, headers: { etag } }
      : { status: 200, value: text(query.size - 2), headers: { etag } },
  compare: ({ query }) => ({ status: 200, value: text(query.size - 2) }),
  secret: ({ query }) => ({ status: 200, value: text(query.size - 2) }),
  rows: ({ query: { size, type, fail } }) => ({
    status: 200,
    type,
    headers: { 'x-rows': 'all' },
    body: (async function* () {
      Object.assign(stream, { sent: 0, ended: Promise.withResolvers<void>() })
      try {
        for (let left = size; left > 0; left -= 100) {
          if (stream.sent >= fail) throw new Error('the cursor is gone')
          stream.sent += 1
          yield text(Math.min(100, left))
        }
      } finally {
        stream.ended.resolve()
      }
    })(),
  }),
}

let api: Running
beforeAll(async () => {
  api = await serve(bind(contract, handlers), { compresses: true })
})
afterAll(() => api[Symbol.asyncDispose]())

interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

/** An answer as it comes over the wire; `fetch` would unpack it. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET', at = api.url): Promise<Raw> {
  const sent = httpRequest(`${at}${path}`, { method, headers }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(await answer.toArray()) }
}
const unpacked = ({ headers, body }: Raw): string => {
  const coding = headers['content-encoding']
  return (coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body).toString()
}
const accepting = (codings: string) => ({ 'accept-encoding': codings })
const browser = accepting('gzip, deflate, br, zstd')
const MiB = 1024 * 1024

test.each([
  [1023, 'gzip, br', undefined],
  [1024, 'gzip, br', 'br'],
  [MiB, 'gzip, br', 'br'],
  [MiB + 1, 'gzip, br', 'gzip'],
  [MiB + 1, 'br', undefined],
  [5000, 'gzip', 'gzip'],
  [5000, '*', 'br'],
  [5000, 'br;q=0, *', 'gzip'],
  [5000, 'br;q=0.5, gzip;q=0.9', 'gzip'],
  [5000, 'br;q=0.9, gzip;q=0.5', 'br'],
  [5000, 'BR', 'br'],
  [5000, 'identity, br;q=0.1', undefined],
  [5000, 'gzip;q=0', undefined],
  [5000, 'zstd, deflate', undefined],
  [5000, '', undefined],
  [5000, ';;;=,,q', undefined],
])('%i bytes for a client that accepts "%s" are sent with %s', async (size, codings, coding) => {
  const answer = await ask(`/whole?size=${size}`, accepting(codings))
  expect(answer.headers['content-encoding']).toBe(coding)
  expect(answer.headers['vary']).toBe('Accept-Encoding')
  expect(JSON.parse(unpacked(answer))).toBe(text(size - 2))
  if (coding !== undefined) expect(answer.body.length).toBeLessThan(size / 10)
  if (size <= MiB) expect(answer.headers['content-length']).toBe(String(answer.body.length))
})

test('a client that says nothing of codings gets the bytes as they are', async () => {
  const answer = await ask('/whole?size=5000')
  expect([answer.headers['content-encoding'], answer.headers['vary']]).toEqual([undefined, 'Accept-Encoding'])
})

test('a comparison by POST is compressed too, and what holds secrets never', async () => {
  expect((await ask('/sizes/compare?size=5000', browser, 'POST')).headers['content-encoding']).toBe('br')
  const { headers, body } = await ask('/secrets/?size=5000', browser)
  expect([headers['content-encoding'], headers['vary'], body.length]).toEqual([undefined, undefined, 5000])
})

test('a part is never one of the packed bytes', async () => {
  const answer = await ask('/whole?size=5000', { ...browser, range: 'bytes=0-9' })
  expect([answer.status, answer.headers['content-encoding'], answer.body.length]).toEqual([200, undefined, 5000])
})

test('HEAD tells the coding of GET, and a packed answer has a weak tag that the client can ask with', async () => {
  const head = await ask('/whole?size=5000', browser, 'HEAD')
  expect(head.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding', etag: 'W/"the-tag"' })
  expect([head.body.length, head.headers['content-length']]).toEqual([0, undefined])
  expect((await ask('/whole?size=5000')).headers['etag']).toBe(etag)
  for (const tag of [etag, 'W/"the-tag"', '"other", W/"the-tag"', '*']) {
    const { status, headers, body } = await ask('/whole?size=5000', { ...browser, 'if-none-match': tag })
    expect([status, body.length, headers['content-encoding']]).toEqual([304, 0, undefined])
    expect([headers['etag'], headers['vary']]).toEqual(['W/"the-tag"', 'Accept-Encoding'])
  }
})

describe('a stream', () => {
  test.each([
    ['application/x-ndjson', 1024, 'gzip'],
    ['application/x-ndjson', 1023, undefined],
    ['application/x-ndjson', 0, undefined],
    ['text/csv; charset=utf-8', 300_000, 'gzip'],
    ['application/problem+json', 5000, 'gzip'],
    ['application/octet-stream', 5000, undefined],
    ['image/png', 5000, undefined],
  ])('of %s with %i bytes is sent with %s', async (type, size, coding) => {
    const answer = await ask(`/rows?size=${size}&type=${encodeURIComponent(type)}`, browser)
    expect([answer.status, answer.headers['content-encoding'], answer.headers['content-type']]).toEqual([
      200,
      coding,
      type,
    ])
    expect(unpacked(answer)).toBe(
      text(100)
        .repeat(Math.ceil(size / 100))
        .slice(0, size),
    )
  })

  test('that fails early is a refusal without a header of it, and one that fails late breaks off', async () => {
    const path = '/rows?size=9000000&type=text/csv&fail='
    for (const at of ['0', '5']) {
      const early = await ask(path + at, browser)
      expect([early.status, early.headers['content-encoding'], early.headers['x-rows']]).toEqual([
        500,
        undefined,
        undefined,
      ])
      expect(JSON.parse(early.body.toString())).toMatchObject({ code: 'internal' })
    }
    await expect(ask(`${path}50000`, browser)).rejects.toThrow('aborted')
  })

  test('is read no further than its client does, and ends when the client leaves', async () => {
    const sent = httpRequest(`${api.url}/rows?size=4000000000&type=text/csv`, { headers: browser }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    await once(answer, 'readable')
    answer.pause()
    sent.destroy()
    await stream.ended.promise
    expect(stream.sent).toBeLessThan(40_000_000)
  })

  test('of HEAD is begun alone', async () => {
    const head = await ask('/rows?size=4000000000&type=text/csv', browser, 'HEAD')
    await stream.ended.promise
    expect([head.headers['content-encoding'], head.body.length]).toEqual(['gzip', 0])
    expect(stream.sent).toBeLessThan(40_000)
  })
})

test('what a host has coded already stays as it is', async () => {
  const app = express().use('/api/v1', (_request, response, next) => {
    response.setHeader('content-encoding', 'x-host')
    next()
  })
  app.use('/api/v1', mount(bind(contract, handlers), { authenticate: async () => user, compresses: true }))
  const { server, port } = await listen(app)
  const answer = await ask('/whole?size=5000', browser, 'GET', `http://127.0.0.1:${port}/api/v1`)
  server.close()
  expect([answer.headers['content-encoding'], answer.body.length]).toEqual(['x-host', 5000])
})

test('nothing is compressed where that is switched off', async () => {
  await using off = await serve(bind(contract, handlers))
  const { headers } = await ask('/whole?size=5000', browser, 'GET', off.url)
  expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, undefined])
})

test.each([
  ['/runs', true],
  ['/flows/{name}', true],
  ['/tokens-of-nobody', true],
  ['/login/methods', false],
  ['/users/', false],
  ['/keys', false],
  ['/oauth/tokens', false],
  ['/workers/tokens', false],
  ['/secrets/{name}/usage', false],
  ['/panels/pair/{code}', false],
  ['/devices/pending', false],
  ['/modules', false],
  ['/artifacts/{digest}', false],
] as const)('answers of GET %s may be compressed: %s', (path, may) => {
  expect(isCompressible({ method: 'get', path })).toBe(may)
})
