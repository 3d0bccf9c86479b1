/**
 * The open sockets of devices at this engine, on `/flows/ws`: what each is told (wire decision G45), and which one of a
 * device counts. Every accepted upgrade of a device comes here, and so do values, publications of flows, and wishes.
 *
 * - device-sockets.S1 a device has one socket: a newer one, also at another engine of the database, closes the older with
 *   4000. It is closed once the engine knows that the device is connected to the other one, so that nobody is told in
 *   between that it has gone.
 * - device-sockets.S2 the first frame is the snapshot. A publication of a flow that wires the device, or has done so, sends
 *   another one, and values of the new wiring follow it.
 * - device-sockets.S3 a device is told of its own ports alone.
 * @module
 */
import type { Clock } from '@flow-service/core'
import { IntervalGate } from '@flow-service/core'
import { accepts, type DeviceBinding, type DeviceSnapshotFrame, type Dtype, timestampOf } from '@flow-service/protocol'

import type { Database } from '../../db/database.ts'
import type { DevicePrincipal } from '../../http/principal.ts'
import type { SocketGuests } from '../../http/socket-guests.ts'
import type { CurrentValues } from '../../messages/current-values.ts'
import type { LastValues } from '../../messages/last-values.ts'
import type { FarMessages } from '../../messages/messages.ts'
import { newId } from '../../process/new-id.ts'
import type { DevicePresence } from '../device-presence.ts'
import type { DeviceWiring } from '../device-wiring.ts'
import type { SharedPresence } from '../shared-presence.ts'
import { Demand, type DemandDeps } from './demand.ts'
import { type DeviceConnection, DeviceSocket, type DeviceSocketDeps } from './device-socket.ts'

/** What the sockets need of the engine. */
export interface DeviceSocketsDeps extends DeviceSocketDeps {
  readonly wiring: DeviceWiring
  readonly values: Pick<CurrentValues, 'get'>
  readonly lastValues: Pick<LastValues, 'subscribe'>
  /** Has values come here that flows of other engines publish; left out where there is one engine alone. */
  readonly far?: FarMessages | null
  readonly presence: Pick<DevicePresence, 'heard' | 'opened'>
  /** Presence over the engines of the database; null for an engine that is alone. */
  readonly shared: Pick<SharedPresence, 'heard' | 'written'> | null
  readonly guests: Pick<SocketGuests, 'admit'>
  readonly viewed: DemandDeps['viewed']
  readonly database: Pick<Database, 'notify'>
  readonly clock: Clock
}

/** A socket, and how flows wire its device. */
interface Session {
  readonly socket: DeviceSocket
  /** Grows with time, over all engines. */
  readonly id: string
  bindings: readonly DeviceBinding[]
  /** The last `demand` that the device was told. */
  demand: readonly string[]
  followers: readonly Follower[]
}

/** A port that follows a message. */
interface Follower {
  readonly session: Session
  readonly message: string
  readonly port: string
  /** Values of another dtype are none for the device: the message may take more than its port. */
  readonly dtype: Dtype
  /** Null for a port without an interval. */
  readonly gate: IntervalGate<string> | null
}

/** Notices of devices that have connected: `<device> <session>`. */
export const CONNECTED = 'device_connected'
const REPLACED = 4000

/** The sockets of devices. */
export class DeviceSockets {
  readonly #deps: DeviceSocketsDeps
  readonly #sessions = new Map<string, Session>()
  readonly #followers = new Map<string, Follower[]>()
  readonly #demand: Demand
  /** Ends the subscription to values, which costs something while nobody follows any. */
  #unsubscribe: (() => void) | null = null
  /** Flows that were published since sockets were told. */
  readonly #published = new Set<string>()

  constructor(deps: DeviceSocketsDeps) {
    this.#deps = deps
    const { clock, viewed, wiring } = deps
    const isRead = (message: string): boolean => wiring.isRead(message)
    this.#demand = new Demand({ viewed, isRead, clock, onChange: () => this.#tellDemand() })
  }

  /** Follows what is published and who reads, until the result is called. */
  follow(): () => void {
    const { wiring } = this.#deps
    const ends = [wiring.onPublished((flow) => this.#note(flow)), wiring.onReaders(() => this.#demand.review())]
    return () => {
      for (const end of ends) end()
      this.#demand.close()
    }
  }

  /** Serves an accepted socket; an older one of the device is closed. */
  serve(connection: DeviceConnection, { id: device, credential }: DevicePrincipal, uplink: 'binary' | 'http'): void {
    if (!this.#deps.guests.admit({ id: credential, version: 0 }, connection.socket)) return
    const socket = new DeviceSocket(device, connection, uplink, this.#deps)
    const session: Session = { socket, id: newId(), bindings: [], demand: [], followers: [] }
    const { presence } = this.#deps
    const leave = presence.opened(device)
    connection.socket.on('message', () => presence.heard(device))
    connection.socket.once('close', () => {
      leave()
      this.#forget(session)
    })
    this.#replace(device, session.id)
    this.#sessions.set(device, session)
    this.#wire([session])
    this.#announce(device, session.id).catch((error: unknown) =>
      this.#deps.log.error({ err: error, device }, 'other engines do not know of a device'),
    )
  }

  /** A device has connected to some engine, as a notice tells. */
  async heard(notice: string): Promise<void> {
    const [device = '', session = ''] = notice.split(' ')
    if (!this.#sessions.has(device)) return
    await this.#deps.shared?.heard()
    this.#replace(device, session)
  }

  async #announce(device: string, session: string): Promise<void> {
    await this.#deps.shared?.written()
    await this.#deps.database.notify(CONNECTED, `${device} ${session}`)
  }

  #replace(device: string, by: string): void {
    const session = this.#sessions.get(device)
    if (session === undefined || session.id >= by) return
    this.#forget(session)
    void session.socket.end(REPLACED, 'a newer socket of the device has taken over')
  }

  /** Looks at who wants what, because viewers have changed. */
  reviewDemand(): void {
    this.#demand.review()
  }

  /** How many are open. */
  count(): number {
    return this.#sessions.size
  }

  #tell(message: string, value: unknown, us: number): void {
    const followers = this.#followers.get(message)
    if (followers === undefined) return
    let port: string | null = null
    let text = ''
    for (const follower of followers) {
      if (!accepts(follower.dtype, value)) continue
      // many devices name a port alike
      if (follower.port !== port) {
        port = follower.port
        text = JSON.stringify({ type: 'value', message, port, value, ts: timestampOf(us) })
      }
      if (follower.gate === null) send(follower, text)
      else follower.gate.offer(text)
    }
  }

  /** Keeps that a flow was published until all that is done in this turn is over: a renaming is one change. */
  #note(flow: string): void {
    if (this.#published.size === 0) queueMicrotask(() => this.#rewire())
    this.#published.add(flow)
  }

  #rewire(): void {
    const flows = new Set(this.#published)
    this.#published.clear()
    const isConcerned = (bindings: readonly DeviceBinding[]): boolean => bindings.some(({ flow }) => flows.has(flow))
    const { wiring } = this.#deps
    this.#wire(
      [...this.#sessions.values()].filter(
        ({ bindings, socket }) => isConcerned(bindings) || isConcerned(wiring.of(socket.device)),
      ),
    )
  }

  /** Has sessions follow what flows wire now, and sends each its snapshot. */
  #wire(sessions: readonly Session[]): void {
    for (const session of sessions) {
      this.#unfollow(session)
      session.bindings = this.#deps.wiring.of(session.socket.device)
    }
    this.#watchDemand()
    for (const session of sessions) {
      session.demand = this.#demandOf(session)
      session.socket.outlet.send(this.#snapshotOf(session))
      this.#follow(session)
    }
  }

  #follow(session: Session): void {
    const { clock } = this.#deps
    session.followers = session.bindings.flatMap(({ direction, dtype, message, port, interval }): Follower[] => {
      if (direction === 'in') return []
      const pass = (text: string): void => send(follower, text)
      const gate = interval === null || interval <= 0 ? null : new IntervalGate(clock, interval * 1000, pass)
      const follower: Follower = { session, message, port, dtype, gate }
      return [follower]
    })
    for (const follower of session.followers) {
      const others = this.#followers.get(follower.message) ?? []
      // beside those of the same port, for which the text is the same
      const at = others.findLastIndex(({ port }) => port === follower.port)
      this.#followers.set(follower.message, others.toSpliced(at < 0 ? others.length : at + 1, 0, follower))
    }
    this.#deps.far?.watch([...this.#followers.keys()])
    if (this.#followers.size > 0)
      this.#unsubscribe ??= this.#deps.lastValues.subscribe((...value) => this.#tell(...value))
  }

  #unfollow(session: Session): void {
    for (const { gate, message } of session.followers) {
      gate?.close()
      const rest = this.#followers.get(message)?.filter((follower) => follower.session !== session) ?? []
      if (rest.length === 0) this.#followers.delete(message)
      else this.#followers.set(message, rest)
    }
    session.followers = []
    this.#deps.far?.watch([...this.#followers.keys()])
    if (this.#followers.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = null
  }

  #forget(session: Session): void {
    const { device } = session.socket
    if (this.#sessions.get(device) !== session) return
    this.#sessions.delete(device)
    this.#unfollow(session)
    this.#watchDemand()
  }

  #snapshotOf({ bindings, demand, socket: { device, uplink } }: Session): DeviceSnapshotFrame {
    const values = bindings.flatMap(({ direction, dtype, message, port }) => {
      const current = direction === 'out' ? this.#deps.values.get(message) : undefined
      if (current === undefined || !accepts(dtype, current.value)) return []
      return [{ message, port, value: current.value as DeviceSnapshotFrame['values'][number]['value'], ts: current.ts }]
    })
    return { type: 'snapshot', device, bindings: [...bindings], values, demand: [...demand], uplink }
  }

  #watchDemand(): void {
    const bindings = [...this.#sessions.values()].flatMap((session) => session.bindings)
    this.#demand.watch(new Set(bindings.filter(isOnDemand).map(({ message }) => message)))
  }

  #demandOf({ bindings }: Session): string[] {
    const wanted = bindings.filter((binding) => isOnDemand(binding) && this.#demand.wants(binding.message))
    return [...new Set(wanted.map(({ port }) => port))].toSorted()
  }

  #tellDemand(): void {
    for (const session of this.#sessions.values()) {
      const ports = this.#demandOf(session)
      if (ports.join('/') === session.demand.join('/')) continue
      session.demand = ports
      session.socket.outlet.send({ type: 'demand', ports })
    }
  }
}

const isOnDemand = ({ direction, on_demand }: DeviceBinding): boolean => direction === 'in' && on_demand

const send = ({ session, message, port }: Follower, text: string): void =>
  session.socket.outlet.value(`${message}/${port}`, text)
