/**
 * The tools over HTTP ("Streamable HTTP" of the protocol), for whoever has a server and knows who asks.
 *
 * It has no sessions: each request carries the token of its agent, is answered by a server of its own, and leaves nothing
 * behind. So no session can be guessed, taken over or piled up, and any engine of a database answers the next request.
 * Clients of the protocol of 2025, which has sessions, are served in the same way.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { createClient } from '@flow-service/client-sdk'
import type { Scope } from '@flow-service/protocol'
import { createMcpHandler } from '@modelcontextprotocol/server'

import { createMcpServer } from './mcp-server.ts'

/** The agent that sends a request, and how its tools reach the API. */
export interface McpCaller {
  readonly token: string
  /** Of the token; null is everything. */
  readonly scopes: ReadonlySet<Scope> | null
  /** Address of the API, for `fetch`. */
  readonly baseUrl: string
  /** Used instead of the global one. */
  readonly fetch: typeof fetch
}

/** The endpoint of an engine. */
export interface McpEndpoint {
  /** Answers a request whose token, origin and host were checked; `body` is its JSON, undefined without one. */
  serve(request: IncomingMessage, response: ServerResponse, asked: { caller: McpCaller; body: unknown }): Promise<void>
  /** Ends what goes on. */
  close(): Promise<void>
}

/** An endpoint; `onError` hears of requests that are no messages of the protocol. */
export function createMcpEndpoint({ onError }: { readonly onError: (error: Error) => void }): McpEndpoint {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      // of `serve`, which always gives one
      const { scopes, ...reached } = (authInfo?.extra ?? {})['caller'] as McpCaller
      return createMcpServer({ client: createClient(reached), scopes })
    },
    // nobody waits for news: the tools are what they are
    { maxSubscriptions: 0, onerror: onError },
  )
  return {
    async serve(incoming, response, { caller, body }) {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      const { token, scopes } = caller
      const authInfo = { token, clientId: 'agent', scopes: [...(scopes ?? [])], extra: { caller } }
      const answer = await handler.fetch(requestOf(incoming, gone.signal), { authInfo, parsedBody: body })
      await send(answer, response)
    },
    close: () => handler.close(),
  }
}

/** The request without its body, which is read already. */
function requestOf({ method = 'GET', headers }: IncomingMessage, signal: AbortSignal): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !/^(?:content-length|transfer-encoding|connection|authorization)$/.test(name)
      ? [[name, value] as [string, string]]
      : [],
  )
  // only the method and the headers are looked at
  return new Request('http://engine/mcp', { method, headers: given, signal })
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) return void answer.body?.cancel()
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  if (answer.body === null) return void response.end()
  try {
    await pipeline(Readable.fromWeb(answer.body as never), response)
  } catch (error) {
    // a client that leaves in the middle is not an error of ours
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  }
}
