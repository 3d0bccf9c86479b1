/**
 * The sockets that active flows serve below `/hooks` (wire decision G69). A socket that is unmounted closes its clients
 * with 1001.
 *
 * Its secret opens a socket to anybody, to pages of any origin too: nothing of a browser, neither cookie nor sign-in, is
 * asked for. One without a secret is open to whoever reaches the engine, but not to foreign pages: a browser behind a
 * firewall would reach it on their behalf.
 * @module
 */
import type { Socket } from 'node:net'

import { gatherWrites, type SocketListener, type SocketPeer, type SocketRoute } from '@flow-service/connector-sdk'
import type { Mount } from '@flow-service/core'
import { MAX_HOOK_BYTES, MAX_SOCKET_CLIENTS } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

import { ProblemError } from '../http/errors.ts'
import { type HomeOrigins, isFromHome } from '../http/page-origin.ts'
import { textMessage } from '../http/socket-message.ts'
import type { PendingUpgrade, UpgradeHandler } from '../http/upgrade.ts'
import type { IsPortal } from './portal.ts'
import { RouteTable } from './route-table.ts'

/** How long a client has to answer the close. */
const CLOSE_MS = 2000
/** The flow goes away (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001
/** What a client may send while its socket is held, in characters; then it is not read any more. */
const MAX_HELD_LENGTH = 1024 * 1024

interface Served {
  readonly serve: (peer: SocketPeer) => SocketListener
  /** Told of each client that is one too many. */
  readonly full: (clients: number) => void
  readonly isOpen: boolean
  clients: Set<Client>
  /** Being accepted; they count as clients. */
  opening: number
}

/** What upgrades of served sockets take. */
export interface ServedSocketsDeps {
  readonly isPortal: IsPortal
  readonly home: HomeOrigins
  readonly elsewhere?: ConnectionsElsewhere | undefined
}

/** The way of connections to the engine that runs their flow, where engines share a database. */
export interface ConnectionsElsewhere {
  /** Passes an upgrade to a raw path below `/hooks` on; false: it is to be answered here. */
  pass(path: string, upgrade: PendingUpgrade): Promise<boolean>
}

/** The served sockets of one engine. */
export class ServedSockets {
  readonly #table = new RouteTable<Served>('socket')

  /**
   * Serves a socket, held. Throws when the flow has one there already that is not held; one that is, with an equal secret,
   * leaves its clients, which are served anew when this one is opened.
   */
  register(flow: string, route: SocketRoute, serve: Served['serve'], full: Served['full']): Mount {
    const served: Served = { serve, full, isOpen: route.secret === null, clients: new Set(), opening: 0 }
    const { mount, earlier } = this.#table.mount(flow, route, served)
    if (earlier !== null) {
      served.clients = earlier.clients
      earlier.clients = new Set()
    }
    return {
      hold() {
        mount.hold()
        for (const client of served.clients) client.hold()
      },
      open() {
        mount.open()
        for (const client of served.clients) client.serve(serve)
      },
      unmount() {
        mount.unmount()
        for (const client of served.clients) client.close()
      },
    }
  }

  /** Answers upgrades below `/hooks`: an unknown path and a wrong secret alike with 404. */
  upgrade({ isPortal, home, elsewhere }: ServedSocketsDeps): UpgradeHandler {
    return async (asked) => {
      const ofPortal = isPortal(asked.request)
      const isKnown = this.#table.find(asked.rest, ofPortal) !== undefined
      if (!isKnown && (await elsewhere?.pass(asked.rest, asked)) === true) return
      const find = (): Promise<Served | undefined> => this.#table.found(asked.rest, ofPortal)
      const served = await find()
      if (served === undefined) throw new ProblemError('not_found', 'no active flow serves a socket here')
      if (served.isOpen && !isFromHome(asked.request, home)) {
        const { origin } = asked.request.headers
        const detail = `pages of ${origin} may not open a socket without a secret: give it one, or name the origin in SERVICE_CORS_ORIGINS`
        throw new ProblemError('forbidden', detail)
      }
      if (served.clients.size + served.opening >= MAX_SOCKET_CLIENTS) {
        served.full(MAX_SOCKET_CLIENTS)
        const detail = `the socket has its ${MAX_SOCKET_CLIENTS} clients; close one, then connect again`
        throw new ProblemError('unavailable', detail, { retry_after_s: 10 })
      }
      served.opening++
      try {
        const socket = await asked.accept({ maxPayloadBytes: MAX_HOOK_BYTES, stopCode: GOING_AWAY })
        const client = new Client(socket, asked.request.socket)
        // the socket may have gone to another node meanwhile, or away
        const now = await find().catch(() => undefined)
        if (now === undefined) client.close()
        else client.join(now)
      } finally {
        served.opening--
      }
    }
  }
}

/** The message of bytes that are sent to many clients, one after the other. */
const messages = {
  last: null as { readonly text: Uint8Array; readonly message: Buffer } | null,
  of(text: Uint8Array): Buffer {
    if (this.last?.text === text) return this.last.message
    const message = textMessage(text)
    this.last = { text, message }
    // whoever sends the same bytes later may have written others into them
    queueMicrotask(() => (this.last = null))
    return message
  },
}

/** One client of a served socket. While it is held its frames wait. */
class Client {
  readonly #socket: WebSocket
  readonly #wire: Socket
  readonly #gather: () => void
  /** Null while it is held. */
  #listener: SocketListener | null = null
  readonly #frames: string[] = []
  #length = 0
  #isClosing = false

  constructor(socket: WebSocket, wire: Socket) {
    this.#socket = socket
    this.#wire = wire
    this.#gather = gatherWrites(wire)
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#hear((data as Buffer).toString())
    })
    socket.once('close', () => this.#listener?.closed())
  }

  join({ clients, serve }: Served): void {
    clients.add(this)
    this.#socket.once('close', () => clients.delete(this))
    this.serve(serve)
  }

  hold(): void {
    this.#listener = null
  }

  /** Has a node serve it, and hear what has waited. */
  serve(by: Served['serve']): void {
    const socket = this.#socket
    const [wire, gather] = [this.#wire, this.#gather]
    this.#listener = by({
      get waiting() {
        return socket.bufferedAmount
      },
      send(frame, sent) {
        gather()
        if (typeof frame === 'string' || socket.readyState !== socket.OPEN) socket.send(frame, { binary: false }, sent)
        else wire.write(messages.of(frame), sent)
      },
      cut: () => socket.terminate(),
    })
    this.#length = 0
    for (const frame of this.#frames.splice(0)) this.#listener.heard(frame)
    if (socket.isPaused) socket.resume()
  }

  close(): void {
    this.#isClosing = true
    const socket = this.#socket
    const cut = setTimeout(() => socket.terminate(), CLOSE_MS)
    socket.once('close', () => clearTimeout(cut))
    socket.close(GOING_AWAY, 'the flow stops')
  }

  #hear(frame: string): void {
    if (this.#isClosing) return
    if (this.#listener !== null) return this.#listener.heard(frame)
    this.#frames.push(frame)
    this.#length += frame.length
    if (this.#length > MAX_HELD_LENGTH) this.#socket.pause()
  }
}
