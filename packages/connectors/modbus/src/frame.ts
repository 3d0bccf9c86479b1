/**
 * Frames of Modbus TCP (Modbus Messaging on TCP/IP V1.0b, section 3.1): a header of seven bytes, then a function and its
 * data. What a peer sends is held against the request before anybody reads it.
 * @module
 */

const HEADER_BYTES = 7
/** The header's length counts the unit and what follows; the shortest is that of a function with one byte. */
const SHORTEST_LENGTH = 3
const LONGEST_LENGTH = 254
const EXCEPTION = 0x80

/** Bytes of the frame that begins here; null while its header is not there, `'none'` when this is no frame. */
export function frameSize(bytes: Buffer): number | null | 'none' {
  if (bytes.length < HEADER_BYTES) return null
  const length = bytes.readUInt16BE(4)
  if (bytes.readUInt16BE(2) !== 0 || length < SHORTEST_LENGTH || length > LONGEST_LENGTH) return 'none'
  return 6 + length
}

/** What is wrong with a frame as the answer to a request, both whole; null when nothing is. */
export function answerFault(request: Buffer, answer: Buffer): string | null {
  const [asked, answered] = [request.readUInt16BE(0), answer.readUInt16BE(0)]
  if (asked !== answered) return `it answered request ${answered} in place of ${asked}`
  const [unit, other] = [request.readUInt8(6), answer.readUInt8(6)]
  if (unit !== other) return `unit ${other} answered in place of ${unit}`
  const [wanted, body] = [request.subarray(HEADER_BYTES), answer.subarray(HEADER_BYTES)]
  const [code = 0] = wanted
  if (body[0] === code + EXCEPTION) return body.length === 2 ? null : 'it sent a refusal of a wrong length'
  if (body[0] !== code) return `it answered function ${body[0]} in place of ${code}`
  return hasFittingData(wanted, body) ? null : `its answer to function ${code} does not fit the request`
}

/** The code of the exception in an answer, which fits its request; null when it is none. */
export const refusalIn = (answer: Buffer): number | null =>
  answer.readUInt8(HEADER_BYTES) >= EXCEPTION ? answer.readUInt8(HEADER_BYTES + 1) : null

/** Reads answer with as many bytes as were asked for, writes with where and how much was written. */
function hasFittingData(wanted: Buffer, body: Buffer): boolean {
  const count = wanted.readUInt16BE(3)
  switch (wanted.readUInt8(0)) {
    case 1:
    case 2:
      return body[1] === Math.ceil(count / 8) && body.length === 2 + body[1]
    case 3:
    case 4:
      return body[1] === count * 2 && body.length === 2 + body[1]
    default:
      return body.equals(wanted.subarray(0, 5))
  }
}
