/**
 * One HTTP request and its answer, as `fetch` has them, without the web streams of `fetch`: these take ten times as long
 * as the exchange itself.
 * @module
 */
import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib'

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
// a body that ends early is given as far as it goes, an empty one too
const unzip = (): Transform => createUnzip({ finishFlush: constants.Z_SYNC_FLUSH })
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['deflate', unzip],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
])
/** Codings of one body, one upon the other; each takes memory. */
const MAX_CODINGS = 5
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
  return responseOf(url, method.toUpperCase(), answer)
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
  try {
    const content = await contentOf(answer, method === 'HEAD' || bodiless.has(status))
    const response = new Response(content, { status, statusText, headers })
    Object.defineProperty(response, 'url', { value: url })
    return response
  } catch (error) {
    body.on('error', () => {}).destroy()
    throw error
  }
}

type Content = ConstructorParameters<typeof Response>[0]

async function contentOf({ headers, body }: Dispatcher.ResponseData, isBodiless: boolean): Promise<Content> {
  if (isBodiless) {
    await body.dump()
    return null
  }
  const codings = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .flatMap((coding) => coding.trim() || [])
  const decoding = codings.flatMap((coding) => decoders.get(coding) ?? [])
  // what is coded in a way that nobody asked for is given as it is
  if (decoding.length < codings.length || codings.length > MAX_CODINGS) return streamOf(body)
  if (codings.length === 0 && Number(headers['content-length'] ?? Infinity) <= SMALL_BYTES) return body.bytes()
  // what fails on the way is heard by whoever reads
  return streamOf(decoding.reduceRight<Readable>((from, decoder) => pipeline(from, decoder(), () => {}), body))
}

/** Ends the exchange when it is cancelled: an iterator that has not begun would leave its connection open for ever. */
function streamOf(body: Readable): ReadableStream {
  body.on('error', () => {})
  const chunks = body[Symbol.asyncIterator]()
  return ReadableStream.from({
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      async return() {
        body.destroy()
        return { done: true, value: undefined }
      },
    }),
  })
}
