import { apiDocument } from '@flow-service/api-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'

import { startService, type TestService } from './service.ts'

interface Schema {
  readonly type?: string
  readonly properties?: Record<string, object>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
}
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
}
interface Description {
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, Schema> }
}

const described = apiDocument() as unknown as Description

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

/** The status of a path without a credential. */
const knock = async (address: string, method: string): Promise<number> =>
  (await fetch(address, { method: method.toUpperCase() })).status

test('the version of the API is the prefix of every described path, and without it nothing is there [R015, R016, R689]', async () => {
  expect(described.servers).toEqual([{ url: '/api/v1' }])
  expect(at.baseUrl).toBe(`${at.origin}/api/v1`)
  expect(await (await fetch(`${at.baseUrl}/openapi.json`)).json()).toMatchObject({ servers: described.servers })
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [path.replaceAll(/\{[^}]+\}/g, 'x'), method] as const),
  )
  expect(operations.length).toBeGreaterThan(40)
  for (const [path, method] of operations) {
    // oxlint-disable no-await-in-loop -- a few at a time are enough
    const statuses = await Promise.all(
      [at.baseUrl, at.origin, `${at.origin}/api`, `${at.origin}/api/v2`].map((base) => knock(base + path, method)),
    )
    // oxlint-enable no-await-in-loop
    expect([method, path, statuses[0] === 404, ...statuses.slice(1)]).toEqual([method, path, false, 404, 404, 404])
  }
})

test('the event socket is at /flows/ws below the base, by the scheme of web sockets [R641]', async () => {
  const socket = new WebSocket(`${at.baseUrl.replace(/^http/, 'ws')}/flows/ws`, {
    headers: { authorization: `Bearer ${at.token}` },
  })
  const first = await new Promise<unknown>((resolve, reject) => {
    socket.once('message', (data) => resolve(JSON.parse((data as Buffer).toString())))
    socket.once('error', reject)
  })
  expect(first).toHaveProperty('type')
  socket.terminate()
})

describe('the description', () => {
  const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods))

  const areas = [
    'flows',
    'messages',
    'runs',
    'artifacts',
    'dashboards',
    'devices',
    'secrets',
    'modules',
    'alerts',
    'observability',
    'workers',
    'flavors',
    'connectors',
  ]

  test('has one tag for each area, in words, and each operation belongs to one [R018]', () => {
    const tags = described.tags.map(({ name }) => name)
    expect(new Set(tags).size).toBe(tags.length)
    expect(tags).toEqual(expect.arrayContaining(areas))
    expect(described.tags.filter(({ description }) => description.startsWith('Operations on'))).toEqual([])
    expect(operations.filter((operation) => operation.tags.length !== 1)).toEqual([])
    expect(new Set(operations.flatMap((operation) => operation.tags))).toEqual(new Set(tags))
    const controls = operations.filter(({ operationId }) => /^flows\.(pause|step|nodes\.trigger)$/.test(operationId))
    expect(controls.map((operation) => operation.tags)).toEqual([['flows'], ['flows'], ['flows']])
  })

  /** What answers are made of: every member is always there. */
  const records = [
    'Flow',
    'FlowListItem',
    'NodeState',
    'Run',
    'RunSummary',
    'NodeRecord',
    'Message',
    'ArtifactRef',
    'Device',
    'DeviceDetail',
    'Worker',
    'Flavor',
    'Dashboard',
    'DashboardListItem',
    'AlertConfig',
    'UserAdmin',
    'ApiKey',
  ]
  /** What requests are made of: nothing else is taken. */
  const requests = [
    'FlowDocument',
    'NodeInput',
    'PortInput',
    'RunSubmit',
    'TriggerRequest',
    'FlowRunRequest',
    'DeviceCreate',
    'FlavorCreate',
  ]

  test.each(records)('names every member of %s, and all of them are there [R693]', (name) => {
    const { type, properties = {}, required } = described.components.schemas[name] ?? {}
    expect(type).toBe('object')
    expect(required?.toSorted()).toEqual(Object.keys(properties).toSorted())
    expect(Object.keys(properties).length).toBeGreaterThan(3)
  })

  test.each(requests)('closes %s: an unknown member is refused [R693]', (name) => {
    expect(described.components.schemas[name]).toMatchObject({ type: 'object', additionalProperties: false })
  })
})
