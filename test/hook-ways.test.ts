/**
 * A webhook is answered by the same bytes on the engine's own server, which does without Express for it, and through the
 * router in a host's app (hooks.H15).
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openSocket } from './raw-http.ts'
import { publish, startService, type TestService } from './service.ts'

const SECRET = 'k5-of-the-hook'
const TOKEN = 'portal-token-of-this-test'
const ORIGIN = 'https://pages.example'
const webhook = (id: string, settings: object, dtype = 'any') => ({
  id,
  type: 'http',
  settings,
  ports: [{ direction: 'output', name: id, dtype }],
})
const plant = {
  mode: 'live',
  nodes: [
    webhook('open', { url: 'open' }),
    webhook('deep', { url: 'deep/in' }),
    webhook('closed', { url: 'closed', secret: SECRET }),
    webhook('number', { url: 'number' }, 'float'),
    webhook('asked', { url: 'asked', method: 'GET' }),
    webhook('kept', { url: 'kept', durable: true }),
  ],
}

let at: TestService
let host: Server
let origins: readonly string[]
beforeAll(async () => {
  at = await startService({ portalToken: TOKEN, corsOrigins: [ORIGIN] })
  await publish(at, 'plant', plant)
  await at.send('POST', '/flows/plant/start')
  // as the server of the engine keeps connections
  host = createServer({ keepAliveTimeout: 65_000 }, express().disable('x-powered-by').use(at.service.router))
  at.service.attach(host)
  host.listen(0, '127.0.0.1')
  await once(host, 'listening')
  origins = [at.origin, `http://127.0.0.1:${(host.address() as AddressInfo).port}`]
})
afterAll(async () => {
  host.closeAllConnections()
  host.close()
  await at[Symbol.asyncDispose]()
})

/** Sends bytes as they stand, and reads until the server closes: every byte but those of the dates. */
async function exchange(origin: string, bytes: Buffer): Promise<string> {
  const socket = await openSocket(origin)
  socket.write(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/\r\nDate: [^\r]*/g, '')
}

/** Lines of a head as text, and a body; `length` false leaves its length unsaid. */
interface Sent {
  readonly body?: string | Buffer
  readonly length?: boolean
  readonly isLast?: boolean
}
function raw(lines: readonly string[], { body = '', length = true, isLast = true }: Sent = {}): Buffer {
  const bytes = Buffer.from(body as string, 'latin1')
  const own = [
    ...(isLast ? ['connection: close'] : []),
    ...(length && bytes.length > 0 ? [`content-length: ${bytes.length}`] : []),
  ]
  return Buffer.concat([Buffer.from([...lines, ...own, '', ''].join('\r\n'), 'latin1'), bytes])
}
const HOST = 'host: engine'
const JSON_TYPE = 'content-type: application/json'
const post = (path: string, body: string | Buffer = '1', ...headers: string[]): Buffer =>
  raw([`POST ${path} HTTP/1.1`, HOST, ...headers], { body })
const asking = (method: string, path: string, ...headers: string[]): Buffer =>
  raw([`${method} ${path} HTTP/1.1`, HOST, ...headers])

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH', 'QUERY']
const targets = ['/hooks/plant/open', '/hooks/plant/asked?a=1', '/api/v1/hooks/plant/closed/wrong', '/hooks', '/hooks/']

const addresses = [
  '/hooks/plant/open',
  '/hooks/plant/open/',
  '/hooks/plant/open?',
  '/hooks/plant/open?a=1&b=%20',
  '/hooks/plant/open?a=1&a=2',
  '/hooks/plant/open?__proto__=1',
  '/hooks/plant/open?a=%00',
  '/hooks/plant/open?a=%zz',
  '/hooks/plant/open??',
  `/hooks/plant/closed/${SECRET}`,
  `/api/v1/hooks/plant/closed/${SECRET}`,
  '/hooks/plant/deep/in',
  '/hooks/plant/deep%2Fin',
  '/hooks/plant/deep%2fin',
  '/hooks/plant/%64eep/in',
  '/hooks/plant/deep//in',
  '/hooks//plant/deep/in',
  '/hooks/plant/./deep/in',
  '/hooks/plant/../plant/deep/in',
  '/hooks/../hooks/plant/open',
  '/hooks/../api/v1/flows',
  '/hooks/%2e%2e/api/v1/flows',
  '/hooks/plant/%zz',
  '/hooks/%',
  '/hooks/plant/open;x=1',
  '/hooks/plant/open%00',
  '/hooks/plant/open#part',
  '/hooks/plant/op\\en',
  '/hooks/plant/\xfcber',
  '/hooks/plant/open\x7f',
  '/hooks/plant/open\tx',
  '/hooks//',
  '/api/v1/hooks',
  '/api/v1/hooks/',
  '/api/v1/hooks/plant/open',
  '/api/v1/hooks//plant/open',
  '/api/v1/nothing',
  '/api/v1//hooks/plant/open',
  'http://engine/hooks/plant/open',
  'http://other/hooks/plant/open?a=1#b',
  'HTTP://engine/hooks/plant/open',
]

const big = Buffer.alloc(1024 * 1024 + 1, 'x')
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const chunked = (body: string, ...headers: string[]): Buffer =>
  raw(['POST /hooks/plant/open HTTP/1.1', HOST, 'transfer-encoding: chunked', ...headers], { body, length: false })

const requests: readonly (readonly [string, Buffer])[] = [
  ...methods.flatMap((method) => targets.map((path) => [`${method} ${path}`, asking(method, path)] as const)),
  ...addresses.map((path) => [`address ${JSON.stringify(path)}`, post(path)] as const),
  ['GET /healthz', asking('GET', '/healthz')],
  ['JSON', post('/hooks/plant/number', '2.5', JSON_TYPE)],
  ['a durable arrival', post('/hooks/plant/kept', '{"kept":1}', JSON_TYPE)],
  ['a value off its dtype', post('/hooks/plant/number', '"a"', JSON_TYPE)],
  ['broken JSON', post('/hooks/plant/open', '{"a":', JSON_TYPE)],
  ['a key twice', post('/hooks/plant/open', '{"a":1,"a":2}', JSON_TYPE)],
  ['a prototype', post('/hooks/plant/open', '{"__proto__":{}}', JSON_TYPE)],
  ['an empty body of JSON', raw(['POST /hooks/plant/open HTTP/1.1', HOST, JSON_TYPE])],
  ['no UTF-8', post('/hooks/plant/open', Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE)],
  ['a form', post('/hooks/plant/open', 'a=1&b=2', 'content-type: application/x-www-form-urlencoded')],
  ['a field twice', post('/hooks/plant/open', 'a=1&a=2', 'content-type: application/x-www-form-urlencoded')],
  ['a picture without a port', post('/hooks/plant/number', 'x', 'content-type: image/png')],
  ['two types', post('/hooks/plant/open', '1', JSON_TYPE, 'content-type: text/plain')],
  ['a compressed body', post('/hooks/plant/open', gzipSync('{"a":1}'), JSON_TYPE, 'content-encoding: gzip')],
  ['a body that does not decompress', post('/hooks/plant/open', 'x', 'content-encoding: gzip')],
  ['an unknown encoding', post('/hooks/plant/open', 'x', 'content-encoding: rot13')],
  ['a body over its limit, declared', post('/hooks/plant/open', big)],
  ['a bomb', post('/hooks/plant/open', gzipSync(Buffer.alloc(4 * 1024 * 1024)), 'content-encoding: gzip')],
  ['a body to an unknown hook', post('/hooks/plant/nothing', big)],
  ['chunks', chunked(`${chunk('{"a":')}${chunk('1}')}0\r\n\r\n`, JSON_TYPE)],
  ['chunks over the limit', chunked(`${chunk(big.toString('latin1'))}0\r\n\r\n`)],
  ['chunks with a trailer', chunked(`${chunk('1')}0\r\nx-trailer: 1\r\n\r\n`)],
  ['a broken chunk', chunked('zz\r\n1\r\n')],
  ['a length and chunks', chunked(`${chunk('1')}0\r\n\r\n`, 'content-length: 1')],
  ['two hosts', post('/hooks/plant/open', '1', 'host: other')],
  ['two hosts to an unknown hook', post('/hooks/plant/nothing', '1', 'HOST: other')],
  ['one host twice', post('/hooks/plant/open', '1', HOST)],
  ['no host', raw(['POST /hooks/plant/open HTTP/1.1'], { body: '1' })],
  ['HTTP/1.0', raw(['POST /hooks/plant/open HTTP/1.0', HOST], { body: '1' })],
  ['HTTP/1.0 without a host', raw(['POST /hooks/plant/open HTTP/1.0'], { body: '1' })],
  ['an awaited 100', post('/hooks/plant/open', '1', 'expect: 100-continue')],
  ['an unknown expectation', post('/hooks/plant/open', '1', 'expect: the-unexpected')],
  ['through the portal', post('/hooks/plant/open', '1', `x-service-portal: ${TOKEN}`)],
  ['through the portal, with a secret', post(`/hooks/plant/closed/${SECRET}`, '1', `x-service-portal: ${TOKEN}`)],
  ['with a forged portal', post('/hooks/plant/open', '1', 'x-service-portal: x')],
  ['with a credential', post('/hooks/plant/open', '1', 'authorization: Bearer garbage', 'cookie: a=b')],
  ['from a page', post('/hooks/plant/open', '1', `origin: ${ORIGIN}`)],
  ['from a page of another origin', post('/api/v1/hooks/plant/open', '1', 'origin: https://evil.example')],
  ...['/hooks/plant/open', '/api/v1/hooks/plant/open', '/api/v1/hooks/plant/nothing'].map(
    (path) =>
      [
        `a preflight of ${path}`,
        asking('OPTIONS', path, `origin: ${ORIGIN}`, 'access-control-request-method: POST'),
      ] as const,
  ),
  ['with words of proxies', post('/hooks/plant/open', '1', 'x-forwarded-for: 1.2.3.4', 'x-forwarded-host: a, b')],
  ['with another method in a header', post('/hooks/plant/asked', '1', 'x-http-method-override: GET')],
  [
    'with an etag',
    asking('GET', '/hooks/plant/asked?a=1', 'if-none-match: *', 'range: bytes=0-1', 'accept: text/html'),
  ],
  ['a socket that no flow serves', asking('GET', '/hooks/plant/open', 'upgrade: websocket')],
  [
    'several on one connection',
    Buffer.concat([
      raw(['POST /hooks/plant/open HTTP/1.1', HOST], { body: '1', isLast: false }),
      raw(['GET /healthz HTTP/1.1', HOST], { isLast: false }),
      raw(['POST /hooks/plant/nothing HTTP/1.1', HOST], { body: 'x'.repeat(100_000), isLast: false }),
      raw(['HEAD /hooks/plant/open HTTP/1.1', HOST], { isLast: false }),
      raw(['PUT /hooks/plant/open HTTP/1.1', HOST], { body: '1', isLast: false }),
      raw(['GET /api/v1/nothing HTTP/1.1', HOST], { isLast: false }),
      post('/hooks/plant/kept', '{"kept":2}', JSON_TYPE),
    ]),
  ],
]

test.each(requests)('%s is answered alike on both ways [R200, T53, T58]', async (_what, bytes) => {
  const [own, mounted] = await Promise.all(origins.map((origin) => exchange(origin, bytes)))
  expect(own).toMatch(/^HTTP\/1\.1 [1-5]\d\d /)
  expect(own).toBe(mounted)
})

describe('a server of its own', () => {
  test('answers what is no webhook as ever', async () => {
    const told = await exchange(at.origin, asking('GET', '/hooksmith/plant/open'))
    expect(told).toMatch(
      /^HTTP\/1\.1 404 [^]*cache-control: no-store[^]*there is nothing at GET \/hooksmith\/plant\/open/i,
    )
  })

  test('names in its answers neither Express nor a page', async () => {
    for (const [, bytes] of requests) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await exchange(at.origin, bytes)).not.toMatch(/x-powered-by|text\/html/i)
    }
  })
})
