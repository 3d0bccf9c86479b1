/**
 * WebSocket upgrades: the one place where a socket is accepted, and the router that decides who gets it.
 *
 * An upgrade does not pass through Express. Everything that can be refused is refused as a plain HTTP answer before
 * the upgrade. A raw or accepted socket always has an `error` listener: without one, a single invalid frame would end
 * the process.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

import { type WebSocket, WebSocketServer } from 'ws'

import { type ErrorLog, headersOf, ProblemError, problemOf } from './errors.ts'

/** A socket that asks to be accepted. */
interface Upgrade {
  readonly request: IncomingMessage
  /** What follows the prefix of a `/*` route, as sent, without its leading slash; `''` on an exact route. */
  readonly rest: string
  readonly query: URLSearchParams
  /** Completes the handshake; `maxPayloadBytes` bounds a message from the peer, a longer one closes with 1009. */
  accept(options: { maxPayloadBytes: number }): Promise<WebSocket>
}

/** Authenticates, then accepts; what it throws before is the HTTP answer, afterwards the socket closes with 1011. */
export type UpgradeHandler = (upgrade: Upgrade) => Promise<void>

export interface UpgradeRouter {
  /** Adds a route below the mount: an exact path, or a prefix ending in `/*`. */
  route(path: `/${string}`, handler: UpgradeHandler): void
  /** Handles the upgrades of a server below `mount` (`''` is the root); the result stops that. */
  attach(server: Server, mount?: string): () => void
  /** Closes every accepted socket with 1012 (service restart); peers that do not answer are cut after 2 seconds. */
  close(): Promise<void>
}

export interface UpgradeOptions {
  readonly log: ErrorLog
  /** How often a silent peer is asked, and how long it has to answer. */
  readonly pingMs?: number
}

interface Pending {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

const CLOSE_MS = 2000

/** A router without routes. */
export function createUpgradeRouter({ log, pingMs = 30_000 }: UpgradeOptions): UpgradeRouter {
  const routes = new Map<string, UpgradeHandler>()
  const sockets = new Set<WebSocket>()

  const accept = async (pending: Pending, maxPayloadBytes: number): Promise<WebSocket> => {
    const socket = await acceptSocket(pending, { maxPayloadBytes, pingMs })
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  const handle = async (pending: Pending, path: string, query: string): Promise<void> => {
    let accepted: WebSocket | undefined
    try {
      const found = find(routes, path)
      if (!found) throw new ProblemError('not_found', `there is no socket at ${path}`)
      const [handler, rest] = found
      await handler({
        request: pending.request,
        rest,
        query: new URLSearchParams(query),
        accept: async ({ maxPayloadBytes }) => (accepted = await accept(pending, maxPayloadBytes)),
      })
    } catch (error) {
      const problem = problemOf(error, log)
      if (accepted) accepted.close(1011, problem.code)
      else refuse(pending.socket, problem)
    }
  }

  return {
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
        void handle({ request, socket, head }, below ?? path, query)
      }
      server.on('upgrade', listener)
      return () => server.off('upgrade', listener)
    },
    async close() {
      await Promise.all([...sockets].map(closeSocket))
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
 * an error listener, and a peer that leaves a ping unanswered for `pingMs` is cut.
 * Refuses a broken handshake with `bad_request`.
 */
function acceptSocket(
  { request, socket, head }: Pending,
  options: { maxPayloadBytes: number; pingMs: number },
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.maxPayloadBytes,
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
      keepAlive(accepted, options.pingMs)
      resolve(accepted)
    })
  })
}

function keepAlive(socket: WebSocket, pingMs: number): void {
  let heard = true
  const onSign = () => {
    heard = true
  }
  socket.on('pong', onSign).on('ping', onSign).on('message', onSign)
  const timer = setInterval(() => {
    if (!heard) return socket.terminate()
    heard = false
    socket.ping()
  }, pingMs).unref()
  socket.once('close', () => clearInterval(timer))
}

function closeSocket(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), CLOSE_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.close(1012, 'restart')
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
