/**
 * Bytes of messages on their way to sockets (wire decision G47). Many sockets get the same frame: its head is made once,
 * and the bytes are those that the ring of volatile artifacts holds.
 *
 * The head begins with that of the WebSocket message (RFC 6455, 5.2), and both parts are written to the connection as they
 * are. The library would send them as two fragments, which each viewer has to put together again.
 * @module
 */
import { frameHead, isArtifactRef, MAX_BINARY_FRAME_BYTES } from '@flow-service/protocol'

import { messageHead, WHOLE_BINARY } from '../http/socket-message.ts'

/** A binary frame in two parts, which all sockets share. */
export interface Media {
  /** Qualified name of the message. */
  readonly name: string
  readonly digest: string
  /** Up to the first of the bytes, for a message without a mask. */
  readonly head: Buffer
  readonly bytes: Buffer
}

/** Finds the volatile bytes of a digest, which nobody writes to. */
export type FindFrame = (digest: string) => { readonly data: Uint8Array; readonly mediaType: string } | undefined

/** A value with the time that its frame names. */
interface ToldValue {
  readonly message: string
  readonly value: unknown
  /** ISO 8601. */
  readonly ts: string
}

/** The frame of a value that refers to volatile bytes; null for any other, for bytes that are gone, and for too many. */
export function mediaOf({ message, value, ts }: ToldValue, find: FindFrame): Media | null {
  const frame = isArtifactRef(value) && value.volatile ? find(value.digest) : undefined
  if (!frame || !isArtifactRef(value)) return null
  const { digest } = value
  const head = frameHead({ type: 'media', name: message, digest, media_type: frame.mediaType, ts })
  const length = head.length + frame.data.length
  if (length > MAX_BINARY_FRAME_BYTES) return null
  return {
    name: message,
    digest,
    head: Buffer.concat([messageHead(WHOLE_BINARY, length), head]),
    bytes: bufferOf(frame.data),
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)
