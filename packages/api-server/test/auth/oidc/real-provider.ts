/** A real OpenID provider in this process, whose people sign in without being asked. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import Provider, { type AccountClaims } from 'oidc-provider'

export const client = { oidcClientId: 'flow-service', oidcClientSecret: 'a client secret that nobody sees' }

/** What the provider says of somebody; `sub` is added. */
export type Claims = Readonly<Record<string, unknown>>

export interface RealProvider extends AsyncDisposable {
  readonly issuer: string
  /** Who signs in from now on; null says no. */
  user: string | null
  /** People by subject. */
  readonly people: Map<string, Claims>
  /** It has one client, whose people come back to one of these addresses. */
  register(...redirectUris: string[]): void
}

/** Listens; it is a provider once its client is registered. */
export async function openProvider(): Promise<RealProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made: RealProvider = {
    issuer,
    user: null,
    people: new Map(),
    register(...redirectUris) {
      const provider = providerOf(made, redirectUris)
      const answer = provider.callback()
      server.on('request', (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
        const result =
          made.user === null
            ? { error: 'access_denied', error_description: 'the person has said no' }
            : { login: { accountId: made.user, remember: false } }
        provider.interactionFinished(request, response, result).catch((error: Error) => response.destroy(error))
      })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return made
}

function providerOf({ issuer, people }: RealProvider, redirectUris: string[]): Provider {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.oidcClientId,
        client_secret: client.oidcClientSecret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    cookies: { keys: ['a key of cookies'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ ...people.get(sub), sub }) as AccountClaims,
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: client.oidcClientId, accountId: String(oidc.session?.accountId) })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 600, Session: 600, Grant: 600 },
  })
  return provider
}
