import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'

import { DtypeViolation, HookRefusal, type HookRequest, type HookRoute } from '@flow-service/connector-sdk'
import { VirtualClock } from '@flow-service/core/testing'
import express from 'express'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createHooks, type HookHandler, type Hooks } from '../../src/hooks/hooks.ts'
import { type HookAnswer, hookRoutes, hooksFirst } from '../../src/hooks/routes.ts'
import { AnonymousBodies } from '../../src/http/anonymous-bodies.ts'
import { errorAnswer, ProblemError } from '../../src/http/errors.ts'

let hooks: Hooks
let server: Server
let base: string
let failures: string[]
let received: HookRequest[]
let clock: VirtualClock
/** Addresses that a server left to Express. */
let others: (string | undefined)[]

/** An app of Express with the webhooks. */
const appOf = (answer: HookAnswer): RequestListener =>
  express()
    .disable('x-powered-by')
    .use('/hooks', (request, response) => answer(request, response, request.url))

/** Made before any connection is idle, for it takes long. */
const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))

/** How requests come to webhooks. */
const ways: { readonly way: string; readonly listenerOf: (answer: HookAnswer) => RequestListener }[] = [
  { way: 'mounted in an app', listenerOf: appOf },
  {
    way: 'on a server of their own',
    listenerOf: (answer) =>
      hooksFirst(answer, (request, response) => {
        others.push(request.url)
        appOf(answer)(request, response)
      }),
  },
]

describe.each(ways)('$way', ({ listenerOf }) => {
  beforeEach(async () => {
    hooks = createHooks()
    failures = []
    received = []
    others = []
    clock = new VirtualClock(0)
    const anonymous = new AnonymousBodies((delayMs, run) => clock.setTimer(delayMs, run))
    const answerError = errorAnswer({ error: (_fields, message) => failures.push(message) })
    server = createServer(listenerOf(hookRoutes({ hooks, anonymous, answerError }))).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  const keep: HookHandler = (request) => void received.push(request)
  function mountHook(route: Partial<HookRoute> = {}, handler: HookHandler = keep): void {
    hooks.register('f', { path: 'in', secret: null, methods: ['GET', 'POST'], ...route }, handler).open()
  }
  const post = (path: string, body: RequestInit['body'], headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${base}${path}`, { method: 'POST', body: body ?? null, headers })

  test('a posted body reaches the handler as it was sent and is answered 202 [R188] [R626]', async () => {
    mountHook({ secret: 's3' })
    const answer = await post('/hooks/f/in/s3?a=1&b=x%20y', '{"t":1}', {
      'content-type': 'Application/JSON; charset=utf-8',
    })
    expect([answer.status, await answer.json()]).toEqual([202, { accepted: true }])
    expect(received).toEqual([
      { method: 'POST', mediaType: 'application/json', query: { a: '1', b: 'x y' }, body: Buffer.from('{"t":1}') },
    ])
  })

  test('a GET carries its query and no body', async () => {
    mountHook()
    expect((await fetch(`${base}/hooks/f/in?temp=20.5`)).status).toBe(202)
    expect(others).toEqual([])
    expect(received).toEqual([{ method: 'GET', mediaType: '', query: { temp: '20.5' }, body: new Uint8Array() }])
  })

  test('a body of many chunks without a declared length arrives whole', async () => {
    mountHook()
    const body = async function* (): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 50; i++) yield Buffer.from(String(i).padStart(1000, '-'))
    }
    const init = { method: 'POST', body: ReadableStream.from(body()), duplex: 'half' } as RequestInit
    expect((await fetch(`${base}/hooks/f/in`, init)).status).toBe(202)
    expect(received[0]?.body.length).toBe(50_000)
  })

  test('JSON that its node cannot parse is malformed, as it is in the API; what feeds no port is not valid [R444] [R667]', async () => {
    mountHook({}, ({ body }) => {
      try {
        JSON.parse(Buffer.from(body).toString())
      } catch {
        throw new HookRefusal('the body is not valid JSON')
      }
      throw new HookRefusal('the request names none of the outputs')
    })
    const answered = async (body: string, type: string) => {
      const answer = await post('/hooks/f/in', body, { 'content-type': type })
      const { code, position } = (await answer.json()) as { code: string; position?: number }
      return [answer.status, code, position ?? null]
    }
    expect(await answered('{"open":', 'application/json')).toEqual([400, 'malformed_json', 8])
    expect(await answered('{"open" 1}', 'application/cloudevents+json')).toEqual([400, 'malformed_json', 8])
    expect(await answered('', 'application/json')).toEqual([400, 'malformed_json', null])
    expect(await answered('{"other":1}', 'application/json')).toEqual([422, 'validation_failed', null])
    // of no JSON type, it is the node's alone
    expect(await answered('{"open":', 'text/plain')).toEqual([422, 'validation_failed', null])
  })

  test('unknown flow, unknown path, wrong and missing secret are answered byte for byte alike [R200]', async () => {
    mountHook({ secret: 'right' })
    const paths = [
      '/hooks/nope/in/right',
      '/hooks/f/other/right',
      '/hooks/f/in/wrong',
      '/hooks/f/in',
      '/hooks/f',
      '/hooks',
      '/hooks/f/in/%zz',
    ]
    const answers = await Promise.all(paths.map((path) => post(path, 'x')))
    expect(answers.map((answer) => answer.status)).toEqual(paths.map(() => 404))
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
    expect(received).toEqual([])
  })

  test('a hook without a secret is open [R201]', async () => {
    mountHook()
    expect((await post('/hooks/f/in', '1')).status).toBe(202)
  })

  test('an unmounted hook is unknown [R189]', async () => {
    const mount = hooks.register('f', { path: 'in', secret: null, methods: ['POST'] }, keep)
    mount.open()
    mount.unmount()
    expect((await post('/hooks/f/in', '1')).status).toBe(404)
  })

  test('a body that has come while the route went to another node is read by that one', async () => {
    const first = hooks.register('f', { path: 'in', secret: null, methods: ['POST'] }, () => {
      throw new Error('the old node is gone')
    })
    first.open()
    const request = httpRequest(`${base}/hooks/f/in`, { method: 'POST' })
    const answered = new Promise<number | undefined>((resolve) =>
      request.once('response', (response) => resolve(response.statusCode)),
    )
    const begun = new Promise((resolve) => server.once('request', resolve))
    request.write('1')
    await begun
    first.hold()
    request.end('2')
    hooks.register('f', { path: 'in', secret: null, methods: ['POST'] }, keep).open()
    first.unmount()
    expect(await answered).toBe(202)
    expect(received.map(({ body }) => Buffer.from(body).toString())).toEqual(['12'])
  })

  test('a method that the hook does not take is 405 with Allow', async () => {
    mountHook({ methods: ['POST'] })
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(`${base}/hooks/f/in`, { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    expect(received).toEqual([])
  })

  test('a body over 1 MiB is 413: declared, in chunks, and after decompression', async () => {
    mountHook()
    const big = Buffer.alloc(1024 * 1024 + 1, 'x')
    expect((await post('/hooks/f/in', big)).status).toBe(413)
    const init = { method: 'POST', body: ReadableStream.from([big]), duplex: 'half' } as RequestInit
    expect((await fetch(`${base}/hooks/f/in`, init)).status).toBe(413)
    expect(bomb.length).toBeLessThan(1024 * 1024)
    expect((await post('/hooks/f/in', bomb, { 'content-encoding': 'gzip' })).status).toBe(413)
    expect((await post('/hooks/f/in', big.subarray(1))).status).toBe(202)
  })

  test('an encoded body is decoded; an unknown encoding is 415, a broken one 400', async () => {
    mountHook()
    expect((await post('/hooks/f/in', gzipSync('hello'), { 'content-encoding': 'gzip' })).status).toBe(202)
    expect(Buffer.from(received[0]?.body ?? []).toString()).toBe('hello')
    expect((await post('/hooks/f/in', 'x', { 'content-encoding': 'rot13' })).status).toBe(415)
    expect((await post('/hooks/f/in', 'x', { 'content-encoding': 'gzip' })).status).toBe(400)
  })

  test('a refusal of the node and a value off its dtype are 422 with their text', async () => {
    mountHook({}, ({ body }) => {
      throw body.length > 1 ? new HookRefusal('no port is named') : new DtypeViolation('"1" is no float')
    })
    const refused = await post('/hooks/f/in', '{}')
    expect([refused.status, await refused.json()]).toEqual([
      422,
      expect.objectContaining({ code: 'validation_failed', detail: 'no port is named' }),
    ])
    expect(await (await post('/hooks/f/in', '1')).json()).toMatchObject({ status: 422, detail: '"1" is no float' })
  })

  test('the answer waits for an asynchronous handler, and its failure is a 500 that tells nothing', async () => {
    mountHook({}, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error('the inside')
    })
    const answer = await post('/hooks/f/in', '1')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('the inside')
    expect(failures).toHaveLength(1)
  })

  test('no answer can be taken for a page', async () => {
    mountHook({ methods: ['POST'] })
    for (const answer of [
      await post('/hooks/f/in', '<script>'),
      await post('/hooks/f/<script>', ''),
      await fetch(`${base}/hooks/f/in`),
    ]) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/(problem\+)?json$/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'")
    }
  })

  test('a client that leaves in the middle of its body reaches no handler', async () => {
    mountHook()
    const closed = new Promise((resolve) => server.once('request', (request) => request.once('close', resolve)))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    server.once('request', () => socket.destroy())
    socket.write('POST /hooks/f/in HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345')
    await closed
    expect(received).toEqual([])
    expect((await post('/hooks/f/in', '1')).status).toBe(202)
  })

  test('a dot segment of the raw request line does not climb out of the hooks', async () => {
    mountHook()
    const status = await new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo
      const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/hooks/f/x/../in' }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject).end('1')
    })
    expect(status).toBe(404)
  })

  test.each(['application/json', 'application/geo+json', ''])(
    'what JSON of the API may not hold reaches no handler either, as %j',
    async (type) => {
      mountHook()
      for (const body of [
        '{"a":1,"a":2}',
        '{"a":{"__proto__":{}}}',
        '{"constructor":{"prototype":{}}}',
        '{"a":"\\u0000"}',
        '{"a":1e999}',
        '['.repeat(65),
      ]) {
        const answer = await post('/hooks/f/in', Buffer.from(body), type === '' ? {} : { 'content-type': type })
        expect([body.slice(0, 20), answer.status]).toEqual([body.slice(0, 20), 422])
      }
      expect(received).toEqual([])
    },
  )

  test('a field that a form gives twice is 422', async () => {
    mountHook()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await post('/hooks/f/in', 'a=1&a=2', type)).status).toBe(422)
    expect((await post('/hooks/f/in', '__proto__=1', type)).status).toBe(422)
    expect((await post('/hooks/f/in', 'a=1&b=2', type)).status).toBe(202)
  })

  test('bytes of any other kind, or of none, are nobody’s JSON', async () => {
    mountHook()
    const bytes = Buffer.from([0, 0xff, 0x7b, 0x22])
    for (const headers of [{}, { 'content-type': 'application/octet-stream' }, { 'content-type': 'image/png' }]) {
      expect((await post('/hooks/f/in', bytes, headers)).status).toBe(202)
    }
    expect(received.map(({ body }) => Buffer.from(body).equals(bytes))).toEqual([true, true, true])
  })

  test('what the engine cannot keep now is a 503 that says so, and no fault of the engine', async () => {
    mountHook({}, async () => {
      throw new ProblemError('unavailable', 'the database has committed nothing for 10 s; try again later')
    })
    const answer = await post('/hooks/f/in', '1')
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'unavailable', detail: expect.stringContaining('try again') }),
    ])
    expect(failures).toEqual([])
  })
})

describe('a server of its own', () => {
  const asked = async (url: string): Promise<[string, string]> => {
    let way = 'nowhere'
    const taken: HookAnswer = async (_request, _response, rest) => void (way = `hook ${rest}`)
    const listener = hooksFirst(taken, () => (way = 'router'))
    listener({ url } as IncomingMessage, {} as ServerResponse)
    return [url, way]
  }

  test.each([
    ['/hooks/f/in', '/f/in'],
    ['/hooks/', '/'],
    ['/hooks//f', '//f'],
    ['/hooks/f/in/?a=/hooks/b', '/f/in/?a=/hooks/b'],
    ['/api/v1/hooks/f/%zz', '/f/%zz'],
    ['/hooks/../api/v1/flows', '/../api/v1/flows'],
  ])('answers %s without its router', async (url, rest) => {
    expect(await asked(url)).toEqual([url, `hook ${rest}`])
  })

  test.each([
    '/',
    '/hooks',
    '/hooks?a=1',
    '/hooksmith/f',
    '/Hooks/f/in',
    '//hooks/f/in',
    '/hooks\\f\\in',
    '/api/v1/hooks',
    '/api/v1/flows/hooks/f',
    '/api/v2/hooks/f/in',
    'http://host/hooks/f/in',
    '*',
    '',
    // what readers of addresses disagree about
    '/hooks/f/in#part',
    '/hooks/f in',
    '/hooks/f\tin',
    '/hooks/f/\u00fc',
    '/hooks/f/\u007f',
  ])('leaves %j to its router', async (url) => {
    expect(await asked(url)).toEqual([url, 'router'])
  })

  test('cuts a request that not even its refusal could be told', async () => {
    const failing = createServer(
      hooksFirst(
        async () => {
          throw new Error('the disk of the log is full')
        },
        () => expect.unreachable(),
      ),
    ).listen(0, '127.0.0.1')
    try {
      await once(failing, 'listening')
      await expect(fetch(`http://127.0.0.1:${(failing.address() as AddressInfo).port}/hooks/f/in`)).rejects.toThrow(
        'fetch failed',
      )
    } finally {
      failing.close()
    }
  })
})
