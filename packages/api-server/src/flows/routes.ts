/**
 * `/flows`: flows, their publication, and the switch of live ones (wire decisions G11-G27, G66).
 * @module
 */
import type { NodeRegistry } from '@flow-service/core'
import {
  duplicateRequestSchema,
  flowDocumentInputSchema,
  flowGraphSchema,
  flowListItemSchema,
  flowNameSchema,
  flowSchema,
  flowStateSchema,
  layoutInputSchema,
  layoutSchema,
  nameSchema,
  nodeTypeSchema,
  publishedFlowSchema,
  publishRequestSchema,
  renameRequestSchema,
  validationResultSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, json, optionalJson, reply } from '../http/endpoint.ts'
import { flag } from '../http/query.ts'
import { documentSteps } from './content-text.ts'
import type { EngineSurroundings } from './engine-surroundings.ts'
import type { Flows } from './flows.ts'

const params = z.object({ name: nameSchema.meta({ description: 'Name of the flow.' }) })
const location = z.object({ location: z.string() })
const longDocument = { list: 'nodes', check: documentSteps } as const

export const flowsEndpoints = {
  list: endpoint({
    id: 'flows.list',
    method: 'get',
    path: '/flows/',
    summary: 'List flows',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('Flows with their state, by name.', z.array(flowListItemSchema)) },
  }),
  nodeTypes: endpoint({
    id: 'flows.nodeTypes',
    method: 'get',
    path: '/flows/node-types',
    summary: 'List node types',
    description: '`params` is the JSON Schema of a type’s settings.',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('Node types by name.', z.array(nodeTypeSchema)) },
  }),
  graph: endpoint({
    id: 'flows.graph',
    method: 'get',
    path: '/flows/graph',
    summary: 'Read the graph of flows',
    description: 'Edges lead from where messages belong, or come from, to where they are read.',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('All flows, and the messages between them.', flowGraphSchema) },
  }),
  get: endpoint({
    id: 'flows.get',
    method: 'get',
    path: '/flows/{name}',
    place: { param: 'name', names: 'flow' },
    summary: 'Read a flow',
    description: 'The draft if there is one, else the published content.',
    auth: 'user',
    scope: 'flows:read',
    params,
    query: z.object({ published: flag.default(false).meta({ description: 'The published content.' }) }),
    replies: { 200: reply.json('The flow.', flowSchema) },
    problems: ['not_found', 'not_published'],
  }),
  save: endpoint({
    id: 'flows.save',
    method: 'put',
    path: '/flows/{name}',
    summary: 'Save a draft',
    description:
      'Replaces the whole content. `version` is the version that was read, 0 for a new flow. Errors of the graph are stored ' +
      'and listed in `issues`. Where nothing but `layout` differs, only that is stored: there is no draft and no new version.',
    auth: 'user',
    scope: 'flows:write',
    params: z.object({ name: flowNameSchema.meta({ description: 'Name of the flow.' }) }),
    body: json(flowDocumentInputSchema, { long: longDocument }),
    replies: {
      200: reply.json('The draft is stored.', flowSchema),
      201: reply.json('The flow is new.', flowSchema, location),
    },
    problems: ['validation_failed', 'version_conflict', 'code_defined', 'forbidden'],
  }),
  saveLayout: endpoint({
    id: 'flows.saveLayout',
    method: 'put',
    path: '/flows/{name}/layout',
    summary: 'Save where nodes are drawn',
    description:
      'Replaces the whole layout, of a flow that is defined in code too. It is no change of the flow: there is no draft, no ' +
      'new version, and nothing is made anew.',
    auth: 'user',
    scope: 'flows:write',
    params,
    body: json(layoutInputSchema),
    replies: { 200: reply.json('The layout as it is stored.', layoutSchema) },
    problems: ['not_found', 'validation_failed'],
  }),
  publish: endpoint({
    id: 'flows.publish',
    method: 'post',
    path: '/flows/{name}/publish',
    place: { param: 'name', names: 'flow' },
    summary: 'Publish the draft',
    description:
      'Of an active flow the nodes that have changed are made anew, and what comes to them waits; all others go on, and last values stay. When a node of the new content does not start, nothing is published.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    body: json(publishRequestSchema),
    replies: { 200: reply.json('The flow, and what was made anew.', publishedFlowSchema) },
    problems: ['version_conflict', 'flow_invalid', 'code_defined'],
  }),
  discardDraft: endpoint({
    id: 'flows.discardDraft',
    method: 'post',
    path: '/flows/{name}/discard-draft',
    summary: 'Discard the draft',
    description:
      'The published content is the current one again, under a new version: a save over the discarded draft conflicts.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 200: reply.json('The flow.', flowSchema) },
    problems: ['not_found', 'not_published', 'code_defined'],
  }),
  rename: endpoint({
    id: 'flows.rename',
    method: 'post',
    path: '/flows/{name}/rename',
    place: { param: 'name', names: 'flow' },
    summary: 'Rename a flow',
    description:
      'Messages with their values, runs and the references of other flows and of dashboards follow. An active flow is made anew; of others those nodes that name its messages, and what comes to them meanwhile waits.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    body: json(renameRequestSchema),
    replies: { 200: reply.json('The flow under its new name.', flowSchema) },
    problems: ['not_found', 'already_exists', 'code_defined', 'flow_invalid', 'validation_failed', 'in_use'],
  }),
  duplicate: endpoint({
    id: 'flows.duplicate',
    method: 'post',
    path: '/flows/{name}/duplicate',
    summary: 'Copy a flow',
    description:
      'The current content becomes the draft of a new flow. Copies with code or environment variables take a superuser.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    body: json(duplicateRequestSchema, { required: false }),
    replies: { 201: reply.json('The copy.', flowSchema, location) },
    problems: ['not_found', 'already_exists', 'forbidden', 'flow_invalid', 'validation_failed'],
  }),
  delete: endpoint({
    id: 'flows.delete',
    method: 'delete',
    path: '/flows/{name}',
    place: { param: 'name', names: 'flow' },
    summary: 'Delete a flow',
    description: 'An active flow is stopped first. Its runs stay.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 204: reply.empty('The flow is gone.') },
    problems: ['flow_has_active_runs', 'code_defined'],
  }),
  validate: endpoint({
    id: 'flows.validate',
    method: 'post',
    path: '/flows/{name}/validate',
    summary: 'Check the draft, or a document',
    description:
      'Without a body the draft, or the published content where there is no draft. A flow document is checked as if it ' +
      'were the draft, and stored nowhere. Executes nothing of the flow.',
    auth: 'user',
    scope: 'flows:write',
    params,
    body: optionalJson(flowDocumentInputSchema, longDocument),
    replies: { 200: reply.json('What was found.', validationResultSchema) },
    problems: ['not_found', 'validation_failed'],
  }),
  start: endpoint({
    id: 'flows.start',
    method: 'post',
    path: '/flows/{name}/start',
    place: { param: 'name', names: 'flow' },
    summary: 'Start a live flow',
    description: 'Its published content becomes active, and will be again after a restart of the engine.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 200: reply.json('The flow is active.', flowStateSchema) },
    problems: ['wrong_mode', 'not_published', 'flow_invalid', 'in_use'],
  }),
  stop: endpoint({
    id: 'flows.stop',
    method: 'post',
    path: '/flows/{name}/stop',
    place: { param: 'name', names: 'flow' },
    summary: 'Stop a live flow',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 200: reply.json('The flow is stopped.', flowStateSchema) },
    problems: ['wrong_mode', 'in_use'],
  }),
} as const

/** What the endpoints are answered by. */
export interface FlowsHandlersDeps extends Pick<EngineSurroundings, 'missing'> {
  readonly flows: Flows
  readonly registry: NodeRegistry
  readonly eventLog: Pick<EventLog, 'note'>
}

export const flowsHandlers = ({
  eventLog,
  flows,
  registry,
  missing,
}: FlowsHandlersDeps): Handlers<typeof flowsEndpoints> => ({
  list: async () => ({ status: 200, value: await flows.list() }),
  nodeTypes: () => ({ status: 200, value: nodeTypes(registry, missing) }),
  get: async ({ params: { name }, query }) => ({ status: 200, value: await flows.get(name, query.published) }),
  async save({ params: { name }, body, principal, request }) {
    const { flow, created } = await flows.save(name, body, principal)
    if (!created) return { status: 200, value: flow }
    return { status: 201, value: flow, headers: { location: `${request.baseUrl}/flows/${name}` } }
  },
  saveLayout: async ({ params: { name }, body }) => ({ status: 200, value: await flows.saveLayout(name, body) }),
  publish: async ({ params: { name }, body, principal }) => ({
    status: 200,
    value: await flows.publish(name, body, principal),
  }),
  graph: async () => ({ status: 200, value: await flows.graph() }),
  discardDraft: async ({ params: { name }, principal }) => ({
    status: 200,
    value: await flows.discardDraft(name, principal),
  }),
  rename: async ({ params: { name }, body, principal }) => ({
    status: 200,
    value: await flows.rename({ from: name, to: body.name }, principal),
  }),
  async duplicate({ params: { name }, body, principal, request }) {
    const copy = await flows.duplicate(name, body.name, principal)
    return { status: 201, value: copy, headers: { location: `${request.baseUrl}/flows/${copy.name}` } }
  },
  async delete({ params: { name }, principal }) {
    await flows.remove(name, principal)
    return { status: 204 }
  },
  validate: async ({ params: { name }, body }) => ({ status: 200, value: await flows.validate(name, body) }),
  async start({ params: { name: flow }, principal }) {
    const value = await flows.start(flow)
    eventLog.note({ action: 'flow.start', actor: actorOf(principal), flow })
    return { status: 200, value }
  },
  async stop({ params: { name: flow }, principal }) {
    const value = await flows.stop(flow)
    eventLog.note({ action: 'flow.stop', actor: actorOf(principal), flow })
    return { status: 200, value }
  },
})

function nodeTypes(registry: NodeRegistry, missing: FlowsHandlersDeps['missing']) {
  return registry.catalogue().map((entry) => {
    const lacks = missing(entry.type)
    return lacks === null ? entry : { ...entry, available: false, missing: lacks }
  })
}
