/**
 * An engine on a port of this machine: the socket that workers attach to, and artifacts beside it. It takes every token
 * and answers as the test wants.
 */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { EngineFrame, WorkerFrame } from '@flow-service/protocol'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

import { callFrame, type CallRequest, welcome } from './harness.ts'

type Of<T extends WorkerFrame['type']> = Extract<WorkerFrame, { type: T }>

/** How an engine behaves where it is not to do the usual. */
export interface Behaviour {
  /** An HTTP status instead of the upgrade, with a body. */
  refuse?: (attempt: number) => { status: number; body?: string; headers?: Record<string, string> } | null
  /** Instead of the welcome. */
  onHello?: (link: Link) => void
  /** Whether it takes the request itself. */
  artifacts?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** One attached worker. */
export class Link {
  readonly socket: WebSocket
  readonly frames: WorkerFrame[] = []
  readonly headers: IncomingMessage['headers']
  readonly closed: Promise<number>
  readonly #watchers = new Set<() => void>()

  constructor(socket: WebSocket, request: IncomingMessage, behaviour: Behaviour) {
    this.socket = socket
    this.headers = request.headers
    this.closed = once(socket, 'close').then(([code]) => code as number)
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as WorkerFrame
      this.frames.push(frame)
      if (frame.type === 'hello') (behaviour.onHello ?? ((link) => link.send(welcome)))(this)
      for (const watcher of this.#watchers) watcher()
    })
  }

  send(frame: EngineFrame): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** The first frame that fits, past or to come. */
  seen<T extends WorkerFrame['type']>(type: T, test: (frame: Of<T>) => boolean = () => true): Promise<Of<T>> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.frames.find((frame): frame is Of<T> => frame.type === type && test(frame as Of<T>))
        if (!found) return
        this.#watchers.delete(look)
        resolve(found)
      }
      this.#watchers.add(look)
      look()
    })
  }

  begin(request: CallRequest): string {
    const frame = callFrame(randomUUID(), request)
    this.send(frame)
    return frame.call
  }

  last(call: string): Promise<Of<'result'> | Of<'error'>> {
    const fits = (frame: { call: string }): boolean => frame.call === call
    return Promise.race([this.seen('result', fits), this.seen('error', fits)])
  }

  call(request: CallRequest): Promise<Of<'result'> | Of<'error'>> {
    return this.last(this.begin(request))
  }
}

/** A running engine. */
export interface FakeEngine {
  readonly url: string
  readonly artifactUrl: string
  readonly stored: Map<string, Buffer>
  readonly requests: { method: string; path: string; headers: IncomingMessage['headers'] }[]
  /** Attempts to attach, with those that were refused. */
  readonly attempts: () => number
  /** All that have attached. */
  readonly links: () => readonly Link[]
  /** The nth of the workers that have said hello, once there is one; counted from 1. */
  link(nth?: number): Promise<Link>
}

/** Starts an engine that ends with the test. */
export async function fakeEngine(behaviour: Behaviour = {}): Promise<FakeEngine> {
  const stored = new Map<string, Buffer>()
  const requests: FakeEngine['requests'] = []
  const links: Link[] = []
  const arrivals = new Set<() => void>()
  let attempts = 0
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    if (behaviour.artifacts?.(request, response) !== true) void answer(stored, request, response)
  })
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: true })
  server.on('upgrade', (request, socket, head) => {
    attempts += 1
    // a worker that is stopped just now may leave with a reset
    socket.on('error', () => socket.destroy())
    const refusal = behaviour.refuse?.(attempts)
    if (refusal) {
      const { status, body = '', headers = {} } = refusal
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: ${body.length}\r\n${lines.join('')}\r\n${body}`)
      return
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const link = new Link(opened, request, behaviour)
      links.push(link)
      void link.seen('hello').then(() => {
        for (const arrival of arrivals) arrival()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const { socket } of links) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}/api/v1/workers/attach`,
    artifactUrl: `http://127.0.0.1:${port}/api/v1/artifacts`,
    stored,
    requests,
    attempts: () => attempts,
    links: () => links,
    async link(nth = 1) {
      return await new Promise<Link>((resolve) => {
        const look = (): void => {
          const found = links.filter(({ frames }) => frames[0]?.type === 'hello')[nth - 1]
          if (found) resolve(found)
        }
        arrivals.add(look)
        look()
      })
    },
  }
}

async function answer(stored: Map<string, Buffer>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine')
  if (request.method === 'PUT') {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const data = Buffer.concat(chunks)
    const digest = digestOf(data)
    stored.set(digest, data)
    const volatile = searchParams.get('volatile') === 'true'
    const media_type = request.headers['content-type']
    const ref = { digest, name: searchParams.get('name'), media_type, size: data.length, volatile }
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(ref))
    return
  }
  const data = stored.get(pathname.split('/').at(-1) ?? '')
  const headers = { 'cache-control': 'private, max-age=31536000, immutable', 'content-length': data?.length ?? 0 }
  if (data) response.writeHead(200, headers).end(data)
  else problem(response, 404, 'there is no such artifact')
}

/** An error as engines write them. */
export const problem = (response: ServerResponse, status: number, detail: string): void => {
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ status, detail }))
}

export const digestOf = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`

/** A token as far as a worker reads it. */
export const tokenOf = (claims: object): string =>
  ['{"alg":"EdDSA"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
