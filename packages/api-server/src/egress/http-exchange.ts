/**
 * One HTTP request and its answer, as `fetch` has them, without the web streams of `fetch`: these take ten times as long
 * as the exchange itself.
 * @module
 */
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'

import type { Agent, Dispatcher } from 'undici'

import type { Dial } from './dialer.ts'

/** Sends a request; redirects are answers like others. Rejects as `fetch` does. */
export type Exchange = (url: string, init: RequestInit) => Promise<Response>

/** Exchanges over connections that are kept for the next ones. */
export interface HttpExchange {
  readonly send: Exchange
  /** Ends the connections. */
  readonly close: () => Promise<void>
}

/** An answer that says it is no longer than this is read whole; a longer one is a stream. */
const SMALL_BYTES = 64 * 1024
/** What has no body (Fetch standard, section 2.2.3, "null body status"). */
const bodiless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
}
/** What is said unless the request says otherwise. */
const habits = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'flow-service' }

/** Exchanges over connections of a dialer. */
export function createHttpExchange(dial: Dial): HttpExchange {
  let opening: Promise<Agent> | null = null
  return {
    async send(url, init) {
      const agent = await (opening ??= openAgent(dial))
      try {
        return await exchange(agent, url, init)
      } catch (error) {
        if (init.signal?.aborted) throw init.signal.reason
        throw new TypeError('fetch failed', { cause: error })
      }
    },
    async close() {
      const agent = await opening
      await agent?.destroy()
    },
  }
}

/** The library is loaded for the first request: most engines start without one. */
async function openAgent(dial: Dial): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({
    connect({ hostname, port, protocol }, done) {
      const tls = protocol === 'https:'
      const socket = dial({ host: hostname, port: Number(port) || (tls ? 443 : 80), tls, protocols: ['http/1.1'] })
      const failed = (error: Error): void => done(error, null)
      socket.once('error', failed)
      socket.once(tls ? 'secureConnect' : 'connect', () => {
        // a peer that was refused has ended the socket
        if (socket.destroyed) return
        socket.off('error', failed)
        done(null, socket)
      })
    },
  })
}

async function exchange(
  agent: Agent,
  url: string,
  { method = 'GET', signal, ...init }: RequestInit,
): Promise<Response> {
  const { origin, pathname, search } = new URL(url)
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(habits)) if (!headers.has(name)) headers.set(name, value)
  const body = await bodyOf(init.body, headers)
  const answer = await agent.request({
    origin,
    path: pathname + search,
    method: method.toUpperCase() as Dispatcher.HttpMethod,
    headers,
    body,
    signal: signal ?? null,
  })
  return responseOf(url, method, answer)
}

/** What is sent; says what it is, where the request does not. */
async function bodyOf(body: RequestInit['body'], headers: Headers): Promise<string | Uint8Array | Readable | null> {
  if (body === null || body === undefined) return null
  if (typeof body === 'string') {
    if (!headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8')
    return body
  }
  if (body instanceof ReadableStream) return Readable.fromWeb(body as never)
  const written = new Response(body)
  const type = written.headers.get('content-type')
  // the boundary of a form is in its type
  if (type !== null && (body instanceof FormData || !headers.has('content-type'))) headers.set('content-type', type)
  return new Uint8Array(await written.arrayBuffer())
}

async function responseOf(url: string, method: string, answer: Dispatcher.ResponseData): Promise<Response> {
  const { statusCode: status, statusText, body } = answer
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, one)
  const content = await contentOf(answer, method === 'HEAD' || bodiless.has(status)).catch((error: unknown) => {
    body.destroy()
    throw error
  })
  const response = new Response(content, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: url })
  return response
}

type Content = ConstructorParameters<typeof Response>[0]

async function contentOf({ headers, body }: Dispatcher.ResponseData, isBodiless: boolean): Promise<Content> {
  if (isBodiless) {
    await body.dump()
    return null
  }
  const encoding = String(headers['content-encoding'] ?? '').toLowerCase()
  const decoder = decoders[encoding]?.()
  // what fails on the way is heard by whoever reads
  if (decoder) return ReadableStream.from(pipeline(body, decoder, () => {}))
  if (encoding === '' && Number(headers['content-length'] ?? Infinity) <= SMALL_BYTES) return body.bytes()
  return ReadableStream.from(body)
}
