/**
 * Frames of a link: u32 length of the payload, u8 kind, u32 id, payload. Numbers are little-endian. A binary message of the
 * socket holds whole frames, one behind the other. `ask`, `send` and `open` begin their payload with a subject: u8 length,
 * ASCII text.
 * @module
 */
import { closeCodes, LinkFault, malformed } from './link-fault.ts'
import { TooLong } from './refusals.ts'

/** What a frame is. A number is never given to another kind. */
export const kinds = {
  /** JSON of {@link Hello}; the first frame of each side. */
  hello: 1,
  ask: 2,
  answer: 3,
  /** u8 reason, JSON of a problem. */
  refuse: 4,
  /** The asker no longer waits. */
  cancel: 5,
  send: 6,
  /** Opens a pipe; the engine that dialled has the odd ids. */
  open: 7,
  chunk: 8,
  /** Nothing more comes from this side of a pipe. */
  end: 9,
  /** u32 further bytes that a pipe may send. */
  credit: 10,
  /** A pipe is broken off; text why. */
  reset: 11,
  ping: 12,
  pong: 13,
} as const

/** Longest payload, in bytes, a subject not counted. */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024
/** Longest subject, in bytes. */
const MAX_SUBJECT_BYTES = 64
/** Bytes of frames that are sent without waiting for the end of the turn. */
export const FULL_BYTES = 256 * 1024
const HEAD_BYTES = 9
const MAX_FRAME_BYTES = HEAD_BYTES + 1 + MAX_SUBJECT_BYTES + MAX_PAYLOAD_BYTES
/** Longest message: one frame comes on top of nearly {@link FULL_BYTES}. */
export const MAX_MESSAGE_BYTES = FULL_BYTES + MAX_FRAME_BYTES

export const NOTHING = Buffer.alloc(0)

/** A frame that is to be sent. */
export interface Outgoing {
  readonly kind: number
  readonly id: number
  /** `''` for a kind without one. */
  readonly subject: string
  /** Not copied before the frame is sent. */
  readonly payload: Uint8Array
}

/** How many bytes a frame takes. */
export const sizeOf = (subject: string, payload: Uint8Array): number =>
  HEAD_BYTES + (subject === '' ? 0 : 1 + subject.length) + payload.length

/** One message of all frames, whose sizes add up to `bytes`. */
export function messageOf(frames: readonly Outgoing[], bytes: number): Buffer {
  const message = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const { kind, id, subject, payload } of frames) {
    const size = sizeOf(subject, payload)
    message.writeUInt32LE(size - HEAD_BYTES, at)
    message[at + 4] = kind
    message.writeUInt32LE(id, at + 5)
    if (subject !== '') {
      message[at + HEAD_BYTES] = subject.length
      message.write(subject, at + HEAD_BYTES + 1, 'latin1')
    }
    at += size
    message.set(payload, at - payload.length)
  }
  return message
}

/** Hands on the frame that begins at a place of a message; the result is where it ends. Throws a {@link LinkFault}. */
export function readFrame(
  message: Buffer,
  at: number,
  take: (kind: number, id: number, payload: Buffer) => void,
): number {
  const begins = at + HEAD_BYTES
  if (begins > message.length) throw malformed('a frame is cut off')
  const length = message.readUInt32LE(at)
  const ends = begins + length
  if (begins + length > at + MAX_FRAME_BYTES)
    throw new LinkFault(closeCodes.tooLarge, `a frame of ${length} bytes came, and ${MAX_PAYLOAD_BYTES} are taken`)
  if (ends > message.length) throw malformed('a frame is cut off')
  take(message[at + 4] ?? 0, message.readUInt32LE(at + 5), message.subarray(begins, ends))
  return ends
}

/** Subject of a payload, and what follows it. Throws a {@link LinkFault}. */
export function readSubject(payload: Buffer): { readonly subject: string; readonly rest: Buffer } {
  const length = payload[0] ?? 0
  if (length === 0 || length > MAX_SUBJECT_BYTES || length >= payload.length)
    throw malformed(`a subject of ${length} bytes came`)
  return { subject: payload.toString('latin1', 1, 1 + length), rest: payload.subarray(1 + length) }
}

/** Why something cannot be sent; null when it can. */
export function outgoingFault(subject: string, payload: Uint8Array): Error | null {
  if (subject === '' || subject.length > MAX_SUBJECT_BYTES) return new RangeError(`"${subject}" is no subject`)
  if (payload.length <= MAX_PAYLOAD_BYTES) return null
  return new TooLong(payload.length, MAX_PAYLOAD_BYTES)
}

/** Refuses a subject that no frame can have: throws a RangeError. */
export function checkSubject(subject: string): void {
  if (!/^[\x21-\x7e]+$/.test(subject) || subject.length > MAX_SUBJECT_BYTES)
    throw new RangeError(`"${subject}" is no subject: take 1 to ${MAX_SUBJECT_BYTES} visible characters of ASCII`)
}
