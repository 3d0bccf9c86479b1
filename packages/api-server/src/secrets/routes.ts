/**
 * `/secrets`: names, and new values; no answer ever holds one (wire decision G48).
 * @module
 */
import { secretNameSchema, secretUsageSchema, secretValueSchema } from '@flow-service/protocol'
import * as z from 'zod'

import type { Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { Secrets } from './secrets.ts'

const params = z.object({ name: secretNameSchema.meta({ description: 'Name of the secret.' }) })

export const secretsEndpoints = {
  list: endpoint({
    id: 'secrets.list',
    method: 'get',
    path: '/secrets/',
    summary: 'List secrets',
    auth: 'user',
    scope: 'admin',
    replies: { 200: reply.json('Names, in their order.', z.array(z.string())) },
  }),
  usage: endpoint({
    id: 'secrets.usage',
    method: 'get',
    path: '/secrets/usage',
    summary: 'List secrets with their users',
    description: 'Nodes whose draft or published form refers to them, and what else does.',
    auth: 'user',
    scope: 'admin',
    replies: { 200: reply.json('Secrets without their values, by name.', z.array(secretUsageSchema)) },
  }),
  set: endpoint({
    id: 'secrets.set',
    method: 'put',
    path: '/secrets/{name}',
    summary: 'Store a secret',
    description: 'In place of the value that it had. Nodes of active flows that use it are made anew.',
    auth: 'superuser',
    scope: 'admin',
    params,
    body: json(secretValueSchema),
    replies: { 204: reply.empty('The value is stored.') },
    problems: ['validation_failed'],
  }),
  delete: endpoint({
    id: 'secrets.delete',
    method: 'delete',
    path: '/secrets/{name}',
    summary: 'Delete a secret',
    auth: 'superuser',
    scope: 'admin',
    params,
    replies: { 204: reply.empty('The secret is gone.') },
    problems: ['not_found', 'in_use'],
  }),
} as const

/** What the endpoints are answered by. */
export interface SecretsHandlersDeps {
  readonly secrets: Pick<Secrets, 'names' | 'usage' | 'put' | 'remove'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

export function secretsHandlers({ secrets, eventLog }: SecretsHandlersDeps): Handlers<typeof secretsEndpoints> {
  const change = (action: string, secret: string, principal: UserPrincipal) => ({
    by: principal.email,
    audit: (tx: Sql) => eventLog.audit(tx, { action, actor: actorOf(principal), detail: { secret } }),
  })
  return {
    list: async () => ({ status: 200, value: await secrets.names() }),
    usage: async () => ({ status: 200, value: await secrets.usage() }),
    async set({ params: { name }, body, principal }) {
      await secrets.put(name, body.value, change('secret.put', name, principal))
      return { status: 204 }
    },
    async delete({ params: { name }, principal }) {
      await secrets.remove(name, change('secret.delete', name, principal))
      return { status: 204 }
    },
  }
}
