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
  readonly #waiting: { size: number; done: (() => void) | undefined }[] = []
  readonly outlet = this as unknown as Outlet

  send(text: string, done?: () => void): void {
    this.frames.push(eventFrameSchema.parse(JSON.parse(text)))
    this.bufferedAmount += text.length
    this.#waiting.push({ size: text.length, done })
  }
  close(code: number): void {
    this.closed = code
    this.readyState = 2
  }
  /** The peer reads the oldest frame. */
  read(): boolean {
    const oldest = this.#waiting.shift()
    this.bufferedAmount -= oldest?.size ?? 0
    oldest?.done?.()
    return oldest !== undefined
  }
  fill(bytes: number): void {
    this.bufferedAmount += bytes
    this.#waiting.push({ size: bytes, done: undefined })
  }
}

const value = (
  message: string,
  v: EngineEvent & { type: 'value' } extends { value: infer V } ? V : never,
  run: string | null = null,
) => eventText({ type: 'value', message, value: v, flow: 'f', node: null, port: null, run, step: null }, 1)
const node = eventText({ type: 'node', flow: 'f', node: 'n', run: null, status: 'idle', cached: false, error: null }, 2)
const told = (frames: readonly EventFrame[]) =>
  frames.map((frame) => (frame.type === 'value' ? `${frame.message}=${JSON.stringify(frame.value)}` : frame.type))

test('frames are numbered from 1 without a gap', () => {
  const socket = new SlowSocket()
  const reader = new EventReader(socket.outlet)
  reader.snapshot({ engine_version: '1', flows: [], nodes: [], values: [], health: [], runs: [] })
  reader.event(value('f.x', 1))
  reader.error('unknown_frame', '')
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
  const reader = new EventReader(socket.outlet)
  socket.fill(COALESCE_BYTES + 1)
  for (let i = 0; i < 5; i++) for (const message of ['f.x', 'f.y']) reader.event(value(message, i))
  reader.event(value('f.x', 7, '00000000-0000-7000-8000-000000000000'))
  reader.event(node)
  expect(told(socket.frames)).toEqual(['node'])
  while (socket.read());
  expect(told(socket.frames)).toEqual(['node', 'f.x=4', 'f.y=4', 'f.x=7'])
  expect(socket.frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  reader.event(value('f.x', 8))
  expect(told(socket.frames).at(-1)).toBe('f.x=8')
})

test('no value overtakes an older one of its message while the socket drains', () => {
  const socket = new SlowSocket()
  const reader = new EventReader(socket.outlet)
  socket.fill(COALESCE_BYTES + 1)
  const large = 'x'.repeat(COALESCE_BYTES)
  reader.event(value('f.a', large))
  reader.event(value('f.b', 1))
  reader.event(node)
  socket.read()
  // nothing more was written yet: f.b still waits
  socket.read()
  reader.event(value('f.b', 2))
  while (socket.read());
  expect(told(socket.frames).filter((text) => text.startsWith('f.b'))).toEqual(['f.b=2'])
})

test('beyond 16 MiB the socket is closed with 1013', () => {
  const socket = new SlowSocket()
  const reader = new EventReader(socket.outlet)
  socket.fill(CLOSE_BYTES - 10)
  expect(socket.closed).toBeUndefined()
  reader.event(node)
  expect(socket.closed).toBe(1013)
  reader.event(node)
  expect(socket.frames).toHaveLength(1)
})

test('values that wait count towards the 16 MiB', () => {
  const socket = new SlowSocket()
  const reader = new EventReader(socket.outlet)
  socket.fill(COALESCE_BYTES + 1)
  const large = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 40; i++) reader.event(value('f.same', large))
  expect(socket.closed).toBeUndefined()
  for (let i = 0; i < 15; i++) reader.event(value(`f.m${i}`, large))
  expect(socket.closed).toBe(1013)
})

test('a snapshot larger than 16 MiB is sent, and what comes on top of it is bounded as ever', () => {
  const socket = new SlowSocket()
  const reader = new EventReader(socket.outlet)
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
