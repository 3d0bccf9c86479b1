/**
 * The sending side of one event socket: numbers the frames and bounds what a slow reader costs (wire decision G46).
 *
 * States: *flowing* (everything is sent at once), *waiting* (more than {@link COALESCE_BYTES} wait in the socket: events
 * wait here, as references to the text that all sockets share), *closed*.
 * - event-reader.E1 `seq` grows by one with each frame that is sent.
 * - event-reader.E2 events are sent in their order, except that a value takes the place of an older one of its message
 *   that waits.
 * - event-reader.E3 only values are ever left out; node, run, health and flow events are always sent.
 * - event-reader.E4 more than {@link CLOSE_BYTES} of waiting text, in the socket and here, closes the socket with 1013;
 *   a snapshot, which may be larger than that, does not count.
 * @module
 */
import type { WebSocket } from 'ws'

import type { Refusal } from './client-frame.ts'
import { type EventText, frameText } from './event-text.ts'

/** Bytes waiting in a socket from which on values are coalesced. */
export const COALESCE_BYTES = 1024 * 1024
/** Bytes waiting for a socket from which on it is closed. */
export const CLOSE_BYTES = 16 * 1024 * 1024
/** Size of an event from which on sockets send the shared text as a fragment of its own instead of copying it. */
const SHARED_BYTES = 16 * 1024
const TRY_AGAIN_LATER = 1013

/** What the reader needs of a socket. */
export type Outlet = Pick<WebSocket, 'bufferedAmount' | 'close' | 'readyState' | 'send'>

/** Sends frames to one socket. */
export class EventReader {
  readonly #socket: Outlet
  /** By message for values; by `seq`-like numbers of their own for what is not coalesced. */
  readonly #waiting = new Map<string | number, EventText>()
  #waitingSize = 0
  #kept = 0
  #limit = CLOSE_BYTES
  #seq = 0

  constructor(socket: Outlet) {
    this.#socket = socket
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

  /** Sends an event, or keeps it until the socket has drained. */
  event(text: EventText): void {
    if (this.#waiting.size > 0 || this.#socket.bufferedAmount > COALESCE_BYTES) this.#keep(text)
    else this.#number(text)
  }

  /** Sends what waits, as far as the socket takes it; to be called whenever the socket has written everything. */
  drained(): void {
    for (const [key, text] of this.#waiting) {
      if (this.#socket.bufferedAmount > COALESCE_BYTES) return
      this.#waiting.delete(key)
      this.#waitingSize -= text.tail.length
      this.#number(text)
    }
  }

  /** Closes the socket when too much waits (event-reader.E4); frames of the protocol itself, like pongs, count too. */
  closeIfTooSlow(): void {
    if (this.#socket.bufferedAmount + this.#waitingSize <= this.#limit) return
    this.#waiting.clear()
    this.#waitingSize = 0
    this.#socket.close(TRY_AGAIN_LATER, 'the reader is too slow')
  }

  #keep(text: EventText): void {
    if (this.#socket.readyState !== 1) return
    const key = keyOf(text) ?? ++this.#kept
    this.#waitingSize += text.tail.length - (this.#waiting.get(key)?.tail.length ?? 0)
    this.#waiting.set(key, text)
    this.closeIfTooSlow()
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
