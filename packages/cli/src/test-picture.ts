/**
 * Pictures of a simulated camera: a small PNG with colour bars, and a line that moves on from one picture to the next.
 * @module
 */
import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 64
const HEIGHT = 48
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Eight bits for each of red, green and blue. */
const TRUE_COLOUR = [8, 2, 0, 0, 0]
const BARS = [0xff_ff_ff, 0xff_ff_00, 0x00_ff_ff, 0x00_ff_00, 0xff_00_ff, 0xff_00_00, 0x00_00_ff, 0x00_00_00] as const

/** The picture of a number. */
export function testPicture(number: number): Uint8Array {
  const rows = Array.from({ length: HEIGHT }, (_, y) => [0, ...pixels(number, y)])
  const size = Buffer.alloc(8)
  size.writeUInt32BE(WIDTH, 0)
  size.writeUInt32BE(HEIGHT, 4)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.from([...size, ...TRUE_COLOUR])),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const pixels = (number: number, y: number): number[] =>
  Array.from({ length: WIDTH }, (_, x) => {
    const bar = BARS[Math.floor((x * BARS.length) / WIDTH)] ?? 0
    const colour = y === number % HEIGHT ? bar ^ 0xff_ff_ff : bar
    return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]
  }).flat()

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
