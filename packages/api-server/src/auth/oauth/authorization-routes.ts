/**
 * `/oauth/…` and what clients look up below `/.well-known`, beside the API: the way of agents to their users (RFC 8414, 9728).
 * @module
 */
import type { AuthorizationServer } from '@flow-service/mcp'
import { Router } from 'express'

import { clientAddress, oneHost } from '../../http/address.ts'
import type { AnonymousBodies } from '../../http/anonymous-bodies.ts'
import { readBytes } from '../../http/body.ts'
import { secureHeaders } from '../../http/headers.ts'
import { type PlaceConfig, servedBaseUrl } from '../../http/served-place.ts'

/** Largest body, in bytes. */
const MAX_BYTES = 64 * 1024

/** What answers. */
export interface AuthorizationRoutesDeps {
  readonly server: AuthorizationServer
  readonly anonymous: AnonymousBodies
  readonly place: PlaceConfig
}

/** A router for the mount of the service; what is not at home here is left to others. */
export const authorizationRoutes = ({ server, anonymous, place }: AuthorizationRoutesDeps): Router =>
  Router({ caseSensitive: true }).all(
    /^\/(?:oauth\/|\.well-known\/(?:oauth-|openid-configuration))/,
    secureHeaders,
    oneHost,
    async (request, response, next) => {
      const baseUrl = servedBaseUrl(request, place)
      const body = await readBytes(request, MAX_BYTES, anonymous.wait)
      const isServed = await server.serve(
        {
          issuer: baseUrl.replace(/\/api\/v1$/, ''),
          resource: `${baseUrl}/mcp`,
          method: request.method,
          url: request.url,
          headers: request.headers,
          body,
          address: clientAddress(request, place.trustProxy),
        },
        response,
      )
      if (!isServed) next()
    },
  )
