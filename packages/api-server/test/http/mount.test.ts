import { describe, expect, test } from 'vitest'

import { bind, mount } from '../../src/http/mount.ts'
import { serve, user } from './server.ts'
import { contract, handlers, putJson, useSmallApi } from './small-api.ts'

const api = useSmallApi()
const { call } = api

describe('routes', () => {
  test('a literal path wins over a parameter, whatever the order of the contract', async () => {
    expect(await (await call('/flows/node-types')).json()).toEqual(['switch'])
    expect(await (await call('/flows/other')).json()).toEqual({ name: 'other' })
  })

  test('a trailing slash is not significant', async () => {
    expect((await call('/flows')).status).toBe(200)
    expect((await call('/flows/')).status).toBe(200)
    expect(await (await call('/flows/node-types/')).json()).toEqual(['switch'])
  })

  test('an unknown path is a 404 problem', async () => {
    const answer = await call('/flow')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({
      type: 'urn:service:problem:not_found',
      status: 404,
      code: 'not_found',
      detail: 'there is nothing at GET /api/v1/flow',
    })
    const root = await fetch(new URL('/?x=1', api.url()))
    expect(await root.json()).toMatchObject({ detail: 'there is nothing at GET /; the API is at /api/v1' })
  })

  test('a known path with another method is 405 and names the methods that exist', async () => {
    const answer = await call('/flows/x', { method: 'POST' }, null)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' })
  })

  test('OPTIONS says which methods a path has, and of an unknown path that there is nothing (RFC 9110, section 9.3.7)', async () => {
    const answer = await call('/flows/x', { method: 'OPTIONS' }, null)
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS')
    expect((await call('/nowhere', { method: 'OPTIONS' })).status).toBe(404)
  })

  test('a literal path leaves the methods that it does not have to the path with a parameter', async () => {
    expect((await call('/flows/node-types', { method: 'DELETE' })).status).toBe(409)
    const answer = await call('/flows/node-types', { method: 'POST' }, null)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
  })

  test('paths are case-sensitive', async () => {
    expect((await call('/Flows')).status).toBe(404)
  })

  test('HEAD answers the headers of GET without a body', async () => {
    const answer = await call('/flows/other', { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-length')).toBe(String('{"name":"other"}'.length))
    expect(await answer.text()).toBe('')
    const rows = await call('/runs/export', { method: 'HEAD' })
    expect(rows.headers.get('x-total-count')).toBe('2')
    const missing = await call('/nothing', { method: 'HEAD' })
    expect([missing.status, await missing.text()]).toEqual([404, ''])
  })

  test('two endpoints of one path and method are refused when mounted', () => {
    const twice = [...bind(contract, handlers), ...bind(contract, handlers)]
    expect(() => mount(twice, { authenticate: async () => user })).toThrow('flows.list and flows.list are both get')
  })

  test('a broken percent escape is 400', async () => {
    const answer = await call('/flows/%zz')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'bad_request' })
  })
})

describe('who may call', () => {
  test('every endpoint that is not open asks for a credential first [R445, R668]', async () => {
    for (const path of ['/flows', '/flows/x', '/flows/x.svg', '/flows/health', '/flows/docs', '/flows/node-types/']) {
      const answer = await call(path, {}, null)
      expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer'])
    }
    expect((await call('/flows/x', { ...putJson('no number'), method: 'PUT' }, null)).status).toBe(401)
  })

  test('odd spellings of a path are no way around authentication', async () => {
    const spellings = [
      '//flows',
      '/flows;x',
      '/flows/%2e%2e/flows',
      '/flows/a%2fb',
      '/flows/x.',
      '/./flows/x',
      '/FLOWS/x',
    ]
    for (const path of spellings) {
      const { status } = await call(path, { headers: { 'x-http-method-override': 'GET' } }, null)
      expect([path, [401, 404].includes(status)]).toEqual([path, true])
    }
  })

  test('a user is refused where a superuser is asked for, before the body is looked at [R669]', async () => {
    const refused = await call('/flows/x', putJson('nonsense'))
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'forbidden' })
    expect((await call('/flows/x', putJson({ version: 1 }), 'root')).status).toBe(201)
  })

  test('a user, superuser or not, has no right to what a device does', async () => {
    expect((await call('/devices/d/report', { method: 'PUT' }, 'root')).status).toBe(403)
  })
})

describe('parts of a request', () => {
  test('query values are coerced and defaults filled in', async () => {
    expect(await (await call('/flows')).json()).toEqual({ limit: 50, q: null })
    expect(await (await call('/flows?limit=7&q=%C3%A9')).json()).toEqual({ limit: 7, q: 'é' })
  })

  test.each([
    ['limit=0', 'query.limit', 'too_small'],
    ['limit=501', 'query.limit', 'too_big'],
    ['limit=x', 'query.limit', 'invalid_type'],
    ['limit=1&limit=2', 'query.limit', 'duplicate_key'],
    ['q=a%00', 'query.q', 'bad_text'],
    ['unknown=1', 'query.unknown', 'unrecognized_keys'],
    ['__proto__=1', 'query.__proto__', 'reserved_key'],
    ['constructor=1', 'query.constructor', 'unrecognized_keys'],
  ])('the query %s is refused with 422 [R673]', async (query, path, code) => {
    const answer = await call(`/flows?${query}`)
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ path, code }] })
  })

  test('an endpoint without query refuses every query key', async () => {
    expect((await call('/flows/x?access_token=t')).status).toBe(422)
  })

  test('a bad path parameter is 422 and told as path.name', async () => {
    const answer = await call('/flows/a%20b')
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ errors: [{ path: 'path.name' }] })
    expect((await call('/flows/a%00')).status).toBe(422)
  })

  test('links follow the request or the configured base URL', async () => {
    const answer = await call('/flows/x', putJson({ version: 1 }), 'root')
    expect(answer.headers.get('location')).toBe(`${api.url()}/flows/x`)
    await using other = await serve(bind(contract, handlers), {
      baseUrl: 'https://flows.example.org/api/v1',
      authenticate: async () => ({ ...user, superuser: true }),
    })
    const far = await fetch(`${other.url}/flows/x`, putJson({ version: 1 }))
    expect(far.headers.get('location')).toBe('https://flows.example.org/api/v1/flows/x')
  })
})

test('a call that is given up as its caller goes is no failure, and one that fails for another reason is', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  const ended = Promise.withResolvers<never>()
  await using running = await serve(bind(contract, handlers), {
    elsewhere: async (_endpoint, { signal }) => {
      asked.resolve(signal)
      return ended.promise
    },
  })
  const leaving = new AbortController()
  const call = fetch(`${running.url}/flows/x`, { signal: leaving.signal })
  const signal = await asked.promise
  const gone = new Promise((resolve) => signal.addEventListener('abort', resolve))
  leaving.abort()
  await expect(call).rejects.toThrow('aborted')
  await gone
  ended.reject(signal.reason)
  await new Promise((resolve) => setImmediate(resolve))
  expect(running.logged).toEqual([])
  // as everybody else is told
  expect((await fetch(`${running.url}/flows/y`)).status).toBe(500)
  expect(running.logged).toHaveLength(1)
})
