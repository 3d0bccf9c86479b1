/** Sockets that ask for windows, for the newest values, and for runs (wire decisions V19, V20). */
import { once } from 'node:events'

import { type EventFrame, eventFrameSchema } from '@flow-service/protocol'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { bearer, flowEvent, useSockets, type TestSockets, valueEvent } from './sockets.ts'

let at: TestSockets
useSockets((started) => {
  at = started
})

/** A client that keeps each text frame as the list that it is. */
class WindowClient {
  readonly windows: EventFrame[][] = []
  readonly socket: WebSocket
  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) =>
      this.windows.push(
        (JSON.parse((data as Buffer).toString()) as unknown[]).map((frame) => eventFrameSchema.parse(frame)),
      ),
    )
  }
  async next(count: number): Promise<EventFrame[][]> {
    while (this.windows.length < count) {
      // oxlint-disable-next-line no-await-in-loop -- until enough have come
      await once(this.socket, 'message')
    }
    return this.windows
  }
}
const open = async (query: string): Promise<WindowClient> => {
  const client = new WindowClient(new WebSocket(`${at.url}?${query}`, bearer))
  await client.next(1)
  return client
}
const told = (frames: readonly EventFrame[] = []): unknown[] =>
  frames.map((frame) => (frame.type === 'value' ? [frame.message, frame.value] : frame.type))
const run = '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01'

test('batch= makes an array of every text frame, the first one too, once a window, and none of an empty window', async () => {
  const client = await open('batch=200')
  expect(told(client.windows[0])).toEqual(['snapshot'])
  at.bus.publish(valueEvent('f.x', 1))
  at.bus.publish(flowEvent('f'))
  await at.clock.advance(150)
  at.bus.publish(valueEvent('f.x', 2))
  await at.turn()
  await at.clock.advance(49)
  expect(client.windows).toHaveLength(1)
  await at.clock.advance(1)
  expect(told((await client.next(2))[1])).toEqual([['f.x', 1], 'flow', ['f.x', 2]])
  await at.clock.advance(10_000)
  at.bus.publish(valueEvent('f.x', 3))
  await at.turn()
  await at.clock.advance(200)
  expect((await client.next(3)).slice(2).map(told)).toEqual([[['f.x', 3]]])
})

test('values=newest leaves out values of live messages that have a newer one in the window, and none of runs', async () => {
  const client = await open('values=newest')
  for (const value of [1, 2]) {
    at.bus.publish(valueEvent('f.x', value))
    at.bus.publish({ ...valueEvent('f.loss', value), run })
    at.bus.publish(flowEvent('f'))
  }
  at.bus.publish(valueEvent('f.y', 9))
  await at.turn()
  await at.clock.advance(100)
  const [, window = []] = await client.next(2)
  expect(told(window)).toEqual([['f.loss', 1], 'flow', ['f.x', 2], ['f.loss', 2], 'flow', ['f.y', 9]])
  const numbers = window.map(({ seq }) => seq)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})

test('a window ends with a mebibyte of events, and no array has more of them', async () => {
  const client = await open('batch=1000')
  const text = 'x'.repeat(100_000)
  for (let i = 0; i < 25; i += 1) at.bus.publish({ ...valueEvent(`f.m${i}`, 0), value: text })
  await at.turn()
  await client.next(3)
  await at.clock.advance(1000)
  const windows = (await client.next(4)).slice(1)
  expect(windows.map(({ length }) => length)).toEqual([10, 10, 5])
})

test('runs= limits what is told of runs, and leaves what is about none', async () => {
  const other = '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a02'
  const client = await open(`batch=10&runs=${run}`)
  at.bus.publish({ ...valueEvent('f.loss', 1), run: other })
  at.bus.publish({ ...valueEvent('f.loss', 2), run })
  at.bus.publish(valueEvent('f.x', 3))
  await at.turn()
  await at.clock.advance(10)
  expect(told((await client.next(2))[1])).toEqual([
    ['f.loss', 2],
    ['f.x', 3],
  ])
})

test('a reader of windows that stops reading is cut off', async () => {
  const client = await open('batch=10')
  client.socket.pause()
  const text = 'x'.repeat(256 * 1024)
  for (let i = 0; i < 200; i += 1) {
    at.bus.publish({ type: 'health', flow: 'f', node: `n${i}`, status: 'down', message: text })
    // oxlint-disable-next-line no-await-in-loop -- windows end one after the other
    await at.turn()
    await at.clock.advance(10)
  }
  client.socket.resume()
  expect((await once(client.socket, 'close'))[0]).toBe(1013)
})

test.each([
  ['batch=9', 'query.batch'],
  ['batch=1001', 'query.batch'],
  ['batch=soon', 'query.batch'],
  ['batch=', 'query.batch'],
  ['batch=50&batch=50', 'query.batch'],
  ['values=all', 'query.values'],
  ['runs=7', 'query.runs'],
  ['kinds=noise', 'query.kinds'],
  ['window=5', 'query.window'],
])('%s is refused before the socket opens', async (query, path) => {
  const socket = new WebSocket(`${at.url}?${query}`, bearer)
  const [request, answer] = (await once(socket, 'unexpected-response')) as [
    { destroy(): void },
    AsyncIterable<Buffer> & { statusCode: number },
  ]
  socket.on('error', () => undefined)
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  request.destroy()
  expect(answer.statusCode).toBe(422)
  const { errors } = JSON.parse(Buffer.concat(chunks).toString()) as { errors: { path: string }[] }
  expect(errors[0]?.path.startsWith(path)).toBe(true)
})
