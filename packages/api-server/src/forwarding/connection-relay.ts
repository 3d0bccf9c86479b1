/**
 * Passes connections on to the engine that runs their flow: `served-sockets.ts` hands over sockets below `/hooks`, and
 * `connector-routes.ts` requests below `/connectors`. Their bytes go as they are to that engine, which answers as if they had
 * come to it; nothing of them is looked at here but the path.
 *
 * - connection-relay.C1 what was passed on once is not passed on again: the engine that has the flow no more answers that
 *   nothing is there, and the client connects anew.
 * @module
 */
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Links } from '../engines/links/links.ts'
import { type FlowHomes, mayBeDone } from '../flows/flow-homes.ts'
import { requestSegments } from '../hooks/route-table.ts'
import type { ConnectionsElsewhere } from '../hooks/served-sockets.ts'
import { createServer, request as send } from '../http/node-http.ts'
import type { PendingUpgrade, UpgradeRouter } from '../http/upgrade.ts'

const SUBJECT = 'connection'
/** Asked before bytes are passed on: whoever has not the flow says so, which a stream cannot. */
const ASKED = 'connection.here'

const NOTHING = Buffer.alloc(0)

/** What the relay is made of. */
export interface ConnectionRelayDeps {
  readonly homes: FlowHomes
  readonly links: Pick<Links, 'accept' | 'answer' | 'ask' | 'pipe'>
}

/** A request of which nothing was read, and its address as the other engine is to read it. */
export interface PassedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: string
}

/** Passes connections on, and takes those of others. */
export class ConnectionRelay implements ConnectionsElsewhere {
  readonly #deps: ConnectionRelayDeps
  readonly #relayed = new WeakSet<object>()
  #server: Server | null = null

  constructor(deps: ConnectionRelayDeps) {
    this.#deps = deps
  }

  /** Takes what other engines pass on: requests by a listener, upgrades by a router. */
  accept(listener: RequestListener, upgrades: Pick<UpgradeRouter, 'attach'>): void {
    const server = createServer(listener)
    upgrades.attach(server)
    this.#server = server
    this.#deps.links.answer(ASKED, (payload) => {
      this.#deps.homes.assertHere(payload.toString())
      return NOTHING
    })
    this.#deps.links.accept(SUBJECT, (stream, payload) => {
      this.#relayed.add(stream)
      server.emit('connection', Object.assign(stream, { remoteAddress: payload.toString() }))
    })
  }

  async pass(rest: string, { request, socket, head }: PendingUpgrade): Promise<boolean> {
    const pipe = await this.#pipeFor(requestSegments(`/${rest}`)?.[0] ?? '', request)
    if (pipe === null) return false
    // it may have ended while its engine was asked, and tells it to nobody any more
    if (socket.destroyed) {
      pipe.destroy()
      return true
    }
    pipe.write(headOf(request, rest))
    if (head.length > 0) pipe.write(head)
    joined(socket, pipe)
    return true
  }

  /** Passes a request on with its body; false: it is to be answered here. */
  async request(flow: string, { request, response, url }: PassedRequest): Promise<boolean> {
    const pipe = await this.#pipeFor(flow, request)
    if (pipe === null) return false
    const { method, headers } = request
    const sent = send({ createConnection: () => pipe as never, method, path: url, headers, setHost: false })
    try {
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>
      // an answer may come before the end of the body, and what breaks that off breaks the answer too
      pipeline(request, sent).catch(() => {})
      const [answer] = await answered
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      await pipeline(answer, response)
    } catch {
      if (response.headersSent || request.socket.destroyed) response.destroy()
      else throw mayBeDone(flow)
    }
    return true
  }

  close(): void {
    this.#server?.close()
  }

  async #pipeFor(flow: string, { socket }: IncomingMessage): Promise<Duplex | null> {
    const { homes, links } = this.#deps
    if (this.#relayed.has(socket) || !homes.isAway(flow)) return null
    const address = Buffer.from(socket.remoteAddress ?? '')
    return homes.ask(flow, async (engine) => {
      await links.ask(engine, ASKED, Buffer.from(flow))
      return links.pipe(engine, SUBJECT, address)
    })
  }
}

/** The request line of an upgrade below `/hooks`, wherever a host has mounted that here, and the headers as they were sent. */
function headOf({ method, url = '', rawHeaders }: IncomingMessage, rest: string): string {
  const mark = url.indexOf('?')
  const lines = [`${method} /hooks/${rest}${mark < 0 ? '' : url.slice(mark)} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Each end is told of the end of the other; one that breaks breaks the other. */
function joined(socket: Duplex, pipe: Duplex): void {
  socket.on('error', () => pipe.destroy())
  pipe.on('error', () => socket.destroy())
  socket.on('close', () => pipe.destroy())
  pipe.on('close', () => socket.destroy())
  socket.pipe(pipe).pipe(socket)
}
