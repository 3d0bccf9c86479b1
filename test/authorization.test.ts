import { apiDocument } from '@flow-service/api-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startService, type TestService } from './service.ts'

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly level: unknown
}

const methods = new Set(['get', 'put', 'post', 'patch', 'delete'])
const operations: Operation[] = Object.entries(apiDocument().paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => methods.has(method))
    .map(([method, operation]) => {
      const { operationId, 'x-auth-level': level } = operation as { operationId: string; 'x-auth-level': unknown }
      return { id: operationId, method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'x'), level }
    }),
)

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const call = (operation: Operation, headers: Record<string, string>, query = '') =>
  fetch(`${at.baseUrl}${operation.path}${query}`, { method: operation.method, headers })

describe('every operation but signing in needs a bearer token [R445, R622]', () => {
  test('the only open operation is signing in', () => {
    expect(operations.filter(({ level }) => level === 'open').map(({ id }) => id)).toEqual(['login.accessToken'])
    expect(operations.length).toBeGreaterThan(20)
  })

  test.each(operations.filter(({ level }) => level !== 'open'))('$id: $method $path', async (operation) => {
    const attempts: [Record<string, string>, string?][] = [
      [{}],
      [{ authorization: 'Bearer garbage' }],
      [{ authorization: `Basic ${Buffer.from('admin@localhost:admin').toString('base64')}` }],
      [{ cookie: `access_token=${at.token}` }],
      [{}, `?access_token=${at.token}`],
    ]
    for (const [headers, query] of attempts) {
      const answer = await call(operation, headers, query)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(await answer.json()).toMatchObject({ code: 'unauthenticated' })
    }
  })
})
