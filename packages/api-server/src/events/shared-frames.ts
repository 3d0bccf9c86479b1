/**
 * Frames of the event socket that many sockets get as they are: `audiences.ts` makes those of a turn of the event loop once
 * for all sockets with the same interest, and each of them writes the same bytes. A frame of the library is made for one
 * socket at a time, which costs more than the event itself once a few sockets listen.
 * @module
 */
import { sizeOfHead, WHOLE_TEXT, writeHead } from '../http/socket-message.ts'
import type { EventText } from './event-text.ts'

/** Whole WebSocket messages (RFC 6455, 5.2), in the order of their numbers. */
export interface SharedFrames {
  readonly bytes: Buffer
  /** Number of the first event. */
  readonly first: number
  /** Number of the last event. */
  readonly last: number
  readonly texts: readonly EventText[]
}

/** Bytes of events that are gathered in one write to a socket. */
export const WRITE_BYTES = 64 * 1024

/** The frames of events, in parts of about {@link WRITE_BYTES}. */
export function sharedFrames(texts: readonly EventText[]): SharedFrames[] {
  const parts: SharedFrames[] = []
  let from = 0
  let size = 0
  for (const [at, { tail }] of texts.entries()) {
    size += tail.length
    if (size < WRITE_BYTES && at < texts.length - 1) continue
    parts.push(partOf(texts.slice(from, at + 1)))
    from = at + 1
    size = 0
  }
  return parts
}

function partOf(texts: readonly EventText[]): SharedFrames {
  const starts = texts.map(({ head, seq }) => `${head}${seq}`)
  const lengthAt = (at: number): number => (starts[at]?.length ?? 0) + (texts[at]?.tail.length ?? 0)
  const bytes = Buffer.allocUnsafe(texts.reduce((size, _, at) => size + sizeOfHead(lengthAt(at)) + lengthAt(at), 0))
  let to = 0
  for (const [at, { tail }] of texts.entries()) {
    to = writeHead(bytes, to, WHOLE_TEXT, lengthAt(at))
    to += bytes.write(starts[at] ?? '', to, 'latin1')
    to += tail.copy(bytes, to)
  }
  return { bytes, first: texts[0]?.seq ?? 0, last: texts.at(-1)?.seq ?? 0, texts }
}
