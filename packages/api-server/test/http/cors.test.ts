import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { cors } from '../../src/http/cors.ts'
import { endpoint, reply } from '../../src/http/endpoint.ts'
import { secureHeaders } from '../../src/http/headers.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve } from './server.ts'

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const
const replies = { 200: reply.json('The verb.', z.string()) }
const contract = Object.fromEntries(
  verbs.map((method) => [
    method,
    endpoint({ id: `things.${method}`, method, path: '/things', summary: method, auth: 'user', scope: null, replies }),
  ]),
)
const bindings = bind(
  contract,
  Object.fromEntries(verbs.map((verb) => [verb, async () => ({ status: 200, value: verb }) as const])),
)
const console = 'https://console.example'

const withOrigins = (origins: readonly string[]): Promise<Running> =>
  serve(bindings, {}, (app) => app.use(secureHeaders).use('/api/v1', cors(origins)))

const preflight = (at: Running, origin: string, method: string, headers = 'authorization,content-type') =>
  fetch(`${at.url}/things`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
  })
const corsHeaders = (answer: Response) => [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))

describe('with a list of origins', () => {
  let at: Running
  beforeAll(async () => {
    at = await withOrigins([console, 'http://localhost:5173'])
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test.each(verbs.map((verb) => verb.toUpperCase()))(
    '%s of a listed origin is allowed, after a preflight',
    async (method) => {
      const asked = await preflight(at, console, method)
      expect(asked.status).toBe(204)
      expect(asked.headers.get('access-control-allow-origin')).toBe(console)
      expect(asked.headers.get('access-control-allow-methods')?.split(', ')).toContain(method)
      expect(asked.headers.get('access-control-allow-headers')).toMatch(/authorization, content-type/)
      const answer = await fetch(`${at.url}/things`, { method, headers: { origin: console } })
      expect(await answer.json()).toBe(method.toLowerCase())
      expect(answer.headers.get('access-control-allow-origin')).toBe(console)
      expect(answer.headers.get('access-control-expose-headers')).toMatch(/location.*x-total-count/)
    },
  )

  test('each listed origin is told alone, and credentials of the browser never', async () => {
    const answer = await fetch(`${at.url}/things`, { headers: { origin: 'http://localhost:5173' } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('vary')).toBe('Origin')
  })

  test.each([
    'https://evil.example',
    'https://console.example.evil.example',
    'http://console.example',
    'https://console.example:8443',
    'https://CONSOLE.example',
    'null',
    '*',
  ])('the origin %s is told nothing', async (origin) => {
    const answer = await fetch(`${at.url}/things`, { headers: { origin } })
    expect(answer.status).toBe(200)
    expect(corsHeaders(answer)).toEqual([])
    expect(answer.headers.get('vary')).toBe('Origin')
    const asked = await preflight(at, origin, 'DELETE')
    expect([asked.status, corsHeaders(asked)]).toEqual([204, []])
  })

  test('refusals are readable too, and the other headers stay', async () => {
    const refused = await fetch(`${at.url}/things?unknown=1`, { headers: { origin: console } })
    expect(refused.status).toBe(422)
    expect(refused.headers.get('access-control-allow-origin')).toBe(console)
    expect(refused.headers.get('x-frame-options')).toBe('DENY')
    expect(refused.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await preflight(at, console, 'PUT')).headers.get('content-security-policy')).toMatch(/default-src 'none'/)
  })

  test('an OPTIONS request that is no preflight says which methods there are', async () => {
    const answer = await fetch(`${at.url}/things`, { method: 'OPTIONS', headers: { origin: console } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, expect.stringContaining('OPTIONS')])
  })
})

test('without origins there is no CORS at all', async () => {
  await using at = await withOrigins([])
  const answer = await fetch(`${at.url}/things`, { headers: { origin: console } })
  expect([answer.status, corsHeaders(answer), answer.headers.get('vary')]).toEqual([200, [], null])
  expect(corsHeaders(await preflight(at, console, 'GET'))).toEqual([])
})
