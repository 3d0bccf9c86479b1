/**
 * Frames between the agent and a process that runs node code: four bytes by which a frame is known, two unsigned 32-bit
 * big-endian lengths, a JSON text, and bytes beside it, so that bytes never travel inside JSON. What code writes to the
 * channel itself is known by its first byte, and not when a frame that it seemed to begin is never complete.
 * `python/service/channel.py` has the same in Python.
 * @module
 */

/** A message of this channel; `type` says which. */
export type Message = Readonly<Record<string, unknown>>

/** No text has these bytes: the first is none of UTF-8. */
const MARK = Buffer.from([0xff, 0x66, 0x73, 0x01])
const HEADER_BYTES = MARK.length + 8
const MAX_TEXT_BYTES = 64 * 1024 * 1024
const MAX_DATA_BYTES = 0x4000_0000
/** Of a frame that is put together in its place. */
const LARGE_BYTES = 1024 * 1024
const nothing = Buffer.alloc(0)
const noData = new Uint8Array()

/** A frame in pieces, to be written in this order. */
export function encodeFrame(message: Message, data?: Uint8Array): Uint8Array[] {
  const text = JSON.stringify(message)
  const size = Buffer.byteLength(text)
  const head = Buffer.allocUnsafe(HEADER_BYTES + size)
  MARK.copy(head)
  head.writeUInt32BE(size, MARK.length)
  head.writeUInt32BE(data?.byteLength ?? 0, MARK.length + 4)
  head.write(text, HEADER_BYTES)
  return data === undefined || data.byteLength === 0 ? [head] : [head, data]
}

/** Puts frames together from the chunks of a stream. */
export class FrameReader {
  readonly #onFrame: (message: Message, data: Uint8Array) => void
  #chunks: Buffer[] = []
  #held = 0
  #needed = HEADER_BYTES
  /** A frame that is put together in its place: of a large one there is no second copy. */
  #large: { readonly frame: Buffer; filled: number } | null = null

  constructor(onFrame: (message: Message, data: Uint8Array) => void) {
    this.#onFrame = onFrame
  }

  /** Takes the next chunk. Throws when the stream holds anything but frames; it is of no use afterwards. */
  push(chunk: Buffer): void {
    const rest = this.#large ? this.#fill(this.#large, chunk) : chunk
    if (rest.length > 0) this.#take(rest)
  }

  /** What is left of a chunk. */
  #fill(large: { readonly frame: Buffer; filled: number }, chunk: Buffer): Buffer {
    const copied = chunk.copy(large.frame, large.filled)
    large.filled += copied
    if (large.filled === large.frame.length) {
      this.#large = null
      this.#deliver(large.frame, (data) => data)
    }
    return chunk.subarray(copied)
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    if (this.#needed > HEADER_BYTES && this.#held < this.#needed) return
    let buffer = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    for (;;) {
      this.#needed = frameBytes(buffer)
      if (buffer.length < this.#needed || buffer.length < HEADER_BYTES) break
      // a copy: the chunk it was read with may be many times as large, and bytes can be kept for long
      this.#deliver(buffer.subarray(0, this.#needed), (data) => (data.length > 0 ? new Uint8Array(data) : noData))
      buffer = buffer.subarray(this.#needed)
    }
    if (this.#needed > LARGE_BYTES) {
      const frame = Buffer.allocUnsafeSlow(this.#needed)
      this.#large = { frame, filled: buffer.copy(frame) }
      this.#needed = HEADER_BYTES
      buffer = nothing
    }
    this.#chunks = buffer.length > 0 ? [buffer] : []
    this.#held = buffer.length
  }

  #deliver(frame: Buffer, own: (data: Uint8Array) => Uint8Array): void {
    const end = HEADER_BYTES + frame.readUInt32BE(MARK.length)
    const message: unknown = JSON.parse(frame.toString('utf8', HEADER_BYTES, end))
    if (typeof message !== 'object' || message === null) throw new TypeError('a frame holds no JSON object')
    this.#onFrame(message as Message, own(frame.subarray(end)))
  }
}

/** Size of the first frame, as far as it can be told. */
function frameBytes(buffer: Buffer): number {
  const known = Math.min(buffer.length, MARK.length)
  if (buffer.compare(MARK, 0, known, 0, known) !== 0) throw new TypeError('something that begins no frame')
  if (buffer.length < HEADER_BYTES) return HEADER_BYTES
  const [text, data] = [buffer.readUInt32BE(MARK.length), buffer.readUInt32BE(MARK.length + 4)]
  if (text > MAX_TEXT_BYTES || data > MAX_DATA_BYTES) throw new RangeError(`a frame of ${text} + ${data} bytes`)
  return HEADER_BYTES + text + data
}
