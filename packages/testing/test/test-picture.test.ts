import { crc32, inflateSync } from 'node:zlib'

import { expect, test } from 'vitest'

import { testPicture } from '../src/index.ts'

/** The chunks of a PNG by type, each compared with its checksum. */
function chunksOf(bytes: Uint8Array): Map<string, Buffer> {
  const png = Buffer.from(bytes)
  expect(png.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at)
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)))
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end))
    at = end + 4
  }
  return chunks
}

test('a picture is a PNG of 16 pixels each way', () => {
  const { bytes, mediaType } = testPicture(0xa0b0c0)
  const chunks = chunksOf(bytes)
  expect([mediaType, [...chunks.keys()]]).toEqual(['image/png', ['IHDR', 'IDAT', 'IEND']])
  expect([...(chunks.get('IHDR') ?? [])]).toEqual([0, 0, 0, 16, 0, 0, 0, 16, 8, 2, 0, 0, 0])
  const rows = inflateSync(chunks.get('IDAT') ?? '')
  expect(rows).toHaveLength(16 * (1 + 3 * 16))
  expect([...rows.subarray(0, 4)]).toEqual([0, 0xc0, 0xb0, 0xa0])
  expect(bytes.length).toBeLessThan(1000)
})

test('pictures of one number are the same, and of others others', () => {
  const texts = [0, 1, 255, 256, 65_536, 2 ** 24 - 1].map((number) =>
    Buffer.from(testPicture(number).bytes).toString('hex'),
  )
  expect(new Set(texts).size).toBe(texts.length)
  expect(Buffer.from(testPicture().bytes).toString('hex')).toBe(texts[0])
})

test.each([-1, 0.5, 2 ** 24, Number.NaN])('%s is no number of a picture', (number) => {
  expect(() => testPicture(number)).toThrow(`${number} is no number of a picture; give an integer from 0 to 16777215`)
})
