/**
 * The sending side of one event socket: numbers the frames and bounds what a slow reader costs (wire decision G46).
 *
 * States: *flowing* (everything is sent at once), *coalescing* (more than {@link COALESCE_BYTES} wait in the socket:
 * the newest value of each message waits here instead of being sent), *closed*.
 * - E1 `seq` grows by one with each frame that is sent.
 * - E2 no value overtakes an older one of the same message: while one waits, newer ones take its place.
 * - E3 only values are ever left out; node, run, health and flow events are always sent.
 * - E4 more than {@link CLOSE_BYTES} of waiting text, in the socket and here, closes the socket with 1013; a snapshot,
 *   which may be larger than that, does not count.
 * @module
 */
import type { WebSocket } from 'ws'

import { type EventText, frameText } from './event-text.ts'

/** Bytes waiting in a socket from which on values are coalesced. */
export const COALESCE_BYTES = 1024 * 1024
/** Bytes waiting for a socket from which on it is closed. */
export const CLOSE_BYTES = 16 * 1024 * 1024
const TRY_AGAIN_LATER = 1013

/** What the reader needs of a socket. */
export type Outlet = Pick<WebSocket, 'bufferedAmount' | 'close' | 'readyState' | 'send'>

/** Sends frames to one socket. */
export class EventReader {
  readonly #socket: Outlet
  readonly #waiting = new Map<string, EventText>()
  #waitingSize = 0
  #limit = CLOSE_BYTES
  #seq = 0

  constructor(socket: Outlet) {
    this.#socket = socket
  }

  /** Sends the state that later events change. */
  snapshot(fields: object): void {
    const text = frameText('snapshot', ++this.#seq, Date.now(), fields)
    this.#limit = CLOSE_BYTES + Buffer.byteLength(text)
    this.#send(text)
  }

  /** Answers a frame of the client that is not understood. */
  error(code: string, detail: string): void {
    this.#send(frameText('error', ++this.#seq, Date.now(), { code, detail }))
  }

  /** Sends an event, or keeps the newest value of its message until the socket has drained. */
  event(text: EventText): void {
    const { event } = text
    if (event.type === 'value' && (this.#waiting.size > 0 || this.#socket.bufferedAmount > COALESCE_BYTES)) {
      this.#keep(text, event.run === null ? event.message : `${event.message} ${event.run}`)
    } else this.#number(text)
  }

  #keep(text: EventText, key: string): void {
    this.#waitingSize += text.tail.length - (this.#waiting.get(key)?.tail.length ?? 0)
    this.#waiting.set(key, text)
    this.closeIfTooSlow()
  }

  /** Sends what waits, as far as the socket takes it; runs whenever the socket has written a frame. */
  readonly #drained = (): void => {
    for (const [key, text] of this.#waiting) {
      if (this.#socket.bufferedAmount > COALESCE_BYTES) return
      this.#waiting.delete(key)
      this.#waitingSize -= text.tail.length
      this.#number(text)
    }
  }

  #number(text: EventText): void {
    this.#send(text.head + ++this.#seq + text.tail)
  }

  #send(text: string): void {
    if (this.#socket.readyState !== 1) return
    this.#socket.send(text, this.#drained)
    this.closeIfTooSlow()
  }

  /** Closes the socket when too much waits (E4); frames of the protocol itself, like pongs, count too. */
  closeIfTooSlow(): void {
    if (this.#socket.bufferedAmount + this.#waitingSize <= this.#limit) return
    this.#waiting.clear()
    this.#waitingSize = 0
    this.#socket.close(TRY_AGAIN_LATER, 'the reader is too slow')
  }
}
