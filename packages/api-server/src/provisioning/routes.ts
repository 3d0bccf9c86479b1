/**
 * `/workers/resources` and `/workers/provisioners`: what workers have, and those that the engine starts itself (wire
 * decisions G53, U21).
 * @module
 */
import { provisionerStateSchema, workerResourcesSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { resourcesOf } from '../workers/resources.ts'
import type { Provisioners } from './provisioners.ts'

export const provisioningEndpoints = {
  resources: endpoint({
    id: 'workers.resources',
    method: 'get',
    path: '/workers/resources',
    summary: 'Get what workers have and have left',
    description: 'And how the provisioners fare that may start more of them.',
    auth: 'user',
    scope: 'observability:read',
    replies: {
      200: reply.json('Sums over the attached workers, each of them, and the provisioners.', workerResourcesSchema),
    },
  }),
  reload: endpoint({
    id: 'workers.provisioners.reload',
    method: 'post',
    path: '/workers/provisioners/reload',
    summary: 'Read provisioners.json again',
    description:
      'That of the engine which answers. Pending jobs of a profile that is gone are cancelled; attached workers stay. A file that cannot be used changes nothing. What has failed may be tried again at once.',
    auth: 'superuser',
    scope: 'admin',
    replies: { 200: reply.json('The provisioners of the file, in its order.', z.array(provisionerStateSchema)) },
    problems: ['validation_failed'],
  }),
} as const

/** What the endpoints work on. */
export interface ProvisioningHandlersDeps {
  readonly pool: Pick<WorkerPool, 'list'>
  readonly provisioners: Pick<Provisioners, 'list' | 'reload'>
  readonly eventLog: Pick<EventLog, 'note'>
}

export const provisioningHandlers = ({
  pool,
  provisioners,
  eventLog,
}: ProvisioningHandlersDeps): Handlers<typeof provisioningEndpoints> => ({
  async resources() {
    const remote = pool.list().filter(({ local }) => !local)
    return { status: 200, value: { ...resourcesOf(remote), provisioners: await provisioners.list() } }
  },
  async reload({ principal }) {
    const value = await provisioners.reload()
    const detail = { provisioners: value.map(({ name }) => name) }
    eventLog.note({ action: 'provisioners.reload', actor: actorOf(principal), detail })
    return { status: 200, value }
  },
})
