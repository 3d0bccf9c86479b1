/**
 * The library, set up for public clients of OAuth 2.1 alone: the code flow with PKCE (S256), one resource, tokens of agents.
 * @module
 */
import { createHash, createPublicKey } from 'node:crypto'
import type { EventEmitter } from 'node:events'

import { scopes } from '@flow-service/protocol'
import { type Configuration, errors, interactionPolicy, Provider } from 'oidc-provider'

import { createAdapter, REFRESH_S } from './adapter.ts'
import type { AuthorizationHost } from './host.ts'
import { errorPage, pageHeaders } from './pages.ts'
import type { Place } from './place.ts'

const ACCESS_S = 3600
const CODE_S = 60
/** How long somebody may take to sign in and decide, in seconds. */
const INTERACTION_S = 600

/** The library at a place. */
export function createProvider(host: AuthorizationHost, place: Place): Provider {
  const provider = new Provider(place.issuer, configurationOf(host, place))
  const failed = (error: unknown): void => host.log.error({ err: error }, 'the authorization server failed')
  // an event of the framework that the types of the library leave out
  const emitter: EventEmitter = provider
  emitter.on('error', failed)
  provider.on('server_error', (_ctx, error) => failed(error))
  provider.use(async (ctx, next) => {
    await next()
    // what fails here is what it stands on
    if (ctx.status === 500) {
      ctx.status = 503
      ctx.set('retry-after', '1')
    }
  })
  return provider
}

function configurationOf(host: AuthorizationHost, place: Place): Configuration {
  return {
    adapter: createAdapter(host, place),
    jwks: { keys: [keyOf(host)] },
    routes,
    ...clients,
    pkce: { required: () => true },
    ...lifetimes,
    ...pagesAt(place),
    async findAccount(_ctx, id) {
      const user = await host.findUser(id)
      return user ? { accountId: user.id, claims: async () => ({ sub: user.id }) } : undefined
    },
    async loadExistingGrant(ctx) {
      const id = ctx.oidc.result?.consent?.grantId
      return id === undefined ? undefined : ctx.oidc.provider.Grant.find(id)
    },
    formats: { customizers: { jwt: asAgentToken } },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: theOnly(place.resource),
    },
  }
}

const routes: Configuration['routes'] = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  end_session: '/oauth/end',
}

/** All are public, and use the code flow. */
const clients: Configuration = {
  scopes: ['offline_access'],
  responseTypes: ['code'],
  clientAuthMethods: ['none'],
  clientDefaults: {
    // loopback addresses match with any port (RFC 8252, section 7.3)
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: 'EdDSA',
  },
  enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
  clientBasedCORS: (_ctx, origin, client) =>
    client.redirectUris?.some((uri) => URL.parse(uri)?.origin === origin && origin !== 'null') ?? false,
}

const lifetimes: Configuration = {
  ttl: {
    AccessToken: ACCESS_S,
    AuthorizationCode: CODE_S,
    RefreshToken: REFRESH_S,
    Grant: REFRESH_S,
    Interaction: INTERACTION_S,
    Session: INTERACTION_S,
  },
  rotateRefreshToken: true,
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  revokeGrantPolicy: () => true,
  expiresWithSession: async () => false,
}

function pagesAt({ issuer }: Place): Configuration {
  const path = new URL(issuer).pathname.replace(/\/$/, '')
  return {
    cookies: {
      names: { session: 'oauth_session', interaction: 'oauth_consent', resume: 'oauth_resume' },
      long: { httpOnly: true, sameSite: 'lax', path: `${path}/oauth` },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    interactions: { policy: prompts(), url: (_ctx, { uid }) => `${path}/oauth/consent/${uid}` },
    renderError(ctx, { error, error_description: description }) {
      ctx.set(pageHeaders())
      ctx.type = 'html'
      ctx.body = errorPage(description ?? error)
    },
  }
}

type Customizers = NonNullable<NonNullable<Configuration['formats']>['customizers']>

/** As the engine reads it: of an explicit type (RFC 8725, section 3.11), and for agents alone. */
const asAgentToken: Customizers['jwt'] = (_ctx, token, jwt) => {
  const { jti, sub, scope, iat, exp, iss, client_id } = jwt.payload
  const grant = 'grantId' in token ? token.grantId : undefined
  jwt.header = { typ: 'mcp+jwt' }
  jwt.payload = { jti, sub, aud: 'mcp', scope, iat, exp, iss, client_id, client: token.client?.clientName, grant }
}

type Features = NonNullable<Configuration['features']>

const theOnly = (resource: string): Features['resourceIndicators'] => ({
  enabled: true,
  defaultResource: () => resource,
  useGrantedResource: () => true,
  getResourceServerInfo(_ctx, wanted) {
    if (wanted !== resource) throw new errors.InvalidTarget(`tokens of this service are for ${resource}`)
    return {
      scope: scopes.join(' '),
      audience: 'mcp',
      accessTokenFormat: 'jwt',
      accessTokenTTL: ACCESS_S,
      jwt: { sign: { alg: 'EdDSA' } },
    }
  },
})

/** Everybody is asked each time, by a password: what a browser has been asked before does not count. */
function prompts(): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy
  const asked = new Check('not_asked', 'the user has to be asked', 'login_required', ({ oidc }) =>
    oidc.result?.login && oidc.result.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  )
  return [new Prompt({ name: 'login', requestable: true }, asked), new Prompt({ name: 'consent', requestable: true })]
}

function keyOf({ privateKey }: AuthorizationHost) {
  const kid = createHash('sha256')
    .update(createPublicKey(privateKey).export({ type: 'spki', format: 'der' }))
    .digest('base64url')
    .slice(0, 16)
  // an Ed25519 key has these members (RFC 8037)
  const { crv, d, x } = privateKey.export({ format: 'jwk' }) as { crv: 'Ed25519'; d: string; x: string }
  return { kty: 'OKP' as const, crv, d, x, kid, alg: 'EdDSA', use: 'sig' }
}
