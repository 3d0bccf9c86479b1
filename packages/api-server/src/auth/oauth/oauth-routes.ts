/**
 * `/oauth`: agents that users have let in, and programs that may ask for it (wire decisions G10, U6).
 * @module
 */
import {
  agentTokenRequestSchema,
  agentTokenSchema,
  mintedAgentTokenSchema,
  oauthClientRequestSchema,
  oauthClientSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf, type EventLog } from '../../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import { ProblemError } from '../../http/errors.ts'
import type { UserPrincipal } from '../../http/principal.ts'
import { flag } from '../../http/query.ts'
import type { AgentTokens } from './agent-tokens.ts'
import type { OAuthClients } from './oauth-clients.ts'

export const oauthEndpoints = {
  listTokens: endpoint({
    id: 'oauth.listTokens',
    method: 'get',
    path: '/oauth/tokens',
    summary: 'List agents that are let in',
    description: 'Yours, or those of everybody for a superuser; without the texts of their tokens.',
    auth: 'user',
    scope: 'admin',
    query: z.object({ all: flag.default(false).meta({ description: 'Those of everybody.' }) }),
    replies: { 200: reply.json('Agents, the newest first.', z.array(agentTokenSchema)) },
    problems: ['forbidden'],
  }),
  mintToken: endpoint({
    id: 'oauth.mintToken',
    method: 'post',
    path: '/oauth/tokens',
    summary: 'Make a token for an agent',
    description:
      'It acts for you, within its scopes and never beyond what you may yourself. An agent makes no tokens. A new password leaves it as it is; a deactivated account ends it.',
    auth: 'user',
    scope: 'admin',
    body: json(agentTokenRequestSchema),
    replies: { 201: reply.json('The token, which is shown this once.', mintedAgentTokenSchema) },
    problems: ['forbidden', 'validation_failed'],
  }),
  revokeToken: endpoint({
    id: 'oauth.revokeToken',
    method: 'post',
    path: '/oauth/tokens/{id}/revoke',
    summary: 'End an agent',
    description:
      'With all its tokens; its sockets are closed. Your own agents, anybody’s for a superuser. Again, it changes nothing.',
    auth: 'user',
    scope: 'admin',
    params: z.object({ id: z.uuid().meta({ description: 'Of the agent, as lists tell it.' }) }),
    replies: { 200: reply.json('The agent as it is now.', agentTokenSchema) },
    problems: ['not_found'],
  }),
  listClients: endpoint({
    id: 'oauth.listClients',
    method: 'get',
    path: '/oauth/clients',
    summary: 'List programs that may ask to be let in',
    auth: 'superuser',
    scope: 'admin',
    replies: { 200: reply.json('Programs by name.', z.array(oauthClientSchema)) },
  }),
  addClient: endpoint({
    id: 'oauth.addClient',
    method: 'post',
    path: '/oauth/clients',
    summary: 'Let a program ask to be let in',
    description: 'It asks users in their browser, as a public client of OAuth 2.1: without a secret, by PKCE.',
    auth: 'superuser',
    scope: 'admin',
    body: json(oauthClientRequestSchema),
    replies: { 201: reply.json('The program.', oauthClientSchema) },
    problems: ['validation_failed'],
  }),
  removeClient: endpoint({
    id: 'oauth.removeClient',
    method: 'delete',
    path: '/oauth/clients/{id}',
    summary: 'Forget a program',
    description: 'What users have let it do is revoked.',
    auth: 'superuser',
    scope: 'admin',
    params: z.object({ id: z.string().min(1).max(200).meta({ description: 'Its `client_id`.' }) }),
    replies: { 204: reply.empty('The program is forgotten.') },
    problems: ['not_found'],
  }),
} as const

/** What the endpoints work on. */
export interface OAuthHandlersDeps {
  readonly agentTokens: Pick<AgentTokens, 'list' | 'mint' | 'revoke'>
  readonly oauthClients: Pick<OAuthClients, 'add' | 'list' | 'remove'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** `/oauth` over the agents and programs of a database. */
export function oauthHandlers({
  agentTokens,
  oauthClients,
  eventLog,
}: OAuthHandlersDeps): Handlers<typeof oauthEndpoints> {
  const ofToken =
    (action: string, by: UserPrincipal): Parameters<AgentTokens['revoke']>[2] =>
    (tx, { id, client, scopes, owner }) =>
      eventLog.audit(tx, { action, actor: actorOf(by), detail: { id, client, scopes, owner: owner.email } })
  const ofClient =
    (action: string, by: UserPrincipal): Parameters<OAuthClients['remove']>[1] =>
    (tx, { id, name, redirect_uris }) =>
      eventLog.audit(tx, { action, actor: actorOf(by), detail: { id, name, redirect_uris } })
  return {
    async listTokens({ query, principal }) {
      if (query.all && !principal.superuser)
        throw new ProblemError('forbidden', 'only superusers see the agents of everybody: leave "all" out')
      return { status: 200, value: await agentTokens.list(query.all ? null : principal.id) }
    },
    mintToken: async ({ body, principal }) => ({
      status: 201,
      value: await agentTokens.mint(body, principal, ofToken('oauth.mint', principal)),
    }),
    revokeToken: async ({ params, principal }) => ({
      status: 200,
      value: await agentTokens.revoke(params.id, principal, ofToken('oauth.revoke', principal)),
    }),
    listClients: async () => ({ status: 200, value: await oauthClients.list() }),
    addClient: async ({ body, principal }) => ({
      status: 201,
      value: await oauthClients.add(body, false, ofClient('oauth.client_add', principal)),
    }),
    async removeClient({ params, principal }) {
      await oauthClients.remove(params.id, ofClient('oauth.client_remove', principal))
      return { status: 204 }
    },
  }
}
