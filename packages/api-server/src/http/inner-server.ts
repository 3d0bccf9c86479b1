/**
 * Requests of this process to itself: through the same server and the same router as those of others, over a connection
 * that exists in memory alone.
 * @module
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { duplexPair, Readable } from 'node:stream'

import { createServer, request as send } from './node-http.ts'

/** A server without an address. */
export class InnerServer {
  readonly #server: Server

  constructor(listener: RequestListener) {
    this.#server = createServer(listener)
  }

  /**
   * `fetch`, from `address`, which is the client's on whose behalf the request is made. Of a URL only path and query count;
   * redirects are not followed. Rejects with `AbortError` when the signal of the request does.
   */
  fetchFrom(address: string): typeof fetch {
    return async (input, init) => {
      const request = new Request(input, init)
      const [near, far] = duplexPair()
      this.#server.emit('connection', Object.assign(far, { remoteAddress: address }))
      const answer = await exchange(request, near)
      const body = noBody.has(answer.statusCode ?? 0) ? null : (Readable.toWeb(answer) as ReadableStream)
      return new Response(body, { status: answer.statusCode ?? 0, headers: headersOf(answer) })
    }
  }
}

const noBody: ReadonlySet<number> = new Set([204, 205, 304])

async function exchange(request: Request, connection: Readable): Promise<IncomingMessage> {
  const { pathname, search, host } = new URL(request.url)
  const { method, signal } = request
  const headers = { host, ...Object.fromEntries(request.headers) }
  const body = request.body && Buffer.from(await request.arrayBuffer())
  return new Promise((resolve, reject) => {
    const sent = send({ createConnection: () => connection as never, method, path: pathname + search, headers, signal })
    sent.once('response', resolve).once('error', reject)
    sent.end(body ?? undefined)
  })
}

const headersOf = ({ headersDistinct }: IncomingMessage): [string, string][] =>
  Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
