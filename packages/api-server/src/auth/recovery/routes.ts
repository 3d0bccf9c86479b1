/**
 * Forgotten passwords and invites (wire decisions G09, U3).
 * @module
 */
import { emailSchema, messageTextSchema, newPasswordSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import type { Recovery } from './recovery.ts'

export const recoveryEndpoints = {
  recoverPassword: endpoint({
    id: 'login.recoverPassword',
    method: 'post',
    path: '/password-recovery/{email}',
    summary: 'Ask for a link to set a new password',
    description:
      'The answer is the same whether or not there is such a user; at most 5 links an hour are mailed to one.',
    auth: 'open',
    params: z.object({ email: emailSchema.meta({ description: 'Address of the user.' }) }),
    replies: { 200: reply.json('If there is such a user, a mail is on its way.', messageTextSchema) },
    problems: ['rate_limited', 'unavailable', 'validation_failed'],
  }),
  resetPassword: endpoint({
    id: 'login.resetPassword',
    method: 'post',
    path: '/reset-password/',
    summary: 'Set a password by a link',
    description: 'The link of a recovery or of an invite; it works once. All sessions of the user end.',
    auth: 'open',
    body: json(newPasswordSchema),
    replies: { 200: reply.json('The password is set.', messageTextSchema) },
    problems: ['invalid_token', 'validation_failed', 'unavailable'],
  }),
} as const

/** The endpoints over the accounts of a database. */
export const recoveryHandlers = ({
  recovery,
}: {
  readonly recovery: Pick<Recovery, 'ask' | 'reset'>
}): Handlers<typeof recoveryEndpoints> => ({
  recoverPassword({ params: { email }, request }) {
    recovery.ask(email, request.address)
    return { status: 200, value: { message: 'If there is an account with this address, a mail is on its way to it.' } }
  },
  async resetPassword({ body }) {
    await recovery.reset(body.token, body.new_password)
    return { status: 200, value: { message: 'The password is set. Sign in with it.' } }
  },
})
