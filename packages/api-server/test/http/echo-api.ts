/** An API that answers with the body that it has read. */
import { afterAll, beforeAll } from 'vitest'
import * as z from 'zod'

import { endpoint, form, type Handlers, json, reply } from '../../src/http/endpoint.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve } from './server.ts'

const echo = reply.json('What was read', z.unknown())
export const contract = {
  any: endpoint({
    id: 'test.any',
    method: 'post',
    path: '/any',
    summary: 'Any JSON',
    auth: 'open',
    body: json(z.unknown()),
    replies: { 200: echo },
  }),
  strict: endpoint({
    id: 'test.strict',
    method: 'post',
    path: '/strict',
    summary: 'A strict object',
    auth: 'open',
    body: json(
      z.strictObject({
        name: z.string().max(5),
        params: z.record(z.string(), z.unknown()).default({}),
        size: z.union([z.int(), z.strictObject({ width: z.int(), height: z.int() })]).optional(),
      }),
      { maxBytes: 1000 },
    ),
    replies: { 200: echo },
  }),
  optional: endpoint({
    id: 'test.optional',
    method: 'post',
    path: '/optional',
    summary: 'A body that may be missing',
    auth: 'open',
    body: json(z.strictObject({ seed: z.int().default(7) }), { required: false }),
    replies: { 200: echo },
  }),
  form: endpoint({
    id: 'test.form',
    method: 'post',
    path: '/form',
    summary: 'A form',
    auth: 'open',
    body: form(z.object({ username: z.string(), password: z.string().max(1024) })),
    replies: { 200: echo },
  }),
  none: endpoint({
    id: 'test.none',
    method: 'post',
    path: '/none',
    summary: 'No body',
    auth: 'open',
    replies: { 200: echo },
  }),
}
export const handlers: Handlers<typeof contract> = {
  any: ({ body }) => ({ status: 200, value: body }),
  strict: ({ body }) => ({ status: 200, value: body }),
  optional: ({ body }) => ({ status: 200, value: body }),
  form: ({ body }) => ({ status: 200, value: body }),
  none: () => ({ status: 200, value: 'done' }),
}

export type Body = string | Uint8Array<ArrayBuffer>

/** Serves the contract for the tests of one file. */
export function useEchoApi() {
  let api: Running
  beforeAll(async () => {
    api = await serve(bind(contract, handlers))
  })
  afterAll(() => api[Symbol.asyncDispose]())
  return {
    running: () => api,
    /** JSON unless `headers` say otherwise. */
    post: (path: string, body: Body, headers: Record<string, string> = {}) =>
      fetch(`${api.url}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }),
  }
}

/** A refusal as the client sees it. */
export const seen = async (answer: Response) => ({
  http: answer.status,
  contentType: answer.headers.get('content-type'),
  problem: (await answer.json()) as unknown,
})
export const refusal = (status: number, code: string, more: object = {}) => ({
  http: status,
  contentType: 'application/problem+json',
  problem: { status, code, ...more },
})
