import { crc32, inflateSync } from 'node:zlib'

import { expect, test } from 'vitest'

import { testPicture } from '../src/test-picture.ts'

/** The chunks of a PNG; throws for one whose checksum is wrong. */
function chunksOf(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    const named = png.subarray(at + 4, at + 8 + length)
    if (png.readUInt32BE(at + 8 + length) !== crc32(named)) throw new Error(`checksum at ${at}`)
    chunks.set(named.subarray(0, 4).toString(), named.subarray(4))
    at += length + 12
  }
  return chunks
}

test('a picture is a whole PNG, and the next one differs', () => {
  const png = Buffer.from(testPicture(3))
  expect(png.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n')
  const chunks = chunksOf(png)
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND'])
  const [width = 0, height = 0] = [chunks.get('IHDR')?.readUInt32BE(0), chunks.get('IHDR')?.readUInt32BE(4)]
  expect(inflateSync(chunks.get('IDAT') ?? '').length).toBe((width * 3 + 1) * height)
  expect(Buffer.from(testPicture(4)).equals(png)).toBe(false)
})
