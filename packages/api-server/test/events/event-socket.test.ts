import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type EngineEvent, type EventFrame, eventFrameSchema, timestampOfMs } from '@flow-service/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'

import { type Database, openDatabase } from '../../src/db/database.ts'
import { createEventBus, type EventBus } from '../../src/events/event-bus.ts'
import type { EngineSnapshot } from '../../src/events/event-replay.ts'
import { createEventSockets } from '../../src/events/event-socket.ts'
import { eventsEndpoints, eventsHandlers, eventUpgrade } from '../../src/events/routes.ts'
import { createTickets } from '../../src/events/tickets.ts'
import { bearerToken } from '../../src/http/authenticate.ts'
import { ProblemError } from '../../src/http/errors.ts'
import { bind } from '../../src/http/mount.ts'
import { createUpgradeRouter, type UpgradeRouter } from '../../src/http/upgrade.ts'
import { databaseAt } from '../backend.ts'
import { type Running, serve, user } from '../http/server.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
let directory: string
let database: Database
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'event-socket-'))
  database = await openDatabase({ ...(await databaseAt(directory)), log: quiet })
})
afterAll(async () => {
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

const nothing: EngineSnapshot = { flows: [], nodes: [], values: [], health: [], runs: [] }
let bus: EventBus
let server: Running
let upgrades: UpgradeRouter
let snapshot: () => Promise<EngineSnapshot> | EngineSnapshot
let mayEnter: boolean
let clients: WebSocket[]
/** The engine's ends of the open sockets. */
let served: WebSocket[]

async function authenticate(request: Parameters<typeof bearerToken>[0]): Promise<typeof user> {
  if (bearerToken(request) === 'good') return user
  throw new ProblemError('unauthenticated', 'unknown token')
}

beforeEach(async () => {
  bus = createEventBus()
  snapshot = () => nothing
  mayEnter = true
  clients = []
  const tickets = createTickets({ database })
  const sockets = createEventSockets({ bus, engineVersion: '1.2.3', snapshot: () => snapshot(), log: quiet })
  upgrades = createUpgradeRouter({ log: quiet })
  served = []
  const serving: typeof sockets = {
    serve(socket, flows) {
      served.push(socket)
      sockets.serve(socket, flows)
    },
  }
  const entry = {
    sockets: serving,
    tickets,
    authenticate,
    mayEnter: async () => mayEnter,
    origins: ['https://console.example'],
  }
  upgrades.route('/api/v1/flows/ws', eventUpgrade(entry))
  server = await serve(bind(eventsEndpoints, eventsHandlers({ tickets })), { authenticate })
  upgrades.attach(server.server)
})
afterEach(async () => {
  for (const client of clients) client.terminate()
  await upgrades.close()
  await server[Symbol.asyncDispose]()
})

const address = (query = ''): string => `ws://127.0.0.1:${server.port}/api/v1/flows/ws${query}`
const bearer: ClientOptions = { headers: { authorization: 'Bearer good' } }

/** A client that keeps what it is told. */
class Client {
  readonly frames: EventFrame[] = []
  readonly socket: WebSocket
  constructor(socket: WebSocket) {
    this.socket = socket
    clients.push(socket)
    socket.on('message', (data) => this.frames.push(eventFrameSchema.parse(JSON.parse((data as Buffer).toString()))))
  }
  async next(count: number): Promise<EventFrame[]> {
    while (this.frames.length < count) {
      // oxlint-disable-next-line no-await-in-loop -- until enough have come
      await once(this.socket, 'message')
    }
    return this.frames
  }
}
async function open(query = '', options: ClientOptions = bearer): Promise<Client> {
  const client = new Client(new WebSocket(address(query), options))
  await once(client.socket, 'open')
  return client
}
/** The HTTP status with which an upgrade is refused; 101 when it is not. */
function knock(query: string, options: ClientOptions = {}): Promise<number | undefined> {
  const socket = new WebSocket(address(query), options)
  clients.push(socket)
  return new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode)
      request.destroy()
    })
    socket.once('open', () => resolve(101))
  })
}
async function newTicket(): Promise<{ ticket: string; expires_at: string }> {
  const answer = await fetch(`${server.url}/flows/ws-ticket`, {
    method: 'POST',
    headers: { authorization: 'Bearer good' },
  })
  expect(answer.status).toBe(201)
  return (await answer.json()) as { ticket: string; expires_at: string }
}

const flowEvent = (name: string, version = 1): EngineEvent => ({
  type: 'flow',
  name,
  status: 'active',
  held: 0,
  version,
})
const valueEvent = (message: string, value: number, flow = message.split('.')[0] ?? ''): EngineEvent => ({
  type: 'value',
  message,
  value,
  flow,
  node: 'n',
  port: 'p',
  run: null,
  step: null,
})

test('a bearer token opens the socket, and nothing else does [R461] [R637] [R642]', async () => {
  expect(await knock('', bearer)).toBe(101)
  expect(await knock('')).toBe(401)
  expect(await knock('', { headers: { authorization: 'Bearer bad' } })).toBe(401)
  expect(await knock('?access_token=good')).toBe(401)
})

test('a ticket opens one socket, however many try it at once [R460] [R643]', async () => {
  const { ticket } = await newTicket()
  const answers = await Promise.all(Array.from({ length: 20 }, () => knock(`?ticket=${ticket}`)))
  expect(answers.filter((status) => status === 101)).toHaveLength(1)
  expect(answers.filter((status) => status === 401)).toHaveLength(19)
})

test('a ticket is void after 30 seconds [R644]', async () => {
  const { ticket, expires_at } = await newTicket()
  const seconds = (Date.parse(expires_at) - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(28)
  expect(seconds).toBeLessThanOrEqual(31)
  await database.sql`update socket_ticket set expires_at = expires_at - interval '31 seconds'`
  expect(await knock(`?ticket=${ticket}`)).toBe(401)
})

test('a ticket is no admission for an account that was closed meanwhile', async () => {
  const { ticket } = await newTicket()
  mayEnter = false
  expect(await knock(`?ticket=${ticket}`)).toBe(401)
})

test('the database holds no ticket that could be used', async () => {
  const { ticket } = await newTicket()
  const rows = await database.sql`select * from socket_ticket`
  expect(JSON.stringify(rows)).not.toContain(ticket)
  expect(rows.length).toBeGreaterThan(0)
})

test('a page of a foreign origin cannot use a ticket, nor use it up', async () => {
  const { ticket } = await newTicket()
  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1.evil.example:${server.port}`]) {
    expect(await knock(`?ticket=${ticket}`, { origin })).toBe(403)
  }
  expect(await knock(`?ticket=${ticket}`, { origin: `http://127.0.0.1:${server.port}` })).toBe(101)
  expect(await knock(`?ticket=${(await newTicket()).ticket}`, { origin: 'https://console.example' })).toBe(101)
})

test('the first frame is the snapshot, then come events, numbered without a gap [R645] [R646]', async () => {
  snapshot = () => ({ ...nothing, flows: [{ name: 'f', mode: 'live', status: 'active', held: 0 }] })
  const client = await open()
  await client.next(1)
  bus.publish(flowEvent('f'), 5)
  bus.publish(valueEvent('f.x', 1.5), 6)
  bus.publish(
    {
      type: 'node',
      flow: 'f',
      node: 'n',
      run: null,
      status: 'failed',
      cached: false,
      error: { type: 'X', message: 'ü' },
    },
    7,
  )
  bus.publish({ type: 'health', flow: 'f', node: 'n', status: 'down', message: null }, 8)
  const frames = await client.next(5)
  expect(frames[0]).toMatchObject({ type: 'snapshot', seq: 1, engine_version: '1.2.3', flows: [{ name: 'f' }] })
  expect(frames[2]).toEqual({ seq: 3, ts: timestampOfMs(6), ...valueEvent('f.x', 1.5) })
  expect(frames.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'snapshot'],
    [2, 'flow'],
    [3, 'value'],
    [4, 'node'],
    [5, 'health'],
  ])
})

test('what happens while the snapshot is taken is told after it, and nothing twice', async () => {
  const taken = Promise.withResolvers<EngineSnapshot>()
  const asked = new Promise<void>((resolve) => {
    snapshot = () => {
      resolve()
      return taken.promise
    }
  })
  const client = await open()
  await asked
  bus.publish(valueEvent('f.x', 1), 10)
  bus.publish(valueEvent('f.x', 2), 20)
  bus.publish(valueEvent('f.x', 3), 30)
  taken.resolve({ ...nothing, values: [{ message: 'f.x', value: 2, ts: timestampOfMs(20) }] })
  await client.next(2)
  bus.publish(valueEvent('f.x', 4), 40)
  const [first, ...rest] = await client.next(3)
  expect(first?.type).toBe('snapshot')
  expect(rest.map((frame) => frame.type === 'value' && frame.value)).toEqual([3, 4])
})

test('flows= limits snapshot and events to these flows', async () => {
  snapshot = () => ({
    ...nothing,
    flows: ['a', 'b', 'c'].map((name) => ({ name, mode: 'live', status: 'active', held: 0 })),
    values: ['a.x', 'b.x', 'c.x'].map((message) => ({ message, value: 1, ts: timestampOfMs(1) })),
  })
  const client = await open('?flows=a,b')
  const [first] = await client.next(1)
  expect(first).toMatchObject({
    flows: [{ name: 'a' }, { name: 'b' }],
    values: [{ message: 'a.x' }, { message: 'b.x' }],
  })
  bus.publish(flowEvent('c'))
  bus.publish(valueEvent('c.x', 2))
  bus.publish(valueEvent('c.x', 3, 'a'))
  bus.publish(valueEvent('b.x', 4, 'c'))
  bus.publish(flowEvent('b'))
  const frames = await client.next(4)
  expect(frames.slice(1).map((frame) => (frame.type === 'value' ? frame.value : frame.type))).toEqual([3, 4, 'flow'])
})

test('a frame that is not understood is answered, and the socket stays open', async () => {
  const client = await open()
  await client.next(1)
  for (const frame of ['{"type":"dance"}', '{', '[]', '7', '{"type":1}', 'null']) client.socket.send(frame)
  client.socket.send(Buffer.from('{"type":"dance"}'), { binary: true })
  const errors = (await client.next(8)).slice(1)
  expect(errors.map((frame) => frame.type === 'error' && frame.code)).toEqual([
    'unknown_frame',
    ...Array<string>(6).fill('malformed_frame'),
  ])
  bus.publish(flowEvent('f'))
  expect((await client.next(9)).at(-1)?.type).toBe('flow')
})

test('a frame over 64 KiB closes the socket with 1009', async () => {
  const client = await open()
  client.socket.send('x'.repeat(70_000))
  expect((await once(client.socket, 'close'))[0]).toBe(1009)
})

test('no compression is negotiated [R653]', async () => {
  const client = await open('', { ...bearer, perMessageDeflate: true })
  expect(client.socket.extensions).toBe('')
})

test('when the snapshot fails the socket is closed with 1011 and others are served', async () => {
  snapshot = () => Promise.reject(new Error('the store is down'))
  const client = await open()
  expect((await once(client.socket, 'close'))[0]).toBe(1011)
  snapshot = () => nothing
  await (await open()).next(1)
})

test('a reader that stops reading is cut off, and others hear everything', async () => {
  const slow = await open()
  await slow.next(1)
  slow.socket.pause()
  const other = await open()
  const text = 'x'.repeat(256 * 1024)
  let told = 1
  // more than the kernel buffers of a loopback connection and the engine's 16 MiB
  for (let i = 0; i < 160; i++) {
    bus.publish({ type: 'health', flow: 'f', node: `n${i}`, status: 'down', message: text })
    // oxlint-disable-next-line no-await-in-loop -- at the pace of the reader that reads
    await other.next(++told)
  }
  expect(other.frames).toHaveLength(161)
  expect(other.frames.every(({ seq }, index) => seq === index + 1)).toBe(true)
  slow.socket.resume()
  expect((await once(slow.socket, 'close'))[0]).toBe(1013)
  expect(slow.frames.length).toBeLessThan(161)
})

/** A raw connection that has opened the socket. */
async function openRaw(): Promise<Socket> {
  const raw = connect(server.port, '127.0.0.1')
  raw.on('error', () => undefined)
  raw.write(
    'GET /api/v1/flows/ws HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n' +
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: Bearer good\r\n\r\n',
  )
  await once(raw, 'data')
  return raw
}

test('bytes that are no frames end their own connection only', async () => {
  const client = await open()
  await client.next(1)
  const raw = await openRaw()
  raw.write(Buffer.alloc(4096, 0xff))
  raw.resume()
  await once(raw, 'close')
  bus.publish(flowEvent('f'))
  expect((await client.next(2))[1]?.type).toBe('flow')
})

test('a client that floods the socket with pings and reads no answer is cut off', async () => {
  const raw = await openRaw()
  raw.pause()
  // a masked ping of 125 bytes, 1,000 times
  const flood = Buffer.concat(
    Array<Buffer>(1000).fill(Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)])),
  )
  let sent = 0
  const [accepted] = served
  while (accepted?.readyState === WebSocket.OPEN && sent < 500) {
    sent += 1
    // oxlint-disable-next-line no-await-in-loop -- at the pace at which the engine reads
    await new Promise((resolve) => raw.write(flood, resolve))
  }
  expect(accepted?.readyState).not.toBe(WebSocket.OPEN)
  raw.destroy()
})
