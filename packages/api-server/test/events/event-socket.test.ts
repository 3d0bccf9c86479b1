import { once } from 'node:events'

import { type SnapshotFrame, timestampOfMs } from '@flow-service/protocol'
import { expect, test, vi } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import type { EngineSnapshot } from '../../src/events/event-replay.ts'
import type { Grant } from '../../src/http/principal.ts'
import { user } from '../http/server.ts'
import { bearer, flowEvent, MAX_SOCKETS, nothing, useSockets, type TestSockets, valueEvent } from './sockets.ts'

/** Of a key that lives as long as the tokens of version 1. */
const keyGrant: Grant = {
  via: 'key',
  id: '01900000-0000-7000-8000-00000000000a',
  name: 'ci',
  scopes: new Set(['messages:read']),
  version: 1,
  endsAtMs: null,
}

let database: Database
let at: TestSockets
useSockets((started, opened) => {
  at = started
  database = opened
})

test('a bearer token opens the socket, and nothing else does [R461] [R637] [R642] [T45]', async () => {
  expect(await at.knock('', bearer)).toBe(101)
  expect(await at.knock('')).toBe(401)
  expect(await at.knock('', { headers: { authorization: 'Bearer bad' } })).toBe(401)
  expect(await at.knock('?access_token=good')).toBe(401)
})

test('a ticket opens one socket, however many try it at once [R460] [R643] [T47]', async () => {
  const { ticket } = await at.newTicket()
  const answers = await Promise.all(Array.from({ length: 50 }, () => at.knock(`?ticket=${ticket}`)))
  expect(answers.filter((status) => status === 101)).toHaveLength(1)
  expect(answers.filter((status) => status === 401)).toHaveLength(49)
  expect(await at.knock(`?ticket=${ticket}`)).toBe(401)
})

test('a ticket is void after 30 seconds [R644] [T47]', async () => {
  const askedMs = Date.now()
  const { ticket, expires_at } = await at.newTicket()
  expect(Date.parse(expires_at) - askedMs).toBeGreaterThan(29_000)
  expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(31_000)
  await database.sql`update socket_ticket set expires_at = expires_at - interval '31 seconds'`
  expect(await at.knock(`?ticket=${ticket}`)).toBe(401)
})

test.each(['', 'unknown', 'x'.repeat(10_000), '%00', '%ff'])('"%s" is no ticket', async (ticket) => {
  expect(await at.knock(`?ticket=${ticket}`)).toBe(401)
})

test('a ticket is no admission for an account that was closed meanwhile', async () => {
  const { ticket } = await at.newTicket()
  at.tokenVersion = null
  expect(await at.knock(`?ticket=${ticket}`)).toBe(401)
})

test('a ticket ends with the password that it was got by, and with the key', async () => {
  const { ticket } = await at.newTicket()
  at.tokenVersion = 2
  expect(await at.knock(`?ticket=${ticket}`)).toBe(401)
  expect(await at.knock(`?ticket=${(await at.newTicket()).ticket}`)).toBe(101)
  at.tokenVersion = 1
  at.grant = { ...keyGrant, endsAtMs: Date.now() - 1 }
  expect(await at.knock(`?ticket=${(await at.newTicket()).ticket}`)).toBe(401)
  at.grant = { ...keyGrant, endsAtMs: Date.now() + 3_600_000 }
  expect(await at.knock(`?ticket=${(await at.newTicket()).ticket}`)).toBe(101)
})

test('the database holds no ticket that could be used [T47]', async () => {
  const { ticket } = await at.newTicket()
  const rows = await database.sql`select * from socket_ticket`
  expect(JSON.stringify(rows)).not.toContain(ticket)
  expect(rows.length).toBeGreaterThan(0)
})

test('a page of a foreign origin cannot use a ticket, nor use it up [T46]', async () => {
  const { ticket } = await at.newTicket()
  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1.evil.example:${at.port}`]) {
    expect(await at.knock(`?ticket=${ticket}`, { origin })).toBe(403)
  }
  expect(await at.knock(`?ticket=${ticket}`, { origin: `http://127.0.0.1:${at.port}` })).toBe(101)
  expect(await at.knock(`?ticket=${(await at.newTicket()).ticket}`, { origin: 'https://console.example' })).toBe(101)
  at.baseUrl = 'https://flows.example/x/api/v1'
  expect(await at.knock(`?ticket=${(await at.newTicket()).ticket}`, { origin: 'https://flows.example' })).toBe(101)
})

test('the first frame is the snapshot with the last number that it includes, then come events with those of the engine [R645] [R646]', async () => {
  at.snapshot = async () => () => ({ ...nothing, flows: [{ name: 'f', mode: 'live', status: 'active', held: 0 }] })
  const client = await at.open()
  await client.next(1)
  at.bus.publish(flowEvent('f'), 5)
  at.bus.publish(valueEvent('f.x', 1.5), 6)
  at.bus.publish(
    {
      type: 'node',
      flow: 'f',
      node: 'n',
      run: null,
      status: 'failed',
      cached: false,
      error: { type: 'X', message: 'ü' },
      executions: 1,
    },
    7,
  )
  at.bus.publish({ type: 'health', flow: 'f', node: 'n', status: 'down', message: null }, 8)
  const frames = await client.next(5)
  expect(frames[0]).toMatchObject({ type: 'snapshot', seq: 0, engine_version: '1.2.3', engine: expect.any(String) })
  expect(frames[2]).toEqual({ seq: 2, ts: timestampOfMs(6), ...valueEvent('f.x', 1.5) })
  expect(frames.map(({ seq, type }) => [seq, type])).toEqual([
    [0, 'snapshot'],
    [1, 'flow'],
    [2, 'value'],
    [3, 'node'],
    [4, 'health'],
  ])
})

test('what happens while the snapshot is taken is told after it, and nothing twice', async () => {
  const stored = Promise.withResolvers<() => EngineSnapshot>()
  const asked = Promise.withResolvers<void>()
  at.snapshot = () => {
    asked.resolve()
    return stored.promise
  }
  const client = await at.open()
  await asked.promise
  let last = 0
  const publish = (): void => at.bus.publish(valueEvent('f.x', ++last), last)
  publish()
  at.bus.publish({ ...valueEvent('f.x', 0.5), run: 'r' } as never, 1)
  publish()
  stored.resolve(() => ({ ...nothing, values: [{ message: 'f.x', value: last, ts: timestampOfMs(last) }] }))
  // in every step until the snapshot is sent: whatever it does not hold comes after it
  for (let step = 0; step < 20; step++) {
    // oxlint-disable-next-line no-await-in-loop -- one microtask after the other
    await Promise.resolve()
    publish()
  }
  const [first, emission, ...rest] = await client.next(2 + 22 - last + 1).then(() => client.frames)
  expect(first?.type).toBe('snapshot')
  expect(emission).toMatchObject({ value: 0.5 })
  await vi.waitFor(() => expect(client.frames.at(-1)).toMatchObject({ value: last }), 60_000)
  const told = first?.type === 'snapshot' ? Number(first.values[0]?.value) : Number.NaN
  const values = client.frames.slice(2).map((frame) => frame.type === 'value' && frame.value)
  expect(told).toBeGreaterThanOrEqual(2)
  expect(values).toEqual(Array.from({ length: last - told }, (_, step) => told + 1 + step))
  expect(rest.length).toBeLessThanOrEqual(values.length)
})

test('a socket that opens in the middle of a turn gets what the others get, each in its order', async () => {
  const first = await at.open()
  await first.next(1)
  const stored = Promise.withResolvers<() => EngineSnapshot>()
  at.snapshot = () => stored.promise
  const second = await at.open()
  at.bus.publish(flowEvent('f', 1))
  stored.resolve(() => nothing)
  at.bus.publish(flowEvent('f', 2))
  await second.next(2)
  at.bus.publish(flowEvent('f', 3))
  const versions = (frames: readonly object[]) => frames.flatMap((frame) => ('version' in frame ? [frame.version] : []))
  await Promise.all([first.next(4), second.next(3)])
  expect(versions(first.frames)).toEqual([1, 2, 3])
  expect(versions(second.frames)).toEqual([2, 3])
})

test('the events of one turn are one write', async () => {
  const client = await at.open()
  await client.next(1)
  let reads = 0
  const { _socket: wire } = client.socket as unknown as { _socket: NodeJS.ReadableStream }
  wire.on('data', () => (reads += 1))
  for (let i = 0; i < 100; i++) at.bus.publish(valueEvent('f.x', i))
  const frames = await client.next(101)
  expect(frames.slice(1).map((frame) => frame.type === 'value' && frame.value)).toEqual([...Array(100).keys()])
  expect(reads).toBe(1)
})

test('keys of the query that the socket does not know are refused, as they are elsewhere', async () => {
  for (const query of ['?flow=a', '?flows=a&since=1', '?'.concat('Flows=a')])
    // oxlint-disable-next-line no-await-in-loop -- one client at a time
    expect([query, await at.knock(query, bearer)]).toEqual([query, 422])
  const { ticket } = await at.newTicket()
  expect(await at.knock(`?ticket=${ticket}&token=x`)).toBe(422)
})

test('flows= limits snapshot and events of every kind to these flows', async () => {
  const run = { id: '01900000-0000-7000-8000-000000000002', flow: 'c' } as EngineSnapshot['runs'][number]
  at.snapshot = async () => () => ({
    flows: ['a', 'b', 'c'].map((name) => ({ name, mode: 'live', status: 'active', held: 0 })),
    nodes: [],
    health: ['a', 'c'].map((flow) => ({ flow, node: 'n', status: 'ok', message: null, ts: timestampOfMs(1) })),
    values: ['a.x', 'b.x', 'c.x'].map((message) => ({ message, value: 1, ts: timestampOfMs(1) })),
    runs: [run],
  })
  for (const query of ['?flows=a,b', '?flows=a&flows=b,']) {
    // oxlint-disable-next-line no-await-in-loop -- one client at a time
    const client = await at.open(query)
    // oxlint-disable-next-line no-await-in-loop -- one client at a time
    const [first] = await client.next(1)
    expect(first).toMatchObject({
      flows: [{ name: 'a' }, { name: 'b' }],
      health: [{ flow: 'a' }],
      values: [{ message: 'a.x' }, { message: 'b.x' }],
      runs: [],
    })
    at.bus.publish(flowEvent('c'))
    at.bus.publish({ type: 'run', run })
    at.bus.publish({ type: 'health', flow: 'c', node: 'n', status: 'ok', message: null })
    at.bus.publish(valueEvent('c.x', 2))
    at.bus.publish(valueEvent('c.x', 3, 'a'))
    at.bus.publish(valueEvent('b.x', 4, 'c'))
    at.bus.publish(flowEvent('b'))
    // oxlint-disable-next-line no-await-in-loop -- one client at a time
    const frames = await client.next(4)
    expect(frames.slice(1).map((frame) => (frame.type === 'value' ? frame.value : frame.type))).toEqual([3, 4, 'flow'])
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map(({ seq }) => seq).toSorted((a, b) => a - b))
  }
})

test('kinds= limits snapshot and events, and what nodes print is told to those alone who name it, at its pace', async () => {
  const flow = { name: 'f', mode: 'live', status: 'active', held: 0 } as const
  const value = { message: 'f.x', value: 1, ts: null }
  at.snapshot = async () => () => ({ ...nothing, flows: [flow], values: [value] })
  const [usual, reader] = [await at.open(), await at.open('?kinds=log,flow&kinds=value')]
  const [{ flows, values }] = (await reader.next(1)) as [SnapshotFrame]
  expect([flows, values]).toEqual([[flow], [value]])
  const [only] = (await (await at.open('?kinds=log')).next(1)) as [SnapshotFrame]
  expect([only.flows, only.values]).toEqual([[], []])
  await usual.next(1)
  const print = (offset: number, text: string): void =>
    at.bus.publish({ type: 'log', flow: 'f', node: 'n', run: null, offset, text }, 1)
  for (const [offset, text] of ['a', 'b', 'c'].entries()) print(offset, text)
  at.bus.publish({ type: 'health', flow: 'f', node: 'n', status: 'down', message: null }, 2)
  await at.clock.advance(100)
  at.bus.publish(flowEvent('f'), 3)
  const told = (await reader.next(4)).slice(1).map((frame) => (frame.type === 'log' ? frame.text : frame.type))
  expect(told).toEqual(['a', 'bc', 'flow'])
  expect((await usual.next(3)).map(({ type }) => type)).toEqual(['snapshot', 'health', 'flow'])
  for (const query of ['?kinds=', '?kinds=node,prints']) expect(await at.knock(query, bearer)).toBe(422)
})

test('flows= without a name tells nothing, and with a name that no flow can have is refused', async () => {
  const client = await at.open('?flows=')
  await client.next(1)
  expect(await at.knock('?flows=a;b', bearer)).toBe(422)
  expect(await at.knock(`?flows=${'x'.repeat(101)}`, bearer)).toBe(422)
  expect(await at.knock('?flows=a;b')).toBe(401)
  at.bus.publish(flowEvent('a'))
  client.socket.send('{}')
  expect((await client.next(2))[1]?.type).toBe('error')
})

test('nothing is serialised while nobody listens to the flow', async () => {
  const client = await at.open('?flows=a')
  await client.next(1)
  const value = { toJSON: vi.fn<() => number>(() => 1) }
  at.bus.publish({ ...valueEvent('b.x', 1), value } as never)
  at.bus.publish({ ...valueEvent('a.x', 1), value } as never)
  await client.next(2)
  expect(value.toJSON).toHaveBeenCalledTimes(1)
})

test('an event is serialised once for all, and as it was when it happened', async () => {
  const clients = await Promise.all([at.open(), at.open(), at.open('?flows=f')])
  await Promise.all(clients.map((client) => client.next(1)))
  const state = { n: 1 }
  const value = { toJSON: vi.fn<() => object>(() => ({ ...state })) }
  at.bus.publish({ ...valueEvent('f.x', 1), value } as never)
  state.n = 2
  await Promise.all(clients.map((client) => client.next(2)))
  for (const { frames } of clients) expect(frames[1]).toMatchObject({ value: { n: 1 } })
  expect(value.toJSON).toHaveBeenCalledTimes(1)
})

test('no compression is negotiated [R653]', async () => {
  const client = await at.open('', { ...bearer, perMessageDeflate: true })
  expect(client.socket.extensions).toBe('')
})

test('when the snapshot fails the socket is closed with 1011 and others are served', async () => {
  at.snapshot = () => Promise.reject(new Error('the store is down'))
  const client = await at.open()
  expect((await once(client.socket, 'close'))[0]).toBe(1011)
  at.snapshot = async () => () => nothing
  await (await at.open()).next(1)
})

test('when the engine stops the socket is closed with 1001', async () => {
  const client = await at.open()
  await client.next(1)
  const closed = once(client.socket, 'close')
  await at.upgrades.close()
  expect((await closed)[0]).toBe(1001)
})

test('a reader that stops reading is cut off, and others hear everything [F44]', async () => {
  const slow = await at.open()
  await slow.next(1)
  slow.socket.pause()
  const other = await at.open()
  const text = 'x'.repeat(256 * 1024)
  let told = 1
  // more than the kernel buffers of a loopback connection and the engine's 16 MiB
  for (let i = 0; i < 160; i++) {
    at.bus.publish({ type: 'health', flow: 'f', node: `n${i}`, status: 'down', message: text })
    // oxlint-disable-next-line no-await-in-loop -- at the pace of the reader that reads
    await other.next(++told)
  }
  expect(other.frames).toHaveLength(161)
  expect(other.frames.every(({ seq }, index) => seq === index)).toBe(true)
  slow.socket.resume()
  expect((await once(slow.socket, 'close'))[0]).toBe(1013)
  expect(slow.frames.length).toBeLessThan(161)
})

test('a reader that lags gets the newest value of each message and every state, once it reads again [F44]', async () => {
  const slow = await at.open()
  await slow.next(1)
  slow.socket.pause()
  const [engineEnd] = at.served
  let i = 0
  // until the kernel takes no more, and then a while longer
  for (let over = 0; over < 2000; i++) {
    at.bus.publish(valueEvent(`f.m${i % 10}`, i))
    at.bus.publish({ type: 'health', flow: 'f', node: 'n', status: 'ok', message: `${i} ${'x'.repeat(2000)}` })
    if (i % 50 === 0) {
      // oxlint-disable-next-line no-await-in-loop -- the engine writes at the end of its turn
      await new Promise(setImmediate)
    }
    if ((engineEnd?.bufferedAmount ?? 0) > 1024 * 1024) over += 1
  }
  slow.socket.resume()
  await vi.waitFor(
    () => expect(slow.frames.at(-1)).toMatchObject({ message: expect.stringMatching(`^${i - 1} `) }),
    60_000,
  )
  const numbers = slow.frames.map(({ seq }) => seq)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  const states = slow.frames.filter((frame) => frame.type === 'health')
  expect(states.map(({ message }) => Number.parseInt(message ?? '', 10))).toEqual([...Array(i).keys()])
  const values = slow.frames.filter((frame) => frame.type === 'value')
  expect(values.length).toBeLessThan(i)
  for (let m = 0; m < 10; m++) {
    const told = values.filter(({ message }) => message === `f.m${m}`).map(({ value }) => Number(value))
    expect(told).toEqual(told.toSorted((a, b) => a - b))
    expect(told.at(-1)).toBe(i - 10 + ((m - (i % 10) + 10) % 10))
  }
})

test('a snapshot that takes longer than 16 MiB of events ends the socket with 1013', async () => {
  const stored = Promise.withResolvers<() => EngineSnapshot>()
  at.snapshot = () => stored.promise
  const client = await at.open()
  const closed = once(client.socket, 'close')
  const message = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 17; i++) at.bus.publish({ type: 'health', flow: 'f', node: 'n', status: 'down', message })
  expect((await closed)[0]).toBe(1013)
  stored.resolve(() => nothing)
  expect(client.frames).toEqual([])
})

test('an open socket is closed as soon as a request of its user would be refused, and others stay', async () => {
  const [before, byTicket] = [await at.open(), await at.open(`?ticket=${(await at.newTicket()).ticket}`, {})]
  at.tokenVersion = 2
  const after = await at.open()
  const closed = [before, byTicket].map(({ socket }) => once(socket, 'close'))
  await at.guests.review()
  for (const [code, reason] of await Promise.all(closed)) {
    expect([code, String(reason)]).toEqual([1008, 'the sign-in has ended; sign in again'])
  }
  await after.next(1)
  await vi.waitFor(() => expect(at.sockets.count()).toBe(1), 60_000)
  at.tokenVersion = null
  const last = once(after.socket, 'close')
  await at.guests.review([user.id])
  expect((await last)[0]).toBe(1008)
})

test('a token that is voided while its socket opens has no socket', async () => {
  const stored = Promise.withResolvers<() => EngineSnapshot>()
  at.snapshot = () => stored.promise
  const client = await at.open()
  at.tokenVersion = 2
  const closed = once(client.socket, 'close')
  await at.guests.review([user.id])
  expect((await closed)[0]).toBe(1008)
  stored.resolve(() => nothing)
  await vi.waitFor(() => expect(at.sockets.count()).toBe(0), 60_000)
})

test('a user has a limited number of sockets, and may open one for each that closes', async () => {
  const clients = await Promise.all(Array.from({ length: MAX_SOCKETS }, () => at.open()))
  const [code, reason] = await once((await at.open()).socket, 'close')
  expect([code, String(reason)]).toEqual([1008, `you have ${MAX_SOCKETS} sockets open; close some`])
  expect(at.sockets.count()).toBe(MAX_SOCKETS)
  clients[0]?.socket.terminate()
  await vi.waitFor(() => expect(at.sockets.count()).toBe(MAX_SOCKETS - 1), 60_000)
  await (await at.open()).next(1)
})
