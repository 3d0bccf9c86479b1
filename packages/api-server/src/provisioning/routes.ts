/**
 * `/workers/resources` and `/workers/provisioners`: what workers have, and those that the engine starts itself (wire
 * decisions G53, U21).
 * @module
 */
import {
  nameSchema,
  provisionerStateSchema,
  provisionerTestBegunSchema,
  provisionerTestSchema,
  workerResourcesSchema,
} from '@flow-service/protocol'
import type { Worker } from '@flow-service/worker-agent'
import * as z from 'zod'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import type { EnginePythons } from '../workers/engine-pythons.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { resourcesOf } from '../workers/resources.ts'
import type { Provisioners } from './provisioners.ts'
import type { Trials } from './trials.ts'

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
  test: endpoint({
    id: 'workers.provisioners.test',
    method: 'post',
    path: '/workers/provisioners/{name}/{profile}/test',
    summary: 'Test a profile of a provisioner',
    description:
      'Hands in a job of one minute, has its worker execute a call, and cancels the job. Its steps are read by the id in the answer; of one that is under way, that is answered.',
    auth: 'superuser',
    scope: 'admin',
    params: z.object({
      name: nameSchema.meta({ description: 'Name of the provisioner.' }),
      profile: nameSchema.meta({ description: 'Name of its profile.' }),
    }),
    replies: { 202: reply.json('The test has begun.', provisionerTestBegunSchema) },
    problems: ['not_found'],
  }),
  readTest: endpoint({
    id: 'workers.provisioners.readTest',
    method: 'get',
    path: '/workers/provisioners/tests/{test}',
    summary: 'Read how far a test of a profile has come',
    description: 'At the engine where it was begun, which keeps the last twenty.',
    auth: 'superuser',
    scope: 'admin',
    params: z.object({ test: z.uuid().meta({ description: 'Of the test that was begun.' }) }),
    replies: { 200: reply.json('Its steps so far.', provisionerTestSchema) },
    problems: ['not_found'],
  }),
} as const

/** What the endpoints work on. */
export interface ProvisioningHandlersDeps {
  readonly pool: Pick<WorkerPool, 'list'>
  readonly agent: Pick<Worker, 'python'>
  readonly pythons: Pick<EnginePythons, 'list'>
  readonly provisioners: Pick<Provisioners, 'list' | 'reload'>
  readonly trials: Pick<Trials, 'begin' | 'read'>
  readonly eventLog: Pick<EventLog, 'note'>
}

export const provisioningHandlers = ({
  pool,
  agent,
  pythons,
  provisioners,
  trials,
  eventLog,
}: ProvisioningHandlersDeps): Handlers<typeof provisioningEndpoints> => ({
  async resources() {
    const remote = pool.list().filter(({ local }) => !local)
    const value = {
      ...resourcesOf(remote),
      pythons: await pythons.list(agent),
      provisioners: await provisioners.list(),
    }
    return { status: 200, value }
  },
  async reload({ principal }) {
    const value = await provisioners.reload()
    const detail = { provisioners: value.map(({ name }) => name) }
    eventLog.note({ action: 'provisioners.reload', actor: actorOf(principal), detail })
    return { status: 200, value }
  },
  test({ params: { name, profile }, principal }) {
    const test = trials.begin(name, profile)
    const detail = { provisioner: name, profile, test }
    eventLog.note({ action: 'provisioners.test', actor: actorOf(principal), detail })
    return { status: 202, value: { test } }
  },
  readTest: ({ params: { test } }) => ({ status: 200, value: trials.read(test) }),
})
