import fc from 'fast-check'
import { expect, test } from 'vitest'

import { encodeFrame, FrameReader, type Message } from '../src/channel.ts'

const frame = fc.record({
  message: fc.dictionary(fc.string(), fc.jsonValue()),
  data: fc.uint8Array({ maxLength: 300 }),
})

test('frames come out as they went in, however the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1 }), (frames, cuts) => {
      const stream = Buffer.concat(frames.flatMap(({ message, data }) => encodeFrame(message, data)))
      const read: { message: Message; data: Uint8Array }[] = []
      const reader = new FrameReader((message, data) => read.push({ message, data }))
      for (let at = 0, cut = 0; at < stream.length; cut += 1) {
        const size = cuts[cut % cuts.length] ?? 1
        reader.push(stream.subarray(at, at + size))
        at += size
      }
      expect(read).toEqual(frames.map(({ message, data }) => ({ message: JSON.parse(JSON.stringify(message)), data })))
    }),
  )
})

test('a large frame is put together in its place, among small ones, however it is cut', () => {
  const large = new Uint8Array(3_000_000).map((_, at) => at % 251)
  const frames = [{ n: 1 }, { n: 2 }, { n: 3 }].map((message) => ({
    message,
    data: message.n === 2 ? large : new Uint8Array([message.n]),
  }))
  const stream = Buffer.concat([...frames, ...frames].flatMap(({ message, data }) => encodeFrame(message, data)))
  for (const size of [65_536, 999_983, stream.length]) {
    const read: { message: Message; data: Uint8Array }[] = []
    const reader = new FrameReader((message, data) => read.push({ message, data }))
    for (let at = 0; at < stream.length; at += size) reader.push(Buffer.from(stream.subarray(at, at + size)))
    expect(read.map(({ message }) => message)).toEqual([...frames, ...frames].map(({ message }) => message))
    expect(read.every(({ data }, at) => Buffer.compare(data, frames[at % 3]?.data ?? large) === 0)).toBe(true)
  }
})

test('bytes are a copy, not a view of the chunk they came with', () => {
  const chunk = Buffer.concat(encodeFrame({ type: 'save' }, new Uint8Array([1, 2])))
  let data: Uint8Array | undefined
  new FrameReader((_, bytes) => (data = bytes)).push(chunk)
  chunk.fill(0)
  expect(data).toEqual(new Uint8Array([1, 2]))
})

test.each([
  ['the first byte of what is no frame', Buffer.from('x')],
  ['a length beyond the limit', Buffer.from('ff667301ffffffff00000000', 'hex')],
  ['text that is no JSON', Buffer.concat([Buffer.from('ff6673010000000200000000', 'hex'), Buffer.from('{{')])],
  ['JSON that is no object', Buffer.concat([Buffer.from('ff6673010000000100000000', 'hex'), Buffer.from('1')])],
])('%s is refused', (_, stream) => {
  expect(() => new FrameReader(() => {}).push(stream)).toThrow(/./)
})
