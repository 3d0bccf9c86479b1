/**
 * `/connectors/{node_type}/state`: the keys that a package keeps, and taking them away (wire decision G51). A type stands
 * for the package that provides it.
 * @module
 */
import * as z from 'zod'

import type { Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import { ProblemError } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { ConnectorState } from './connector-state.ts'

const params = z.object({ node_type: z.string().min(1).max(200).meta({ description: 'Node type of the connector.' }) })

export const connectorsEndpoints = {
  listState: endpoint({
    id: 'connectors.listState',
    method: 'get',
    path: '/connectors/{node_type}/state',
    summary: 'List what a connector keeps',
    description: 'Keys of all node types of its package. Nobody is shown a value.',
    auth: 'superuser',
    scope: 'admin',
    params,
    replies: { 200: reply.json('Keys, in their order.', z.array(z.string())) },
    problems: ['not_found'],
  }),
  deleteKey: endpoint({
    id: 'connectors.deleteKey',
    method: 'delete',
    path: '/connectors/{node_type}/state/{key}',
    summary: 'Have a connector forget a key',
    description:
      'Its package pairs, or learns, anew: when a flow with nodes of the package is published or started the next time.',
    auth: 'superuser',
    scope: 'admin',
    params: params.extend({
      key: z.string().min(1).max(1000).meta({ description: 'Under which the connector keeps the value.' }),
    }),
    replies: { 204: reply.empty('The key is gone.') },
    problems: ['not_found'],
  }),
  clearState: endpoint({
    id: 'connectors.clearState',
    method: 'delete',
    path: '/connectors/{node_type}/state',
    summary: 'Have a connector forget everything',
    description: 'As for one key, for all keys of the package.',
    auth: 'superuser',
    scope: 'admin',
    params,
    replies: { 204: reply.empty('Nothing is kept any more.') },
    problems: ['not_found'],
  }),
} as const

/** What the endpoints are answered by. */
export interface ConnectorsHandlersDeps {
  readonly connectorState: Pick<ConnectorState, 'clear' | 'keys' | 'remove'>
  readonly eventLog: Pick<EventLog, 'audit'>
  /** The package of an installed node type; null for another one. */
  readonly packageOf: (type: string) => string | null
}

export function connectorsHandlers(deps: ConnectorsHandlersDeps): Handlers<typeof connectorsEndpoints> {
  const { connectorState, eventLog } = deps
  const namespaceOf = (type: string): string => {
    const namespace = deps.packageOf(type)
    if (namespace !== null) return namespace
    throw new ProblemError('not_found', `no installed connector package has the node type "${type}"`)
  }
  const audit = (action: string, principal: UserPrincipal, detail: Record<string, string>) => (tx: Sql) =>
    eventLog.audit(tx, { action, actor: actorOf(principal), detail })
  return {
    listState: async ({ params: { node_type: type } }) => ({
      status: 200,
      value: await connectorState.keys(namespaceOf(type)),
    }),
    async deleteKey({ params: { node_type: type, key }, principal }) {
      const namespace = namespaceOf(type)
      await connectorState.remove(namespace, key, audit('connector.forget', principal, { package: namespace, key }))
      return { status: 204 }
    },
    async clearState({ params: { node_type: type }, principal }) {
      const namespace = namespaceOf(type)
      await connectorState.clear(namespace, audit('connector.clear', principal, { package: namespace }))
      return { status: 204 }
    },
  }
}
