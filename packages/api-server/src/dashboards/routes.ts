/**
 * `/dashboards`: dashboards, their drafts and publication (wire decisions G41, U9).
 * @module
 */
import {
  dashboardCreateSchema,
  dashboardListItemSchema,
  dashboardNameSchema,
  dashboardPublishSchema,
  dashboardSaveSchema,
  dashboardSchema,
  duplicateRequestSchema,
  nameSchema,
  renameRequestSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import { flag } from '../http/query.ts'
import type { Dashboards } from './dashboards.ts'

const params = z.object({ name: nameSchema.meta({ description: 'Name of the dashboard.' }) })
const location = z.object({ location: z.string() })

export const dashboardsEndpoints = {
  list: endpoint({
    id: 'dashboards.list',
    method: 'get',
    path: '/dashboards/',
    summary: 'List dashboards',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('Dashboards by name, without their content.', z.array(dashboardListItemSchema)) },
  }),
  get: endpoint({
    id: 'dashboards.get',
    method: 'get',
    path: '/dashboards/{name}',
    summary: 'Read a dashboard',
    description: 'The published content.',
    auth: 'user',
    scope: 'flows:read',
    params,
    query: z.object({
      draft: flag.default(false).meta({ description: 'The draft, or the published content where there is none.' }),
    }),
    replies: { 200: reply.json('The dashboard.', dashboardSchema) },
    problems: ['not_found'],
  }),
  create: endpoint({
    id: 'dashboards.create',
    method: 'post',
    path: '/dashboards/{name}',
    summary: 'Create a dashboard',
    description: 'With a draft, of which nothing is published yet.',
    auth: 'user',
    scope: 'flows:write',
    params: z.object({ name: dashboardNameSchema.meta({ description: 'Name of the dashboard.' }) }),
    body: json(dashboardCreateSchema, { required: false }),
    replies: { 201: reply.json('The dashboard.', dashboardSchema, location) },
    problems: ['already_exists', 'payload_too_large', 'validation_failed'],
  }),
  fromFlow: endpoint({
    id: 'dashboards.fromFlow',
    method: 'post',
    path: '/dashboards/from-flow/{flow}',
    summary: 'Make a dashboard of the results of a batch flow',
    description:
      'Published at once: a chart of the newest 5 runs for each numeric streaming port, and a widget for each output; 200 widgets at most. Called `{flow}_results` unless named.',
    auth: 'user',
    scope: 'flows:publish',
    params: z.object({ flow: nameSchema.meta({ description: 'Name of the flow.' }) }),
    body: json(duplicateRequestSchema, { required: false }),
    replies: { 201: reply.json('The dashboard.', dashboardSchema, location) },
    problems: ['wrong_mode', 'not_found', 'not_published', 'already_exists', 'validation_failed'],
  }),
  save: endpoint({
    id: 'dashboards.save',
    method: 'put',
    path: '/dashboards/{name}',
    summary: 'Save a draft',
    description:
      'What is left out stays as it is. Messages, flows, runs and curves that nobody has are stored, and listed in `issues`.',
    auth: 'user',
    scope: 'flows:write',
    params,
    body: json(dashboardSaveSchema),
    replies: { 200: reply.json('The draft is stored.', dashboardSchema) },
    problems: ['not_found', 'version_conflict', 'code_defined', 'payload_too_large', 'validation_failed'],
  }),
  publish: endpoint({
    id: 'dashboards.publish',
    method: 'post',
    path: '/dashboards/{name}/publish',
    summary: 'Publish the draft',
    auth: 'user',
    scope: 'flows:publish',
    params,
    body: json(dashboardPublishSchema, { required: false }),
    replies: { 200: reply.json('The dashboard.', dashboardSchema) },
    problems: ['not_found', 'version_conflict', 'code_defined'],
  }),
  discard: endpoint({
    id: 'dashboards.discard',
    method: 'post',
    path: '/dashboards/{name}/discard',
    summary: 'Discard the draft',
    description:
      'The published content is the current one again, under a new version: a save over the discarded draft conflicts.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 200: reply.json('The dashboard.', dashboardSchema) },
    problems: ['not_found', 'not_published', 'code_defined'],
  }),
  rename: endpoint({
    id: 'dashboards.rename',
    method: 'post',
    path: '/dashboards/{name}/rename',
    summary: 'Rename a dashboard',
    auth: 'user',
    scope: 'flows:publish',
    params,
    body: json(renameRequestSchema),
    replies: { 200: reply.json('The dashboard under its new name.', dashboardSchema) },
    problems: ['not_found', 'already_exists', 'code_defined', 'validation_failed'],
  }),
  duplicate: endpoint({
    id: 'dashboards.duplicate',
    method: 'post',
    path: '/dashboards/{name}/duplicate',
    summary: 'Copy a dashboard',
    description: 'The current content becomes the draft of a new dashboard.',
    auth: 'user',
    scope: 'flows:publish',
    params,
    body: json(duplicateRequestSchema, { required: false }),
    replies: { 201: reply.json('The copy.', dashboardSchema, location) },
    problems: ['not_found', 'already_exists', 'validation_failed'],
  }),
  delete: endpoint({
    id: 'dashboards.delete',
    method: 'delete',
    path: '/dashboards/{name}',
    summary: 'Delete a dashboard',
    auth: 'user',
    scope: 'flows:publish',
    params,
    replies: { 204: reply.empty('The dashboard is gone.') },
    problems: ['not_found', 'code_defined'],
  }),
} as const

/** What the endpoints work on. */
export interface DashboardsHandlersDeps {
  readonly dashboards: Dashboards
}

export const dashboardsHandlers = ({ dashboards }: DashboardsHandlersDeps): Handlers<typeof dashboardsEndpoints> => ({
  list: async () => ({ status: 200, value: await dashboards.list() }),
  get: async ({ params: { name }, query }) => ({ status: 200, value: await dashboards.get(name, query.draft) }),
  async create({ params: { name }, body, principal, request }) {
    const value = await dashboards.create(name, body, principal)
    return { status: 201, value, headers: { location: `${request.baseUrl}/dashboards/${name}` } }
  },
  async fromFlow({ params: { flow }, body, principal, request }) {
    const value = await dashboards.fromFlow(flow, body.name, principal)
    return { status: 201, value, headers: { location: `${request.baseUrl}/dashboards/${value.name}` } }
  },
  save: async ({ params: { name }, body }) => ({ status: 200, value: await dashboards.save(name, body) }),
  publish: async ({ params: { name }, body, principal }) => ({
    status: 200,
    value: await dashboards.publish(name, body.version, principal),
  }),
  discard: async ({ params: { name }, principal }) => ({
    status: 200,
    value: await dashboards.discard(name, principal),
  }),
  rename: async ({ params: { name }, body, principal }) => ({
    status: 200,
    value: await dashboards.rename({ from: name, to: body.name }, principal),
  }),
  async duplicate({ params: { name }, body, principal, request }) {
    const value = await dashboards.duplicate(name, body.name, principal)
    return { status: 201, value, headers: { location: `${request.baseUrl}/dashboards/${value.name}` } }
  },
  async delete({ params: { name }, principal }) {
    await dashboards.remove(name, principal)
    return { status: 204 }
  },
})
