/**
 * Requests to an S3-compatible store: its answers as they come, over connections that are kept and counted. What the client
 * library sends goes this way too.
 * @module
 */
import type { Readable } from 'node:stream'
import type { SecureContext } from 'node:tls'

import { Agent } from 'undici'

/** Connections of one engine to its store, but for downloads; what needs more waits. */
const CONNECTIONS = 32
const CONNECT_MS = 5_000
/** A store that says nothing for so long is taken to be gone; while it takes bytes it has six times as long. */
const SILENCE_MS = 20_000
/** Answers but bytes of artifacts are XML of at most 1,000 keys. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024

/** What is asked of a store. */
interface S3Request {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | null
}

/** What it answers; the body has to be read or destroyed. */
export interface S3Answer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly body: Readable
}

/** The way to a store. */
export interface S3Transport {
  /** Whoever reads the body may take as long as they like: such a connection is in nobody's way. */
  send(url: string, request: S3Request): Promise<S3Answer>
  /** For the client library. */
  readonly fetch: typeof fetch
  /** Ends the connections, and what is under way on them. */
  close(): Promise<void>
}

interface TransportOptions {
  /** The authorities of its certificate, unless it is those that Node.js knows. */
  readonly trust?: SecureContext | undefined
  readonly silenceMs?: number
}

/** A way to a store. */
export function openTransport({ trust, silenceMs = SILENCE_MS }: TransportOptions = {}): S3Transport {
  const agentOf = (connections: number | null): Agent =>
    new Agent({
      connections,
      bodyTimeout: silenceMs,
      connect: { timeout: CONNECT_MS, ...(trust ? { secureContext: trust } : {}) },
    })
  const agents = { bounded: agentOf(CONNECTIONS), free: agentOf(null) }

  const send = async (agent: Agent, url: string, { method, headers, body = null }: S3Request): Promise<S3Answer> => {
    const { origin, pathname, search } = new URL(url)
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: method as 'GET',
      headers: { ...headers, 'user-agent': 'flow-service', 'accept-encoding': 'identity' },
      body,
      headersTimeout: body === null ? silenceMs : 6 * silenceMs,
    })
    const header = (name: string): string | null => {
      const value = answer.headers[name]
      return value === undefined ? null : Array.isArray(value) ? (value[0] ?? null) : value
    }
    return { status: answer.statusCode, header, body: answer.body }
  }

  return {
    send: (url, request) => send(agents.free, url, request),
    fetch: (async (url: string, init: RequestInit) => {
      const headers = Object.fromEntries(new Headers(init.headers))
      const { status, header, body } = await send(agents.bounded, url, {
        method: init.method ?? 'GET',
        headers,
        // bytes of a request are given as they are: nothing of it is streamed
        body: (init.body ?? null) as string | Uint8Array | null,
      })
      const isBare = init.method === 'HEAD' || status === 204 || status === 304
      const text = await textOf(body)
      const names = ['content-type', 'content-length', 'etag'] as const
      const known = names.flatMap((name) => {
        const value = header(name)
        return value === null ? [] : [[name, value] as [string, string]]
      })
      return new Response(isBare ? null : text, { status, headers: known })
    }) as typeof fetch,
    close: async () => {
      await Promise.all([agents.bounded.destroy(), agents.free.destroy()])
    },
  }
}

/** Ends a body that nobody reads to its end, and the connection with it. */
export function letGo(body: Readable): void {
  body.on('error', () => undefined).destroy()
}

/** A body that is no artifact; fails when it is larger than any such is. */
export async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_TEXT_BYTES) throw new RangeError(`an answer of more than ${MAX_TEXT_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
