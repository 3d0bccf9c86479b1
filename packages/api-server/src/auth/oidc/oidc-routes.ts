/**
 * `/login/methods` and `/login/oidc`: the ways of signing in, and the one by OpenID Connect (wire decision U3).
 * @module
 */
import { signInCodeSchema, signInErrors, signInMethodsSchema, tokenSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import { ProblemError } from '../../http/errors.ts'
import type { Recovery } from '../recovery/recovery.ts'
import type { OidcSignIn } from './oidc-sign-in.ts'
import { returnToSchema } from './return-to.ts'

const redirection = z.object({ location: z.string(), 'set-cookie': z.string() })

export const oidcEndpoints = {
  methods: endpoint({
    id: 'login.methods',
    method: 'get',
    path: '/login/methods',
    summary: 'Tell how people sign in here',
    auth: 'open',
    replies: { 200: reply.json('The ways of signing in.', signInMethodsSchema) },
  }),
  oidc: endpoint({
    id: 'login.oidc',
    method: 'get',
    path: '/login/oidc',
    summary: 'Sign in by OpenID Connect',
    description:
      'To be opened by a browser, which is sent to the provider, and comes back to `return_to` with `#code=` or `#error=`. ' +
      'The code is exchanged by `POST /login/oidc/token`.',
    auth: 'open',
    query: z.object({
      return_to: returnToSchema.meta({ description: 'A path of the service, or `http://127.0.0.1:<port>/...`.' }),
    }),
    replies: { 302: reply.empty('To the provider.', redirection) },
    problems: ['validation_failed', 'unavailable'],
  }),
  oidcCallback: endpoint({
    id: 'login.oidcCallback',
    method: 'get',
    path: '/login/oidc/callback',
    summary: 'Come back from the OpenID provider',
    description: `To be registered at the provider as the redirect URI. The words of \`#error=\` are ${signInErrors.join(', ')}.`,
    auth: 'open',
    // providers add what they like (OpenID Connect Core, section 3.1.2.5)
    query: z.looseObject({}),
    replies: { 302: reply.empty('To `return_to`, with `#code=` or `#error=`.', redirection) },
    problems: ['unavailable'],
  }),
  oidcToken: endpoint({
    id: 'login.oidcToken',
    method: 'post',
    path: '/login/oidc/token',
    summary: 'Exchange the code of a sign-in',
    description: 'A code works once, within 60 seconds.',
    auth: 'open',
    body: json(signInCodeSchema),
    replies: { 200: reply.json('A session token', tokenSchema) },
    problems: ['invalid_token', 'unavailable', 'request_timeout'],
  }),
} as const

/** What the endpoints work on. */
export interface OidcHandlersDeps {
  /** Null while OpenID Connect is not configured. */
  readonly oidcSignIn: OidcSignIn | null
  readonly recovery: Pick<Recovery, 'isOpen'>
}

/** The handlers of {@link oidcEndpoints}. */
export function oidcHandlers({ oidcSignIn, recovery }: OidcHandlersDeps): Handlers<typeof oidcEndpoints> {
  const configured = (): OidcSignIn => {
    if (oidcSignIn) return oidcSignIn
    throw new ProblemError('unavailable', 'OpenID Connect is not configured: sign in with a password')
  }
  return {
    methods: () => ({
      status: 200,
      value: { password: true, recovery: recovery.isOpen, oidc: oidcSignIn && { name: oidcSignIn.name } },
    }),
    async oidc({ query, request }) {
      const { location, cookie } = await configured().begin(query.return_to, request.baseUrl)
      return { status: 302, headers: { location, 'set-cookie': cookie } }
    },
    async oidcCallback({ request }) {
      const query = request.url.slice(request.url.indexOf('?') + 1)
      const { location, cookie } = await configured().finish(query, request.headers.cookie, request.baseUrl)
      return { status: 302, headers: { location, 'set-cookie': cookie } }
    },
    async oidcToken({ body: { code } }) {
      return { status: 200, value: await configured().redeem(code) }
    },
  }
}
