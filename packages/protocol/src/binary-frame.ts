/**
 * Binary frames of sockets (wire decision G47): four bytes of header length (big endian), a JSON header, then the bytes.
 * Engine and SDKs use it, also in browsers; it needs no schema library.
 * @module
 */

/** Largest header, in bytes. */
export const MAX_FRAME_HEADER_BYTES = 4096
/** Largest frame with its header, in bytes. */
export const MAX_BINARY_FRAME_BYTES = 8 * 1024 * 1024

/** From the engine: bytes of a message, sent before the value that refers to them. */
export interface MediaHeader {
  readonly type: 'media'
  /** Qualified name of the message. */
  readonly name: string
  /** That of the value that follows. */
  readonly digest: string
  readonly media_type: string
  /** Engine time. */
  readonly ts: string
}

/** From a device: a picture of an `in` port. */
export interface UplinkHeader {
  readonly type: 'frame'
  /** Qualified name of the message. */
  readonly name: string
  readonly media_type: string
  /** Milliseconds of the clock of the device. */
  readonly ts: number
}

/** The parts of a frame; `bytes` is a view of it. */
export interface BinaryFrame {
  readonly header: Readonly<Record<string, unknown>>
  readonly bytes: Uint8Array
}

const LENGTH_BYTES = 4
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** What stands before the bytes of a frame. Throws a RangeError for a header above {@link MAX_FRAME_HEADER_BYTES}. */
export function frameHead(header: MediaHeader | UplinkHeader): Uint8Array {
  const json = encoder.encode(JSON.stringify(header))
  if (json.length > MAX_FRAME_HEADER_BYTES)
    throw new RangeError(`the header has ${json.length} bytes, at most ${MAX_FRAME_HEADER_BYTES} fit`)
  const head = new Uint8Array(LENGTH_BYTES + json.length)
  new DataView(head.buffer).setUint32(0, json.length)
  head.set(json, LENGTH_BYTES)
  return head
}

/** A whole frame. Throws a RangeError when header or frame are too large. */
export function encodeFrame(header: MediaHeader | UplinkHeader, bytes: Uint8Array): Uint8Array {
  const head = frameHead(header)
  const length = head.length + bytes.length
  if (length > MAX_BINARY_FRAME_BYTES)
    throw new RangeError(`the frame has ${length} bytes, at most ${MAX_BINARY_FRAME_BYTES} are sent`)
  const frame = new Uint8Array(length)
  frame.set(head)
  frame.set(bytes, head.length)
  return frame
}

/** Reads a frame; a sentence on what is wrong with it instead, when it is none. Copies no bytes, and never throws. */
export function decodeFrame(frame: Uint8Array): BinaryFrame | string {
  if (frame.length > MAX_BINARY_FRAME_BYTES)
    return `it has ${frame.length} bytes, at most ${MAX_BINARY_FRAME_BYTES} are taken`
  if (frame.length < LENGTH_BYTES) return `it has ${frame.length} bytes, the header length alone has ${LENGTH_BYTES}`
  const length = new DataView(frame.buffer, frame.byteOffset, LENGTH_BYTES).getUint32(0)
  if (length > MAX_FRAME_HEADER_BYTES)
    return `it claims a header of ${length} bytes, at most ${MAX_FRAME_HEADER_BYTES} are taken`
  if (length > frame.length - LENGTH_BYTES)
    return `it claims a header of ${length} bytes, and has ${frame.length - LENGTH_BYTES} behind the length`
  const header = headerOf(frame.subarray(LENGTH_BYTES, LENGTH_BYTES + length))
  return header === null
    ? 'its header is no JSON object in UTF-8'
    : { header, bytes: frame.subarray(LENGTH_BYTES + length) }
}

function headerOf(text: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(text))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
