import type { ObservabilitySummary } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findPostgres, type PostgresServer, startPostgres } from '../../../../test/components/postgres.ts'
import { startService } from './service.ts'

const programs = findPostgres()

describe.skipIf(!programs)('with a PostgreSQL server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(programs ?? '')
  })
  afterAll(() => server.stop())

  test('an outage of the server is told while it lasts, and afterwards everything works again [R565, R572]', async () => {
    const databaseUrl = await server.createDatabase('outage')
    await using at = await startService({ databaseUrl })
    await at.ann('GET', '/observability/summary')
    await server.crash()
    const summary = async () => at.ann<ObservabilitySummary>('GET', '/observability/summary')
    await expect.poll(async () => (await summary()).value.checks.store.status).toBe('down')
    const told = await summary()
    expect([told.status, told.value.status]).toEqual([200, 'down'])
    const health = await at.ann('GET', '/utils/health/')
    expect([health.status, health.problem.code]).toEqual([503, 'unavailable'])
    expect((await at.ann('GET', `${at.origin}/metrics`)).status).toBe(200)

    await server.start()
    const status = async () => (await at.ann('GET', '/utils/health/')).status
    await expect.poll(status, { interval: 500 }).toBe(200)
    expect((await summary()).value.checks.store).toEqual({ status: 'ok', detail: null })
    expect(await at.ended(await at.feed(1))).toMatchObject({ status: 'ok' })
  })
})
