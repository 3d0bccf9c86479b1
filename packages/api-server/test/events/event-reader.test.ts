import type { EngineEvent, EventFrame } from '@flow-service/protocol'
import { eventFrameSchema } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { CLOSE_BYTES, COALESCE_BYTES, EventReader, type Outlet } from '../../src/events/event-reader.ts'
import { eventText } from '../../src/events/event-text.ts'

/** A socket whose peer reads only when told to. */
class SlowSocket implements Pick<Outlet, 'bufferedAmount' | 'readyState'> {
  readyState: Outlet['readyState'] = 1
  bufferedAmount = 0
  readonly frames: EventFrame[] = []
  closed: number | undefined
  reader: EventReader | null = null
  readonly #waiting: number[] = []
  readonly outlet = this as unknown as Outlet

  /** How many bytes were copied for this socket alone. */
  copied = 0
  readonly #parts: Buffer[] = []

  send(part: Buffer, { fin }: { fin: boolean }): void {
    this.#parts.push(part)
    if (part !== this.shared) this.copied += part.length
    this.bufferedAmount += part.length
    this.#waiting.push(part.length)
    if (!fin) return
    this.frames.push(eventFrameSchema.parse(JSON.parse(Buffer.concat(this.#parts.splice(0)).toString())))
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
  const reader = new EventReader(socket.outlet)
  socket.reader = reader
  return reader
}

const value = (
  message: string,
  v: EngineEvent & { type: 'value' } extends { value: infer V } ? V : never,
  run: string | null = null,
) => eventText({ type: 'value', message, value: v, flow: 'f', node: null, port: null, run, step: null }, 1)
const node = eventText(
  { type: 'node', flow: 'f', node: 'n', run: null, status: 'idle', cached: false, error: null, executions: 1 },
  2,
)
const told = (frames: readonly EventFrame[]) =>
  frames.map((frame) => (frame.type === 'value' ? `${frame.message}=${JSON.stringify(frame.value)}` : frame.type))

test('frames are numbered from 1 without a gap', () => {
  const socket = new SlowSocket()
  const reader = readerOf(socket)
  reader.snapshot({ engine_version: '1', flows: [], nodes: [], values: [], health: [], runs: [] })
  reader.event(value('f.x', 1))
  reader.error({ kind: 'refused', code: 'unknown_frame', detail: '' })
  reader.event(node)
  expect(socket.frames.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'snapshot'],
    [2, 'value'],
    [3, 'error'],
    [4, 'node'],
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
  expect(socket.frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
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
  reader.snapshot({
    engine_version: '1',
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
