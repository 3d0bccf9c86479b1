import type { EngineEvent, EventFrame } from '@flow-service/protocol'
import { decodeFrame, eventFrameSchema } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { CLOSE_BYTES, COALESCE_BYTES, EventReader, type Outlet } from '../../src/events/event-reader.ts'
import { eventText, type EventText } from '../../src/events/event-text.ts'
import { type Media, mediaOf } from '../../src/events/media.ts'
import { refOf } from './sockets.ts'

/** A socket whose peer reads only when told to. */
class SlowSocket implements Pick<Outlet, 'bufferedAmount' | 'readyState'> {
  readyState: Outlet['readyState'] = 1
  bufferedAmount = 0
  readonly frames: EventFrame[] = []
  /** Values and media, by their messages. */
  readonly told: string[] = []
  closed: number | undefined
  reader: EventReader | null = null
  readonly #waiting: number[] = []
  readonly outlet = this as unknown as Outlet

  /** How many bytes were copied for this socket alone. */
  copied = 0
  readonly #parts: Buffer[] = []

  send(part: Buffer, { fin }: { fin: boolean }): void {
    this.#take(part)
    if (fin) this.#hear(eventFrameSchema.parse(JSON.parse(Buffer.concat(this.#parts.splice(0)).toString())))
  }
  /** A message that its sender has framed, in two parts. */
  write(part: Buffer): true {
    this.#take(part)
    if (this.#parts.length === 2) this.#hearMedia(Buffer.concat(this.#parts.splice(0)))
    return true
  }
  #take(part: Buffer): void {
    this.#parts.push(part)
    if (part !== this.shared) this.copied += part.length
    this.bufferedAmount += part.length
    this.#waiting.push(part.length)
  }
  #hear(frame: EventFrame): void {
    this.frames.push(frame)
    if (frame.type === 'value') this.told.push(`value ${digestOf(frame.value)}`)
  }
  #hearMedia(whole: Buffer): void {
    const start = whole[1] === 127 ? 10 : whole[1] === 126 ? 4 : 2
    const frame = decodeFrame(whole.subarray(start))
    if (typeof frame === 'string') throw new Error(frame)
    this.told.push(`media ${frame.header['digest'] as string}`)
  }
  /** A buffer that many sockets send. */
  shared: Buffer | null = null
  close(code: number): void {
    this.closed = code
    this.readyState = 2
  }
  /** The peer reads the oldest frame. */
  read(): boolean {
    const oldest = this.#waiting.shift()
    this.bufferedAmount -= oldest ?? 0
    if (oldest !== undefined && this.bufferedAmount === 0) this.reader?.drained()
    return oldest !== undefined
  }
  fill(bytes: number): void {
    this.bufferedAmount += bytes
    this.#waiting.push(bytes)
  }
}

function readerOf(socket: SlowSocket): EventReader {
  let numbered = 9
  const reader = new EventReader(socket.outlet, { wire: socket, next: () => (numbered += 1) })
  socket.reader = reader
  return reader
}

const value = (
  message: string,
  v: EngineEvent & { type: 'value' } extends { value: infer V } ? V : never,
  run: string | null = null,
  seq = 1,
) =>
  eventText({ type: 'value', message, value: v, flow: 'f', node: null, port: null, run, step: null }, { seq, atMs: 1 })
const digestOf = (ref: unknown): string => (ref as { digest?: string }).digest ?? JSON.stringify(ref)

/** A picture of a message, told apart by its number. */
function picture(message: string, at: number, size = 1000, run: string | null = null): [EventText, Media] {
  const data = Buffer.alloc(size)
  data.writeUInt32LE(at)
  const media = mediaOf({ message, value: refOf(data), ts: '2026-01-01T00:00:00.000000Z' }, () => ({
    data,
    mediaType: 'image/jpeg',
  }))
  return [value(message, refOf(data), run), media!]
}
const pairOf = ([, { digest }]: [EventText, Media]): string[] => [`media ${digest}`, `value ${digest}`]

const node = eventText(
  { type: 'node', flow: 'f', node: 'n', run: null, status: 'idle', cached: false, error: null, executions: 1 },
  { seq: 9, atMs: 2 },
)
const told = (frames: readonly EventFrame[]) =>
  frames.map((frame) => (frame.type === 'value' ? `${frame.message}=${JSON.stringify(frame.value)}` : frame.type))

test('frames have the numbers of the engine, each a larger one: what comes late takes the next', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  reader.snapshot(4, { engine_version: '1', engine: 'e', flows: [], nodes: [], values: [], health: [], runs: [] })
  reader.event(value('f.x', 1, null, 6))
  reader.event(node)
  reader.event(value('f.y', 1, null, 7))
  reader.error({ kind: 'refused', code: 'unknown_frame', detail: '' })
  reader.event(value('f.y', 2, null, 8))
  expect(socket.frames.map(({ seq, type }) => [seq, type])).toEqual([
    [4, 'snapshot'],
    [6, 'value'],
    [9, 'node'],
    [10, 'value'],
    [11, 'error'],
    [12, 'value'],
  ])
})

test('while more than 1 MiB waits, the newest value of each message is kept and everything else is sent', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  socket.fill(COALESCE_BYTES + 1)
  for (let i = 0; i < 5; i++) for (const message of ['f.x', 'f.y']) reader.event(value(message, i))
  reader.event(value('f.x', 7, '00000000-0000-7000-8000-000000000000'))
  reader.event(node)
  reader.event(node)
  expect(told(socket.frames)).toEqual([])
  while (socket.read());
  expect(told(socket.frames)).toEqual(['f.x=4', 'f.y=4', 'f.x=7', 'node', 'node'])
  expect(socket.frames.map(({ seq }) => seq)).toEqual([1, 10, 11, 12, 13])
  reader.event(value('f.x', 8))
  expect(told(socket.frames).at(-1)).toBe('f.x=8')
})

test('a stalled reader costs references to shared text, not copies of it', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  socket.fill(COALESCE_BYTES + 1)
  for (let i = 0; i < 50_000; i++) reader.event(node)
  for (let i = 0; i < 50_000; i++) reader.event(value(`f.m${i % 100}`, i))
  expect(socket.closed).toBeUndefined()
  expect(socket.copied).toBe(0)
  expect(socket.bufferedAmount).toBe(COALESCE_BYTES + 1)
  while (socket.read());
  expect(socket.frames).toHaveLength(50_100)
})

test('a large event is sent from the buffer that all sockets share', () => {
  const socket = new SlowSocket()
  const text = value('f.x', 'ü'.repeat(20_000))
  socket.shared = text.tail
  readerOf(socket).event(text)
  expect(socket.frames).toMatchObject([{ type: 'value', seq: 1, value: 'ü'.repeat(20_000) }])
  expect(socket.copied).toBeLessThan(100)
})

test('no value overtakes an older one of its message while the socket drains', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  socket.fill(COALESCE_BYTES + 1)
  reader.event(value('f.a', 'x'.repeat(COALESCE_BYTES)))
  reader.event(value('f.b', 1))
  reader.event(node)
  socket.read()
  expect(told(socket.frames)).toHaveLength(1)
  // f.a is on its way, f.b still waits
  reader.event(value('f.b', 2))
  while (socket.read());
  expect(told(socket.frames).slice(1)).toEqual(['f.b=2', 'node'])
})

test('beyond 16 MiB the socket is closed with 1013', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  socket.fill(CLOSE_BYTES - 10)
  expect(socket.closed).toBeUndefined()
  reader.event(node)
  expect(socket.closed).toBe(1013)
  while (socket.read());
  reader.event(node)
  expect(socket.frames).toHaveLength(0)
})

test('values that wait count towards the 16 MiB', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  socket.fill(COALESCE_BYTES + 1)
  const large = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 40; i++) reader.event(value('f.same', large))
  expect(socket.closed).toBeUndefined()
  for (let i = 0; i < 15; i++) reader.event(value(`f.m${i}`, large))
  expect(socket.closed).toBe(1013)
})

test('a snapshot larger than 16 MiB is sent, and what comes on top of it is bounded as ever', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  const large = 'x'.repeat(CLOSE_BYTES)
  reader.snapshot(0, {
    engine_version: '1',
    engine: 'e',
    flows: [],
    nodes: [],
    values: [{ message: 'f.x', value: large, ts: '' }],
    health: [],
    runs: [],
  })
  reader.event(node)
  expect(socket.closed).toBeUndefined()
  socket.fill(CLOSE_BYTES)
  reader.event(node)
  expect(socket.closed).toBe(1013)
})

describe('media', () => {
  test('go directly before their value, from the buffers that all sockets share [R650]', () => {
    const [socket, other] = [new SlowSocket(), new SlowSocket()]
    const [text, media] = picture('f.x', 1, 100_000)
    for (const each of [socket, other]) {
      each.shared = media.bytes
      readerOf(each).event(text, media)
    }
    expect(socket.told).toEqual(pairOf([text, media]))
    expect(socket.frames).toMatchObject([{ type: 'value', seq: 1 }])
    expect(socket.copied + other.copied).toBeLessThan(2000)
  })

  test('wait with their value, and the newest of each message wins: none is told without the other', () => {
    const socket = new SlowSocket()
    const reader = readerOf(socket)
    socket.fill(COALESCE_BYTES + 1)
    const pictures = [0, 1, 2, 3, 4].map((at) => [picture('f.x', at), picture('f.y', 100 + at)] as const)
    for (const pair of pictures) for (const [text, media] of pair) reader.event(text, media)
    reader.event(node)
    // a value without bytes takes them away from the one before
    reader.event(value('f.y', 7))
    while (socket.read());
    expect(socket.told).toEqual([...pairOf(pictures[4]![0]), 'value 7'])
    expect(socket.frames.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'value'],
      [10, 'value'],
      [11, 'node'],
    ])
  })

  test('of a camera cost a viewer that stalls 1 MiB and a frame, and those that read miss nothing', () => {
    const sockets = Array.from({ length: 10 }, () => new SlowSocket())
    const readers = sockets.map(readerOf)
    const [stalled, ...reading] = sockets
    let last = picture('f.cam', 0)
    for (let at = 0; at < 300; at++) {
      last = picture('f.cam', at, 100_000)
      for (const reader of readers) reader.event(...last)
      for (const socket of reading) while (socket.read());
      expect(stalled!.bufferedAmount).toBeLessThan(COALESCE_BYTES + 110_000)
    }
    for (const { told } of reading) expect(told).toHaveLength(600)
    expect(stalled?.closed).toBeUndefined()
    while (stalled!.read());
    expect(stalled?.told.slice(-2)).toEqual(pairOf(last))
    expect(stalled?.told.length).toBeLessThan(30)
  })

  test('that wait leave the room for text as it is; more than eight of the largest close with 1013', () => {
    const socket = new SlowSocket()
    const reader = readerOf(socket)
    const size = 8 * 1024 * 1024 - 1000
    socket.fill(COALESCE_BYTES + 1)
    const pictures = Array.from({ length: 8 }, (_, at) => picture(`f.m${at}`, at, size))
    for (const pair of [...pictures, ...pictures]) reader.event(...pair)
    reader.event(value('f.text', 'x'.repeat(12 * 1024 * 1024)))
    expect(socket.closed).toBeUndefined()
    reader.event(...picture('f.m0', 9, size, '00000000-0000-7000-8000-000000000000'))
    expect(socket.closed).toBe(1013)
    while (socket.read());
    expect(socket.told).toEqual([])
  })

  test('of a request are told alone, at once or in their turn, and never after newer ones', () => {
    const socket = new SlowSocket()
    const reader = readerOf(socket)
    const [first, second] = [picture('f.x', 1), picture('f.x', 2)]
    reader.media(first[1])
    expect(socket.told.splice(0)).toEqual([`media ${first[1].digest}`])
    socket.fill(COALESCE_BYTES + 1)
    reader.media(first[1])
    reader.event(...second)
    reader.media(first[1])
    while (socket.read());
    expect(socket.told.splice(0)).toEqual(pairOf(second))
    // the value that waits is the one that they belong to, or brings its own
    socket.fill(COALESCE_BYTES + 1)
    reader.event(first[0])
    reader.media(first[1])
    reader.event(value('f.y', 1))
    reader.media(picture('f.y', 3)[1])
    while (socket.read());
    expect(socket.told).toEqual([...pairOf(first), 'value 1'])
  })

  test('that nobody asks for any more do not wait any longer, and their values do', () => {
    const socket = new SlowSocket()
    const reader = readerOf(socket)
    socket.fill(COALESCE_BYTES + 1)
    const size = 8 * 1024 * 1024 - 1000
    const pictures = Array.from({ length: 16 }, (_, at) => picture(`f.m${at}`, at, size))
    for (const pair of pictures.slice(0, 8)) reader.event(...pair)
    reader.media(picture('f.alone', 1)[1])
    reader.wants(new Set(['f.m8']))
    for (const pair of pictures.slice(8)) reader.event(...pair)
    expect(socket.closed).toBeUndefined()
    reader.wants(new Set(['f.m8']))
    while (socket.read());
    expect(socket.told.filter((told) => told.startsWith('media'))).toEqual([`media ${pictures[8]![1].digest}`])
    expect(socket.frames).toHaveLength(16)
  })
})
