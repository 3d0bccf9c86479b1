import { request as httpRequest } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { endpoint, form, type Handlers, json, reply } from '../../src/http/endpoint.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve, user } from './server.ts'

const echo = reply.json('What was read', z.unknown())
const contract = {
  any: endpoint({
    id: 'test.any',
    method: 'post',
    path: '/any',
    summary: 'Any JSON',
    auth: 'open',
    body: json(z.unknown()),
    replies: { 200: echo },
  }),
  strict: endpoint({
    id: 'test.strict',
    method: 'post',
    path: '/strict',
    summary: 'A strict object',
    auth: 'open',
    body: json(
      z.strictObject({
        name: z.string().max(5),
        params: z.record(z.string(), z.unknown()).default({}),
        size: z.union([z.int(), z.strictObject({ width: z.int(), height: z.int() })]).optional(),
      }),
      { maxBytes: 1000 },
    ),
    replies: { 200: echo },
  }),
  optional: endpoint({
    id: 'test.optional',
    method: 'post',
    path: '/optional',
    summary: 'A body that may be missing',
    auth: 'open',
    body: json(z.strictObject({ seed: z.int().default(7) }), { required: false }),
    replies: { 200: echo },
  }),
  form: endpoint({
    id: 'test.form',
    method: 'post',
    path: '/form',
    summary: 'A form',
    auth: 'open',
    body: form(z.object({ username: z.string(), password: z.string().max(1024) })),
    replies: { 200: echo },
  }),
  none: endpoint({
    id: 'test.none',
    method: 'post',
    path: '/none',
    summary: 'No body',
    auth: 'open',
    replies: { 200: echo },
  }),
}
const handlers: Handlers<typeof contract> = {
  any: ({ body }) => ({ status: 200, value: body }),
  strict: ({ body }) => ({ status: 200, value: body }),
  optional: ({ body }) => ({ status: 200, value: body }),
  form: ({ body }) => ({ status: 200, value: body }),
  none: () => ({ status: 200, value: 'done' }),
}

let api: Running
beforeAll(async () => {
  api = await serve(bind(contract, handlers))
})
afterAll(() => api[Symbol.asyncDispose]())

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes)

const at = (path: string, code: string) => ({ errors: [{ path, code }] })

type Body = string | Uint8Array<ArrayBuffer>

/** Title, body, and members that the problem has besides. */
type Bad = [title: string, body: Body, more?: object]
const malformed: Bad[] = [
  ['nothing', '', { detail: 'the body is empty; send JSON' }],
  ['white space', ' \n'],
  ['an open object', '{"a":1', { position: 6 }],
  ['an open string', '{"a":"x'],
  ['a string that ends in a backslash', '"\\'],
  ['a trailing comma', '[1,]'],
  ['a key without quotes', '{a:1}', { position: 1 }],
  ['single quotes', "{'a':1}"],
  ['a comment', '{/*x*/}'],
  ['NaN', '{"a":NaN}'],
  ['Infinity', '[Infinity]'],
  ['undefined', 'undefined'],
  ['a leading zero', '[01]'],
  ['two values', '{} {}', { position: 3 }],
  ['a closing bracket too many', '[]]'],
  ['brackets that do not match', '[}'],
  ['a raw line break in a string', '"a\nb"'],
  ['a bad escape', '"\\x41"'],
  ['a bad escape in a key', '{"\\x41":1}'],
  ['bytes that are not UTF-8', bytesOf(0x22, 0xff, 0x22)],
  ['UTF-16', bytesOf(0xff, 0xfe, 0x7b, 0, 0x7d, 0)],
  ['an encoded surrogate', bytesOf(0x22, 0xed, 0xa0, 0x80, 0x22)],
]

const unfit: Bad[] = [
  ['depth 65', nested(65), at('/0'.repeat(64), 'too_deep')],
  ['depth 65 of objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, at('/a'.repeat(64), 'too_deep')],
  ['depth 1,000,000', nested(1_000_000)],
  ['depth without an end', '['.repeat(100_000)],
  ['a key given twice', '{"a":1,"b":2,"a":3}', at('/a', 'duplicate_key')],
  ['a key given twice deep down', '{"n":[{},{"x":{"k":1,"k":1}}]}', at('/n/1/x/k', 'duplicate_key')],
  ['a key given twice by an escape', '{"ab":1,"\\u0061b":2}', at('/ab', 'duplicate_key')],
  ['a key with a slash given twice', '{"a/b~":1,"a/b~":2}', at('/a~1b~0', 'duplicate_key')],
  ['__proto__', '{"__proto__":{"admin":true}}', at('/__proto__', 'reserved_key')],
  ['__proto__ by an escape', '{"\\u005f_proto__":1}', at('/__proto__', 'reserved_key')],
  ['__proto__ in an array', '[{"a":[{"__proto__":1}]}]', at('/0/a/0/__proto__', 'reserved_key')],
  ['constructor.prototype', '{"constructor":{"prototype":{"x":1}}}', at('/constructor', 'reserved_key')],
  ['a NUL in a value', '{"a":["\\u0000"]}', at('/a/0', 'bad_text')],
  ['a NUL in a key', '{"a\\u0000":1}', at('/a\0', 'bad_text')],
  ['a lone high surrogate', '{"a":"\\ud800"}', at('/a', 'bad_text')],
  ['a lone low surrogate', '"\\udc00x"', at('', 'bad_text')],
  ['swapped surrogates', '["\\udc00\\ud800"]', at('/0', 'bad_text')],
  ['a lone surrogate in a key', '{"\\ud800":1}'],
  ['1e400', '{"a":1e400}', at('/a', 'out_of_range')],
  ['-1e999', '[-1e999]', at('/0', 'out_of_range')],
  ['a number of 400 digits', '9'.repeat(400), at('', 'out_of_range')],
]

const unlike: Bad[] = [
  ['no object', '[]', at('', 'invalid_type')],
  ['null', 'null', at('', 'invalid_type')],
  ['a missing key', '{}', at('/name', 'invalid_type')],
  ['a value of another type', '{"name":1}', at('/name', 'invalid_type')],
  ['a value too long', '{"name":"sixsix"}', at('/name', 'too_big')],
  ['an unknown key', '{"name":"a","a/b":1}', at('/a~1b', 'unrecognized_keys')],
  ['the key constructor', '{"name":"a","constructor":1}', at('/constructor', 'unrecognized_keys')],
  ['the alternative that is meant', '{"name":"a","size":{"width":1}}', at('/size/height', 'invalid_type')],
  ['no alternative', '{"name":"a","size":"x"}', at('/size', 'invalid_union')],
]

/** A refusal as the client sees it. */
const seen = async (answer: Response) => ({
  http: answer.status,
  contentType: answer.headers.get('content-type'),
  problem: (await answer.json()) as unknown,
})
const refusal = (status: number, code: string, more: object = {}) => ({
  http: status,
  contentType: 'application/problem+json',
  problem: { status, code, ...more },
})

describe('JSON that is refused', () => {
  test.each(malformed)('%s is malformed [R667]', async (_title, body, more) => {
    expect(await seen(await post('/any', body))).toMatchObject(refusal(400, 'malformed_json', more))
  })
  test.each(unfit)('%s is not valid here', async (_title, body, more) => {
    expect(await seen(await post('/any', body))).toMatchObject(refusal(422, 'validation_failed', more))
  })
  test.each(unlike)('%s departs from the schema', async (_title, body, more) => {
    expect(await seen(await post('/strict', body))).toMatchObject(refusal(422, 'validation_failed', more))
  })

  test('two faults are told together', async () => {
    expect(await seen(await post('/strict', '{"x":1,"name":2}'))).toMatchObject(
      refusal(422, 'validation_failed', {
        detail: expect.stringMatching(/ \(and 1 more\)$/),
        errors: [{ path: '/name' }, { path: '/x' }],
      }),
    )
  })

  test('a message never repeats the body, which may hold a password', async () => {
    const answer = await post('/any', 'password=hunter2')
    expect(await answer.text()).not.toContain('hunter2')
  })

  test('after 200 hostile bodies the prototype is clean and answers are as before', async () => {
    const hostile = '{"constructor":{"prototype":{"polluted":1}},"__proto__":{"polluted":1}}'
    for (let batch = 0; batch < 4; batch += 1)
      await Promise.all(Array.from({ length: 50 }, () => post('/any', hostile).then((answer) => answer.arrayBuffer())))
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(await (await post('/any', '{"a":1}')).json()).toEqual({ a: 1 })
  })
})

describe('JSON that is accepted', () => {
  test.each([
    ['depth 64', nested(64)],
    ['the same key in two objects', '{"a":{"k":1},"b":{"k":1},"k":[{"k":1},{"k":2}]}'],
    ['a value that equals a key', '{"a":"a","b":["a","a"]}'],
    ['braces, quotes and commas in strings', '{"a":"}],\\"{[:","b\\\\":"\\\\"}'],
    ['a pair of surrogates', '["\\ud83d\\ude00","😀"]'],
    ['a column that is called constructor', '{"constructor":"ferrari","prototype":1}'],
    ['the largest float', '[1.7976931348623157e308,-0,1e-400]'],
    ['a scalar', '"x"'],
    ['duplicates of values', '[1,1,{},{}]'],
  ])('%s', async (_title, body) => {
    const answer = await post('/any', body)
    expect([answer.status, await answer.json()]).toEqual([200, JSON.parse(JSON.stringify(JSON.parse(body)))])
  })

  test('a byte order mark is skipped', async () => {
    expect(await (await post('/any', '\u{FEFF}{"a":1}')).json()).toEqual({ a: 1 })
  })

  test('a body that is not required may be missing or empty', async () => {
    const missing = await fetch(`${api.url}/optional`, { method: 'POST' })
    expect(await missing.json()).toEqual({ seed: 7 })
    expect(await (await post('/optional', '')).json()).toEqual({ seed: 7 })
    expect(await (await post('/optional', '{"seed":1}')).json()).toEqual({ seed: 1 })
  })

  test('an endpoint without a body ignores one', async () => {
    expect((await post('/none', 'not JSON at all')).status).toBe(200)
  })
})

describe('media types and encodings', () => {
  test.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/merge-patch+json'])(
    '%s is JSON',
    async (type) => {
      expect((await post('/any', '1', { 'content-type': type })).status).toBe(200)
    },
  )

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json; charset=utf-16',
  ])('%s is 415 [R444]', async (type) => {
    expect(await seen(await post('/any', '{}', { 'content-type': type }))).toMatchObject(
      refusal(415, 'unsupported_media_type'),
    )
  })

  test('a form endpoint takes no JSON, so that no member passes for a field', async () => {
    expect(await seen(await post('/form', '{"username":"a"}'))).toMatchObject(refusal(415, 'unsupported_media_type'))
  })

  const text = JSON.stringify({ a: 'x'.repeat(10_000) })
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s is decoded', async (encoding, body) => {
    const answer = await post('/any', new Uint8Array(body), { 'content-encoding': encoding })
    expect(await answer.text()).toBe(text)
  })

  test('a small body that unpacks beyond the limit is 413', async () => {
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['deflate', deflateSync],
    ] as const) {
      const bomb = pack(Buffer.alloc(16 * 1024 * 1024, '0'))
      expect(bomb.length).toBeLessThan(20_000)
      expect(await seen(await post('/any', new Uint8Array(bomb), { 'content-encoding': encoding }))).toMatchObject(
        refusal(413, 'payload_too_large'),
      )
    }
  })

  test('a damaged or truncated encoding is 400', async () => {
    expect(await seen(await post('/any', 'no gzip', { 'content-encoding': 'gzip' }))).toMatchObject(
      refusal(400, 'bad_request'),
    )
    const cut = new Uint8Array(gzipSync(text).subarray(0, 40))
    expect(await seen(await post('/any', cut, { 'content-encoding': 'gzip' }))).toMatchObject(
      refusal(400, 'bad_request'),
    )
  })

  test('another encoding, or several, is 415', async () => {
    for (const encoding of ['zstd', 'gzip, br', 'compress'])
      expect(await seen(await post('/any', '{}', { 'content-encoding': encoding }))).toMatchObject(
        refusal(415, 'unsupported_media_type'),
      )
  })
})

describe('sizes', () => {
  test('an endpoint can have a smaller limit', async () => {
    const answer = await post('/strict', `{"name":"a","params":{"x":"${'x'.repeat(1000)}"}}`)
    expect(await seen(answer)).toMatchObject(refusal(413, 'payload_too_large', { max_bytes: 1000 }))
  })

  test('a JSON body over 4 MiB is 413 by its declared length', async () => {
    expect(await seen(await post('/any', `"${'x'.repeat(4 * 1024 * 1024)}"`))).toMatchObject(
      refusal(413, 'payload_too_large', {
        max_bytes: 4_194_304,
      }),
    )
  })

  test('a body without a length is cut while it arrives', async () => {
    const piece = new TextEncoder().encode(`"${'x'.repeat(1_000_000)}",`)
    const body = ReadableStream.from(Array.from({ length: 6 }, () => piece))
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } }
    expect(await seen(await fetch(`${api.url}/any`, init as RequestInit))).toMatchObject(
      refusal(413, 'payload_too_large'),
    )
  })

  test('a client that leaves in the middle of its body is no error of the engine', async () => {
    const before = api.logged.length
    const left = new Promise<void>((resolve) => {
      api.server.once('request', (_request, response) => response.once('close', () => resolve()))
    })
    const client = httpRequest(`${api.url}/any`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '100' },
    })
    client.on('error', () => undefined)
    client.write('{"a":', () => setImmediate(() => client.destroy()))
    await left
    expect((await post('/any', '1')).status).toBe(200)
    expect(api.logged.length).toBe(before)
  })
})

describe('forms', () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }

  test('fields are decoded', async () => {
    const answer = await post('/form', 'username=a%2Bb+c&password=%C3%A9', type)
    expect(await answer.json()).toEqual({ username: 'a+b c', password: 'é' })
  })

  test.each([
    ['a field given twice', 'username=a&username=b&password=c', 422, at('/username', 'duplicate_key')],
    ['a field as a list', 'username[]=a&password=c', 422, at('/username', 'invalid_type')],
    ['a missing field', 'username=a', 422, at('/password', 'invalid_type')],
    ['a NUL', 'username=a%00&password=c', 422, at('/username', 'bad_text')],
    ['__proto__', '__proto__=a&password=c', 422, at('/__proto__', 'reserved_key')],
    ['a long field', `username=a&password=${'x'.repeat(1025)}`, 422, at('/password', 'too_big')],
    ['1 MB', `username=a&password=${'x'.repeat(1_000_000)}`, 413, { max_bytes: 65_536 }],
  ])('%s is refused', async (_title, body, status, more) => {
    expect(await seen(await post('/form', body, type))).toMatchObject(
      refusal(status, status === 413 ? 'payload_too_large' : 'validation_failed', more),
    )
  })
})

test('a client that leaves while it is being authenticated leaves no request behind', async () => {
  const gone = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<unknown>()
  await using guarded = await serve(
    bind({ save: endpoint({ ...contract.any, auth: 'user' }) }, { save: () => ({ status: 200, value: 0 }) }),
    {
      authenticate: async (request) => {
        request.once('close', gone.resolve)
        client.destroy()
        await gone.promise
        return user
      },
    },
    (app) =>
      app.use((_request, response, next) => {
        // what the client no longer hears
        response.end = ((body: unknown) => (failed.resolve(JSON.parse(String(body))), response)) as typeof response.end
        next()
      }),
  )
  const client = httpRequest(`${guarded.url}/any`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '100' },
  })
  client.on('error', () => undefined)
  client.write('{"a":')
  expect(await failed.promise).toMatchObject({ code: 'bad_request' })
})

test('a body that the host application has read already is a clear error', async () => {
  await using hosted = await serve(bind(contract, handlers), {}, (app) => app.use(express.json()))
  const answer = await fetch(`${hosted.url}/any`, {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json' },
  })
  expect(await seen(answer)).toMatchObject(
    refusal(500, 'internal', { detail: expect.stringContaining('before the body parsers') }),
  )
  expect((await fetch(`${hosted.url}/optional`, { method: 'POST' })).status).toBe(200)
})
