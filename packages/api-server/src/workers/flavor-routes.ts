/**
 * `/flavors`: named sizes of what a call takes (wire decision G56).
 * @module
 */
import { flavorCreateSchema, flavorSchema, flavorUpdateSchema, nameSchema } from '@flow-service/protocol'
import * as z from 'zod'

import type { Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { Flavors } from './flavors.ts'

const params = z.object({ name: nameSchema.meta({ description: 'Name of the flavor.' }) })

export const flavorsEndpoints = {
  list: endpoint({
    id: 'flavors.list',
    method: 'get',
    path: '/flavors/',
    summary: 'List flavors',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('Flavors by name.', z.array(flavorSchema)) },
  }),
  create: endpoint({
    id: 'flavors.create',
    method: 'post',
    path: '/flavors/',
    summary: 'Create a flavor',
    description: 'Flows name it in `resources.flavor`; the numbers beside it there go before its own.',
    auth: 'superuser',
    scope: 'admin',
    body: json(flavorCreateSchema),
    replies: { 201: reply.json('The flavor.', flavorSchema) },
    problems: ['already_exists', 'validation_failed'],
  }),
  update: endpoint({
    id: 'flavors.update',
    method: 'patch',
    path: '/flavors/{name}',
    summary: 'Change a flavor',
    description: 'What is left out stays as it was. Calls that have not started yet take the new numbers.',
    auth: 'superuser',
    scope: 'admin',
    params,
    body: json(flavorUpdateSchema),
    replies: { 200: reply.json('The flavor as it is now.', flavorSchema) },
    problems: ['not_found', 'validation_failed'],
  }),
  delete: endpoint({
    id: 'flavors.delete',
    method: 'delete',
    path: '/flavors/{name}',
    summary: 'Delete a flavor',
    description: 'Refused while flows name it in their draft or published form; `used_by` tells which.',
    auth: 'superuser',
    scope: 'admin',
    params,
    replies: { 204: reply.empty('The flavor is gone.') },
    problems: ['not_found', 'in_use'],
  }),
} as const

/** What the endpoints work on. */
export interface FlavorsHandlersDeps {
  readonly flavors: Pick<Flavors, 'list' | 'create' | 'update' | 'remove'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** `/flavors` over the flavors of a database. */
export function flavorsHandlers({ flavors, eventLog }: FlavorsHandlersDeps): Handlers<typeof flavorsEndpoints> {
  const audited =
    (action: string, by: UserPrincipal, detail: { readonly flavor: string }) =>
    (tx: Sql): Promise<void> =>
      eventLog.audit(tx, { action, actor: actorOf(by), detail })
  return {
    list: async () => ({ status: 200, value: await flavors.list() }),
    async create({ body, principal }) {
      const { name, ...numbers } = body
      const audit = audited('flavor.create', principal, { flavor: name, ...numbers })
      return { status: 201, value: await flavors.create(body, audit) }
    },
    async update({ params: { name }, body, principal }) {
      const audit = audited('flavor.update', principal, { flavor: name, ...body })
      return { status: 200, value: await flavors.update(name, body, audit) }
    },
    async delete({ params: { name }, principal }) {
      await flavors.remove(name, audited('flavor.delete', principal, { flavor: name }))
      return { status: 204 }
    },
  }
}
