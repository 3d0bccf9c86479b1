/** Requests that nodes answer themselves, from a real server to a handler and back. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import type { RouteHandler } from '@flow-service/connector-sdk'
import type { Mount, NodeRoutes } from '@flow-service/core'
import { VirtualClock } from '@flow-service/core/testing'
import type { Problem } from '@flow-service/protocol'
import express from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { connectorRoutes } from '../../src/hooks/connector-routes.ts'
import { RoutedNodes } from '../../src/hooks/routed-nodes.ts'
import { AnonymousBodies } from '../../src/http/anonymous-bodies.ts'
import { bearerToken } from '../../src/http/authenticate.ts'
import { answerErrors, notFound, ProblemError } from '../../src/http/errors.ts'
import { secureHeaders } from '../../src/http/headers.ts'
import type { Principal } from '../../src/http/principal.ts'

const user = { kind: 'user', id: '1', email: 'a@b.c', fullName: null, superuser: false } as const
const worker = { kind: 'worker', jti: '1', name: 'w', labels: [] } as const
const callers: Readonly<Record<string, Principal>> = { user, worker }

let nodes: RoutedNodes
let clock: VirtualClock
let server: Server
let base: string
let failures: unknown[]
let logged: string[]
/** Called while somebody is asked who they are. */
let onAuthenticate: () => unknown
beforeEach(async () => {
  nodes = new RoutedNodes()
  clock = new VirtualClock(0)
  failures = []
  logged = []
  onAuthenticate = () => undefined
  const setTimer = (delayMs: number, run: () => void): (() => void) => clock.setTimer(delayMs, run)
  const routes = connectorRoutes({
    nodes,
    authenticate: async (request) => {
      await onAuthenticate()
      const caller = callers[bearerToken(request)]
      if (!caller) throw new ProblemError('unauthenticated', 'the token is not valid')
      return caller
    },
    isPortal: ({ headers }) => headers['x-service-portal'] === 'portal',
    anonymous: new AnonymousBodies(setTimer),
    setTimer,
  })
  const app = express()
  app.disable('x-powered-by').use(secureHeaders).use('/api/connectors', routes)
  app.use(notFound, answerErrors({ error: (_fields, message) => logged.push(message) }))
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/connectors`
})
afterEach(() => {
  if (logged.length > 0) throw new Error(`an unexpected failure: ${logged.join()}`)
  server.closeAllConnections()
  server.close()
})

/** A node that answers: held until it is opened; `stop` is its end. */
function node(handler: RouteHandler, more: Partial<NodeRoutes> = {}): Mount & { readonly stop: () => void } {
  const lifetime = new AbortController()
  const place = { type: 'camera', flow: 'yard', node: 'gate', open: [] }
  const failed = (error: unknown): void => void failures.push(error)
  const mount = nodes.register({ ...place, handler, ended: lifetime.signal, failed, ...more })
  return { ...mount, stop: () => lifetime.abort() }
}
const serve = (handler: RouteHandler, open: readonly string[] = []): ReturnType<typeof node> => {
  const mounted = node(handler, { open })
  mounted.open()
  return mounted
}
interface Asking extends Omit<RequestInit, 'headers'> {
  readonly headers?: Record<string, string>
}
const ask = (path: string, { headers = {}, ...init }: Asking = {}): Promise<Response> =>
  fetch(`${base}${path}`, { ...init, headers: { authorization: 'Bearer user', ...headers } })
const anybody = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${base}${path}`, init)
const told = async (answer: Promise<Response>): Promise<(number | string)[]> => {
  const { status, code } = (await (await answer).json()) as Problem
  return [status, code]
}
const nowhere = [404, 'not_found']

test('a node answers below its address, and sees a path that begins there', async () => {
  const router = express.Router()
  router.get('/picture/:size', (request, response) => {
    const { baseUrl, originalUrl, url, params, query } = request
    response.json({ baseUrl, originalUrl, url, params, query })
  })
  router.post('/settings', express.json(), (request, response) => void response.json({ got: request.body as unknown }))
  serve(router)
  const where = '/camera/yard/gate'
  expect(await (await ask(`${where}/picture/big?of=car`)).json()).toEqual({
    baseUrl: `/api/connectors${where}`,
    originalUrl: `/api/connectors${where}/picture/big?of=car`,
    url: '/picture/big?of=car',
    params: { size: 'big' },
    query: { of: 'car' },
  })
  const headers = { 'content-type': 'application/json' }
  const posted = await ask(`${where}/settings`, { method: 'POST', body: '{"zoom":2}', headers })
  expect(await posted.json()).toEqual({ got: { zoom: 2 } })
  // what the router does not have is an unknown path
  expect(await told(ask(`${where}/nothing`))).toEqual(nowhere)
  expect((await ask(`${where}/picture/big`, { method: 'HEAD' })).status).toBe(200)
  expect(failures).toEqual([])
})

test('the path of a node itself is "/", with its query', async () => {
  serve((request, response) => response.end(request.url))
  expect(await (await ask('/camera/yard/gate')).text()).toBe('/')
  expect(await (await ask('/camera/yard/gate?a=1')).text()).toBe('/?a=1')
  expect(await (await ask('/%63amera/yard/gate/a%2Fb')).text()).toBe('/a%2Fb')
})

test('an unknown type, flow or node, a shorter path and a node that has gone are unknown paths, to anybody', async () => {
  const mounted = serve((_request, response) => response.end())
  const paths = ['/camera/yard', '/camera/yard/', '/camera', '', '/camera/yard/other', '/other/yard/gate/x']
  paths.push('/camera/yard%2Fgate/x', '/camera/yard/gate%zz/x', '//yard/gate/x')
  for (const path of paths) {
    // oxlint-disable-next-line no-await-in-loop -- a path is named where it fails
    expect([path, ...(await told(anybody(path)))]).toEqual([path, ...nowhere])
  }
  mounted.unmount()
  expect(await told(ask('/camera/yard/gate'))).toEqual(nowhere)
})

test('who asks is a user; workers and strangers are refused before the node hears of them', async () => {
  const heard: string[] = []
  serve((request, response) => {
    heard.push(request.url ?? '')
    response.end()
  })
  const at = '/camera/yard/gate/x'
  expect(await told(anybody(at))).toEqual([401, 'unauthenticated'])
  expect((await anybody(at)).headers.get('www-authenticate')).toBe('Bearer')
  expect(await told(ask(at, { headers: { authorization: 'Bearer nobody' } }))).toEqual([401, 'unauthenticated'])
  expect(await told(ask(at, { headers: { authorization: 'Bearer worker' } }))).toEqual([403, 'forbidden'])
  expect(await told(anybody(at, { method: 'POST', body: 'x'.repeat(100_000) }))).toEqual([401, 'unauthenticated'])
  expect(heard).toEqual([])
})

test('open paths take no sign-in: exact ones, and all below one that ends in a slash', async () => {
  serve((_request, response) => response.end(), ['/status', '/public/'])
  const at = '/camera/yard/gate'
  const statusOf = async (path: string): Promise<number> => (await anybody(at + path)).status
  const open = ['/status', '/status?a=1', '/public/', '/public/a/b', '/public/%61']
  expect(await Promise.all(open.map(statusOf))).toEqual(open.map(() => 200))
  const closed = ['', '/', '/status/', '/Status', '/stat%75s', '/public', '/publics', '/public/%2e%2E/admin']
  closed.push('/public/a%2f..%2fadmin', '/public/..%5cadmin', '/public/%zz')
  expect(await Promise.all(closed.map(statusOf))).toEqual(closed.map(() => 401))
  // clients resolve dots; others send them as they are
  expect(await rawStatus(`${at}/public/../admin`)).toBe('401')
  // the portal is the way in from outside, where nothing is open
  expect((await anybody(`${at}/status`, { headers: { 'x-service-portal': 'portal' } })).status).toBe(401)
})

async function rawStatus(path: string): Promise<string | undefined> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`GET /api/connectors${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
}

test('what the sender has signed in with never reaches the node, in no form of the headers', async () => {
  const seen: unknown[] = []
  serve((request, response) => {
    seen.push(request.headers, request.headersDistinct, request.rawHeaders)
    response.end()
  })
  const headers = {
    cookie: 'session=secret-1',
    'proxy-authorization': 'Basic secret-2',
    'x-service-portal': 'secret-3',
    'x-other': 'kept',
  }
  // of these some are taken by `fetch` itself
  const request = httpRequest(`${base}/camera/yard/gate`, { headers: { ...headers, authorization: 'Bearer user' } })
  const [response] = (await once(request.end(), 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(200)
  const text = JSON.stringify(seen)
  expect(text).not.toMatch(/secret|bearer|authorization|cookie|portal/i)
  expect(text.match(/kept/g)).toHaveLength(3)
})

test('the headers that protect pages stay, whatever the node sets; others are its own', async () => {
  const own = {
    'content-type': 'text/html',
    'Content-Security-Policy': "default-src *; script-src 'unsafe-inline'",
    'x-content-type-options': 'no',
    'x-frame-options': 'ALLOWALL',
    'cache-control': 'max-age=60',
  }
  const router = express.Router()
  router.get('/set', (_request, response) => {
    for (const [name, value] of Object.entries(own)) response.setHeader(name, value).appendHeader(name, value)
    for (const name of Object.keys(own).filter((each) => each.startsWith('x-'))) response.removeHeader(name)
    response.send('<script>1</script>')
  })
  router.get('/head', (_request, response) => void response.writeHead(200, own).end())
  router.get('/list', (_request, response) => void response.writeHead(200, Object.entries(own).flat()).end())
  serve(router)
  for (const path of ['/set', '/head', '/list']) {
    // oxlint-disable-next-line no-await-in-loop -- one is named where it fails
    const { headers } = await ask(`/camera/yard/gate${path}`)
    expect([path, headers.get('content-security-policy')]).toEqual([path, "default-src 'none'; frame-ancestors 'none'"])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-type')).toContain('text/html')
    expect(headers.get('cache-control')).toContain('max-age=60')
  }
})

const boom = (_after?: unknown): never => {
  throw new Error('the password is hunter2')
}
const failing = express.Router().use(boom)
test.each<[string, RouteHandler]>([
  ['throws', boom],
  ['rejects', async () => boom()],
  ['passes on', (_request, _response, next) => next(new Error('the password is hunter2'))],
  ['throws in a router', failing],
  [
    'throws after an answer that has not begun',
    (_request, response) => boom(response.setHeader('x-secret', 'hunter2')),
  ],
])('what a node %s is told to its flow, and nothing of it to the sender', async (_, handler: RouteHandler) => {
  serve(handler)
  const answer = await ask('/camera/yard/gate')
  const text = await answer.text()
  expect([answer.status, JSON.parse(text)]).toMatchObject([
    503,
    { code: 'unavailable', detail: expect.stringContaining('"gate" failed') },
  ])
  expect(text + JSON.stringify([...answer.headers])).not.toContain('hunter2')
  expect(failures).toMatchObject([{ message: 'the password is hunter2' }])
})

test('a node that throws once its answer has begun cuts it', async () => {
  serve(async (_request, response) => {
    response.write('a part')
    await new Promise(setImmediate)
    boom()
  })
  await expect(ask('/camera/yard/gate').then((answer) => answer.text())).rejects.toThrow('terminated')
  expect(failures).toHaveLength(1)
})

test('a body is handed over unread, up to 1 MiB', async () => {
  const read: number[] = []
  serve(async (request, response) => {
    let size = 0
    for await (const chunk of request) size += (chunk as Buffer).length
    read.push(size)
    response.end(String(size))
  })
  const most = 1024 * 1024
  const post = (body: Uint8Array | ReadableStream): Promise<Response> =>
    ask('/camera/yard/gate', { method: 'POST', body, duplex: 'half' } as Asking)
  expect(await (await post(new Uint8Array(most))).text()).toBe(String(most))
  const declared = httpRequest(`${base}/camera/yard/gate`, {
    method: 'POST',
    headers: { authorization: 'Bearer user', 'content-length': most + 1 },
  })
  declared.on('error', () => {}).write('its beginning')
  const [refused] = (await once(declared, 'response')) as [IncomingMessage]
  refused.on('error', () => {}).resume()
  expect(refused.statusCode).toBe(413)
  expect([read, failures]).toEqual([[most], []])
})

test('a body of no declared length that passes 1 MiB is refused, and its reader gets no end of it', async () => {
  const ends: string[] = []
  serve(async (request, response) => {
    try {
      for await (const chunk of request) void chunk
      ends.push('whole')
      response.end()
    } catch (error) {
      ends.push('cut')
      throw error
    }
  })
  const request = httpRequest(`${base}/camera/yard/gate`, {
    method: 'POST',
    headers: { authorization: 'Bearer user' },
  })
  request.on('error', () => {})
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  for (let sent = 0; sent < 17; sent++) request.write(Buffer.alloc(64 * 1024))
  const [response] = await answered
  response.on('error', () => {}).resume()
  expect(response.statusCode).toBe(413)
  request.end()
  await expect.poll(() => ends).toEqual(['cut'])
  expect(failures).toEqual([])
})

test('an answer that has not begun after 30 s is refused, one that has begun goes on', async () => {
  const streaming = Promise.withResolvers<() => void>()
  const asked = Promise.withResolvers<void>()
  serve((request, response) => {
    if (request.url === '/never') return asked.resolve()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    streaming.resolve(() => response.end('data: 2\n\n'))
  })
  const late = told(ask('/camera/yard/gate/never'))
  const events = await ask('/camera/yard/gate/events')
  const end = await streaming.promise
  await asked.promise
  await clock.advance(29_999)
  const pending = await Promise.race([late, new Promise((resolve) => void setImmediate(resolve, 'pending'))])
  expect(pending).toBe('pending')
  await clock.advance(1)
  expect(await late).toEqual([503, 'unavailable'])
  await clock.advance(3_600_000)
  end()
  expect(await events.text()).toBe('data: 1\n\ndata: 2\n\n')
  expect([failures, clock.pending]).toEqual([[], 0])
})

test('a body that has not come after 30 s is refused, also when its answer has begun', async () => {
  const begun = Promise.withResolvers<void>()
  const heard: string[] = []
  serve((request, response) => {
    heard.push(request.url ?? '')
    if (request.url === '/begun') response.write('a part')
    if (heard.length === 2) begun.resolve()
  })
  const post = (path: string) => {
    const request = httpRequest(`${base}/camera/yard/gate${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer user', 'content-length': 10 },
    })
    request.on('error', () => {}).write('five.')
    return once(request, 'response') as Promise<[IncomingMessage]>
  }
  const [waiting, answering] = [post('/waiting'), post('/begun')]
  const [answer] = await answering
  const cut = once(answer, 'error')
  answer.resume()
  await begun.promise
  await clock.advance(30_000)
  const [refused] = await waiting
  refused.on('error', () => {}).resume()
  expect(refused.statusCode).toBe(408)
  expect(await cut).toMatchObject([{ code: 'ECONNRESET' }])
})

test('of the bodies without sign-in the longest makes way when there are too many', async () => {
  let onHeard = (): void => {}
  serve(() => onHeard(), ['/'])
  const open = (at: number) => {
    const request = httpRequest(`${base}/camera/yard/gate/${at}`, { method: 'POST', headers: { 'content-length': 10 } })
    request.on('error', () => {}).write('five.')
    return once(request, 'response') as Promise<[IncomingMessage]>
  }
  const answers: Promise<[IncomingMessage]>[] = []
  for (let at = 0; at < 64; at++) {
    const heard = new Promise<void>((resolve) => (onHeard = resolve))
    answers.push(open(at))
    // oxlint-disable-next-line no-await-in-loop -- the first that is heard is the one that has taken longest
    await heard
  }
  for (const answer of answers.slice(1)) answer.catch(() => {})
  open(64).catch(() => {})
  const [first] = (await answers[0]) as [IncomingMessage]
  first.resume()
  expect([first.statusCode, first.headers['retry-after']]).toEqual([503, '1'])
})

test('what a node does to an answer that was given in its place has no effect, and throws nothing', async () => {
  const late = Promise.withResolvers<() => void>()
  serve((_request, response) => {
    late.resolve(() => {
      response.setHeader('x-late', '1')
      ;(response as express.Response).status(200).json({ late: true })
      response.writeHead(200).write('late')
      response.end('late')
    })
  })
  const refused = ask('/camera/yard/gate')
  const answer = await late.promise
  await clock.advance(30_000)
  answer()
  const { status, headers } = await refused
  expect([status, headers.get('x-late')]).toEqual([503, null])
  await new Promise(setImmediate)
  answer()
})

test('the stop of a node refuses what waits for an answer, and cuts what has begun', async () => {
  const waits = Promise.withResolvers<void>()
  const mounted = serve((request, response) => {
    if (request.url === '/begun') response.write('a part')
    else waits.resolve()
  })
  const waiting = ask('/camera/yard/gate')
  const begun = await ask('/camera/yard/gate/begun')
  await waits.promise
  mounted.unmount()
  mounted.stop()
  const answer = await waiting
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  await expect(begun.text()).rejects.toThrow('terminated')
  expect([failures, clock.pending]).toEqual([[], 0])
})

test('a sender that leaves is no failure of the node, which hears of it', async () => {
  const left = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  serve(async (request) => {
    asked.resolve()
    try {
      for await (const chunk of request) void chunk
    } finally {
      left.resolve()
    }
  })
  const request = httpRequest(`${base}/camera/yard/gate`, {
    method: 'POST',
    headers: { authorization: 'Bearer user', 'content-length': 10 },
  })
  request.on('error', () => {}).write('five.')
  await asked.promise
  request.destroy()
  await left.promise
  await new Promise(setImmediate)
  expect([failures, clock.pending]).toEqual([[], 0])
})

test('requests to a node that is rebuilt wait, unread, for the new one, and 15 s at most', async () => {
  const old = serve((_request, response) => response.end('old'), ['/'])
  old.hold()
  const stranger = anybody('/camera/yard/gate')
  const waiting = ask('/camera/yard/gate', { method: 'POST', body: 'a body' })
  const fresh = node(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    response.end(`new ${body}`)
  })
  old.unmount()
  fresh.open()
  expect(await (await waiting).text()).toBe('new a body')
  // what was open to anybody was so to the old one
  expect((await stranger).status).toBe(401)

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    fresh.hold()
    const found = nodes.found('/camera/yard/gate').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await found).toMatchObject({ code: 'unavailable', extensions: { retry_after_s: 1 } })
  } finally {
    vi.useRealTimers()
  }
})

test('a node that is rebuilt while its sender is asked who it is makes way for the new one', async () => {
  const old = serve((_request, response) => response.end('old'))
  onAuthenticate = () => {
    old.hold()
    node((_request, response) => response.end('new')).open()
  }
  expect(await (await ask('/camera/yard/gate')).text()).toBe('new')
})
