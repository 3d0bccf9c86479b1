/** A contract with an endpoint of every kind, and an API that serves it. */
import { afterAll, beforeAll } from 'vitest'
import * as z from 'zod'

import { bytes, endpoint, type Handlers, json, reply } from '../../src/http/endpoint.ts'
import { ProblemError } from '../../src/http/errors.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve, user } from './server.ts'

const name = z.object({ name: z.string().regex(/^[\w.-]+$/) })
export const contract = {
  list: endpoint({
    id: 'flows.list',
    method: 'get',
    path: '/flows/',
    summary: 'Flows',
    auth: 'user',
    scope: null,
    query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(50), q: z.string().optional() }),
    replies: { 200: reply.json('The query', z.object({ limit: z.int(), q: z.string().nullable() })) },
  }),
  get: endpoint({
    id: 'flows.get',
    method: 'get',
    path: '/flows/{name}',
    summary: 'A flow',
    auth: 'user',
    scope: null,
    params: name,
    replies: { 200: reply.json('The name', z.object({ name: z.string() })) },
  }),
  nodeTypes: endpoint({
    id: 'flows.nodeTypes',
    method: 'get',
    path: '/flows/node-types',
    summary: 'Node types',
    auth: 'user',
    scope: null,
    replies: { 200: reply.json('Names', z.array(z.string())) },
  }),
  save: endpoint({
    id: 'flows.save',
    method: 'put',
    path: '/flows/{name}',
    summary: 'Save',
    auth: 'superuser',
    scope: null,
    params: name,
    body: json(z.object({ version: z.int() })),
    replies: { 201: reply.json('Saved', z.object({ version: z.int() }), z.object({ Location: z.string() })) },
  }),
  remove: endpoint({
    id: 'flows.delete',
    method: 'delete',
    path: '/flows/{name}',
    summary: 'Delete',
    auth: 'user',
    scope: null,
    params: name,
    replies: { 204: reply.empty('Deleted') },
  }),
  report: endpoint({
    id: 'devices.report',
    method: 'put',
    path: '/devices/{name}/report',
    summary: 'Report',
    auth: 'device',
    params: name,
    replies: { 204: reply.empty('Taken') },
  }),
  rows: endpoint({
    id: 'runs.export',
    method: 'get',
    path: '/runs/export',
    summary: 'Rows',
    auth: 'open',
    query: z.object({ fail: z.enum(['early', 'late']).optional() }),
    replies: { 200: reply.stream('Rows', ['text/csv'], z.object({ 'X-Total-Count': z.string() })) },
  }),
  upload: endpoint({
    id: 'artifacts.put',
    method: 'put',
    path: '/artifacts',
    summary: 'Upload',
    auth: 'user',
    scope: null,
    body: bytes(1000),
    replies: { 200: reply.json('The size', z.object({ size: z.int(), type: z.string().nullable() })) },
  }),
  broken: endpoint({
    id: 'broken.shape',
    method: 'post',
    path: '/broken/{kind}',
    summary: 'Answers wrongly',
    auth: 'open',
    params: z.object({ kind: z.string() }),
    replies: { 200: reply.json('A number', z.object({ n: z.number() })) },
  }),
}

export const handlers: Handlers<typeof contract> = {
  list: ({ query }) => ({ status: 200, value: { limit: query.limit, q: query.q ?? null } }),
  get: ({ params }) => ({ status: 200, value: { name: params.name } }),
  nodeTypes: () => ({ status: 200, value: ['switch'] }),
  save: ({ body, params, request }) => ({
    status: 201,
    value: { version: body.version },
    headers: { location: `${request.baseUrl}/flows/${params.name}` },
  }),
  remove: ({ params }) => {
    throw new ProblemError('in_use', `flow "${params.name}" is in use`, { used_by: ['x'] })
  },
  report: () => ({ status: 204 }),
  rows: ({ query }) => ({
    status: 200,
    type: 'text/csv',
    headers: { 'x-total-count': '2' },
    body: (async function* () {
      if (query.fail === 'early') throw new Error('the cursor is gone')
      yield 'a,b\n'
      yield '1,2\n'
      if (query.fail === 'late') throw new Error('the cursor is gone')
    })(),
  }),
  upload: async ({ body, request }) => {
    let size = 0
    for await (const chunk of body) size += (chunk as Buffer).length
    return { status: 200, value: { size, type: request.mediaType } }
  },
  broken: ({ params }) => ({
    status: 200,
    value: JSON.parse(params.kind === 'missing' ? '{}' : '{"n":1,"secret":"x"}') as { n: number },
  }),
}

export interface Init extends RequestInit {
  headers?: Record<string, string>
}

/** Serves the contract for the tests of one file, to which `Bearer root` is a superuser. */
export function useSmallApi() {
  let api: Running
  beforeAll(async () => {
    api = await serve(bind(contract, handlers), {
      authenticate: async (request) => {
        if (request.headers.authorization === undefined)
          throw new ProblemError('unauthenticated', 'send a bearer token')
        return { ...user, superuser: request.headers.authorization === 'Bearer root' }
      },
    })
  })
  afterAll(() => api[Symbol.asyncDispose]())
  return {
    url: () => api.url,
    logged: () => api.logged,
    /** Without a credential where `token` is null. */
    call: (path: string, init: Init = {}, token: string | null = 'ann') =>
      fetch(`${api.url}${path}`, {
        ...init,
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
      }),
  }
}

export const putJson = (body: unknown): Init => ({
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
