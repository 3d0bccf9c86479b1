import { once } from 'node:events'
import type { Socket } from 'node:net'

import { type ArtifactRef, type BinaryFrame, type EventFrame, timestampOfMs } from '@flow-service/protocol'
import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import type { EngineSnapshot } from '../../src/events/event-replay.ts'
import {
  flowEvent,
  frameEvent,
  nothing,
  refOf,
  useSockets,
  type TestClient,
  type TestSockets,
  valueEvent,
} from './sockets.ts'

let at: TestSockets
useSockets((started) => {
  at = started
})

/** Bytes that are told apart by a number, kept in the ring. */
function keep(number: number, size = 1000): ArtifactRef {
  const data = Buffer.alloc(size, number)
  data.writeUInt32LE(number)
  const ref = refOf(data)
  at.ring.put(ref.digest, { data, name: '', mediaType: 'image/jpeg' })
  return ref
}
/** A frame of a camera is published. */
function publish(message: string, number: number, size?: number): ArtifactRef {
  const ref = keep(number, size)
  at.bus.publish(frameEvent(message, ref), number)
  at.current.set(message, { value: ref, ts: timestampOfMs(number) })
  return ref
}
/** A viewer of these messages, from after its snapshot. */
async function viewer(names: readonly string[], query = ''): Promise<TestClient> {
  const client = await at.open(query)
  await client.next(1)
  await ask(client, names)
  return client
}
/** Asks for media, and waits until the engine has heard it. */
async function ask({ socket, frames }: TestClient, names: readonly string[]): Promise<void> {
  const before = frames.length
  socket.send(JSON.stringify({ type: 'media', names }))
  socket.send('{}')
  await vi.waitFor(() => expect(frames.length).toBeGreaterThan(before), 60_000)
}
/** Media and values that a client was told, in their order. */
const told = ({ heard }: TestClient): string[] =>
  heard.flatMap((frame) =>
    'bytes' in frame
      ? [`media ${String(frame.header['name'])} ${Buffer.from(frame.bytes).readUInt32LE()}`]
      : frame.type === 'value'
        ? [`value ${frame.message}`]
        : [],
  )
/** The connection below a socket of the engine. */
const wireOf = (socket: WebSocket) => (socket as unknown as { readonly _socket: Socket })._socket
const isMedia = (frame: EventFrame | BinaryFrame): frame is BinaryFrame => 'bytes' in frame

describe('the bytes of a volatile value', () => {
  test('come as a binary frame directly before the event that refers to them [R647, R650, R651, R652]', async () => {
    const [client, other] = [await viewer(['f.cam']), await viewer(['f.else'])]
    const ref = publish('f.cam', 7, 70_000)
    at.bus.publish(flowEvent('f'), 8)
    await Promise.all([client.next(4), other.next(4)])
    const [media, value, flow] = client.heard.slice(2)
    expect(media).toEqual({
      header: { type: 'media', name: 'f.cam', digest: ref.digest, media_type: 'image/jpeg', ts: timestampOfMs(7) },
      bytes: at.ring.get(ref.digest)?.data,
    })
    expect(value).toMatchObject({ type: 'value', ts: timestampOfMs(7), message: 'f.cam', value: ref })
    expect(flow).toMatchObject({ type: 'flow' })
    expect(told(other)).toEqual(['value f.cam'])
  })

  test('are laid out as four bytes of length, a header, and the bytes [R651]', async () => {
    const client = await viewer(['f.cam'])
    // of each length that a message of the protocol tells in another way
    for (const size of [4, 65_000, 65_535, 100_000, 8 * 1024 * 1024 - 1000]) {
      const heard = once(client.socket, 'message') as Promise<[Buffer]>
      const { digest } = publish('f.cam', size, size)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [frame] = await heard
      const length = frame.readUInt32BE()
      expect(JSON.parse(frame.subarray(4, 4 + length).toString())).toMatchObject({ type: 'media', digest })
      expect(frame.subarray(4 + length).equals(at.ring.get(digest)!.data)).toBe(true)
      // oxlint-disable-next-line no-await-in-loop -- with its value
      await vi.waitFor(() => expect(client.frames.at(-1)).toMatchObject({ value: { digest } }), 60_000)
    }
  })

  test('are those of the messages of the last request alone [R648]', async () => {
    const client = await viewer(['f.a'])
    publish('f.a', 1)
    publish('f.b', 2)
    await ask(client, ['f.b'])
    publish('f.a', 3)
    publish('f.b', 4)
    await client.next(7)
    expect(told(client)).toEqual([
      'media f.a 1',
      'value f.a',
      'value f.b',
      // what the message carried when it was asked for
      'media f.b 2',
      'value f.a',
      'media f.b 4',
      'value f.b',
    ])
  })

  test('are not sent when they are stored, gone, within another value, or more than a frame holds', async () => {
    const client = await viewer(['f.cam'])
    const ref = keep(1)
    const tell = (value: unknown): void => at.bus.publish({ ...valueEvent('f.cam', 0), value: value as never })
    tell({ ...ref, volatile: false })
    tell({ ...ref, volatile: undefined })
    tell(refOf(Buffer.from('gone')))
    tell([ref])
    tell({ picture: ref })
    tell('sha256:')
    tell(keep(2, 8 * 1024 * 1024))
    tell(ref)
    await client.next(10)
    expect(told(client)).toEqual([...Array<string>(7).fill('value f.cam'), 'media f.cam 1', 'value f.cam'])
  })

  test('come with values of runs, too', async () => {
    const client = await viewer(['f.preview'])
    at.bus.publish(frameEvent('f.preview', keep(1), 'run'))
    await client.next(3)
    expect(told(client)).toEqual(['media f.preview 1', 'value f.preview'])
  })

  test('are sent from the same memory to all, with a head that is made once', async () => {
    await Promise.all([viewer(['f.cam']), viewer(['f.cam'])])
    const sent = at.served.map((socket) => vi.spyOn(wireOf(socket), 'write'))
    const { digest } = publish('f.cam', 1, 100_000)
    await vi.waitFor(() => expect(sent.map(({ mock }) => mock.calls.length)).toEqual([4, 4]), 60_000)
    const [first, second] = sent.map(({ mock }) => mock.calls.map(([data]) => data as Buffer))
    expect(first?.[0]).toBe(second?.[0])
    expect(first?.[1]).toBe(second?.[1])
    expect(first?.[1]?.buffer).toBe(at.ring.get(digest)?.data.buffer)
  })
})

describe('a request', () => {
  test('is answered with the current bytes at once, and once', async () => {
    publish('f.cam', 1)
    at.current.set('f.initial', { value: keep(2), ts: null })
    const client = await viewer(['f.cam', 'f.initial', 'f.none'])
    await ask(client, ['f.none', 'f.cam'])
    expect(told(client)).toEqual(['media f.cam 1'])
    expect(client.heard.find(isMedia)?.header['ts']).toBe(timestampOfMs(1))
  })

  test('that comes before the snapshot is answered after it', async () => {
    publish('f.cam', 1)
    const stored = Promise.withResolvers<() => EngineSnapshot>()
    at.snapshot = () => stored.promise
    const client = await at.open()
    client.socket.send(JSON.stringify({ type: 'media', names: ['f.cam'] }))
    client.socket.ping()
    await once(client.socket, 'pong')
    at.bus.publish(frameEvent('f.cam', keep(2), 'run'), 2)
    publish('f.cam', 3)
    stored.resolve(() => nothing)
    await client.next(2)
    expect('type' in client.heard[0]! && client.heard[0].type).toBe('snapshot')
    expect(told(client)).toEqual(['media f.cam 3', 'media f.cam 2', 'value f.cam'])
  })

  test('is told the values of its messages, whatever flows= and kinds= say', async () => {
    for (const query of ['?flows=', '?flows=g', '?kinds=run']) {
      // oxlint-disable-next-line no-await-in-loop -- one client at a time
      const client = await viewer(['f.cam'], query)
      publish('f.other', 1)
      publish('f.cam', 2)
      // oxlint-disable-next-line no-await-in-loop -- one client at a time
      await client.next(3)
      expect(told(client).slice(-2)).toEqual(['media f.cam 2', 'value f.cam'])
      expect(told(client)).not.toContain('value f.other')
    }
  })

  test('changes what is wanted, which its listeners hear, as they do when a socket ends [R648]', async () => {
    const heard: string[][] = []
    const end = at.sockets.onWantedMedia((names) => heard.push([...names]))
    at.sockets.onWantedMedia(() => {
      throw new Error('a listener that fails')
    })
    const [one, two] = [await viewer(['f.a', 'f.b']), await viewer(['f.b'])]
    await ask(one, ['f.b', 'f.c'])
    await ask(one, ['f.c', 'f.b'])
    one.socket.close()
    await vi.waitFor(() => expect(heard).toHaveLength(3), 60_000)
    expect(heard).toEqual([['f.a', 'f.b'], ['f.b', 'f.c'], ['f.b']])
    end()
    await ask(two, [])
    expect(heard).toHaveLength(3)
    expect(at.sockets.wantedMedia().size).toBe(0)
  })
})

test('a burst of frames within a turn is told before it holds more than a mebibyte', async () => {
  const client = await viewer(['f.cam'])
  const write = vi.spyOn(wireOf(at.served[0]!), 'write')
  for (let number = 1; number <= 25; number++) publish('f.cam', number, 100_000)
  // the turn is not over
  expect(write.mock.calls.length).toBeGreaterThan(30)
  await vi.waitFor(() => expect(told(client).at(-2)).toBe('media f.cam 25'), 60_000)
})

test('a viewer that stalls makes nobody wait, is not closed, and gets the newest frame with its value [F44]', async () => {
  const [slow, ...others] = await Promise.all(Array.from({ length: 4 }, () => viewer(['f.cam', 'f.door'])))
  const [engineEnd] = at.served
  slow!.socket.pause()
  const size = 256 * 1024
  // more than the kernel buffers of a loopback connection
  let number = 0
  while (engineEnd!.bufferedAmount === 0 || number % 20 > 0) {
    number++
    publish('f.cam', number, size)
    for (const { heard } of others)
      // oxlint-disable-next-line no-await-in-loop -- at the pace of those who read
      await vi.waitFor(() => expect(heard.filter(isMedia)).toHaveLength(number), { timeout: 60_000, interval: 1 })
  }
  const still = number
  for (; number < still + 20; number++) publish('f.cam', number + 1, size)
  const door = publish('f.door', 1_000)
  expect(engineEnd!.bufferedAmount).toBeLessThan(1024 * 1024 + 2 * size)
  slow!.socket.resume()
  await vi.waitFor(() => expect(told(slow!).at(-1)).toBe('value f.door'), { timeout: 60_000 })
  const rest = told(slow!)
  expect(rest.slice(-4)).toEqual([`media f.cam ${number}`, 'value f.cam', 'media f.door 1000', 'value f.door'])
  expect(slow!.frames.at(-1)).toMatchObject({ value: door })
  // each value has its frame before it, and frames were left out
  expect(rest.map((line) => line.split(' ')[0])).toEqual(rest.map((_, index) => (index % 2 === 0 ? 'media' : 'value')))
  expect(rest.length).toBeLessThan(2 * number)
  expect(slow!.socket.readyState).toBe(WebSocket.OPEN)
})
