/**
 * `/runs`: numbers of all flows, outputs of nodes, deletion (wire decisions G34, G35, G38).
 * @module
 */
import {
  deletedCountSchema,
  nameSchema,
  nodeLogsSchema,
  nodeOutputsSchema,
  runOverviewSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import type { Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import { flag } from '../http/query.ts'
import { logQuery } from '../node-logs/log-query.ts'
import type { RunHistory } from './history.ts'

const runId = z.uuid('use the id of a run').meta({ description: 'Of the run.' })

/** The endpoints of finished runs. */
export const historyEndpoints = {
  overview: endpoint({
    id: 'runs.overview',
    method: 'get',
    path: '/runs/overview',
    summary: 'Count the runs of each flow',
    description:
      'Batch flows, and deleted flows that have runs, by name. `avg_duration_s` is of the runs that ended `ok`.',
    auth: 'user',
    scope: 'runs:read',
    replies: { 200: reply.json('The flows.', z.array(runOverviewSchema)) },
  }),
  nodeOutputs: endpoint({
    id: 'runs.nodeOutputs',
    method: 'get',
    path: '/runs/{id}/nodes/{node}/outputs',
    summary: 'Get what a node of a run returned',
    description: 'Kept of nodes that succeeded, may be cached and returned at most 262,144 bytes of JSON; else 404.',
    auth: 'user',
    scope: 'runs:read',
    params: z.object({ id: runId, node: nameSchema.meta({ description: 'Id of the node.' }) }),
    replies: { 200: reply.json('The outputs by port.', nodeOutputsSchema) },
    problems: ['not_found'],
  }),
  nodeLogs: endpoint({
    id: 'runs.nodeLogs',
    method: 'get',
    path: '/runs/{id}/nodes/{node}/logs',
    summary: 'Read what a node of a run has printed',
    description:
      'The last 65,536 bytes are kept; all of a longer log is an artifact of the run, `<node>.log`. Ask again with `after` set to `next` until the answer has no text and `ended` is true.',
    auth: 'user',
    scope: 'runs:read',
    params: z.object({ id: runId, node: nameSchema.meta({ description: 'Id of the node.' }) }),
    query: logQuery,
    replies: { 200: reply.json('A part of the log.', nodeLogsSchema) },
    problems: ['not_found', 'validation_failed'],
  }),
  delete: endpoint({
    id: 'runs.delete',
    method: 'delete',
    path: '/runs/{id}',
    summary: 'Delete a finished run with its records',
    auth: 'user',
    scope: 'runs:write',
    params: z.object({ id: runId }),
    replies: { 204: reply.empty('The run is deleted.') },
    problems: ['not_found', 'run_active'],
  }),
  deleteAll: endpoint({
    id: 'runs.deleteAll',
    method: 'delete',
    path: '/runs',
    summary: 'Delete the runs of a flow',
    description: 'Refused while one of them is queued or running. Runs that are submitted meanwhile stay.',
    auth: 'user',
    scope: 'runs:write',
    query: z.object({
      flow: nameSchema.meta({ description: 'Name of the flow, which need not exist any more.' }),
      history: flag.default(false).meta({ description: 'Delete what is listed of the flow as executions, too.' }),
    }),
    replies: { 200: reply.json('How many runs were deleted.', deletedCountSchema) },
    problems: ['run_active', 'validation_failed'],
  }),
} as const

/** What the handlers need; `removeExecutions` deletes what is listed of a flow as executions. */
export interface HistoryHandlersDeps {
  readonly eventLog: Pick<EventLog, 'audit' | 'note'>
  readonly history: RunHistory
  readonly removeExecutions: (tx: Sql, flow: string) => Promise<void>
}

/** The handlers of {@link historyEndpoints}. */
export const historyHandlers = ({
  eventLog,
  history,
  removeExecutions,
}: HistoryHandlersDeps): Handlers<typeof historyEndpoints> => ({
  async overview() {
    return { status: 200, value: await history.overview() }
  },
  async nodeOutputs({ params }) {
    return { status: 200, value: await history.outputs(params.id, params.node) }
  },
  async nodeLogs({ params: { id, node }, query }) {
    return { status: 200, value: await history.logs(id, node, query) }
  },
  async delete({ params: { id }, principal }) {
    await history.delete(id, (tx, flow) =>
      eventLog.audit(tx, { action: 'run.delete', actor: actorOf(principal), flow, detail: { run: id } }),
    )
    return { status: 204 }
  },
  async deleteAll({ query: { flow, history: isWhole }, principal }) {
    const also = isWhole ? (tx: Sql) => removeExecutions(tx, flow) : null
    const deleted = await history.deleteOf(flow, also)
    const detail = { deleted, history: isWhole }
    eventLog.note({ action: 'run.delete_all', actor: actorOf(principal), flow, detail })
    return { status: 200, value: { deleted } }
  },
})
