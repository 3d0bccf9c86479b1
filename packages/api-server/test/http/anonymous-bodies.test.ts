import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

import { VirtualClock } from '@flow-service/core/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'

import { openSocket } from '../../../../test/raw-http.ts'
import { createHooks } from '../../src/hooks/hooks.ts'
import { hookRoutes } from '../../src/hooks/routes.ts'
import { AnonymousBodies } from '../../src/http/anonymous-bodies.ts'
import { endpoint, form, type Handlers, json, reply } from '../../src/http/endpoint.ts'
import { errorAnswer } from '../../src/http/errors.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve } from './server.ts'

const echo = reply.json('What was read', z.unknown())
const contract = {
  open: endpoint({
    id: 'test.open',
    method: 'post',
    path: '/open',
    summary: 'For everybody',
    auth: 'open',
    body: form(z.object({ name: z.string() })),
    replies: { 200: echo },
  }),
  user: endpoint({
    id: 'test.user',
    method: 'post',
    path: '/user',
    summary: 'For users',
    auth: 'user',
    scope: null,
    body: json(z.unknown()),
    replies: { 200: echo },
  }),
}
const handlers: Handlers<typeof contract> = {
  open: ({ body }) => ({ status: 200, value: body }),
  user: ({ body }) => ({ status: 200, value: body }),
}

let clock: VirtualClock
let at: Running
let origin: string
let sockets: Socket[]
beforeEach(async () => {
  clock = new VirtualClock(0)
  const anonymous = new AnonymousBodies((delayMs, run) => clock.setTimer(delayMs, run))
  const hooks = createHooks()
  hooks.register('f', { path: 'in', secret: null, methods: ['GET', 'POST'] }, () => undefined).open()
  const answer = hookRoutes({ hooks, anonymous, answerError: errorAnswer({ error: () => expect.unreachable() }) })
  at = await serve(bind(contract, handlers), { anonymous }, (app) =>
    app.use('/hooks', (request, response) => answer(request, response, request.url)),
  )
  origin = `http://127.0.0.1:${at.port}`
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await at[Symbol.asyncDispose]()
})

const places = {
  hook: { path: '/hooks/f/in', type: 'application/json', body: '{}', done: 202 },
  open: { path: '/api/v1/open', type: 'application/x-www-form-urlencoded', body: 'name=ann', done: 200 },
  user: { path: '/api/v1/user', type: 'application/json', body: '{}', done: 200 },
}
type Place = (typeof places)[keyof typeof places]

const post = ({ path, type, body }: Place): Promise<Response> =>
  fetch(`${origin}${path}`, { method: 'POST', body, headers: { 'content-type': type } })

/** Begins a request whose body does not end. */
async function begin({ path, type }: Place, begun: string | Uint8Array = '', more = ''): Promise<Socket> {
  const socket = await openSocket(origin)
  sockets.push(socket)
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${more}content-length: 100\r\n\r\n`)
  if (begun.length > 0) socket.write(begun)
  return socket
}

const gzipped = gzipSync('{}'.padEnd(90))

/** All that a server says until it closes. */
async function told(socket: Socket): Promise<string> {
  let text = ''
  for await (const data of socket) text += String(data)
  return text
}

test.each([
  ['a webhook', places.hook, Buffer.from('{}'), ''],
  ['a webhook, compressed', places.hook, gzipped, 'content-encoding: gzip\r\n'],
  ['an endpoint without sign-in', places.open, Buffer.from('name=ann'), ''],
])(
  'the body of %s has 30 s to arrive, however it trickles; then it is 408, and the connection ends [T55]',
  async (_what, place, body, more) => {
    const socket = await begin(place, body.subarray(0, -1), more)
    await expect.poll(() => clock.pending).toBe(1)
    const answer = told(socket)
    await clock.advance(29_999)
    socket.write(body.subarray(-1))
    expect((await post(place)).status).toBe(place.done)
    expect(clock.pending).toBe(1)
    await clock.advance(1)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 [^]*connection: close[^]*"code":"request_timeout"/i)
    expect(clock.pending).toBe(0)
  },
)

test('when more than 64 bodies without sign-in are under way, the longest is 503 with Retry-After; the others, and users, are served [T55]', async () => {
  const first = await begin(places.hook)
  const told503 = told(first)
  await expect.poll(() => clock.pending).toBe(1)
  const others = Array.from({ length: 63 }, (_, n) => begin(n % 2 ? places.hook : places.open))
  await Promise.all(others)
  await Promise.all([begin(places.user), begin(places.user)])
  await expect.poll(() => clock.pending).toBe(64)
  expect((await fetch(`${origin}/hooks/f/in`)).status).toBe(202)
  expect((await post(places.user)).status).toBe(200)
  expect(clock.pending).toBe(64)

  expect((await post(places.hook)).status).toBe(202)
  expect(await told503).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1[^]*"code":"unavailable"/i)
  // whoever leaves makes place at once
  expect(clock.pending).toBe(63)
  sockets[5]?.destroy()
  await expect.poll(() => clock.pending).toBe(62)
})

test('a body counts until it is checked; when nothing else waits, the newest makes way [T55]', async () => {
  const bodies = new AnonymousBodies((delayMs, run) => clock.setTimer(delayMs, run))
  const { promise, resolve } = Promise.withResolvers<void>()
  const checks = Array.from({ length: 64 }, () => bodies.check(() => promise))
  const refused = new Promise<unknown>((end) => bodies.wait(end))
  expect(await refused).toMatchObject({ code: 'unavailable' })
  resolve()
  await Promise.all(checks)
  const done = bodies.wait(() => expect.unreachable())
  await Promise.resolve()
  done()
  expect(clock.pending).toBe(0)
})
