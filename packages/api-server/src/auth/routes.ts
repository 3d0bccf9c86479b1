/**
 * Signing in (wire decision G09).
 * @module
 */
import { signInCodeSchema, tokenSchema, type User, userSchema } from '@flow-service/protocol'
import * as z from 'zod'

import type { ResolvedConfig } from '../config.ts'
import { isForwarded, isLoopbackAddress } from '../http/address.ts'
import { endpoint, form, type Handlers, json, reply } from '../http/endpoint.ts'
import { ProblemError } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { ConsoleCodes } from './console-codes.ts'
import type { Sessions } from './sessions.ts'
import type { SignInLimit } from './sign-in-limit.ts'
import { foldEmail, type Users } from './users.ts'

export const authEndpoints = {
  accessToken: endpoint({
    id: 'login.accessToken',
    method: 'post',
    path: '/login/access-token',
    summary: 'Sign in',
    description: 'OAuth 2.0 password grant (RFC 6749, section 4.3); other fields of that grant are ignored.',
    auth: 'open',
    body: form(
      z
        .object({
          username: z.string().min(1).max(320).meta({ description: 'The e-mail of the user.' }),
          password: z.string().min(1).max(1024).meta({ format: 'password', description: 'The password of the user.' }),
        })
        .meta({ id: 'LoginForm' }),
    ),
    replies: { 200: reply.json('A session token', tokenSchema) },
    problems: ['invalid_credentials', 'rate_limited', 'request_timeout'],
  }),
  code: endpoint({
    id: 'login.code',
    method: 'post',
    path: '/login/code',
    summary: 'Exchange the code of a development engine',
    description:
      'By a code that `service dev` has put behind `#dev=`, from the same machine, once and within 60 seconds. Other environments than `local` give none.',
    auth: 'open',
    body: json(signInCodeSchema),
    replies: { 200: reply.json('A session token of the first superuser', tokenSchema) },
    problems: ['invalid_token', 'request_timeout'],
  }),
  testToken: endpoint({
    id: 'login.testToken',
    method: 'post',
    path: '/login/test-token',
    summary: 'Check a token',
    auth: 'user',
    scope: null,
    replies: { 200: reply.json('The user of the token', userSchema) },
  }),
  me: endpoint({
    id: 'users.me',
    method: 'get',
    path: '/users/me',
    summary: 'Who is signed in',
    auth: 'user',
    scope: null,
    replies: { 200: reply.json('The user', userSchema) },
  }),
}

/** The handlers of {@link authEndpoints}. */
export const authHandlers = (deps: {
  readonly consoleCodes: Pick<ConsoleCodes, 'take'>
  readonly config: Pick<ResolvedConfig, 'environment'>
  readonly users: Pick<Users, 'firstSuperuser' | 'signIn'>
  readonly sessions: Sessions
  readonly limit: SignInLimit
}): Handlers<typeof authEndpoints> => ({
  accessToken: async ({ body, request }) => {
    const succeeded = deps.limit.begin(request.address, foldEmail(body.username))
    const user = await deps.users.signIn(body.username, body.password)
    if (!user)
      throw new ProblemError('invalid_credentials', 'the user name or the password is wrong', {
        error: 'invalid_grant',
      })
    succeeded()
    return { status: 200, value: await deps.sessions.issue(user) }
  },
  async code({ body, request }) {
    const isHere = deps.config.environment === 'local' && isLoopbackAddress(request.address) && !isForwarded(request)
    // the code is used up by whoever has it
    const counts = deps.consoleCodes.take(body.code) && isHere
    const user = counts ? await deps.users.firstSuperuser() : null
    if (user) return { status: 200, value: await deps.sessions.issue(user) }
    throw new ProblemError(
      'invalid_token',
      'the code does not count: it is used up, older than a minute, or of another machine; sign in, or start the engine again',
    )
  },
  testToken: ({ principal }) => ({ status: 200, value: userOf(principal) }),
  me: ({ principal }) => ({ status: 200, value: userOf(principal) }),
})

const userOf = ({ id, email, fullName, superuser }: UserPrincipal): User => ({
  id,
  email,
  full_name: fullName,
  is_active: true,
  is_superuser: superuser,
})
