/**
 * `/mcp`: the tools of agents over HTTP (wire decision U6). Only tokens of agents are taken, and what tools do goes through
 * the API with that very token.
 * @module
 */
import type { IncomingMessage } from 'node:http'

import { MAX_BODY_BYTES } from '@flow-service/protocol'
import type { Request, RequestHandler } from 'express'
import * as z from 'zod'

import { clientAddress, originOf } from '../http/address.ts'
import { bearerToken } from '../http/authenticate.ts'
import { readBody } from '../http/body.ts'
import type { CorsHeaders } from '../http/cors.ts'
import { json } from '../http/endpoint.ts'
import { ProblemError } from '../http/errors.ts'
import type { InnerServer } from '../http/inner-server.ts'
import { isKnownHost, type KnownHosts } from '../http/known-host.ts'
import { type HomeOrigins, isFromHome } from '../http/page-origin.ts'
import type { Principal, UserPrincipal } from '../http/principal.ts'
import type { McpPackage } from './mcp-package.ts'

/** Beside a document there is what calls the tool. */
const MAX_MESSAGE_BYTES = MAX_BODY_BYTES + 64 * 1024

/** Of the protocol, for agents in pages: the session of its older versions, what a message is, and where to sign in. */
export const mcpHeaders: CorsHeaders = {
  path: '/mcp',
  request: ['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name', 'last-event-id'],
  answer: ['mcp-session-id', 'www-authenticate'],
}

/** What the route is made of. */
export interface McpRouteDeps {
  readonly endpoint: ReturnType<McpPackage['createMcpEndpoint']>
  readonly authenticate: (request: IncomingMessage) => Promise<Principal>
  /** Gets what tools ask of the API, which is at `/api/v1` there. */
  readonly inner: InnerServer
  readonly home: HomeOrigins
  readonly hosts: KnownHosts
  readonly trustProxy: number
}

/** Answers the messages of agents, at `/api/v1/mcp` of its router. */
export const mcpRoute = (deps: McpRouteDeps): RequestHandler =>
  async function answersAgents(request, response) {
    const { endpoint, inner, home, hosts, trustProxy } = deps
    const origin = originOf(request, trustProxy)
    assertAtHome(request, origin, { home, hosts })
    const principal = await agentOf(request, {
      ...deps,
      resource: `${home.baseUrl ?? `${origin}${request.baseUrl}/api/v1`}/mcp`,
    })
    const hasBody = request.method === 'POST'
    const body = hasBody ? await readBody(request, json(z.unknown(), { maxBytes: MAX_MESSAGE_BYTES })) : undefined
    await endpoint.serve(request, response, {
      body,
      caller: {
        token: bearerToken(request),
        scopes: principal.grant.scopes,
        baseUrl: `${origin}/api/v1`,
        fetch: inner.fetchFrom(clientAddress(request, trustProxy)),
      },
    })
  }

/** Refuses pages of other sites, and names that the service does not know as its own (DNS rebinding). */
function assertAtHome(request: Request, origin: string, { home, hosts }: Pick<McpRouteDeps, 'home' | 'hosts'>): void {
  if (!isFromHome(request, home))
    throw new ProblemError('forbidden', `pages of ${request.headers.origin} may not use the tools of agents here`)
  if (!isKnownHost(origin, hosts))
    throw new ProblemError(
      'forbidden',
      `the service does not know ${JSON.stringify(origin)} as its own: set SERVICE_BASE_URL to the URL of its API`,
    )
}

/** Whose agent asks. A client that is refused is told where it may sign in (RFC 9728, section 5.1). */
async function agentOf(
  request: Request,
  { authenticate, resource }: Pick<McpRouteDeps, 'authenticate'> & { readonly resource: string },
): Promise<UserPrincipal> {
  const metadata = resource.replace(/\/api\/v1\/mcp$/, '/.well-known/oauth-protected-resource/api/v1/mcp')
  const refused = (detail: string) => new ProblemError('unauthenticated', detail, { resource_metadata: metadata })
  const principal = await authenticate(request).catch((error: unknown) => {
    throw error instanceof ProblemError && error.code === 'unauthenticated' ? refused(error.message) : error
  })
  if (principal.kind === 'user' && principal.grant.via === 'mcp') return principal
  throw refused(
    'this takes the token of an agent, and no other: let the agent sign in, or make one by `service oauth token`',
  )
}
