/**
 * The API as any host can call it: `service.ts` gives it as the `router` of a service. An Express app mounts it like a router;
 * for others, such as Fastify with middie, Koa or a bare server, it is a function of a request and an answer as Node makes
 * them. Without it the API finds no methods of Express on what such a host passes.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

import express, { type Request, type Router } from 'express'

/** A router for Express, and a function of a request and an answer of Node. */
export type HostedRouter = Router &
  ((request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void)

/** Wraps a router of Express. What it does not answer goes on to the host, as it came. */
export function hosted(router: Router): HostedRouter {
  const app: HostedRouter = express()
    .disable('x-powered-by')
    .use((request, response, next) => {
      // Koa, for one, begins each answer with 404
      if (!response.headersSent) response.statusCode = 200
      request.baseUrl ||= cutBefore(request)
      router(request, response, next)
    })
  return app
}

/** What a host that is not Express has cut off the address: where it has mounted the API. */
function cutBefore({ originalUrl, url }: Pick<Request, 'originalUrl' | 'url'>): string {
  const isCut = originalUrl.length > url.length && originalUrl.endsWith(url)
  return isCut ? originalUrl.slice(0, -url.length) : ''
}
