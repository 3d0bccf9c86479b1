/**
 * `/keys`: keys by which programs are signed in (wire decision U5).
 * @module
 */
import { type ApiKey, apiKeyRequestSchema, apiKeySchema, mintedApiKeySchema } from '@flow-service/protocol'
import * as z from 'zod'

import type { Sql } from '../../db/database.ts'
import { actorOf, type EventLog } from '../../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import type { UserPrincipal } from '../../http/principal.ts'
import { flag } from '../../http/query.ts'
import type { ApiKeys } from './api-keys.ts'

export const keysEndpoints = {
  list: endpoint({
    id: 'keys.list',
    method: 'get',
    path: '/keys',
    summary: 'List API keys',
    description: 'Your own without their texts, those that are revoked or have expired among them.',
    auth: 'user',
    scope: 'admin',
    query: z.object({
      all: flag.default(false).meta({ description: 'Of all users, which takes a superuser.' }),
    }),
    replies: { 200: reply.json('Keys by owner and name.', z.array(apiKeySchema)) },
  }),
  create: endpoint({
    id: 'keys.create',
    method: 'post',
    path: '/keys',
    summary: 'Make an API key',
    description:
      'A program that sends it is signed in as you, within the scopes of the key: it is never more than you are at the time. Agents make no keys.',
    auth: 'user',
    scope: 'admin',
    body: json(apiKeyRequestSchema),
    replies: { 201: reply.json('The key, which is shown this once.', mintedApiKeySchema) },
    problems: ['already_exists', 'validation_failed'],
  }),
  revoke: endpoint({
    id: 'keys.revoke',
    method: 'post',
    path: '/keys/{id}/revoke',
    summary: 'Revoke an API key',
    description:
      'Requests with it are refused from now on, and its sockets close. Revoking it again changes nothing. Superusers revoke those of others too.',
    auth: 'user',
    scope: 'admin',
    params: z.object({ id: z.uuid().meta({ description: 'Of the key.' }) }),
    replies: { 200: reply.json('The key as it is now.', apiKeySchema) },
    problems: ['not_found'],
  }),
} as const

/** What the endpoints work on. */
export interface KeysHandlersDeps {
  readonly apiKeys: Pick<ApiKeys, 'create' | 'list' | 'revoke'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

export function keysHandlers({ apiKeys, eventLog }: KeysHandlersDeps): Handlers<typeof keysEndpoints> {
  const audited = (action: string, by: UserPrincipal) => (tx: Sql, key: ApiKey) => {
    const { id, name, prefix, scopes, owner } = key
    const detail = { key: id, name, prefix, scopes, owner: owner.email, expires_at: key.expires_at }
    return eventLog.audit(tx, { action, actor: actorOf(by), detail })
  }
  return {
    list: async ({ query, principal }) => ({ status: 200, value: await apiKeys.list(principal, query.all) }),
    create: async ({ body, principal }) => ({
      status: 201,
      value: await apiKeys.create(body, principal, audited('key.create', principal)),
    }),
    revoke: async ({ params, principal }) => ({
      status: 200,
      value: await apiKeys.revoke(params.id, principal, audited('key.revoke', principal)),
    }),
  }
}
