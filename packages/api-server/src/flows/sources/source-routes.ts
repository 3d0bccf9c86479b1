/**
 * `/flows/{name}/nodes/{id}/source` and `/flows/library`: the code of nodes, private and shared (wire decision G22).
 * @module
 */
import {
  librarySourceSchema,
  nameSchema,
  nodeSourceSchema,
  shareRequestSchema,
  sourceUpdateSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import { flag } from '../../http/query.ts'
import type { Library } from './library.ts'
import type { NodeSources } from './node-source.ts'

const params = z.object({
  name: nameSchema.meta({ description: 'Name of the flow.' }),
  id: nameSchema.meta({ description: 'Id of the node.' }),
})

export const sourcesEndpoints = {
  getSource: endpoint({
    id: 'flows.nodes.getSource',
    method: 'get',
    path: '/flows/{name}/nodes/{id}/source',
    summary: 'Read the code of a node',
    description: 'The node of the draft, or of the published content where there is no draft.',
    auth: 'user',
    scope: 'flows:read',
    params,
    replies: { 200: reply.json('The code, private or shared.', nodeSourceSchema) },
    problems: ['not_found'],
  }),
  putSource: endpoint({
    id: 'flows.nodes.putSource',
    method: 'put',
    path: '/flows/{name}/nodes/{id}/source',
    summary: 'Replace the code of a node',
    description:
      'Private code stays in the draft until it is published. Shared code acts at once on every user, whose nodes in active flows are made anew; it is refused when a published user could not execute it.',
    auth: 'superuser',
    scope: 'flows:code',
    params,
    body: json(sourceUpdateSchema),
    replies: { 200: reply.json('The code as it is now.', nodeSourceSchema) },
    problems: ['not_found', 'version_conflict', 'code_defined', 'validation_failed'],
  }),
  share: endpoint({
    id: 'flows.nodes.share',
    method: 'post',
    path: '/flows/{name}/nodes/{id}/share',
    summary: 'Share the code of a node',
    description: 'The code becomes a source of the library, which the node uses from then on.',
    auth: 'superuser',
    scope: 'flows:code',
    params,
    body: json(shareRequestSchema, { required: false }),
    replies: { 200: reply.json('The shared code.', nodeSourceSchema) },
    problems: ['not_found', 'already_exists', 'code_defined', 'validation_failed'],
  }),
  unshare: endpoint({
    id: 'flows.nodes.unshare',
    method: 'post',
    path: '/flows/{name}/nodes/{id}/unshare',
    summary: 'Give a node its own copy of shared code',
    auth: 'superuser',
    scope: 'flows:code',
    params,
    replies: { 200: reply.json('The private code.', nodeSourceSchema) },
    problems: ['not_found', 'code_defined'],
  }),
} as const

export const libraryEndpoints = {
  list: endpoint({
    id: 'library.list',
    method: 'get',
    path: '/flows/library',
    summary: 'List shared sources',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('Shared sources with their users, by name.', z.array(librarySourceSchema)) },
  }),
  delete: endpoint({
    id: 'library.delete',
    method: 'delete',
    path: '/flows/library/{name}',
    summary: 'Delete a shared source',
    auth: 'superuser',
    scope: 'flows:code',
    params: z.object({ name: nameSchema.meta({ description: 'Name of the library source.' }) }),
    query: z.object({
      detach: flag
        .default(false)
        .meta({ description: 'Give every user its own copy, in its draft and in its published form.' }),
    }),
    replies: { 204: reply.empty('The source is gone.') },
    problems: ['not_found', 'in_use'],
  }),
} as const

export const sourcesHandlers = ({ sources }: { readonly sources: NodeSources }): Handlers<typeof sourcesEndpoints> => ({
  getSource: async ({ params: { name, id } }) => ({ status: 200, value: await sources.get({ flow: name, node: id }) }),
  putSource: async ({ params: { name, id }, body, principal }) => ({
    status: 200,
    value: await sources.put({ flow: name, node: id }, body, principal),
  }),
  share: async ({ params: { name, id }, body, principal }) => ({
    status: 200,
    value: await sources.share({ flow: name, node: id }, body.name ?? id, principal),
  }),
  unshare: async ({ params: { name, id }, principal }) => ({
    status: 200,
    value: await sources.unshare({ flow: name, node: id }, principal),
  }),
})

export const libraryHandlers = ({ library }: { readonly library: Library }): Handlers<typeof libraryEndpoints> => ({
  list: async () => ({ status: 200, value: await library.list() }),
  async delete({ params: { name }, query, principal }) {
    await library.remove(name, query, principal)
    return { status: 204 }
  },
})
