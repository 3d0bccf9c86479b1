/**
 * `/modules`: the packages of Python nodes and connectors (wire decisions G49, U14).
 * @module
 */
import { modulesApplySchema, modulesSchema } from '@flow-service/protocol'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import type { Modules } from './modules.ts'

export const modulesEndpoints = {
  get: endpoint({
    id: 'modules.get',
    method: 'get',
    path: '/modules/',
    summary: 'Get the modules',
    description: 'The manifest in force, what is installed, and how far an apply is.',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('The modules of this engine.', modulesSchema) },
  }),
  apply: endpoint({
    id: 'modules.apply',
    method: 'post',
    path: '/modules/apply',
    summary: 'Apply a manifest of modules',
    description:
      'Replaces the whole list. It is built beside what is in force, which is used until it is complete: poll GET /modules/, or follow the `modules` frames of the event socket.',
    auth: 'superuser',
    scope: 'admin',
    body: json(modulesApplySchema),
    replies: {
      202: reply.json('It is being built, or nothing has changed: `state` tells.', modulesSchema),
    },
    problems: ['validation_failed', 'environment_adopted', 'apply_running'],
  }),
} as const

/** Characters of a manifest that the audit trail has; the table of manifests has all of them. */
const MAX_AUDITED = 2_000

/** What the endpoints work on. */
export interface ModulesHandlersDeps {
  readonly modules: Pick<Modules, 'view' | 'apply'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

export const modulesHandlers = ({ modules, eventLog }: ModulesHandlersDeps): Handlers<typeof modulesEndpoints> => ({
  get: async () => ({ status: 200, value: await modules.view() }),
  async apply({ body: { requirements }, principal }) {
    const shown = requirements.length > MAX_AUDITED ? `${requirements.slice(0, MAX_AUDITED)}…` : requirements
    const entry = { action: 'modules.apply', actor: actorOf(principal), detail: { requirements: shown } }
    const value = await modules.apply(requirements, {
      by: principal.email,
      audit: (tx) => eventLog.audit(tx, entry),
    })
    return { status: 202, value }
  },
})
