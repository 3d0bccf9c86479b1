import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'

import { beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { BURST_FRAMES } from '../../src/events/frame-budget.ts'
import { flowEvent, handshake, nothing, openRaw, useSockets, type TestClient, type TestSockets } from './sockets.ts'

let at: TestSockets
let other: TestClient
useSockets((started) => {
  at = started
})
beforeEach(async () => {
  other = await at.open()
  await other.next(1)
})

/** Whoever misbehaves: another client is served as before. */
async function expectService(): Promise<void> {
  at.bus.publish(flowEvent('f'))
  await vi.waitFor(() => expect(other.frames.at(-1)?.type).toBe('flow'), 60_000)
  expect(other.socket.readyState).toBe(WebSocket.OPEN)
}
const codes = (client: TestClient) => client.frames.slice(1).map((frame) => frame.type === 'error' && frame.code)

describe('frames of a client', () => {
  test('that are not understood are answered, and the socket stays open', async () => {
    const client = await at.open()
    await client.next(1)
    const broken = ['{', '', '[]', '7', '{"type":1}', 'null', '[['.repeat(30_000), '{"__proto__":{"type":"media"}}']
    for (const frame of ['{"type":"dance"}', '{"type":"snapshot"}', ...broken]) client.socket.send(frame)
    client.socket.send(Buffer.from('{"type":"media","names":[]}'), { binary: true })
    await client.next(12)
    expect(codes(client)).toEqual(['unknown_frame', 'unknown_frame', ...Array<string>(9).fill('malformed_frame')])
    at.bus.publish(flowEvent('f'))
    expect((await client.next(13)).at(-1)?.type).toBe('flow')
  })

  test('that come before the snapshot are answered after it', async () => {
    const stored = Promise.withResolvers<() => typeof nothing>()
    at.snapshot = () => stored.promise
    const client = await at.open()
    client.socket.send('{}')
    client.socket.ping()
    await once(client.socket, 'pong')
    at.bus.publish(flowEvent('f'))
    stored.resolve(() => nothing)
    const frames = await client.next(3)
    expect(frames.map(({ type, seq }) => [type, seq])).toEqual([
      ['snapshot', 0],
      ['error', 2],
      ['flow', 3],
    ])
  })

  test('an unknown type is repeated in a bounded length', async () => {
    const client = await at.open()
    client.socket.send(JSON.stringify({ type: 'x'.repeat(60_000) }))
    const [, answer] = await client.next(2)
    expect(answer?.type === 'error' && answer.detail.length).toBeLessThan(200)
  })

  test('over 64 KiB close the socket with 1009 [F61]', async () => {
    const client = await at.open()
    client.socket.send('x'.repeat(70_000))
    expect((await once(client.socket, 'close'))[0]).toBe(1009)
    await expectService()
  })
})

describe('a media request', () => {
  const ask = (client: TestClient, names: unknown) => client.socket.send(JSON.stringify({ type: 'media', names }))
  const names = (count: number) => Array.from({ length: count }, (_, i) => `f.m${i}`)

  test('is kept, and a new one replaces it [R647, R648]', async () => {
    const client = await at.open()
    ask(client, names(8))
    await vi.waitFor(() => expect([...at.sockets.wantedMedia()]).toEqual(names(8)), 60_000)
    ask(client, ['f.other'])
    await vi.waitFor(() => expect([...at.sockets.wantedMedia()]).toEqual(['f.other']), 60_000)
    ask(client, [])
    await vi.waitFor(() => expect([...at.sockets.wantedMedia()]).toEqual([]), 60_000)
    expect(codes(client)).toEqual([])
  })

  test('ends with its socket', async () => {
    const client = await at.open()
    ask(client, ['f.x'])
    await vi.waitFor(() => expect(at.sockets.wantedMedia().size).toBe(1), 60_000)
    client.socket.close()
    await vi.waitFor(() => expect(at.sockets.wantedMedia().size).toBe(0), 60_000)
  })

  test('that is refused leaves the one before in force [R649, T48]', async () => {
    const client = await at.open()
    await client.next(1)
    ask(client, ['f.kept'])
    for (const refused of [
      names(9),
      Array(9).fill('f.x'),
      ['f.x', 7],
      [null],
      'f.x',
      undefined,
      { 0: 'f.x' },
      ['g.x'],
      ['x'],
    ])
      ask(client, refused)
    await client.next(10)
    expect(codes(client)).toEqual([
      'too_many_names',
      'too_many_names',
      ...Array<string>(5).fill('malformed_frame'),
      'message_not_declared',
      'message_not_declared',
    ])
    expect([...at.sockets.wantedMedia()]).toEqual(['f.kept'])
  })
})

describe('a refused handshake', () => {
  test('is a plain HTTP answer with a problem, without an upgrade [T45]', async () => {
    for (const header of ['x: y', 'authorization: Bearer bad', 'authorization: Basic Z29vZA==']) {
      const raw = connect(at.port, '127.0.0.1')
      raw.write(handshake(header))
      let answer = ''
      // oxlint-disable-next-line no-await-in-loop -- one connection at a time
      for await (const data of raw) answer += String(data)
      expect(answer).toMatch(/^HTTP\/1\.1 401 /)
      expect(answer).toContain('content-type: application/problem+json')
      expect(answer).toContain('"code":"unauthenticated"')
      expect(answer).not.toMatch(/101|sec-websocket/i)
    }
  })
})

/** A masked frame of a client; the mask is zero. */
function frame(firstByte: number, payload = Buffer.alloc(0)): Buffer {
  const { length } = payload
  const start = length > 125 ? [firstByte, 0xfe, length >> 8, length & 0xff] : [firstByte, 0x80 | length]
  return Buffer.concat([Buffer.from([...start, 0, 0, 0, 0]), payload])
}
const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(bytes))
const TEXT = 0x01
const CONTINUATION = 0x00
const FIN = 0x80
const PING = 0x89

/** Sends chunks at the pace at which the engine reads, until it ends the connection; how it was closed. */
async function pour(raw: Socket, chunks: Iterable<Buffer>): Promise<number | null> {
  const heard: Buffer[] = []
  raw.on('data', (data: Buffer) => heard.push(data))
  // whether it is reset or closed: its errors are of no interest
  const closed = new Promise<void>((resolve) => raw.once('close', () => resolve()))
  for (const chunk of chunks) {
    if (raw.destroyed || !raw.writable) break
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await Promise.race([closed, new Promise((resolve) => raw.write(chunk, resolve))])
  }
  await closed
  return closeCode(Buffer.concat(heard))
}

/** The code of the close frame among the engine's frames; null without one. */
function closeCode(bytes: Buffer): number | null {
  let at = 0
  while (at + 1 < bytes.length) {
    const short = bytes[at + 1]! & 0x7f
    const [size, start] =
      short < 126
        ? [short, at + 2]
        : short === 126
          ? [bytes.readUInt16BE(at + 2), at + 4]
          : [Number(bytes.readBigUInt64BE(at + 2)), at + 10]
    if ((bytes[at]! & 0x0f) === 8) return bytes.readUInt16BE(start)
    at = start + size
  }
  return null
}
function* repeated(count: number, bytes: Buffer): Generator<Buffer> {
  for (let i = 0; i < count; i++) yield bytes
}

describe('bytes that break the protocol end their own connection only [T49]', () => {
  test.each([
    ['a reserved opcode', frame(0x83), 1002],
    ['a reserved control opcode', frame(0x8b), 1002],
    ['reserved bits', frame(0xf1), 1002],
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['a continuation of nothing', frame(FIN | CONTINUATION), 1002],
    ['a fragmented ping', frame(0x09), 1002],
    ['a ping of 126 bytes', frame(PING, Buffer.alloc(126)), 1002],
    ['a close frame of one byte', frame(0x88, Buffer.alloc(1)), 1002],
    ['text that is no UTF-8', frame(FIN | TEXT, Buffer.from([0xff, 0xfe])), 1007],
    ['an announced length of 100 MB', Buffer.concat([Buffer.from([0x81, 0xff]), length64(100_000_000n)]), 1009],
    ['an announced length of 2^63', Buffer.concat([Buffer.from([0x81, 0xff]), length64(1n << 63n)]), 1009],
    ['noise', Buffer.alloc(4096, 0xff), 1002],
  ])('%s', async (_name, bytes, code) => {
    expect(await pour(await openRaw(at.port), [bytes])).toBe(code)
    await expectService()
  })

  test('random bytes', async () => {
    let seed = 7
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) & 0xff
    for (let round = 0; round < 50; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one connection at a time
      const raw = await openRaw(at.port)
      raw.resume()
      const closed = new Promise<void>((resolve) => raw.once('close', () => resolve()))
      raw.write(Buffer.from(Array.from({ length: 1 + ((round * 37) % 900) }, random)))
      raw.end()
      // oxlint-disable-next-line no-await-in-loop -- one connection at a time
      await closed
    }
    await vi.waitFor(
      () => expect(at.served.slice(1).every(({ readyState }) => readyState === WebSocket.CLOSED)).toBe(true),
      60_000,
    )
    await expectService()
  })

  test('a million fragments, with content and without', async () => {
    const before = process.memoryUsage().rss
    const fragments = times(10_000, frame(CONTINUATION, Buffer.from('x')))
    expect(await pour(await openRaw(at.port), [frame(TEXT), ...repeated(100, fragments)])).toBe(1008)
    const empty = times(10_000, frame(CONTINUATION))
    expect(await pour(await openRaw(at.port), [frame(TEXT), ...repeated(100, empty)])).toBe(1008)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
    await expectService()
  })
})

test('text of 100 MB in pieces is cut at the limit, and takes no memory [T49]', async () => {
  const before = process.memoryUsage().rss
  const piece = frame(CONTINUATION, Buffer.alloc(32 * 1024, 'x'))
  expect(await pour(await openRaw(at.port), [frame(TEXT), ...repeated(3200, piece)])).toBe(1009)
  const whole = Buffer.concat([Buffer.from([0x81, 0xff]), length64(100_000_000n), Buffer.alloc(4)])
  expect(await pour(await openRaw(at.port), [whole, ...repeated(1600, Buffer.alloc(64 * 1024, 'x'))])).toBe(1009)
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  await expectService()
})

function length64(length: bigint): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64BE(length)
  return bytes
}

describe('a flood [T49]', () => {
  test('of pings ends the socket at once, and pings one by one with 1008', async () => {
    const pings = times(1000, frame(PING, Buffer.alloc(125)))
    expect([null, 1008]).toContain(await pour(await openRaw(at.port), repeated(2000, pings)))
    const { socket } = await at.open()
    const closed = once(socket, 'close')
    for (let sent = 0; sent <= BURST_FRAMES && socket.readyState === WebSocket.OPEN; sent++) {
      socket.ping()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await Promise.race([closed, once(socket, 'pong')])
    }
    expect((await closed)[0]).toBe(1008)
    await expectService()
  })

  test('of frames ends with 1008, answered or not', async () => {
    const media = times(200, frame(FIN | TEXT, Buffer.from('{"type":"media","names":[]}')))
    expect(await pour(await openRaw(at.port), repeated(2000, media))).toBe(1008)
    const nonsense = times(200, frame(FIN | TEXT, Buffer.from('{}')))
    expect(await pour(await openRaw(at.port), repeated(2000, nonsense))).toBe(1008)
    await expectService()
  })

  test('of a client that reads nothing is cut, too', async () => {
    const raw = await openRaw(at.port)
    raw.pause()
    const engineEnd = at.served.at(-1)
    const closed = once(engineEnd!, 'close')
    for (const pings of repeated(500, times(1000, frame(PING, Buffer.alloc(125))))) raw.write(pings)
    await closed
    raw.destroy()
    expect(engineEnd?.readyState).toBe(WebSocket.CLOSED)
    await expectService()
  })

  test('is not what a client does that sends its budget and then a frame a second', async () => {
    const client = await at.open()
    const send = async (count: number): Promise<void> => {
      const before = client.frames.length
      for (let i = 0; i < count; i++) client.socket.send('{}')
      await client.next(before + count)
    }
    await client.next(1)
    await send(BURST_FRAMES)
    for (let second = 0; second < 5; second++) {
      at.now += 1000
      // oxlint-disable-next-line no-await-in-loop -- one second after the other
      await send(1)
    }
    expect(client.socket.readyState).toBe(WebSocket.OPEN)
    // time alone does not save up more than the budget
    at.now += 3_600_000
    await send(BURST_FRAMES)
    client.socket.send('{}')
    expect((await once(client.socket, 'close'))[0]).toBe(1008)
  })
})
