/**
 * The HTTP routes of a node in a test: requests without a server or a socket.
 * @module
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

import type { RequestHandler } from 'express'

import type { RouteHandler, RouteOptions } from '../routes.ts'

/** A request to a route of a node. */
export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** A text or bytes as they are; all else is sent as JSON. */
  readonly body?: unknown
  /** False asks as nobody: what is not open is answered with 401, as an engine does. True unless given. */
  readonly isSignedIn?: boolean
}

/** One object a context. */
export class FakeRoutes {
  #mounted: { readonly handler: RouteHandler; readonly open: readonly string[] } | null = null

  mount(handler: RouteHandler, { open = [] }: RouteOptions): void {
    if (this.#mounted !== null)
      throw new Error('the node has mounted its routes already; mount one handler for all of them')
    this.#mounted = { handler, open }
  }

  clear(): void {
    this.#mounted = null
  }

  async ask(method: string, path: string, { headers = {}, body, isSignedIn = true }: AskOptions): Promise<Response> {
    if (this.#mounted === null) return new Response(null, { status: 404 })
    const { handler, open } = this.#mounted
    if (!isSignedIn && !isOpen(open, path)) return new Response(null, { status: 401 })
    const { bytes, type } = payloadOf(body)
    const wire = new Wire()
    const request = new IncomingMessage(wire as unknown as Socket)
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    const length = { 'content-length': String(bytes.byteLength), ...(type !== null && { 'content-type': type }) }
    Object.assign(request, {
      method,
      url: path,
      originalUrl: path,
      headers: { host: 'engine.test', ...(bytes.byteLength > 0 && length), ...Object.fromEntries(lower) },
    })
    request.push(bytes.byteLength > 0 ? bytes : null)
    if (bytes.byteLength > 0) request.push(null)
    return answerOf(wire, request, handler)
  }
}

/** Takes what a response writes. */
class Wire extends Duplex {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  override _read(): void {}

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

async function answerOf(wire: Wire, request: IncomingMessage, handler: RouteHandler): Promise<Response> {
  const response = new ServerResponse(request)
  response.useChunkedEncodingByDefault = false
  response.sendDate = false
  response.assignSocket(wire as unknown as Socket)
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const next = (error?: unknown): void => {
    if (error === undefined || error === 'route' || error === 'router') resolve(new Response(null, { status: 404 }))
    else reject(error as Error)
  }
  response.once('finish', () => resolve(parsed(response, wire.bytes)))
  // gives the request and the response what those of Express have
  const { default: express } = await import('express')
  const app = express()
    .disable('x-powered-by')
    .use(handler as RequestHandler)
  void (app as unknown as RouteHandler)(request, response, next)
  return promise
}

const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304])

function parsed({ statusCode }: ServerResponse, bytes: Buffer): Response {
  const end = bytes.indexOf('\r\n\r\n')
  const [, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = NO_CONTENT.has(statusCode) ? null : new Uint8Array(bytes.subarray(end + 4))
  return new Response(body, { status: statusCode, headers })
}

function payloadOf(body: unknown): { readonly bytes: Uint8Array; readonly type: string | null } {
  if (body === undefined) return { bytes: new Uint8Array(), type: null }
  if (body instanceof Uint8Array) return { bytes: body, type: null }
  if (typeof body === 'string') return { bytes: new TextEncoder().encode(body), type: null }
  return { bytes: new TextEncoder().encode(JSON.stringify(body)), type: 'application/json' }
}

const isOpen = (open: readonly string[], path: string): boolean => {
  const [asked = ''] = path.split('?')
  return open.some((each) => (each.endsWith('/') ? asked.startsWith(each) : asked === each))
}
