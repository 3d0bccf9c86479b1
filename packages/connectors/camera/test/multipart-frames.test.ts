/** Streams as cameras send them, in pieces that begin and end anywhere. */
import { expect, test } from 'vitest'

import { MultipartFrames } from '../src/multipart-frames.ts'

const jpegs = ['\xff\xd8one\r\n--no\n\xff\xd9', '\xff\xd8\n\r\n-\xff\xd9\r\n', '\xff\xd8\xff\xd9']
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

/** What comes out of a stream that arrives in pieces of a size. */
function framesOf(boundary: string | null, stream: string, size: number, max = 1000): string[] {
  const frames = new MultipartFrames(boundary, max)
  const whole = bytes(stream)
  const found: string[] = []
  for (let at = 0; at < whole.length; at += size)
    found.push(...frames.push(whole.subarray(at, at + size)).map((frame) => Buffer.from(frame).toString('latin1')))
  return found
}

const part = (line: string, jpeg: string, { end = '\r\n', hasLength = true } = {}): string =>
  [line, 'Content-Type: image/jpeg', ...(hasLength ? [`content-LENGTH:  ${jpeg.length}`] : []), '', jpeg, ''].join(end)

test.each([
  ['as announced', 'frame', '--frame', {}],
  ['with the dashes announced', '--frame', '--frame', {}],
  ['with the dashes announced, and as the standard has it', '--frame', '----frame', {}],
  ['without the dashes', 'frame', 'frame', {}],
  ['that nobody has announced', null, '--frame', {}],
  ['without lengths', 'frame', '--frame', { hasLength: false }],
  ['without lengths, and with more dashes', '--frame', '----frame', { hasLength: false }],
  ['with lines that end in LF', 'frame', '--frame', { end: '\n' }],
])('frames come out whole with a boundary %s, however they are cut', (_name, announced, line, options) => {
  const stream = ['junk before\r\n', ...jpegs.map((jpeg) => part(line, jpeg, options)), line, '\r\n'].join('')
  for (const size of [1, 2, 3, 7, 64, stream.length]) expect(framesOf(announced, stream, size)).toEqual(jpegs)
})

test('a part that is empty is none, and a stream that ends goes on', () => {
  const [one = '', two = ''] = jpegs
  const stream = `${part('--f', one)}${part('--f', '')}--f--\r\n${part('--f', two)}`
  expect(framesOf('f', stream, 5)).toEqual([one, two])
})

test('a frame that is too large is told from its length, or once it is', () => {
  const large = 'x'.repeat(1001)
  expect(() => framesOf('f', part('--f', large), 50)).toThrow('sends a picture of 1001 bytes or more, and at most 1000')
  expect(() => framesOf('f', part('--f', large.repeat(3), { hasLength: false }), 50)).toThrow('at most 1000 are taken')
  expect(framesOf('f', `${part('--f', 'x'.repeat(1000), { hasLength: false })}--f\r\n`, 50)).toHaveLength(1)
})

test('what has no boundary is not kept', () => {
  expect(() => framesOf('f', 'x'.repeat(20_000), 1000)).toThrow('bytes and no boundary')
  expect(() => framesOf('f', `--f\r\n${'x'.repeat(20_000)}`, 1000)).toThrow('bytes and no boundary')
  // lines that come to nothing are dropped
  expect(framesOf('f', 'x\n'.repeat(200_000), 65_536)).toEqual([])
})

test('bytes are looked at once, though they come one by one', () => {
  const frames = new MultipartFrames('f', 1 << 20)
  frames.push(bytes('--f\r\n\r\n'))
  const piece = bytes('\n')
  let found = 0
  for (let sent = 0; sent < 1 << 20; sent++) found += frames.push(piece).length
  expect(found + frames.push(bytes('\r\n--f')).length).toBe(1)
})
