/**
 * The authorization server of a service: agents ask their users, in a browser, to be let in (OAuth 2.1).
 * @module
 */
import type { ServerResponse } from 'node:http'

import type { Provider } from 'oidc-provider'

import { serveConsent } from './consent.ts'
import type { AuthorizationHost } from './host.ts'
import { resourceMetadata, serverMetadata, usualScopes } from './metadata.ts'
import { type AuthorizationRequest, incomingOf } from './place.ts'
import { createProvider } from './provider.ts'
import { serveRegistration } from './registration.ts'

/** Places that are remembered: one, but for a service that is reached by several addresses. */
const MAX_PLACES = 8

/** An authorization server. */
export interface AuthorizationServer {
  /** Answers a request; false when there is nothing at its address. */
  serve(request: AuthorizationRequest, response: ServerResponse): Promise<boolean>
}

/** An authorization server over a host. */
export function createAuthorizationServer(host: AuthorizationHost): AuthorizationServer {
  const providers = new Map<string, Provider>()
  const providerAt = (request: AuthorizationRequest): Provider => {
    const place = `${request.issuer} ${request.resource}`
    const provider = providers.get(place) ?? createProvider(host, request)
    providers.delete(place)
    providers.set(place, provider)
    const [stalest] = providers.keys()
    if (providers.size > MAX_PLACES && stalest !== undefined) providers.delete(stalest)
    return provider
  }
  return {
    async serve(request, response) {
      const [path = ''] = request.url.split('?')
      if (path.startsWith('/.well-known/')) return describe(host, request, response, path)
      if (/^\/oauth\/consent\/[\w-]+$/.test(path)) {
        await serveConsent(host, providerAt(request), request, response)
        return true
      }
      if (path === '/oauth/register' && host.registration) {
        await serveRegistration(host, request, response)
        return true
      }
      if (!ofLibrary.test(path)) return false
      const incoming = incomingOf({ ...request, url: withScope(request.url) })
      await providerAt(request).callback()(incoming, response)
      return true
    },
  }
}

const ofLibrary = /^\/oauth\/(?:authorize(?:\/[\w-]+)?|token|revoke|jwks)$/

/** A request for a code that names no scope asks for the usual ones. */
function withScope(url: string): string {
  const [path = '', query = ''] = url.split('?')
  if (path !== '/oauth/authorize' || (new URLSearchParams(query).get('scope') ?? '') !== '') return url
  const asked = new URLSearchParams(query)
  asked.set('scope', usualScopes.join(' '))
  return `${path}?${asked.toString()}`
}

function describe(
  host: AuthorizationHost,
  request: AuthorizationRequest,
  response: ServerResponse,
  path: string,
): boolean {
  const metadata = metadataAt(host, request, path)
  if (metadata === null) return false
  // it is the same for everybody, and pages of other sites may be clients
  response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(metadata))
  return true
}

/** A client puts the path of what it asks about behind the well-known name, or leaves it out. */
function metadataAt(host: AuthorizationHost, request: AuthorizationRequest, path: string): object | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  const [name = '', ...rest] = path.replace('/.well-known/', '').split('/')
  const about = rest.length === 0 ? '' : `/${rest.join('/')}`
  const { issuer, resource } = request
  switch (name) {
    case 'oauth-authorization-server':
    case 'openid-configuration':
      return about === '' || about === new URL(issuer).pathname ? serverMetadata(request, host.registration) : null
    case 'oauth-protected-resource':
      return ['', new URL(resource).pathname, resource.slice(issuer.length)].includes(about)
        ? resourceMetadata(request)
        : null
    default:
      return null
  }
}
