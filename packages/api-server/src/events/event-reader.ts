/**
 * The sending side of one event socket: numbers the frames and bounds what a slow reader costs (wire decisions G46, G47, V19,
 * V20). A socket that has asked for windows gets each text frame as an array of events.
 *
 * States: *flowing* (everything is sent at once, most of it as the frames that all sockets of an interest share), *waiting*
 * (more than {@link COALESCE_BYTES} wait in the socket: events wait here, as references to text and media that all sockets
 * share), *closed*.
 * - event-reader.E1 `seq` is the number of the event in the engine, and each text frame has a larger one than the frame before:
 *   an event that is sent after a later one takes the engine's next number.
 * - event-reader.E2 events are sent in their order, except that a value takes the place of an older one of its message
 *   that waits.
 * - event-reader.E3 only values are ever left out; node, run, health and flow events are always sent.
 * - event-reader.E4 more than {@link CLOSE_BYTES} in the socket and of text that waits here closes the socket with 1013; a
 *   snapshot, which may be larger than that, does not count.
 * - event-reader.E5 a value and its media are one: nothing is sent between them but what is in the same array, and they are
 *   left out together. Media are sent alone on a request only: those of what the message carries then.
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
import type { SharedFrames } from './shared-frames.ts'

/** Bytes waiting in a socket from which on values are coalesced. */
export const COALESCE_BYTES = 1024 * 1024
/** Bytes waiting for a socket from which on it is closed. */
export const CLOSE_BYTES = 16 * 1024 * 1024
/** Bytes of events that one array has at most; a snapshot, or a single event, may have more. */
export const ARRAY_BYTES = 1024 * 1024
/** Size of an event from which on sockets send the shared text as a fragment of its own instead of copying it. */
const SHARED_BYTES = 16 * 1024
/** Bytes of media waiting here from which on the socket is closed: the largest frame of each message of a request. */
const MEDIA_BYTES = MAX_MEDIA_NAMES * MAX_BINARY_FRAME_BYTES
const TRY_AGAIN_LATER = 1013

/** What the reader needs of a socket. */
export type Outlet = Pick<WebSocket, 'bufferedAmount' | 'close' | 'readyState' | 'send'>

/** How a reader sends. */
export interface EventReaderOptions {
  /** The connection below the socket. */
  readonly wire: Pick<Writable, 'write'>
  /** Takes the next number of the engine. */
  readonly next: () => number
  /** Whether each text frame is an array of events. */
  readonly batched?: boolean
}

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
  readonly #next: () => number
  readonly #batched: boolean
  #limit = CLOSE_BYTES
  #seq = -1

  constructor(socket: Outlet, { wire, next, batched = false }: EventReaderOptions) {
    this.#socket = socket
    this.#wire = wire
    this.#next = next
    this.#batched = batched
  }

  /** Sends the state that later events change; `seq` is the last number that it includes. */
  snapshot(seq: number, fields: object): void {
    const text = frameText('snapshot', this.#numbered(seq), Date.now(), fields)
    this.#limit = CLOSE_BYTES + text.length
    this.#send(this.#alone(text))
  }

  /** Answers a frame of the client that is not understood. */
  error({ code, detail }: Refusal): void {
    this.#send(this.#alone(frameText('error', this.#numbered(this.#next()), Date.now(), { code, detail })))
  }

  /** Sends the events of a window, or keeps them until the socket has drained. */
  events(items: readonly { readonly text: EventText; readonly media: Media | null }[]): void {
    if (!this.#isBehind()) return this.#tellAll(items)
    for (const { text, media } of items) this.#keep(keyOf(text) ?? ++this.#kept, { text, media })
  }

  /** Sends an event, after its media if they are asked for, or keeps both until the socket has drained. */
  event(text: EventText, media: Media | null = null): void {
    if (this.#isBehind()) this.#keep(keyOf(text) ?? ++this.#kept, { text, media })
    else this.#tell({ text, media })
  }

  /** Sends frames that other sockets get too; false, and nothing sent, where this one has to number or keep them itself. */
  shared({ bytes, first, last }: SharedFrames): boolean {
    if (first <= this.#seq || this.#isBehind()) return false
    this.#seq = last
    if (this.#socket.readyState !== 1) return true
    this.#wire.write(bytes)
    this.closeIfTooSlow()
    return true
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
    while (this.#waiting.size > 0 && this.#socket.bufferedAmount <= COALESCE_BYTES) {
      if (this.#batched) this.#tellAll(this.#takeArray())
      else for (const waiting of this.#takeFirst()) this.#tell(waiting)
    }
  }

  *#takeFirst(): Generator<Waiting> {
    for (const [key, waiting] of this.#waiting) {
      this.#take(key)
      return yield waiting
    }
  }

  /** As much of what waits as one array has. */
  #takeArray(): Waiting[] {
    const taken: Waiting[] = []
    let size = 0
    for (const [key, waiting] of this.#waiting) {
      size += (waiting.text?.tail.length ?? 0) + (waiting.media?.bytes.length ?? 0)
      if (size > ARRAY_BYTES && taken.length > 0) break
      this.#take(key)
      taken.push(waiting)
    }
    return taken
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
    this.#show(media)
    if (text) this.#number(text)
  }

  #show(media: Media | null): void {
    if (!media || this.#socket.readyState !== 1) return
    this.#wire.write(media.head)
    this.#wire.write(media.bytes)
    this.closeIfTooSlow()
  }

  /** Sends events as arrays. */
  #tellAll(items: readonly Waiting[]): void {
    let parts: FrameParts[] = []
    let size = 0
    const end = (): void => {
      if (parts.length > 0) this.#send(arrayOf(parts))
      parts = []
      size = 0
    }
    for (const { text, media } of items) {
      this.#show(media)
      if (!text) continue
      if (size > 0 && size + text.tail.length > ARRAY_BYTES) end()
      parts.push([`${text.head}${this.#numbered(text.seq)}`, text.tail])
      size += text.tail.length
    }
    end()
  }

  #numbered(seq: number): number {
    this.#seq = seq > this.#seq ? seq : this.#next()
    return this.#seq
  }

  #alone(text: Buffer): Buffer {
    return this.#batched ? arrayOf([['', text]]) : text
  }

  #number({ head, seq, tail }: EventText): void {
    if (this.#batched) return this.#tellAll([{ text: { head, seq, tail } as EventText, media: null }])
    const start = `${head}${this.#numbered(seq)}`
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

/** A frame as its beginning, in ASCII, and the rest. */
type FrameParts = readonly [string, Buffer]

/** One text of JSON, an array of frames. */
function arrayOf(frames: readonly FrameParts[]): Buffer {
  const text = Buffer.allocUnsafe(frames.reduce((size, [start, rest]) => size + start.length + rest.length + 1, 1))
  let at = 0
  for (const [start, rest] of frames) {
    at += text.write(at === 0 ? '[' : ',', at, 'latin1')
    at += text.write(start, at, 'latin1')
    at += rest.copy(text, at)
  }
  text.write(']', at, 'latin1')
  return text
}

/** What an event is coalesced by; null for what is never left out. */
function keyOf({ event }: EventText): string | null {
  if (event.type !== 'value') return null
  return event.run === null ? event.message : `${event.message} ${event.run}`
}

const refersTo = ({ event }: EventText, { digest }: Media): boolean =>
  event.type === 'value' && isArtifactRef(event.value) && event.value.digest === digest
