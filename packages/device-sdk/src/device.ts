/**
 * A device as its program uses it: what it publishes, what it follows, and what the engine wants of it.
 * @module
 */
import type { DeviceBinding, DeviceFrame, DeviceSnapshotFrame } from '@flow-service/protocol'

import { baseUrl, socketBase } from './base-url.ts'
import { type Clock, systemClock } from './clock.ts'
import { Connection } from './connection.ts'
import { DeviceError } from './device-error.ts'
import type { DeviceStatus } from './device-status.ts'
import { HttpApi } from './http-api.ts'
import { Listeners } from './listeners.ts'
import { Outbox, type Published } from './outbox.ts'
import { publicationText } from './publication.ts'
import { Reporting } from './reporting.ts'
import type { OpenWebSocket } from './socket.ts'
import { Uplink } from './uplink.ts'
import { type PortValue, Wiring } from './wiring.ts'

/** How to connect. What `pair` resolves to will do. */
export interface ConnectOptions {
  /** Where the engine answers, such as `http://hub:8000`; a path is taken for that of the API. */
  readonly url: string
  /** What pairing has brought. */
  readonly credential: string
  /** Opens the WebSocket where Node's is not to be used: behind a proxy, in a browser. */
  readonly webSocket?: OpenWebSocket
  /** Told of what belongs to no call: errors of listeners, pictures that were refused. Written to the console unless given. */
  readonly onError?: (error: unknown) => void
  readonly fetch?: typeof fetch
  readonly clock?: Clock
  /** Numbers in [0, 1), for the pauses between attempts. */
  readonly random?: () => number
}

/** Where a value comes from. */
export type ValueSource = Omit<PortValue, 'value'>

/** Connects a paired device, and keeps it connected. Throws a TypeError for a `url` that is none. */
export function connect(options: ConnectOptions): Device {
  if (options.webSocket === undefined && 'document' in globalThis) {
    throw new TypeError(
      'webSocket is not given; a page cannot send the credential of a device: open the socket in another way',
    )
  }
  return new Device(options)
}

/** A paired device. Listeners are told in the order in which they were added; each `on…` returns what ends it. */
export class Device {
  readonly #connection: Connection
  readonly #wiring = new Wiring()
  readonly #outbox: Outbox
  readonly #reporting: Reporting
  readonly #uplink: Uplink
  readonly #onError: (error: unknown) => void
  readonly #values: Listeners<PortValue>
  readonly #demands: Listeners<readonly string[]>
  readonly #rewired: Listeners<readonly DeviceBinding[]>
  readonly #statuses: Listeners<DeviceStatus>

  /** As {@link connect}. */
  constructor({ url, credential, webSocket, onError, random, ...platform }: ConnectOptions) {
    const base = baseUrl(url)
    const clock = platform.clock ?? systemClock
    const api = new HttpApi({ base, fetch: platform.fetch ?? fetch, clock })
    this.#onError = onError ?? ((error) => console.error(error))
    this.#values = new Listeners(this.#onError)
    this.#demands = new Listeners(this.#onError)
    this.#rewired = new Listeners(this.#onError)
    this.#statuses = new Listeners(this.#onError)
    this.#connection = new Connection({
      url: `${socketBase(base)}/flows/ws`,
      credential,
      clock,
      random,
      webSocket,
      onFrame: (frame) => this.#take(frame),
      onStatus: (status) => this.#turn(status),
    })
    this.#outbox = new Outbox(clock)
    this.#reporting = new Reporting({ api, credential, clock, random })
    this.#uplink = new Uplink({
      api,
      credential,
      wiring: this.#wiring,
      connection: this.#connection,
      onError: this.#onError,
    })
    this.#connection.start()
  }

  /** Id of the device; null before it has been online. */
  get id(): string | null {
    return this.#wiring.device
  }

  get status(): DeviceStatus {
    return this.#connection.status
  }

  /** How nodes of published flows wire the ports, as the engine last said. */
  get bindings(): readonly DeviceBinding[] {
    return this.#wiring.bindings
  }

  /** How many values were not sent, because more than 1,000 waited. */
  get dropped(): number {
    return this.#outbox.dropped
  }

  /**
   * Publishes a value of an `in` port to every message that the port is wired to. While the engine is away 1,000 values wait,
   * and the oldest make way. Resolves when the engine has it, and rejects with a {@link DeviceError}; nobody has to wait for it.
   */
  publish(port: string, value: unknown): Promise<Published> {
    return this.#outbox.add((id) => publicationText({ port, value, id }))
  }

  /**
   * Sends a picture of an `in` port. False when it was not sent: the engine is away, no flow takes pictures of this port,
   * nobody wants one now, or those before are still on their way. Throws a RangeError above 8 MiB, and a TypeError for a media
   * type that is none of an image.
   */
  frame(port: string, bytes: Uint8Array, mediaType: string): boolean {
    return this.status.state === 'online' && this.#uplink.send(port, bytes, mediaType)
  }

  /** Whether a value of an `in` port is wanted now: a flow takes it, and somebody looks at it if it is `on_demand`. */
  wanted(port: string): boolean {
    return this.status.state === 'online' && this.#wiring.takers(port).length > 0
  }

  /** The setting `config` that the device node of a flow has for a port; empty when it has none. */
  config(port: string): Readonly<Record<string, unknown>> {
    return this.#wiring.config(port)
  }

  /** Follows an `out` port: told the last known value at once, and every one that is new. */
  on(port: string, listener: (value: unknown, source: ValueSource) => void): () => void {
    const tell = ({ value, ...source }: PortValue): void => {
      if (source.port === port) listener(value, source)
    }
    const last = this.#wiring.last(port)
    return this.#values.add(tell, last === undefined ? [] : [last])
  }

  /** Told whenever other `on_demand` ports are wanted than before, and at once when it is known which. */
  onDemand(listener: (ports: readonly string[]) => void): () => void {
    return this.#demands.add(listener, this.id === null ? [] : [this.#wiring.demand])
  }

  /** Told whenever flows wire the device in another way, and at once when it is known how. */
  onBindings(listener: (bindings: readonly DeviceBinding[]) => void): () => void {
    return this.#rewired.add(listener, this.id === null ? [] : [this.bindings])
  }

  /** Told of every change. */
  onStatus(listener: (status: DeviceStatus) => void): () => void {
    return this.#statuses.add(listener)
  }

  /**
   * Tells the engine what the device has; a report replaces the one before. Resolves when it is stored, which waits for the
   * device to be online, and rejects with a {@link DeviceError}; nobody has to wait for it.
   */
  report(report: object): Promise<void> {
    return this.#reporting.report(report)
  }

  /** Ends it. What was not acknowledged is given up. */
  close(): void {
    this.#connection.end('closed', 'the device was closed')
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #take(frame: DeviceFrame): void {
    switch (frame.type) {
      case 'snapshot':
        return this.#takeSnapshot(frame)
      case 'value':
        this.#wiring.takeValue(frame)
        return this.#values.tell(frame)
      case 'demand':
        if (this.#wiring.takeDemand(frame.ports)) this.#demands.tell(frame.ports)
        return
      case 'published':
        return void this.#outbox.published(frame.id, frame.ts)
      case 'error': {
        const error = new DeviceError(frame.code, frame.detail)
        if (frame.id === undefined || !this.#outbox.refused(frame.id, error)) this.#onError(error)
      }
    }
  }

  #takeSnapshot(frame: DeviceSnapshotFrame): void {
    const { values, isDemandNew, areBindingsNew } = this.#wiring.take(frame)
    this.#connection.online()
    if (areBindingsNew) this.#rewired.tell(frame.bindings)
    for (const value of values) this.#values.tell(value)
    if (isDemandNew) this.#demands.tell(frame.demand)
  }

  #turn(status: DeviceStatus): void {
    if (status.state === 'online') {
      this.#outbox.open(this.#connection)
      this.#reporting.open(this.#wiring.device ?? '')
    } else {
      this.#outbox.close()
      this.#reporting.close()
    }
    this.#statuses.tell(status)
    if (status.state !== 'ended') return
    const error = new DeviceError('ended', `the device has ended: ${status.detail}`)
    this.#outbox.end(error)
    this.#reporting.end(error)
  }
}
