/**
 * The sockets that active flows serve below `/hooks` (wire decision G69). A socket that is unmounted closes its clients
 * with 1001.
 *
 * Its secret opens a socket to anybody, to pages of any origin too: nothing of a browser, neither cookie nor sign-in, is
 * asked for. One without a secret is open to whoever reaches the engine, but not to foreign pages: a browser behind a
 * firewall would reach it on their behalf.
 * @module
 */
import {
  type Cancel,
  gatherWrites,
  type SocketListener,
  type SocketPeer,
  type SocketRoute,
} from '@flow-service/connector-sdk'
import { MAX_HOOK_BYTES, MAX_SOCKET_CLIENTS } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

import { ProblemError } from '../http/errors.ts'
import { type HomeOrigins, isFromHome } from '../http/page-origin.ts'
import type { UpgradeHandler } from '../http/upgrade.ts'
import type { IsPortal } from './portal.ts'
import { RouteTable } from './route-table.ts'

/** How long a client has to answer the close. */
const CLOSE_MS = 2000
/** The flow goes away (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001

interface Served {
  readonly serve: (peer: SocketPeer) => SocketListener
  /** Told of each client that is one too many. */
  readonly full: (clients: number) => void
  readonly isOpen: boolean
  readonly clients: Set<WebSocket>
  /** Being accepted; they count as clients. */
  opening: number
  isMounted: boolean
}

/** The served sockets of one engine. */
export class ServedSockets {
  readonly #table = new RouteTable<Served>('socket')

  /** Serves a socket; the result unmounts it. Throws when the flow has one there already. */
  register(flow: string, route: SocketRoute, serve: Served['serve'], full: Served['full']): Cancel {
    const isOpen = route.secret === null
    const served: Served = { serve, full, isOpen, clients: new Set(), opening: 0, isMounted: true }
    const unmount = this.#table.mount(flow, route, served)
    return () => {
      unmount()
      served.isMounted = false
      for (const socket of served.clients) closeSocket(socket)
    }
  }

  /** Answers upgrades below `/hooks`: an unknown path and a wrong secret alike with 404. */
  upgrade({ isPortal, home }: { readonly isPortal: IsPortal; readonly home: HomeOrigins }): UpgradeHandler {
    return async (asked) => {
      const served = this.#table.find(asked.rest, isPortal(asked.request))
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
        connect(served, socket, gatherWrites(asked.request.socket))
      } finally {
        served.opening--
      }
    }
  }
}

function connect(served: Served, socket: WebSocket, gather: () => void): void {
  if (!served.isMounted) return closeSocket(socket)
  const { clients } = served
  clients.add(socket)
  const listener = served.serve({
    get waiting() {
      return socket.bufferedAmount
    },
    send(frame, sent) {
      gather()
      socket.send(frame, { binary: false }, sent)
    },
    cut: () => socket.terminate(),
  })
  socket.on('message', (data, isBinary) => {
    if (!isBinary && served.isMounted) listener.heard((data as Buffer).toString())
  })
  socket.once('close', () => {
    clients.delete(socket)
    listener.closed()
  })
}

function closeSocket(socket: WebSocket): void {
  const cut = setTimeout(() => socket.terminate(), CLOSE_MS)
  socket.once('close', () => clearTimeout(cut))
  socket.close(GOING_AWAY, 'the flow stops')
}
