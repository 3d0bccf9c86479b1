/**
 * The connection of a device: one socket at a time, opened again for as long as the engine may take it (wire decision U18).
 *
 * - connection.C1 a device is online from the first snapshot of a socket to its end; an attempt without one is given up after
 *   a minute.
 * - connection.C2 close codes 4000 and 1008, and the statuses 401 and 403, end it; all else is followed by another attempt.
 * - connection.C3 a socket on which nothing arrives for 75 s is given up. The engine pings every 30 s.
 * - connection.C4 a status is told when the next attempt is set, so that whoever is told may close the device.
 * @module
 */
import type { DeviceFrame } from '@flow-service/protocol'

import { Backoff } from './backoff.ts'
import type { Clock } from './clock.ts'
import type { DeviceStatus, EndReason } from './device-status.ts'
import { incomingFrame } from './incoming-frame.ts'
import { type DeviceSocket, openSocket, type OpenWebSocket, type SocketEnd } from './socket.ts'

const SNAPSHOT_MS = 60_000
const SILENCE_MS = 75_000
const UNPAIRED = 1008
const REPLACED = 4000

/** What a connection needs. */
export interface ConnectionDeps {
  /** Of the socket. */
  readonly url: string
  readonly credential: string
  readonly clock: Clock
  readonly random: (() => number) | undefined
  readonly webSocket: OpenWebSocket | undefined
  /** A frame of the engine. */
  readonly onFrame: (frame: DeviceFrame) => void
  readonly onStatus: (status: DeviceStatus) => void
}

/** The connection of a device; {@link start} begins it. */
export class Connection {
  readonly #deps: ConnectionDeps
  readonly #backoff: Backoff
  #status: DeviceStatus = { state: 'connecting' }
  #socket: DeviceSocket | null = null
  /** Ends the timer of the present state: of the snapshot, of silence, or of the pause. */
  #cancel: () => void = () => {}

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
    this.#backoff = new Backoff(deps.random)
  }

  get status(): DeviceStatus {
    return this.#status
  }

  /** Bytes that wait to be sent. */
  get unsent(): number {
    return this.#socket?.unsent ?? 0
  }

  /** Makes the first attempt. Throws what the WebSocket of the user throws. */
  start(): void {
    const { url, credential, clock, webSocket } = this.#deps
    let socket: DeviceSocket | null = null
    const events = {
      text: (text: string) => this.#take(text),
      closed: (end: SocketEnd) => {
        if (this.#socket === socket) this.#closed(end)
      },
    }
    socket = openSocket({ url, credential, webSocket, clock, events })
    this.#socket = socket
    this.#cancel = clock.setTimer(SNAPSHOT_MS, () => socket.drop())
  }

  /** Sends, while the device is online. */
  send(data: string | Uint8Array): void {
    if (this.#status.state === 'online') this.#socket?.send(data)
  }

  /** A snapshot has arrived (connection.C1). */
  online(): void {
    if (this.#status.state === 'online' || this.#socket === null) return
    this.#backoff.reset()
    this.#cancel()
    this.#watch(this.#socket, this.#deps.clock.now())
    this.#tell({ state: 'online' })
  }

  /** Ends it; the status is told unless it has ended before. */
  end(reason: EndReason, detail: string): void {
    if (this.#status.state === 'ended') return
    const socket = this.#socket
    this.#socket = null
    this.#cancel()
    socket?.close()
    this.#tell({ state: 'ended', reason, detail })
  }

  #take(text: string): void {
    const frame = incomingFrame(text)
    if (frame !== null && this.#socket !== null) this.#deps.onFrame(frame)
  }

  #closed(end: SocketEnd): void {
    this.#socket = null
    this.#cancel()
    const detail = detailOf(end)
    const reason = reasonOf(end)
    if (reason !== null) this.#tell({ state: 'ended', reason, detail })
    else this.#retry(detail)
  }

  #retry(detail: string): void {
    const retryInMs = this.#backoff.next()
    this.#cancel = this.#deps.clock.setTimer(retryInMs, () => this.#again())
    this.#tell({ state: 'offline', detail, retryInMs })
  }

  #again(): void {
    try {
      this.start()
    } catch (error) {
      this.#retry(error instanceof Error ? error.message : String(error))
    }
  }

  /** Gives up a socket on which nothing has arrived since `sinceMs` (connection.C3). */
  #watch(socket: DeviceSocket, sinceMs: number): void {
    const { clock } = this.#deps
    this.#cancel = clock.setTimer(sinceMs + SILENCE_MS - clock.now(), () => {
      const heardMs = socket.heardMs ?? clock.now()
      if (heardMs > sinceMs) this.#watch(socket, heardMs)
      else socket.drop()
    })
  }

  #tell(status: DeviceStatus): void {
    this.#status = status
    this.#deps.onStatus(status)
  }
}

function reasonOf(end: SocketEnd): EndReason | null {
  if (end.kind === 'refused') return end.status === 401 || end.status === 403 ? 'refused' : null
  if (end.code === REPLACED) return 'replaced'
  return end.code === UNPAIRED ? 'unpaired' : null
}

function detailOf(end: SocketEnd): string {
  if (end.kind === 'refused') return `the engine answers with HTTP status ${end.status}`
  if (end.code === 1006) return 'the connection broke'
  return `the engine closed the connection (${end.code}${end.reason === '' ? '' : `, ${end.reason}`})`
}
