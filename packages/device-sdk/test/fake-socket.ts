/**
 * A WebSocket without a network, and a device on it.
 * @module
 */
import { VirtualClock } from '@flow-service/core/testing'

import { connect, type ConnectOptions, type Device } from '../src/index.ts'

type Fields = Readonly<Record<string, unknown>>

/** A socket that says what a test says. */
export class FakeSocket {
  bufferedAmount = 0
  isClosed = false
  readonly sent: (string | Uint8Array)[] = []
  readonly #listeners: [type: string, listener: (event: never) => void][] = []

  /** The texts that were sent, as JSON. */
  get texts(): Fields[] {
    return this.sent.filter((data) => typeof data === 'string').map((text) => JSON.parse(text) as Fields)
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.push([type, listener])
  }

  send(data: string | Uint8Array): void {
    this.sent.push(data)
  }

  close(): void {
    this.isClosed = true
  }

  /** The engine sends a text. */
  say(frame: unknown): void {
    this.#tell('message', { data: typeof frame === 'string' ? frame : JSON.stringify(frame) })
  }

  /** The engine closes, or answers the upgrade with a status. */
  end(code: number, status?: number): void {
    this.#tell('close', { code, reason: '', status })
  }

  #tell(type: string, event: object): void {
    for (const [told, listener] of this.#listeners) if (told === type) listener(event as never)
  }
}

/** A binding of a port. */
export const bound = (port: string, direction: 'in' | 'out', more: Fields = {}): Fields => ({
  port,
  direction,
  message: `f.${port}`,
  dtype: direction === 'in' && port === 'camera' ? 'image' : 'any',
  interval: null,
  on_demand: false,
  flow: 'f',
  node: 'board',
  config: {},
  ...more,
})

/** A snapshot of the device `board`. */
export const snapshot = (more: Fields = {}): Fields => ({
  type: 'snapshot',
  device: 'board',
  bindings: [bound('lamp', 'out'), bound('temp', 'in'), bound('camera', 'in')],
  values: [],
  demand: [],
  uplink: 'binary',
  ...more,
})

/** A device on fake sockets, and what it told of errors. */
export class Rig {
  readonly clock = new VirtualClock(0)
  readonly sockets: FakeSocket[] = []
  readonly errors: unknown[] = []
  readonly device: Device

  constructor(options: Partial<ConnectOptions> = {}) {
    this.device = connect({
      url: 'http://hub:8000',
      credential: 'c',
      clock: this.clock,
      onError: (error) => this.errors.push(error),
      webSocket: () => {
        const socket = new FakeSocket()
        this.sockets.push(socket)
        return socket
      },
      ...options,
    })
  }

  /** The newest socket. */
  get socket(): FakeSocket {
    return this.sockets.at(-1) as FakeSocket
  }

  /** Comes online. */
  online(more: Fields = {}): this {
    this.socket.say(snapshot(more))
    return this
  }
}
