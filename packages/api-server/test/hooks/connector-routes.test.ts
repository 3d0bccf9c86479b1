/** Requests that nodes answer themselves, from a real server to a handler and back: who gets where, with what. */
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import type { RouteHandler } from '@flow-service/connector-sdk'
import express from 'express'
import { expect, test } from 'vitest'

import { anybody, ask, base, failures, nowhere, serve, server, told, useNodeServer } from './node-server.ts'

useNodeServer()

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
