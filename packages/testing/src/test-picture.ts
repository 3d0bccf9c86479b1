/**
 * Pictures for tests of what carries them: real ones, a few hundred bytes each, and each another.
 * @module
 */
import { crc32, deflateSync } from 'node:zlib'

/** A picture as devices and cameras send it. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Of a PNG (RFC 2083): the signature, and a header for eight bits each of red, green and blue. */
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const TRUECOLOUR = [8, 2, 0, 0, 0]
/** Pixels in a row, and rows. */
const SIDE = 16

/**
 * A PNG that any viewer shows, 16 pixels wide and high. Pictures of the same `number`, an integer from 0 to 16,777,215, are
 * the same to the byte, and all others differ. Throws a RangeError for another number.
 */
export function testPicture(number = 0): Picture {
  if (!Number.isInteger(number) || number < 0 || number >= 2 ** 24)
    throw new RangeError(`${number} is no number of a picture; give an integer from 0 to 16777215`)
  const size = Buffer.alloc(8)
  size.writeUInt32BE(SIDE)
  size.writeUInt32BE(SIDE, 4)
  const bytes = Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([size, Buffer.from(TRUECOLOUR)])),
    chunk('IDAT', deflateSync(pixels(number))),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return { bytes, mediaType: 'image/png' }
}

/** Two slopes on a ground, all three of them of the number; each row begins with the filter "none". */
function pixels(number: number): Buffer {
  const rows = Buffer.alloc(SIDE * (1 + 3 * SIDE))
  for (let y = 0, at = 0; y < SIDE; y++) {
    at++
    for (let x = 0; x < SIDE; x++) {
      rows[at++] = (number + 12 * x) & 255
      rows[at++] = ((number >> 8) + 12 * y) & 255
      rows[at++] = number >> 16
    }
  }
  return rows
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(4 + named.length + 4)
  frame.writeUInt32BE(data.length)
  named.copy(frame, 4)
  frame.writeUInt32BE(crc32(named), 4 + named.length)
  return frame
}
