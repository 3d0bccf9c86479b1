/**
 * What clients look up before they ask: the authorization server (RFC 8414), and what tokens are for (RFC 9728).
 * @module
 */
import { type Scope, scopes } from '@flow-service/protocol'

import type { Place } from './place.ts'

/** What the tools of an agent need; a client that asks for all that is named here gets no more than that. */
const offered: readonly Scope[] = scopes.filter(
  (scope) => !['admin', 'devices:write', 'flows:code', 'messages:publish'].includes(scope),
)

/** What a client asks for that names no scope: nothing by which it acts on what runs. */
export const usualScopes: readonly Scope[] = offered.filter((scope) => scope !== 'flows:publish')

/** The authorization server; also what clients of OpenID Connect look for, which is no more than this. */
export const serverMetadata = ({ issuer }: Place, registration: boolean): object => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  ...(registration ? { registration_endpoint: `${issuer}/oauth/register` } : {}),
  jwks_uri: `${issuer}/oauth/jwks`,
  scopes_supported: offered,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['EdDSA'],
})

/** What tokens are for. */
export const resourceMetadata = ({ issuer, resource }: Place): object => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: offered,
  bearer_methods_supported: ['header'],
  resource_name: 'flow-service',
})
