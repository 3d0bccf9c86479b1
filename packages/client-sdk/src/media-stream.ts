/**
 * Pictures and sound of messages as an async iterable (wire decision G47). Of what its reader has not taken, the newest
 * frame of each message waits: whoever is slow sees fewer, and none of them late.
 * @module
 */
import { decodeFrame, type EventFrame } from '@flow-service/protocol'

import { type EventSource, follow, type Inbox } from './event-stream.ts'

/** Bytes that a message refers to. */
export interface MediaFrame {
  /** Qualified name. */
  readonly message: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
  /** `sha256:` and 64 hexadecimal digits, as in the value of the message. */
  readonly digest: string
  /** Time of the value: ISO 8601 in UTC with microseconds. */
  readonly ts: string
}

/** The engine does not send the media that were asked for. */
export class MediaRefused extends Error {
  override readonly name = 'MediaRefused'
  /** `message_not_declared` or `too_many_names`. */
  readonly code: string
  constructor(code: string, detail: string) {
    super(detail)
    this.code = code
  }
}

/**
 * Media of up to eight messages, beginning with what they carry now, until `signal` aborts or `return()` is called.
 * Rejects as other streams of events do, and with a {@link MediaRefused}.
 */
export const mediaStream = (
  source: EventSource,
  names: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<MediaFrame, void, undefined> =>
  // the socket of no flow: it is told what it asks for
  follow(source, { flows: [], request: { type: 'media', names }, inbox: () => new MediaInbox() }, signal)

class MediaInbox implements Inbox<MediaFrame> {
  readonly #newest = new Map<string, MediaFrame>()

  hear(data: unknown): void {
    if (data instanceof ArrayBuffer) this.#keep(data)
    else if (typeof data === 'string') assertTaken(JSON.parse(data) as EventFrame)
  }

  shift(): MediaFrame | undefined {
    for (const [message, frame] of this.#newest) {
      this.#newest.delete(message)
      return frame
    }
    return undefined
  }

  #keep(data: ArrayBuffer): void {
    const frame = decodeFrame(new Uint8Array(data))
    if (typeof frame === 'string' || frame.header['type'] !== 'media') return
    const { name, media_type, digest, ts } = frame.header
    const message = String(name)
    // in the place of the one before: no message waits for another that is faster
    this.#newest.set(message, {
      message,
      bytes: new Uint8Array(data, frame.bytes.byteOffset),
      mediaType: String(media_type),
      digest: String(digest),
      ts: String(ts),
    })
  }
}

function assertTaken(frame: EventFrame): void {
  if (frame.type === 'error') throw new MediaRefused(frame.code, frame.detail)
}
