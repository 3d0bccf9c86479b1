/**
 * `/users`: accounts as superusers manage them, and a user's own password (wire decision U2).
 * @module
 */
import {
  passwordChangeSchema,
  tokenSchema,
  userAdminSchema,
  userCreatedSchema,
  userCreateSchema,
  userUpdateSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf } from '../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import type { Accounts } from './accounts.ts'
import type { Sessions } from './sessions.ts'
import type { SignInLimit } from './sign-in-limit.ts'

const params = z.object({ id: z.uuid().meta({ description: 'Of the user.' }) })

export const usersEndpoints = {
  list: endpoint({
    id: 'users.list',
    method: 'get',
    path: '/users',
    summary: 'List users',
    auth: 'superuser',
    scope: 'admin',
    replies: { 200: reply.json('Users by e-mail.', z.array(userAdminSchema)) },
  }),
  create: endpoint({
    id: 'users.create',
    method: 'post',
    path: '/users',
    summary: 'Add a user',
    description: 'Without a password they are invited: by a mail, or by the link of the answer where no mailer is set.',
    auth: 'superuser',
    scope: 'admin',
    body: json(userCreateSchema),
    replies: { 201: reply.json('The user.', userCreatedSchema) },
    problems: ['already_exists', 'validation_failed', 'unavailable'],
  }),
  update: endpoint({
    id: 'users.update',
    method: 'patch',
    path: '/users/{id}',
    summary: 'Change a user',
    description: 'A new password, and a deactivation, end all sessions of the user.',
    auth: 'superuser',
    scope: 'admin',
    params,
    body: json(userUpdateSchema),
    replies: { 200: reply.json('The user.', userAdminSchema) },
    problems: ['not_found', 'last_superuser', 'validation_failed'],
  }),
  delete: endpoint({
    id: 'users.delete',
    method: 'delete',
    path: '/users/{id}',
    summary: 'Delete a user',
    description: 'Their sessions end. Flows, runs and the audit trail keep their name.',
    auth: 'superuser',
    scope: 'admin',
    params,
    replies: { 204: reply.empty('The user is gone.') },
    problems: ['not_found', 'last_superuser'],
  }),
  changePassword: endpoint({
    id: 'users.changePassword',
    method: 'post',
    path: '/users/me/password',
    summary: 'Change one’s own password',
    description: 'All other sessions end.',
    auth: 'user',
    scope: 'admin',
    body: json(passwordChangeSchema),
    replies: { 200: reply.json('A session token in place of the one that was used', tokenSchema) },
    problems: ['invalid_credentials', 'rate_limited', 'validation_failed'],
  }),
} as const

/** What the endpoints work on. */
export interface UsersHandlersDeps {
  readonly accounts: Pick<Accounts, 'list' | 'create' | 'update' | 'remove' | 'changeOwn'>
  readonly sessions: Pick<Sessions, 'issue'>
  readonly signInLimit: SignInLimit
}

/** `/users` over the accounts of a database. */
export const usersHandlers = (deps: UsersHandlersDeps): Handlers<typeof usersEndpoints> => ({
  list: async () => ({ status: 200, value: await deps.accounts.list() }),
  create: async ({ body, principal }) => ({
    status: 201,
    value: await deps.accounts.create(body, actorOf(principal)),
  }),
  update: async ({ params: { id }, body, principal }) => ({
    status: 200,
    value: await deps.accounts.update(id, body, actorOf(principal)),
  }),
  async delete({ params: { id }, principal }) {
    await deps.accounts.remove(id, actorOf(principal))
    return { status: 204 }
  },
  async changePassword({ body, principal, request }) {
    // who has found an open session may not guess the password behind it
    const succeeded = deps.signInLimit.begin(request.address, principal.email)
    const own = { current: body.current_password, next: body.new_password }
    const holder = await deps.accounts.changeOwn(actorOf(principal), own)
    succeeded()
    return { status: 200, value: await deps.sessions.issue(holder) }
  },
})
