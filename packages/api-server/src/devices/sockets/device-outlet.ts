/**
 * The sending side of the socket of a device.
 *
 * States: *flowing* (everything is sent at once), *waiting* (more than {@link COALESCE_BYTES} wait in the connection: values
 * wait here), *closed*.
 * - device-outlet.O1 values of a port are sent in their order; while they wait, a value takes the place of an older one of its port
 *   and message, so that what waits is bounded by the wiring.
 * - device-outlet.O2 a snapshot has the newest of everything: what waited is dropped.
 * - device-outlet.O3 more than {@link CLOSE_BYTES} in the connection closes it with 1013.
 * @module
 */
import type { DeviceFrame } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

/** Bytes waiting in a connection from which on values wait here. */
const COALESCE_BYTES = 256 * 1024
/** Bytes waiting in a connection from which on it is closed. */
const CLOSE_BYTES = 16 * 1024 * 1024
const TRY_AGAIN_LATER = 1013

/** What the outlet needs of a socket. */
export type Outlet = Pick<WebSocket, 'bufferedAmount' | 'close' | 'OPEN' | 'readyState' | 'send'>

/** Sends text frames to one device. */
export class DeviceOutlet {
  readonly #socket: Outlet
  /** Values by message and port. */
  readonly #waiting = new Map<string, string>()

  constructor(socket: Outlet) {
    this.#socket = socket
  }

  /** Sends a frame that is no value. */
  send(frame: Exclude<DeviceFrame, { type: 'value' }>): void {
    if (frame.type === 'snapshot') this.#waiting.clear()
    this.#send(JSON.stringify(frame))
  }

  /** Sends the text of a value frame, or keeps it until the connection has drained. */
  value(key: string, text: string): void {
    if (this.#waiting.size === 0 && this.#socket.bufferedAmount <= COALESCE_BYTES) this.#send(text)
    else if (this.#isOpen) this.#waiting.set(key, text)
  }

  /** Sends what waits, as far as the connection takes it; to be called whenever that has written everything. */
  drained(): void {
    for (const [key, text] of this.#waiting) {
      if (this.#socket.bufferedAmount > COALESCE_BYTES) return
      this.#waiting.delete(key)
      this.#send(text)
    }
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  #send(text: string): void {
    if (!this.#isOpen) return
    this.#socket.send(text)
    if (this.#socket.bufferedAmount > CLOSE_BYTES) this.#socket.close(TRY_AGAIN_LATER, 'the device is too slow')
  }
}
