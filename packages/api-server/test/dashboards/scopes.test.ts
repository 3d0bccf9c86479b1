/** What keys may do with dashboards. */
import type { Problem } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { contentOf, type DashboardService, startDashboards } from './service.ts'

let at: DashboardService
const keys = new Map<string, string>()
beforeAll(async () => {
  at = await startDashboards()
  for (const scope of ['flows:read', 'flows:write', 'flows:publish']) {
    const body = { name: scope.replace(':', '-'), scopes: [scope] }
    const { value } = await at.ann<{ key: string }>('POST', '/keys', body)
    keys.set(scope, value.key)
  }
})
afterAll(() => at[Symbol.asyncDispose]())

async function send(scope: string, method: string, path: string, body?: object) {
  const response = await fetch(`${at.origin}/api/v1/dashboards${path}`, {
    method,
    headers: { authorization: `Bearer ${keys.get(scope)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, problem: (text === '' ? {} : JSON.parse(text)) as Partial<Problem> }
}

test.each([
  ['GET', '/', 'flows:read'],
  ['POST', '/wall', 'flows:write'],
  ['PUT', '/wall', 'flows:write'],
  ['POST', '/wall/publish', 'flows:publish'],
  ['GET', '/wall', 'flows:read'],
  ['POST', '/wall/discard', 'flows:publish'],
  ['POST', '/wall/duplicate', 'flows:publish'],
  ['POST', '/wall/rename', 'flows:publish'],
  ['DELETE', '/hall', 'flows:publish'],
  ['POST', '/from-flow/fit', 'flows:publish'],
])('%s /dashboards%s takes a key with %s', async (method, path, scope) => {
  const body = path.endsWith('rename') ? { name: 'hall' } : method === 'PUT' ? { content: contentOf() } : undefined
  for (const other of keys.keys()) {
    if (other === scope) continue
    const refused = await send(other, method, path, body)
    expect([other, refused.status, refused.problem.required_scope]).toEqual([other, 403, scope])
  }
  const { status } = await send(scope, method, path, body)
  expect(status).toBeLessThan(300)
})

test('the audit trail tells which key did it', async () => {
  const [entry] = (await at.audited('fit_results')).slice(-1)
  expect(entry).toMatchObject({ actor: { email: 'ann@example.org', via: 'key', name: 'flows-publish' } })
})
