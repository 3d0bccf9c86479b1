/**
 * `/flows/{name}/versions`: what was published of flows (wire decision V23).
 * @module
 */
import {
  flowDiffSchema,
  flowSchema,
  flowVersionContentSchema,
  flowVersionSchema,
  nameSchema,
  restoreRequestSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import { integer, nextPage } from '../../http/query.ts'
import type { Flows } from '../flows.ts'
import type { DiffTarget, FlowVersions } from './flow-versions.ts'

const MAX_VERSION = 2 ** 31 - 1

const version = integer({ min: 1, max: MAX_VERSION })
const params = z.object({ name: nameSchema.meta({ description: 'Name of the flow.' }) })
const versionParams = params.extend({ version: version.meta({ description: 'A version that was published.' }) })

const target = z
  .string()
  .regex(/^(draft|published|[1-9]\d{0,8})$/, 'use the number of a version, "draft" or "published"')
  .meta({
    description:
      'What it is compared with: the number of a version, `draft`, or `published`, which is what the flow has now. Left out: the draft if there is one, else what is published.',
  })

export const versionsEndpoints = {
  list: endpoint({
    id: 'flows.versions',
    method: 'get',
    path: '/flows/{name}/versions',
    summary: 'List published versions',
    description: 'Newest first. The newest 100 are kept, or as many as the service is set to keep.',
    auth: 'user',
    scope: 'flows:read',
    params,
    query: z.object({
      before: version.optional().meta({ description: 'Only older ones: the `version` of the last row read.' }),
      limit: integer({ min: 1, max: 500 }).default(50).meta({ description: 'Rows at most.' }),
    }),
    replies: {
      200: reply.json(
        'Versions, newest first.',
        z.array(flowVersionSchema),
        z.object({ link: z.string().optional().meta({ description: 'The next page.' }) }),
      ),
    },
    problems: ['not_found'],
  }),
  get: endpoint({
    id: 'flows.version',
    method: 'get',
    path: '/flows/{name}/versions/{version}',
    summary: 'Read a published version',
    auth: 'user',
    scope: 'flows:read',
    params: versionParams,
    replies: { 200: reply.json('The version with its document and sources.', flowVersionContentSchema) },
    problems: ['not_found', 'flow_invalid'],
  }),
  diff: endpoint({
    id: 'flows.diff',
    method: 'get',
    path: '/flows/{name}/versions/{version}/diff',
    summary: 'Tell what has changed since a version',
    auth: 'user',
    scope: 'flows:read',
    params: versionParams,
    query: z.object({ to: target.optional() }),
    replies: { 200: reply.json('What is different.', flowDiffSchema) },
    problems: ['not_found', 'flow_invalid'],
  }),
  restore: endpoint({
    id: 'flows.restore',
    method: 'post',
    path: '/flows/{name}/versions/{version}/restore',
    summary: 'Make a published version the draft',
    description:
      'As if its document were saved: whoever may not change code may not bring other code back. A node is linked to the ' +
      'library only while that has the code of then; else it gets that code as its own. The layout stays.',
    auth: 'user',
    scope: 'flows:write',
    params: versionParams,
    body: json(restoreRequestSchema),
    replies: { 200: reply.json('The flow with the draft.', flowSchema) },
    problems: ['not_found', 'validation_failed', 'version_conflict', 'code_defined', 'forbidden', 'flow_invalid'],
  }),
} as const

/** What the endpoints are answered by. */
export interface VersionsHandlersDeps {
  readonly flowVersions: FlowVersions
  readonly flows: Pick<Flows, 'restore'>
}

export const versionsHandlers = ({
  flowVersions,
  flows,
}: VersionsHandlersDeps): Handlers<typeof versionsEndpoints> => ({
  async list({ params: { name }, query: { before = null, limit }, request }) {
    const value = await flowVersions.list(name, { before, limit })
    const headers = nextPage(request, { rows: value.length, limit, cursor: value.at(-1)?.version.toString() })
    return { status: 200, value, headers }
  },
  get: async ({ params }) => ({ status: 200, value: await flowVersions.get(params.name, params.version) }),
  diff: async ({ params, query }) => ({
    status: 200,
    value: await flowVersions.diff(params.name, params.version, targetOf(query.to)),
  }),
  restore: async ({ params, body, principal }) => ({
    status: 200,
    value: await flows.restore(params.name, { kept: params.version, version: body.version }, principal),
  }),
})

const targetOf = (text: string | undefined): DiffTarget =>
  text === undefined ? null : text === 'draft' || text === 'published' ? text : Number(text)
