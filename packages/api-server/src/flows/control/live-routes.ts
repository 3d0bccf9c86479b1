/**
 * Live control over HTTP: `/flows/{name}/pause …` and `/flows/{name}/nodes/{id}/trigger …` (wire decisions G24-G27).
 * @module
 */
import {
  covers,
  flowRunRequestSchema,
  flowStateSchema,
  liveRunResultSchema,
  nameSchema,
  nodeCancelResultSchema,
  nodeLogsSchema,
  nodeStateSchema,
  type ProblemItem,
  type Run,
  runSchema,
  type RunSubmit,
  stepResultSchema,
  triggerRequestSchema,
  triggerResultSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf, type EventLog } from '../../events/event-log.ts'
import { type Call, endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import { invalid, ProblemError } from '../../http/errors.ts'
import type { UserPrincipal } from '../../http/principal.ts'
import { logQuery } from '../../node-logs/log-query.ts'
import type { LiveControl } from './live-control.ts'

const params = z.object({ name: nameSchema.meta({ description: 'Name of the flow.' }) })
const nodeParams = z.object({
  name: nameSchema.meta({ description: 'Name of the flow.' }),
  id: nameSchema.meta({ description: 'Id of the node.' }),
})

export const liveEndpoints = {
  pause: endpoint({
    id: 'flows.pause',
    method: 'post',
    path: '/flows/{name}/pause',
    place: { param: 'name', names: 'flow' },
    summary: 'Hold the deliveries of an active flow',
    description:
      'Executions that run go on to their end. Held deliveries survive a restart; beyond 1,000 the oldest become dead letters.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 200: reply.json('The flow is paused.', flowStateSchema) },
    problems: ['not_found', 'wrong_mode', 'not_active', 'in_use'],
  }),
  resume: endpoint({
    id: 'flows.resume',
    method: 'post',
    path: '/flows/{name}/resume',
    place: { param: 'name', names: 'flow' },
    summary: 'Release what a paused flow holds',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 200: reply.json('The flow is active; what was held is delivered in order.', flowStateSchema) },
    problems: ['not_found', 'wrong_mode', 'not_active', 'in_use'],
  }),
  step: endpoint({
    id: 'flows.step',
    method: 'post',
    path: '/flows/{name}/step',
    place: { param: 'name', names: 'flow' },
    summary: 'Release the oldest held delivery',
    description: 'What it causes is held again.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 200: reply.json('How much was released, and is held now.', stepResultSchema) },
    problems: ['not_found', 'wrong_mode', 'not_paused', 'in_use'],
  }),
  run: endpoint({
    id: 'flows.run',
    method: 'post',
    path: '/flows/{name}/run',
    summary: 'Run the draft once',
    description:
      'A batch flow: queues a draft run, `inputs` being its parameters. A live flow: runs by itself until it is quiet, at most 30 s and at most 8 at a time, without listeners and schedules; nothing reaches the catalogue or other flows, but its nodes really send.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    body: json(flowRunRequestSchema, { required: false }),
    replies: {
      200: reply.json('What came of the live flow.', liveRunResultSchema),
      201: reply.json('The queued run of the batch flow.', runSchema, z.object({ location: z.string() })),
    },
    problems: ['not_found', 'validation_failed', 'flow_invalid', 'rate_limited'],
  }),
  try: endpoint({
    id: 'flows.try',
    method: 'post',
    path: '/flows/{name}/try',
    summary: 'Try the draft',
    description:
      'As `run`, for keys and tokens that may submit runs: a live flow with a node whose work must not be done twice, as that of a `push`, takes the scope `flows:publish`.',
    auth: 'user',
    scope: 'runs:write',
    params,
    body: json(flowRunRequestSchema, { required: false }),
    replies: {
      200: reply.json('What came of the live flow.', liveRunResultSchema),
      201: reply.json('The queued run of the batch flow.', runSchema, z.object({ location: z.string() })),
    },
    problems: ['forbidden', 'not_found', 'validation_failed', 'flow_invalid', 'rate_limited'],
  }),
  trigger: endpoint({
    id: 'flows.nodes.trigger',
    method: 'post',
    path: '/flows/{name}/nodes/{id}/trigger',
    place: { param: 'name', names: 'flow' },
    summary: 'Trigger a node',
    description:
      'Feeds the named input ports together, or publishes on the named output ports; without values the node acts by itself.',
    auth: 'user',
    scope: 'flows:publish',
    params: nodeParams,
    body: json(triggerRequestSchema, { required: false }),
    replies: { 202: reply.json('The values are accepted.', triggerResultSchema) },
    problems: ['not_found', 'wrong_mode', 'not_active', 'validation_failed', 'in_use'],
  }),
  cancel: endpoint({
    id: 'flows.nodes.cancel',
    method: 'post',
    path: '/flows/{name}/nodes/{id}/cancel',
    place: { param: 'name', names: 'flow' },
    summary: 'End what a node executes',
    description: 'Its process is ended. The execution leaves no failure marker.',
    auth: 'user',
    scope: 'flows:publish',
    params: nodeParams,
    replies: { 200: reply.json('How many executions were ended.', nodeCancelResultSchema) },
    problems: ['not_found', 'wrong_mode', 'in_use'],
  }),
  acknowledge: endpoint({
    id: 'flows.nodes.acknowledge',
    method: 'post',
    path: '/flows/{name}/nodes/{id}/acknowledge',
    place: { param: 'name', names: 'flow' },
    summary: 'Clear a node’s failure marker',
    auth: 'user',
    scope: 'flows:publish',
    params: nodeParams,
    replies: { 200: reply.json('The node.', nodeStateSchema) },
    problems: ['not_found', 'wrong_mode', 'in_use'],
  }),
  logs: endpoint({
    id: 'flows.nodes.logs',
    method: 'get',
    path: '/flows/{name}/nodes/{node}/logs',
    place: { param: 'name', names: 'flow' },
    summary: 'Read what a node of a live flow has printed',
    description:
      'Since the engine started: the last 65,536 bytes of each node, and 16 MiB of all nodes. After a start of the engine offsets begin at 0 again. `ended` is true while the flow is not active.',
    auth: 'user',
    scope: 'flows:read',
    params: params.extend({ node: nodeParams.shape.id }),
    query: logQuery,
    replies: { 200: reply.json('A part of the log.', nodeLogsSchema) },
    problems: ['not_found', 'wrong_mode', 'in_use', 'validation_failed'],
  }),
} as const

/** What the endpoints are answered by. */
export interface LiveHandlersDeps {
  readonly control: LiveControl
  readonly eventLog: Pick<EventLog, 'note'>
  /** Queues a draft run of a batch flow. */
  readonly submitDraft: (flow: string, params: RunSubmit['params'], by: UserPrincipal) => Promise<Run>
}

export const liveHandlers = (deps: LiveHandlersDeps): Handlers<typeof liveEndpoints> => {
  const { control, eventLog } = deps
  return {
    async pause({ params: { name: flow }, principal }) {
      const value = await control.pause(flow)
      eventLog.note({ action: 'flow.pause', actor: actorOf(principal), flow })
      return { status: 200, value }
    },
    async resume({ params: { name: flow }, principal }) {
      const value = await control.resume(flow)
      eventLog.note({ action: 'flow.resume', actor: actorOf(principal), flow })
      return { status: 200, value }
    },
    step: async ({ params: { name } }) => ({ status: 200, value: await control.step(name) }),
    run: (call) => draftRun(deps, call, { sends: true }),
    try: (call) => draftRun(deps, call, { sends: covers(call.principal.grant.scopes, 'flows:publish') }),
    trigger: async ({ params: { name, id }, body: { values } }) => ({
      status: 202,
      value: await control.trigger(name, id, values),
    }),
    async cancel({ params: { name: flow, id: node }, principal }) {
      const value = await control.cancel(flow, node)
      eventLog.note({ action: 'node.cancel', actor: actorOf(principal), flow, node })
      return { status: 200, value }
    },
    async acknowledge({ params: { name: flow, id: node }, principal }) {
      const value = await control.acknowledge(flow, node)
      eventLog.note({ action: 'node.acknowledge', actor: actorOf(principal), flow, node })
      return { status: 200, value }
    },
    logs: async ({ params: { name, node }, query }) => ({ status: 200, value: await control.logs(name, node, query) }),
  }
}

type DraftCall = Pick<Call<typeof liveEndpoints.run>, 'params' | 'body' | 'principal' | 'request'>

/** Runs the draft once, in the way of its mode. */
async function draftRun(
  { control, submitDraft }: LiveHandlersDeps,
  { params: { name }, body: { inputs }, principal, request }: DraftCall,
  how: { readonly sends: boolean },
) {
  if ((await control.modeOf(name)) === 'live')
    return { status: 200, value: await control.runOnce(name, inputs, how) } as const
  const run = await submitDraft(name, inputs, principal).catch(asInputs)
  return { status: 201, value: run, headers: { location: `${request.baseUrl}/runs/${run.id}` } } as const
}

/** A submission has `params` where the body of this request has `inputs`. */
function asInputs(error: unknown): never {
  if (!(error instanceof ProblemError) || error.code !== 'validation_failed') throw error
  const items = error.extensions['errors'] as readonly ProblemItem[]
  throw invalid(items.map((item) => ({ ...item, path: item.path.replace(/^\/params/, '/inputs') })))
}
