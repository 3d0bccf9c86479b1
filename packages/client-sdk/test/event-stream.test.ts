/** What a reader of events costs who is slower than the engine. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { eventStream } from '../src/event-stream.ts'
import { SlowReader } from '../src/index.ts'

/** A socket that says what the test says. */
class FakeSocket extends EventTarget {
  static last: FakeSocket
  isClosed = false
  readonly url: string
  constructor(url: string) {
    super()
    this.url = url
    FakeSocket.last = this
  }
  say(frame: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
  }
  close(): void {
    this.isClosed = true
  }
}

beforeEach(() => void vi.stubGlobal('WebSocket', FakeSocket))
afterEach(() => void vi.unstubAllGlobals())

/** A stream whose reader has taken the first frame, and does nothing until it is asked. */
async function slowReader() {
  const stream = eventStream({ baseUrl: 'http://127.0.0.1/api/v1', ticket: async () => 't' }, {})
  const first = stream.next()
  await new Promise(setImmediate)
  // larger than anything else may be
  FakeSocket.last.say({ type: 'snapshot', seq: 1, flows: ['x'.repeat(17 * 1024 * 1024)] })
  await first
  return { stream, socket: FakeSocket.last }
}

const value = (message: string, of: unknown) => ({ type: 'value', message, value: of, run: null })
const text = 'x'.repeat(1024)

test('a slow reader misses older values of a message, and no other event', async () => {
  const { stream, socket } = await slowReader()
  socket.say(value('f.rare', 'once'))
  for (let at = 0; at < 20_000; at++) {
    if (at % 1000 === 0) socket.say({ type: 'node', flow: 'f', node: `n${at}`, run: null })
    socket.say(value('f.often', `${at} ${text}`))
  }
  socket.say({ type: 'health', flow: 'f', node: 'end' })
  const seen: { type: string; message?: string; value?: unknown }[] = []
  do seen.push((await stream.next()).value as never)
  while (seen.at(-1)?.type !== 'health')
  expect(socket.isClosed).toBe(false)
  expect(seen.filter(({ type }) => type === 'node')).toHaveLength(20)
  expect(seen.filter(({ message }) => message === 'f.rare')).toHaveLength(1)
  const often = seen.filter(({ message }) => message === 'f.often').map((frame) => parseInt(String(frame.value), 10))
  expect(often.length).toBeLessThan(1100)
  expect(often).toEqual(often.toSorted((a, b) => a - b))
  expect(often.at(-1)).toBe(19_999)
  await stream.return()
})

test('a reader that keeps up gets every value', async () => {
  const { stream, socket } = await slowReader()
  for (let at = 0; at < 50; at++) {
    socket.say(value('f.x', at))
    socket.say(value('f.x', at + 0.5))
    expect([(await stream.next()).value, (await stream.next()).value]).toMatchObject([
      { value: at },
      { value: at + 0.5 },
    ])
  }
  await stream.return()
})

test('above 16 MiB of events that may not be left out the stream ends, and says why', async () => {
  const { stream, socket } = await slowReader()
  for (let at = 0; at < 17_000 && !socket.isClosed; at++) socket.say({ type: 'node', node: `n${at}`, run: null, text })
  expect(socket.isClosed).toBe(true)
  await expect(stream.next()).rejects.toThrow(SlowReader)
  expect((await stream.next()).done).toBe(true)
})
