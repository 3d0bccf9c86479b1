/**
 * Settings of OpenID Connect, which `config.ts` has among all others (wire decision U3).
 * @module
 */
import { isLoopbackAddress } from '../../http/address.ts'
import { ConfigError, list, optional, setting, text } from '../../process/setting.ts'

const isIssuer = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) && search === '' && hash === ''
}
const isDomain = (value: string): boolean => value === '*' || /^[a-z\d-]+(\.[a-z\d-]+)*$/i.test(value)

/** Settings by the names of their options. */
export const oidcSettings = {
  oidcIssuer: optional(text('the http or https URL of an issuer, without a query', isIssuer), {
    env: 'SERVICE_OIDC_ISSUER',
    about: 'The OpenID provider by which people may sign in, as it names itself.',
    initially: 'no sign-in by OpenID Connect',
  }),
  oidcClientId: optional(text('a client id'), {
    env: 'SERVICE_OIDC_CLIENT_ID',
    about: 'The client that the service is for the OpenID provider; it is needed beside the issuer.',
  }),
  oidcClientSecret: optional(text('a client secret'), {
    env: 'SERVICE_OIDC_CLIENT_SECRET',
    about: 'The secret of that client; it is needed beside the issuer.',
    secret: true,
  }),
  oidcName: setting(text('a name'), {
    env: 'SERVICE_OIDC_NAME',
    about: 'What people read on the button of that way of signing in.',
    initial: 'OpenID Connect',
  }),
  oidcAllowedDomains: setting(
    list('domains of e-mail addresses such as example.org, or *, separated by commas in the environment', isDomain),
    {
      env: 'SERVICE_OIDC_ALLOWED_DOMAINS',
      about:
        'Domains of verified e-mail addresses that get an account of an ordinary user at their first sign-in; * is whoever the provider lets in.',
      initial: [],
      initially: 'none: only accounts that exist',
    },
  ),
  oidcGroupsClaim: setting(text('the name of a claim'), {
    env: 'SERVICE_OIDC_GROUPS_CLAIM',
    about: 'The claim that lists the groups of a person.',
    initial: 'groups',
  }),
  oidcSuperuserGroup: optional(text('the name of a group'), {
    env: 'SERVICE_OIDC_SUPERUSER_GROUP',
    about: 'Each sign-in by OpenID Connect makes its members superusers, and all others ordinary users.',
    initially: 'the provider decides no roles',
  }),
}

interface OidcValues {
  readonly environment: string
  readonly baseUrl: string | null
  readonly oidcIssuer: string | null
  readonly oidcClientId: string | null
  readonly oidcClientSecret: string | null
}

/** Throws `ConfigError` when there is an issuer and something that it needs is not usable. */
export function checkOidc({ environment, baseUrl, oidcIssuer: issuer, ...client }: OidcValues): void {
  if (issuer === null) return
  if (client.oidcClientId === null)
    throw new ConfigError('SERVICE_OIDC_CLIENT_ID is not set: SERVICE_OIDC_ISSUER needs a client')
  if (client.oidcClientSecret === null)
    throw new ConfigError('SERVICE_OIDC_CLIENT_SECRET is not set: SERVICE_OIDC_ISSUER needs the secret of its client')
  if (environment !== 'production') return
  if (baseUrl === null)
    throw new ConfigError(
      'SERVICE_BASE_URL is not set: in production SERVICE_OIDC_ISSUER needs it, for people come back there',
    )
  const { protocol, hostname } = new URL(issuer)
  if (protocol !== 'https:' && hostname !== 'localhost' && !isLoopbackAddress(hostname))
    throw new ConfigError(`SERVICE_OIDC_ISSUER is "${issuer}": in production use https`)
}
