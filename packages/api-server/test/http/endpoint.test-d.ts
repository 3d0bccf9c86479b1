import { describe, expectTypeOf, test } from 'vitest'
import * as z from 'zod'

import { bytes, type Call, endpoint, form, type Handler, json, reply } from '../../src/http/endpoint.ts'
import type { DevicePrincipal, UserPrincipal, WorkerPrincipal } from '../../src/http/principal.ts'

const base = { id: 'test.x', method: 'post', summary: 'Test', auth: 'user', scope: null } as const
const anybody = { id: 'test.x', method: 'post', summary: 'Test', auth: 'open' } as const
const done = { 204: reply.empty('Done') }

describe('an endpoint', () => {
  test('needs a schema for every path parameter, and only then', () => {
    const params = z.object({ name: z.string(), id: z.string() })
    const both = endpoint({ ...base, path: '/a/{name}/{id}', params, replies: done })
    expectTypeOf<Call<typeof both>['params']>().toEqualTypeOf<{ name: string; id: string }>()
    // @ts-expect-error the parameter has no schema
    endpoint({ ...base, path: '/a/{name}', replies: done })
    // @ts-expect-error one of two has no schema
    endpoint({ ...base, path: '/a/{name}/{id}', params: z.object({ name: z.string() }), replies: done })
    // @ts-expect-error the path has no parameter
    endpoint({ ...base, path: '/a', params: z.object({ name: z.string() }), replies: done })
  })

  test('must say who may call it', () => {
    const several = endpoint({ ...base, auth: ['user', 'device'], scope: null, path: '/a', replies: done })
    expectTypeOf<Call<typeof several>['principal']>().toEqualTypeOf<UserPrincipal | DevicePrincipal>()
    // @ts-expect-error no auth
    endpoint({ id: 'a.b', method: 'get', path: '/a', summary: 'A', replies: done })
    // @ts-expect-error an unknown level
    endpoint({ ...base, auth: 'admin', path: '/a', replies: done })
    // @ts-expect-error open is no alternative to a credential
    endpoint({ ...base, auth: ['open', 'user'], path: '/a', replies: done })
  })

  test('must say what a key needs, where users are let in, and only there', () => {
    const { scope: _, ...silent } = base
    // @ts-expect-error a user, and no scope
    endpoint({ ...silent, path: '/a', replies: done })
    // @ts-expect-error an unknown scope
    endpoint({ ...base, scope: 'flows:all', path: '/a', replies: done })
    // @ts-expect-error nobody is asked for a key
    endpoint({ ...anybody, scope: 'admin', path: '/a', replies: done })
    const machine = endpoint({ ...silent, auth: 'worker', path: '/a', replies: done })
    expectTypeOf<Call<typeof machine>['principal']>().toEqualTypeOf<WorkerPrincipal>()
  })
})

const save = endpoint({
  ...base,
  path: '/a/{name}',
  params: z.object({ name: z.string() }),
  query: z.object({ limit: z.coerce.number().default(5) }),
  body: json(z.object({ seed: z.int().default(1) })),
  replies: {
    200: reply.json('A number', z.object({ n: z.number() })),
    201: reply.stream('Rows', ['text/csv']),
    204: reply.empty('Done'),
  },
})

describe('a handler', () => {
  test('gets what the schemas put out', () => {
    expectTypeOf<Call<typeof save>['params']>().toEqualTypeOf<{ name: string }>()
    expectTypeOf<Call<typeof save>['query']>().toEqualTypeOf<{ limit: number }>()
    expectTypeOf<Call<typeof save>['body']>().toEqualTypeOf<{ seed: number }>()
    expectTypeOf<Call<typeof save>['principal']>().toEqualTypeOf<UserPrincipal>()
  })

  test('of an open endpoint has no caller, and without schemas no parts', () => {
    const open = endpoint({ ...anybody, path: '/a', replies: done })
    expectTypeOf<Call<typeof open>['principal']>().toEqualTypeOf<undefined>()
    expectTypeOf<Call<typeof open>['body']>().toEqualTypeOf<undefined>()
    expectTypeOf<Call<typeof open>['query']>().toEqualTypeOf<undefined>()
  })

  test('of bytes gets a stream, of a form its fields', () => {
    const upload = endpoint({ ...base, path: '/a', body: bytes(10), replies: done })
    const login = endpoint({ ...base, path: '/b', body: form(z.object({ username: z.string() })), replies: done })
    expectTypeOf<Call<typeof upload>['body']>().toExtend<AsyncIterable<unknown>>()
    expectTypeOf<Call<typeof login>['body']>().toEqualTypeOf<{ username: string }>()
  })

  test('answers a declared status with what its reply asks for', () => {
    const handlers: Handler<typeof save>[] = [
      () => ({ status: 200, value: { n: 1 }, headers: { location: '/x' } }),
      () => ({ status: 201, type: 'text/csv', body: (async function* () {})() }),
      async () => ({ status: 204 }),
      // @ts-expect-error an undeclared status
      () => ({ status: 202 }),
      // @ts-expect-error a value of another shape
      () => ({ status: 200, value: { n: 'one' } }),
      // @ts-expect-error no value
      () => ({ status: 200 }),
      // @ts-expect-error a stream without a type
      () => ({ status: 201, body: (async function* () {})() }),
    ]
    expectTypeOf(handlers).toBeArray()
  })
})
