/**
 * The sending side of one event socket: numbers the frames and bounds what a slow reader costs (wire decisions G46, G47).
 *
 * States: *flowing* (everything is sent at once), *waiting* (more than {@link COALESCE_BYTES} wait in the socket: events
 * wait here, as references to text and media that all sockets share), *closed*.
 * - event-reader.E1 `seq` grows by one with each text frame that is sent.
 * - event-reader.E2 events are sent in their order, except that a value takes the place of an older one of its message
 *   that waits.
 * - event-reader.E3 only values are ever left out; node, run, health and flow events are always sent.
 * - event-reader.E4 more than {@link CLOSE_BYTES} in the socket and of text that waits here closes the socket with 1013; a
 *   snapshot, which may be larger than that, does not count.
 * - event-reader.E5 a value and its media are one: nothing is sent between them, and they are left out together. Media
 *   are sent alone on a request only: those of what the message carries then.
 * - event-reader.E6 media that wait here are those of the newest value of each message; what no request asks for any more
 *   is let go. More than {@link MEDIA_BYTES}, which values of runs alone can make, closes the socket with 1013.
 * @module
 */
import type { Writable } from 'node:stream'

import { isArtifactRef, MAX_BINARY_FRAME_BYTES } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

import { type Refusal, MAX_MEDIA_NAMES } from './client-frame.ts'
import { type EventText, frameText } from './event-text.ts'
import type { Media } from './media.ts'

/** Bytes waiting in a socket from which on values are coalesced. */
export const COALESCE_BYTES = 1024 * 1024
/** Bytes waiting for a socket from which on it is closed. */
export const CLOSE_BYTES = 16 * 1024 * 1024
/** Size of an event from which on sockets send the shared text as a fragment of its own instead of copying it. */
const SHARED_BYTES = 16 * 1024
/** Bytes of media waiting here from which on the socket is closed: the largest frame of each message of a request. */
const MEDIA_BYTES = MAX_MEDIA_NAMES * MAX_BINARY_FRAME_BYTES
const TRY_AGAIN_LATER = 1013

/** What the reader needs of a socket. */
export type Outlet = Pick<WebSocket, 'bufferedAmount' | 'close' | 'readyState' | 'send'>

/** A value with its media, another event, or media alone. */
type Waiting =
  | { readonly text: EventText; readonly media: Media | null }
  | { readonly text: null; readonly media: Media }

/** Sends frames to one socket. */
export class EventReader {
  readonly #socket: Outlet
  readonly #wire: Pick<Writable, 'write'>
  /** By message for values and media; by `seq`-like numbers of their own for what is not coalesced. */
  readonly #waiting = new Map<string | number, Waiting>()
  #waitingText = 0
  #waitingMedia = 0
  #kept = 0
  #limit = CLOSE_BYTES
  #seq = 0

  /** `wire` is the connection below the socket. */
  constructor(socket: Outlet, wire: Pick<Writable, 'write'>) {
    this.#socket = socket
    this.#wire = wire
  }

  /** Sends the state that later events change. */
  snapshot(fields: object): void {
    const text = frameText('snapshot', ++this.#seq, Date.now(), fields)
    this.#limit = CLOSE_BYTES + text.length
    this.#send(text)
  }

  /** Answers a frame of the client that is not understood. */
  error({ code, detail }: Refusal): void {
    this.#send(frameText('error', ++this.#seq, Date.now(), { code, detail }))
  }

  /** Sends an event, after its media if they are asked for, or keeps both until the socket has drained. */
  event(text: EventText, media: Media | null = null): void {
    if (this.#isBehind()) this.#keep(keyOf(text) ?? ++this.#kept, { text, media })
    else this.#tell({ text, media })
  }

  /** Sends the media of what a message carries, or keeps them; another value that waits brings its own (event-reader.E5). */
  media(media: Media): void {
    if (!this.#isBehind()) {
      this.#tell({ text: null, media })
      return
    }
    const text = this.#waiting.get(media.name)?.text ?? null
    if (text === null || refersTo(text, media)) this.#keep(media.name, { text, media })
  }

  /** Lets go of media that wait and are not among these messages (event-reader.E6). */
  wants(names: ReadonlySet<string>): void {
    for (const [key, { text, media }] of this.#waiting) {
      if (media === null || names.has(media.name)) continue
      if (text === null) this.#take(key)
      else this.#put(key, { text, media: null })
    }
  }

  /** Sends what waits, as far as the socket takes it; to be called whenever the socket has written everything. */
  drained(): void {
    for (const [key, waiting] of this.#waiting) {
      if (this.#socket.bufferedAmount > COALESCE_BYTES) return
      this.#take(key)
      this.#tell(waiting)
    }
  }

  /** Closes the socket when too much waits (event-reader.E4, event-reader.E6); frames of the protocol itself, like pongs, count too. */
  closeIfTooSlow(): void {
    const isBounded = this.#socket.bufferedAmount + this.#waitingText <= this.#limit
    if (isBounded && this.#waitingMedia <= MEDIA_BYTES) return
    for (const key of this.#waiting.keys()) this.#take(key)
    this.#socket.close(TRY_AGAIN_LATER, 'the reader is too slow')
  }

  #isBehind(): boolean {
    return this.#waiting.size > 0 || this.#socket.bufferedAmount > COALESCE_BYTES
  }

  #keep(key: string | number, waiting: Waiting): void {
    if (this.#socket.readyState !== 1) return
    this.#put(key, waiting)
    this.closeIfTooSlow()
  }

  #put(key: string | number, waiting: Waiting): void {
    this.#count(this.#waiting.get(key), -1)
    this.#count(waiting, 1)
    this.#waiting.set(key, waiting)
  }

  #take(key: string | number): void {
    this.#count(this.#waiting.get(key), -1)
    this.#waiting.delete(key)
  }

  #count(waiting: Waiting | undefined, sign: 1 | -1): void {
    this.#waitingText += sign * (waiting?.text?.tail.length ?? 0)
    this.#waitingMedia += sign * (waiting?.media?.bytes.length ?? 0)
  }

  #tell({ text, media }: Waiting): void {
    if (media && this.#socket.readyState === 1) {
      this.#wire.write(media.head)
      this.#wire.write(media.bytes)
      this.closeIfTooSlow()
    }
    if (text) this.#number(text)
  }

  #number({ head, tail }: EventText): void {
    const start = `${head}${++this.#seq}`
    if (tail.length >= SHARED_BYTES) {
      this.#send(Buffer.from(start), tail)
      return
    }
    const frame = Buffer.allocUnsafe(start.length + tail.length)
    frame.write(start, 'latin1')
    tail.copy(frame, start.length)
    this.#send(frame)
  }

  /** Sends a message, as two fragments (RFC 6455, 5.4) when it comes in two parts. */
  #send(text: Buffer, rest?: Buffer): void {
    if (this.#socket.readyState !== 1) return
    if (rest) this.#socket.send(text, { binary: false, fin: false })
    this.#socket.send(rest ?? text, WHOLE)
    this.closeIfTooSlow()
  }
}

const WHOLE = { binary: false, fin: true } as const

/** What an event is coalesced by; null for what is never left out. */
function keyOf({ event }: EventText): string | null {
  if (event.type !== 'value') return null
  return event.run === null ? event.message : `${event.message} ${event.run}`
}

const refersTo = ({ event }: EventText, { digest }: Media): boolean =>
  event.type === 'value' && isArtifactRef(event.value) && event.value.digest === digest
