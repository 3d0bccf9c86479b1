/**
 * WebSocket upgrades: the one place where a socket is accepted, and the router that decides who gets it.
 *
 * An upgrade does not pass through Express. Everything that can be refused is refused as a plain HTTP answer before
 * the upgrade. A raw or accepted socket always has an `error` listener: without one, a single invalid frame would end
 * the process.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { type WebSocket, WebSocketServer } from 'ws'

import type { Log } from '../process/log.ts'
import { checkHost } from './address.ts'
import { headersOf, ProblemError, problemOf } from './errors.ts'

/** An upgrade to which nothing was answered. */
export interface PendingUpgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** What came behind the request. */
  readonly head: Buffer
}

/** A socket that asks to be accepted. */
export interface Upgrade extends PendingUpgrade {
  /** What follows the prefix of a `/*` route, as sent, without its leading slash; `''` on an exact route. */
  readonly rest: string
  readonly query: URLSearchParams
  accept(options: AcceptOptions): Promise<WebSocket>
}

/** How a handshake is completed. */
interface AcceptOptions {
  /** Bounds a message from the peer; a longer one closes with 1009. */
  readonly maxPayloadBytes: number
  /**
   * With what the socket is closed when the engine stops; 1012 (service restart) by default. Null leaves it open then:
   * whoever accepts it closes it.
   */
  readonly stopCode?: number | null
}

/**
 * Authenticates, then accepts, or passes the connection on to somebody else; what it throws before is the HTTP answer,
 * afterwards the socket closes with 1011.
 */
export type UpgradeHandler = (upgrade: Upgrade) => Promise<void>

export interface UpgradeRouter {
  /** Adds a route below the mount: an exact path, or a prefix ending in `/*`. */
  route(path: `/${string}`, handler: UpgradeHandler): void
  /** Connections that were upgraded, or are about to be. */
  readonly connections: number
  /** Handles the upgrades of a server below `mount` (`''` is the root); the result stops that. */
  attach(server: Server, mount?: string): () => void
  /** Closes every accepted socket with its stop code, if it has one; those that would have one are refused from now on. */
  close(): Promise<void>
}

export interface UpgradeOptions {
  readonly log: Pick<Log, 'error'>
  /** How often a silent peer is asked, and how long it has to answer; 30 seconds by default. */
  readonly pingMs?: number
  /** The machine's timers unless given; the result cancels. */
  readonly setTimer?: SetTimer
}

type SetTimer = (delayMs: number, run: () => void) => () => void

const CLOSE_MS = 2000
/** Why a socket is closed when the engine stops. */
export const STOPPING = 'the engine stops'
export const SERVICE_RESTART = 1012

/** A router without routes. */
export function createUpgradeRouter({ log, pingMs = 30_000, setTimer = timer }: UpgradeOptions): UpgradeRouter {
  const routes = new Map<string, UpgradeHandler>()
  /** The accepted sockets with their stop codes. */
  const sockets = new Map<WebSocket, number>()
  const connections = new Set<Duplex>()
  let isClosed = false

  const accept = async (pending: PendingUpgrade, { maxPayloadBytes, stopCode }: AcceptOptions): Promise<WebSocket> => {
    // whoever was being looked at when the router closed would be left with a socket that nobody closes
    if (isClosed && stopCode !== null) throw new ProblemError('unavailable', STOPPING, { retry_after_s: 1 })
    const socket = await acceptSocket(pending, maxPayloadBytes)
    keepAlive({ socket, wire: pending.request.socket }, pingMs, setTimer)
    if (stopCode !== null) sockets.set(socket, stopCode ?? SERVICE_RESTART)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  const handle = async (pending: PendingUpgrade, path: string, query: string): Promise<void> => {
    let accepted: WebSocket | undefined
    try {
      checkHost(pending.request)
      const found = find(routes, path)
      if (!found) throw new ProblemError('not_found', `there is no socket at ${path}`)
      const [handler, rest] = found
      await handler({
        ...pending,
        rest,
        query: new URLSearchParams(query),
        accept: async (options) => (accepted = await accept(pending, options)),
      })
    } catch (error) {
      const problem = problemOf(error, log)
      if (accepted) accepted.close(1011, problem.code)
      else refuse(pending.socket, problem)
    }
  }

  return {
    get connections() {
      return connections.size
    },
    route(path, handler) {
      if (routes.has(path)) throw new Error(`the socket route ${path} exists already`)
      routes.set(path, handler)
    },
    attach(server, mount = '') {
      const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const [path = '', query = ''] = (request.url ?? '').split('?', 2)
        const below = path.startsWith(`${mount}/`) ? path.slice(mount.length) : null
        // what is not ours belongs to another listener of the host; alone, nobody else would ever answer
        const ours = below !== null && (mount !== '' || find(routes, below) !== null)
        if (!ours && server.listenerCount('upgrade') > 1) return
        socket.on('error', () => undefined)
        connections.add(socket)
        socket.once('close', () => connections.delete(socket))
        void handle({ request, socket, head }, below ?? path, query)
      }
      server.on('upgrade', listener)
      return () => server.off('upgrade', listener)
    },
    async close() {
      isClosed = true
      await Promise.all([...sockets].map(([socket, code]) => closeSocket(socket, code, STOPPING)))
    },
  }
}

function find(routes: ReadonlyMap<string, UpgradeHandler>, path: string): [UpgradeHandler, string] | null {
  const exact = routes.get(path.length > 1 ? path.replace(/\/$/, '') : path)
  if (exact) return [exact, '']
  for (const [route, handler] of routes) {
    const prefix = route.endsWith('/*') ? route.slice(0, -1) : null
    if (prefix !== null && path.startsWith(prefix)) return [handler, path.slice(prefix.length)]
  }
  return null
}

/**
 * Completes a WebSocket handshake (RFC 6455) without compression, whose memory a peer could drive up. The socket has
 * an error listener. Refuses a broken handshake with `bad_request`.
 */
function acceptSocket({ request, socket, head }: PendingUpgrade, maxPayload: number): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload,
    })
    const onClose = () => reject(new ProblemError('bad_request', 'the connection closed before the handshake'))
    if (socket.destroyed) return onClose()
    socket.once('close', onClose)
    server.on('wsClientError', (error) =>
      reject(new ProblemError('bad_request', `the handshake fails: ${error.message}`)),
    )
    server.handleUpgrade(request, socket, head, (accepted) => {
      // the library closes a socket after its error; the close event is what everyone acts on
      accepted.on('error', () => undefined)
      resolve(accepted)
    })
  })
}

/**
 * Asks a peer for a sign of life, and cuts one of which no byte has come `pingMs` later; not while the engine reads nothing
 * of it.
 */
function keepAlive(
  { socket, wire }: { readonly socket: WebSocket; readonly wire: Pick<Socket, 'bytesRead'> },
  pingMs: number,
  setTimer: SetTimer,
): void {
  let read: number | null = null
  const check = (): void => {
    // a long message on a slow line is a sign before it is a message
    if (wire.bytesRead === read && !socket.isPaused) return socket.terminate()
    read = wire.bytesRead
    socket.ping()
    cancel = setTimer(pingMs, check)
  }
  let cancel = setTimer(pingMs, check)
  socket.once('close', () => cancel())
}

const timer: SetTimer = (delayMs, run) => {
  const handle = setTimeout(run, delayMs).unref()
  return () => clearTimeout(handle)
}

/** Closes an open socket; a peer that does not answer is cut after 2 seconds. */
export function closeSocket(
  socket: Pick<WebSocket, 'close' | 'once' | 'terminate'>,
  code: number,
  reason: string,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => socket.terminate(), CLOSE_MS)
    socket.once('close', () => {
      clearTimeout(cut)
      resolve()
    })
    socket.close(code, reason)
  })
}

/** A refusal in place of the handshake, as an HTTP/1.1 answer that ends the connection. */
function refuse(socket: Duplex, problem: ProblemError): void {
  const body = JSON.stringify(problem.toProblem())
  const headers = {
    connection: 'close',
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    ...headersOf(problem),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${problem.status} ${problem.toProblem().title}\r\n${lines.join('')}\r\n${body}`)
}
