/** What a viewer gets of the frames that its socket hears. */
import { encodeFrame } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { MediaRefused } from '../src/index.ts'
import { type MediaFrame, mediaStream } from '../src/media-stream.ts'

/** A socket that hears what the test says. */
class FakeSocket extends EventTarget {
  static opened: FakeSocket[] = []
  readonly url: string
  readonly said: string[] = []
  binaryType = 'blob'
  constructor(url: string) {
    super()
    this.url = url
    FakeSocket.opened.push(this)
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }
  send(text: string): void {
    this.said.push(text)
  }
  hear(data: string | ArrayBuffer): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
  picture(name: string, at: number): void {
    const header = { type: 'media', name, digest: `sha256:${at}`, media_type: 'image/jpeg', ts: `t${at}` } as const
    this.hear(encodeFrame(header, Uint8Array.of(at, at)).slice().buffer)
  }
  isClosed = false
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.dispatchEvent(new Event('close'))
  }
}
beforeEach(() => {
  FakeSocket.opened = []
  vi.stubGlobal('WebSocket', FakeSocket)
})
afterEach(() => void vi.unstubAllGlobals())

const source = { baseUrl: 'http://127.0.0.1/api/v1', ticket: async () => 'pass' }
const atOf = async (stream: AsyncGenerator<MediaFrame, void, undefined>): Promise<string | undefined> => {
  const { value } = await stream.next()
  return value ? `${value.message} ${value.bytes[0]}` : undefined
}
/** The socket of the stream that is opened as this one. */
const socketAt = (index: number): Promise<FakeSocket> =>
  vi.waitFor(() => {
    const socket = FakeSocket.opened[index]
    if (!socket || socket.said.length === 0) throw new Error('not yet')
    return socket
  }, 10_000)

test('a viewer asks for its messages alone, and gets the bytes with what their header says', async () => {
  const stream = mediaStream(source, ['f.cam', 'f.door'], undefined)
  const first = stream.next()
  const socket = await socketAt(0)
  expect(socket.url).toBe('ws://127.0.0.1/api/v1/flows/ws?ticket=pass&flows=')
  expect(socket.said.map((text) => JSON.parse(text) as unknown)).toEqual([
    { type: 'media', names: ['f.cam', 'f.door'] },
  ])
  socket.hear('{"type":"snapshot"}')
  socket.picture('f.cam', 1)
  expect((await first).value).toEqual({
    message: 'f.cam',
    bytes: Uint8Array.of(1, 1),
    mediaType: 'image/jpeg',
    digest: 'sha256:1',
    ts: 't1',
  })
  await stream.return()
})

test('a slow viewer gets the newest frame of each message, none before its turn', async () => {
  const stream = mediaStream(source, ['f.cam', 'f.door'], undefined)
  const first = atOf(stream)
  const socket = await socketAt(0)
  socket.picture('f.cam', 1)
  expect(await first).toBe('f.cam 1')
  for (let at = 2; at < 9; at++) socket.picture('f.cam', at)
  socket.picture('f.door', 9)
  socket.picture('f.cam', 10)
  // what is no frame, and frames that a later engine may send
  socket.hear(new ArrayBuffer(2))
  socket.hear(encodeFrame({ type: 'frame', name: 'f.cam', media_type: 'a/b', ts: 1 }, Uint8Array.of(1)).slice().buffer)
  expect([await atOf(stream), await atOf(stream)]).toEqual(['f.cam 10', 'f.door 9'])
  await stream.return()
})

test('a broken connection is made again, with the same request', async () => {
  const stream = mediaStream(source, ['f.cam'], undefined)
  const first = atOf(stream)
  ;(await socketAt(0)).picture('f.cam', 1)
  await first
  const second = atOf(stream)
  FakeSocket.opened[0]?.close()
  const again = await socketAt(1)
  expect(again.said).toEqual(FakeSocket.opened[0]?.said)
  again.picture('f.cam', 2)
  expect(await second).toBe('f.cam 2')
  await stream.return()
})

test('what the engine refuses ends the stream, and says why', async () => {
  const stream = mediaStream(source, ['f.none'], undefined)
  const first = stream.next()
  const socket = await socketAt(0)
  socket.hear('{"type":"error","code":"message_not_declared","detail":"no published flow declares it"}')
  await expect(first).rejects.toThrow(MediaRefused)
  await expect(first).rejects.toMatchObject({ code: 'message_not_declared', message: 'no published flow declares it' })
  expect((await stream.next()).done).toBe(true)
})
