/**
 * WebSocket messages as bytes (RFC 6455, 5.2), for what many sockets are sent as it is: event sockets, media, and the clients of
 * a served socket. The library makes a message for one socket at a time, which costs most of what a broadcast does. Messages of
 * a server have no mask; nothing here compresses, as no socket of the engine does.
 * @module
 */

/** First byte of a message of text in one piece. */
export const WHOLE_TEXT = 0x81
/** First byte of a message of bytes in one piece. */
export const WHOLE_BINARY = 0x82

type Kind = typeof WHOLE_TEXT | typeof WHOLE_BINARY

/** Lengths from which on the head has two, and eight, more bytes for it. */
const [LONG, VERY_LONG] = [126, 65_536]

/** Bytes of the head of a message of this length. */
export const sizeOfHead = (length: number): number => (length < LONG ? 2 : length < VERY_LONG ? 4 : 10)

/** Writes the head of a message; the result is where its content goes. */
export function writeHead(bytes: Buffer, at: number, kind: Kind, length: number): number {
  bytes[at] = kind
  if (length < LONG) return bytes.writeUInt8(length, at + 1)
  if (length < VERY_LONG) return bytes.writeUInt16BE(length, bytes.writeUInt8(LONG, at + 1))
  return bytes.writeBigUInt64BE(BigInt(length), bytes.writeUInt8(LONG + 1, at + 1))
}

/** The head of a message of this length. */
export function messageHead(kind: Kind, length: number): Buffer {
  const head = Buffer.allocUnsafe(sizeOfHead(length))
  writeHead(head, 0, kind, length)
  return head
}

/** A message of text in UTF-8. */
export function textMessage(text: Uint8Array): Buffer {
  return Buffer.concat([messageHead(WHOLE_TEXT, text.length), text])
}
