/**
 * One open socket of a device: reads what the device says, and answers it (wire decisions G45, U16).
 *
 * A socket is *open* from its making, and *ended* when it is closed by either side or a newer one has taken its place; what
 * an ended one still says is not read.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { Clock } from '@flow-service/core'
import { type DeviceErrorCode, deviceErrorCodes, devicePublishSchema, type Json } from '@flow-service/protocol'
import type { RawData, WebSocket } from 'ws'
import * as z from 'zod'

import type { EventLog } from '../../events/event-log.ts'
import { ProblemError, problemOf } from '../../http/errors.ts'
import { parseJson } from '../../http/json-text.ts'
import { closeSocket } from '../../http/upgrade.ts'
import type { Log } from '../../process/log.ts'
import type { DevicePublishing } from '../device-publishing.ts'
import { DeviceLimits, MAX_TEXT_BYTES, REST_MS } from './device-limits.ts'
import { DeviceOutlet } from './device-outlet.ts'
import { Uplink, type UplinkDeps } from './uplink.ts'

/** What a socket works with. */
export interface DeviceSocketDeps extends UplinkDeps {
  readonly publishing: DevicePublishing
  readonly eventLog: Pick<EventLog, 'report'>
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  /** Milliseconds that go on while a frame is handled, as those of the clock do not. */
  readonly stopwatch: () => number
}

/** An accepted socket and the connection below it. */
export interface DeviceConnection {
  readonly socket: WebSocket
  readonly wire: Pick<Duplex, 'on'>
}

/** A publication, as long as it is. */
type Publication = { readonly id?: string | undefined; readonly value: Json } & (
  | { readonly port: string }
  | { readonly message: string }
)

const frameSchema = z.looseObject({ type: z.string() })
const idSchema = z.object({ id: z.string().min(1).max(64) })

/** The socket of one device. */
export class DeviceSocket {
  readonly device: string
  /** The uplink that the device is told to use. */
  readonly uplink: 'binary' | 'http'
  readonly outlet: DeviceOutlet
  readonly #socket: WebSocket
  readonly #deps: DeviceSocketDeps
  readonly #limits: DeviceLimits
  readonly #pictures: Uplink
  #isEnded = false
  #isResting = false

  constructor(device: string, { socket, wire }: DeviceConnection, uplink: 'binary' | 'http', deps: DeviceSocketDeps) {
    this.device = device
    this.uplink = uplink
    this.outlet = new DeviceOutlet(socket)
    this.#socket = socket
    this.#deps = deps
    this.#limits = new DeviceLimits(() => deps.clock.now())
    this.#pictures = new Uplink(device, deps)
    wire.on('drain', () => this.outlet.drained())
    socket.on('message', (data, isBinary) => this.#take(data as Buffer, isBinary))
    socket.once('close', () => (this.#isEnded = true))
  }

  /** Closes the socket; nothing of it is read any more. */
  end(code: number, reason: string): Promise<void> {
    this.#isEnded = true
    return closeSocket(this.#socket, code, reason)
  }

  #take(data: RawData & Buffer, isBinary: boolean): void {
    if (this.#isEnded) return
    const { stopwatch } = this.#deps
    const beginMs = stopwatch()
    this.#handle(data, isBinary)
    const restMs = this.#limits.spend(stopwatch() - beginMs, data.length)
    if (restMs > 0) this.#rest(restMs)
  }

  #handle(data: Buffer, isBinary: boolean): void {
    const verdict = this.#limits.take(isBinary ? 'binary' : 'text', data.length)
    if (verdict === 'taken') {
      if (isBinary) this.#pictures.take(data)
      else this.#read(data)
      return
    }
    if (!isBinary) this.#refuse(idOf(data), 'rate_limited', 'you send faster than the engine takes it; send less')
    if (verdict === 'rest') this.#rest(REST_MS)
    this.#tellOfFlood()
  }

  #read(data: Buffer): void {
    if (data.length > MAX_TEXT_BYTES) {
      const detail = `the frame has ${data.length} bytes, at most ${MAX_TEXT_BYTES} are taken; send pictures as binary frames`
      return this.#refuse(undefined, 'payload_too_large', detail)
    }
    let value: unknown
    try {
      value = parseJson(data)
    } catch (error) {
      return this.#refuse(idOf(data), 'malformed_frame', textOf(error))
    }
    const frame = frameSchema.safeParse(value)
    if (!frame.success)
      return this.#refuse(undefined, 'malformed_frame', 'send text frames that hold a JSON object with a "type"')
    const id = idSchema.safeParse(value).data?.id
    const { type } = frame.data
    if (type !== 'publish')
      return this.#refuse(
        id,
        'unknown_frame',
        `frames of type "${type.slice(0, 100)}" are not known here; use "publish"`,
      )
    // what was parsed is JSON: to walk a long value again would take the turns of others
    const said = 'value' in frame.data ? { ...frame.data, value: null } : frame.data
    const publication = devicePublishSchema.safeParse(said)
    if (!publication.success)
      return this.#refuse(
        id,
        'malformed_frame',
        'a publication has a "port" or a "message", a "value", and an "id" of 1 to 64 characters if it is to be acknowledged',
      )
    void this.#publish({ ...publication.data, value: frame.data['value'] as Json })
  }

  async #publish(frame: Publication): Promise<void> {
    const { id, value } = frame
    const target = 'port' in frame ? { port: frame.port } : { message: frame.message }
    try {
      const published = await this.#deps.publishing.publish(this.device, target, value)
      if (id === undefined) return
      // null as soon as one of them is held back
      const times = published.map(({ ts }) => ts)
      this.outlet.send({ type: 'published', id, ts: times.includes(null) ? null : (times.at(-1) ?? null) })
    } catch (error) {
      const problem = problemOf(error, this.#deps.log)
      this.#refuse(id, codeOf(problem), textOf(problem))
    }
  }

  #refuse(id: string | undefined, code: DeviceErrorCode, detail: string): void {
    if (!this.#isEnded) this.outlet.send({ type: 'error', ...(id === undefined ? {} : { id }), code, detail })
  }

  /** Reads nothing for a while: what the device sends stays in its own buffers, and costs nobody a turn. */
  #rest(ms: number): void {
    if (this.#isResting) return
    this.#isResting = true
    this.#socket.pause()
    const cancel = this.#deps.clock.setTimer(ms, () => {
      this.#isResting = false
      this.#socket.off('close', cancel)
      this.#socket.resume()
    })
    this.#socket.once('close', cancel)
  }

  #tellOfFlood(): void {
    const refused = this.#limits.news()
    if (refused === 0) return
    const { device } = this
    this.#deps.eventLog.report({
      kind: 'device',
      level: 'warning',
      action: 'device.flood',
      detail: { device, refused },
    })
  }
}

const known: ReadonlySet<string> = new Set(deviceErrorCodes)

const codeOf = ({ code }: ProblemError): DeviceErrorCode =>
  known.has(code) ? (code as DeviceErrorCode) : 'unavailable'

/** What is wrong, with the places that a body of HTTP would have listed. */
function textOf(error: unknown): string {
  if (!(error instanceof ProblemError)) return String(error)
  const { detail, errors } = error.toProblem()
  return errors === undefined ? detail : errors.map(({ message }) => message).join('; ')
}

/** The id of a frame that is refused unread. */
function idOf(data: Buffer): string | undefined {
  if (data.length > MAX_TEXT_BYTES) return undefined
  try {
    return idSchema.safeParse(JSON.parse(data.toString('utf8'))).data?.id
  } catch {
    return undefined
  }
}
