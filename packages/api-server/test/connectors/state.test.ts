/** What connector packages keep, in the database of the test project, and what the API tells and takes of it. */
import { beforeAll, beforeEach, afterAll, expect, test } from 'vitest'

import { type ConnectorState, openConnectorState } from '../../src/connectors/connector-state.ts'
import { connectorsEndpoints, connectorsHandlers } from '../../src/connectors/routes.ts'
import type { Database } from '../../src/db/database.ts'
import { createEventLog, type EventLog } from '../../src/events/event-log.ts'
import { bind } from '../../src/http/mount.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { openSecrets, type Secrets } from '../../src/secrets/secrets.ts'
import { caller, type Running, serve, user } from '../http/server.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
let secrets: Secrets
let state: ConnectorState
let eventLog: EventLog
useDatabase(async (opened, dataDir) => {
  database = opened
  const config = { dataDir, environment: 'local', secretKey: 'a key for secrets of at least 32 bytes' } as const
  secrets = await openSecrets({ config, database, redactor: new Redactor(), log: quiet })
  state = await openConnectorState({ database, secrets, log: quiet })
  eventLog = createEventLog({ database, log: quiet })
})

let server: Running
let who: Parameters<typeof asUser>[0] = true
const asUser = (superuser: boolean) => ({ ...user, superuser })
const call = caller(() => server.url)
const packages: Record<string, string> = { acme_meter: 'acme', acme_relay: 'acme', other_lamp: 'other' }
beforeAll(async () => {
  const packageOf = (type: string): string | null => packages[type] ?? null
  const bindings = bind(connectorsEndpoints, connectorsHandlers({ connectorState: state, eventLog, packageOf }))
  server = await serve(bindings, { authenticate: async () => asUser(who) })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await state.close()
  await secrets.close()
})
beforeEach(async () => {
  who = true
  await database.sql`delete from connector_state`
})

test('a package finds what it has stored, after a start of the engine too, and no other package does [R156, R382, R383, R384, R385, T100]', async () => {
  const store = state.of('acme')
  await store.set('cert:10.0.0.5:8443', 'first')
  await store.set('cert:10.0.0.5:8443', 'second')
  expect(await state.of('other').get('cert:10.0.0.5:8443')).toBeNull()
  const next = await openConnectorState({ database, secrets, log: quiet })
  expect(await next.of('acme').get('cert:10.0.0.5:8443')).toBe('second')
  await next.close()
  expect([await store.delete('cert:10.0.0.5:8443'), await store.delete('cert:10.0.0.5:8443')]).toEqual([true, false])
  expect(await store.get('cert:10.0.0.5:8443')).toBeNull()
})

test('what stands in the database is sealed, each value for its own key', async () => {
  await state.of('acme').set('token', 'open sesame, the long token')
  const [row] = await database.sql<{ sealed: string }[]>`select sealed from connector_state`
  expect(row?.sealed).toMatch(/^sealed:/)
  expect(Buffer.from(row?.sealed.slice(7) ?? '', 'base64').includes('sesame')).toBe(false)
  await database.sql`update connector_state set key = 'moved'`
  expect(await state.of('acme').get('moved')).toBeNull()
})

test('a package has 256 keys, also when many are stored at once [R688]', async () => {
  const store = state.of('acme')
  const all = await Promise.allSettled(Array.from({ length: 260 }, (_, at) => store.set(`k${at}`, 'v')))
  const refused = all.filter((each) => each.status === 'rejected')
  expect(refused).toHaveLength(4)
  expect(refused[0]?.reason).toMatchObject({ name: 'StoreLimitError' })
  const [key = ''] = await state.keys('acme')
  await store.set(key, 'again')
  await state.of('other').set('k', 'v')
  expect([(await state.keys('acme')).length, await store.get(key)]).toEqual([256, 'again'])
})

test('a superuser sees the keys of the package of a type, never a value [R157, R561]', async () => {
  await state.of('acme').set('pairing', 'a value that nobody sees')
  await state.of('acme').set('cert:a', 'another value')
  for (const type of ['acme_meter', 'acme_relay']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await call('GET', `/connectors/${type}/state`)).toMatchObject({ status: 200, body: ['cert:a', 'pairing'] })
  }
  expect((await call('GET', '/connectors/other_lamp/state')).body).toEqual([])
  expect(await call('GET', '/connectors/http/state')).toMatchObject({ status: 404, body: { code: 'not_found' } })
  who = false
  expect((await call('GET', '/connectors/acme_meter/state')).status).toBe(403)
})

test('a superuser takes a key away, or all, and that is audited [R388, R562, R563]', async () => {
  await state.of('acme').set('pairing', 'v')
  await state.of('acme').set('cert:[::1]:8443', 'v')
  await state.of('other').set('pairing', 'v')
  const before = state.forgotten('acme')
  const path = `/connectors/acme_relay/state/${encodeURIComponent('cert:[::1]:8443')}`
  expect((await call('DELETE', path)).status).toBe(204)
  expect(await state.keys('acme')).toEqual(['pairing'])
  expect([state.forgotten('acme'), state.forgotten('other')]).toEqual([before + 1, 0])
  expect(await call('DELETE', path)).toMatchObject({
    status: 404,
    body: { detail: 'the package "acme" has stored nothing under "cert:[::1]:8443"' },
  })
  expect((await call('DELETE', '/connectors/acme_meter/state')).status).toBe(204)
  expect((await call('DELETE', '/connectors/acme_meter/state')).status).toBe(204)
  expect([await state.keys('acme'), await state.keys('other')]).toEqual([[], ['pairing']])
  expect((await call('DELETE', '/connectors/http/state')).status).toBe(404)
  await eventLog.flush()
  const audited = await eventLog.list({ kinds: ['audit'] }, 10)
  expect(
    audited
      .map(({ action, detail }) => [action, detail])
      .toReversed()
      .slice(0, 2),
  ).toEqual([
    ['connector.forget', { package: 'acme', key: 'cert:[::1]:8443' }],
    ['connector.clear', { package: 'acme' }],
  ])
  who = false
  expect((await call('DELETE', '/connectors/acme_meter/state')).status).toBe(403)
  expect((await call('DELETE', '/connectors/other_lamp/state/pairing')).status).toBe(403)
  expect(await state.keys('other')).toEqual(['pairing'])
})
