/** Alerts of two engines on one database, and of one whose server stops. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import type { AlertMessage, ObservabilityEvent } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findPostgres, type PostgresServer, startPostgres } from '../../../../test/components/postgres.ts'
import { startService } from '../observability/service.ts'
import { openSink } from './sink.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres(findPostgres() ?? '')
})
afterAll(() => server.stop())

const oauthSigningKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

type Sink = Awaited<ReturnType<typeof openSink>>

/** Engines on a new database, and somebody who is told. */
async function engines(name: string, count: number) {
  const databaseUrl = await server.createDatabase(name)
  const clock = new VirtualClock(Date.now())
  const artifactsDir = await mkdtemp(join(tmpdir(), 'alerts-shared-'))
  const shared = { databaseUrl, artifactsDir, oauthSigningKey, python: 'no-such-python' }
  const opened: Awaited<ReturnType<typeof startService>>[] = []
  for (let index = 0; index < count; index++) opened.push(await startService(shared, clock))
  const sink = await openSink()
  return {
    clock,
    sink,
    opened,
    /** Lets time pass, ten seconds after ten seconds, until there are so many messages about an event. */
    async later(event: AlertMessage['event'], messages = 1): Promise<AlertMessage[]> {
      const step = async (): Promise<number> => {
        await clock.advance(10_000)
        return about(sink, event).length
      }
      await expect.poll(step).toBeGreaterThanOrEqual(messages)
      return about(sink, event)
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each[Symbol.asyncDispose]()
      await sink[Symbol.asyncDispose]()
      await rm(artifactsDir, { recursive: true, force: true })
    },
  }
}
const about = (sink: Sink, event: AlertMessage['event']): AlertMessage[] =>
  sink.seen.flatMap(({ body }) => (body.event === event ? [body] : []))
const configured = (sink: Sink, more: object = {}) => ({
  enabled: true,
  channels: { webhook: { enabled: true, url: sink.url, headers: { 'x-key': { $secret: 'key' } } } },
  ...more,
})

describe('two engines on one database', () => {
  test('send one message about what both notice, and what each has counted as another', async () => {
    await using at = await engines('alerts_of_two', 2)
    const { sink, opened } = at
    const [one, two] = opened as [(typeof opened)[0], (typeof opened)[0]]
    await one.root('PUT', '/secrets/key', { value: 'a value of the key' })
    await expect.poll(() => two.engine.secrets.valueOf('key')).toBe('a value of the key')
    // whoever puts it has it at once
    for (const each of [one, two]) await each.root('PUT', '/alerts/config', configured(sink))

    await one.run('sums', { n: -5 })
    await two.run('sums', { n: -6 })
    await one.run('sums', { n: -7 })
    await expect.poll(() => about(sink, 'run_error')).toMatchObject([{ flow: 'sums', count: 1 }])
    const [, digest, ...more] = await at.later('run_error', 2)
    expect([digest?.count, more]).toEqual([2, []])

    await one.engine.database.sql`alter table run add constraint stuck check (status <> 'running') not valid`
    await one.root('POST', '/runs/flows/sums', { params: { n: 1 } })
    await at.later('queue_stalled')
    // long enough for the other engine to have noticed it too, and for a digest
    for (let step = 0; step < 70; step++) {
      await at.clock.advance(10_000)
      await two.engine.database.sql`select 1`
    }
    expect(about(sink, 'queue_stalled')).toMatchObject([{ flow: 'sums', count: 1 }])
    await one.engine.database.sql`alter table run drop constraint stuck`

    // the other hears of a changed configuration, which counts no repeats
    await one.root('PUT', '/alerts/config', configured(sink, { min_interval_s: 0 }))
    const again = async (): Promise<number> => {
      await two.run('sums', { n: -8 })
      return about(sink, 'run_error').length
    }
    await expect.poll(again).toBeGreaterThan(2)
  })
})

test('a server that stops is told from memory, with the secrets of before, and what fails meanwhile, too [R155, R666]', async () => {
  await using at = await engines('alerts_of_outage', 1)
  const [one] = at.opened as [(typeof at.opened)[0]]
  await one.root('PUT', '/secrets/key', { value: 'a value of the key' })
  await one.root('PUT', '/alerts/config', configured(at.sink))
  await server.crash()
  const [lost] = await at.later('store_unavailable')
  expect(lost).toMatchObject({ severity: 'error', title: 'the database is not available', flow: null, count: 1 })
  expect(lost?.detail).toMatch(/^a row could not be written and read/)
  expect(at.sink.seen.at(-1)?.headers['x-key']).toBe('a value of the key')
  await server.start()
  const status = async () => {
    await at.clock.advance(1_000)
    return (await one.root<{ status: string }>('GET', '/utils/health/')).status
  }
  await expect.poll(status).toBe(200)
  await one.run('sums', { n: -5 })
  expect(await at.sink.told('run_error')).toHaveLength(1)
  expect(about(at.sink, 'store_unavailable')).toHaveLength(1)
  const kinds = await one.root<ObservabilityEvent[]>('GET', '/observability/events?kind=alert')
  expect(kinds.value.map(({ action }) => action)).toContain('alert.sent')
})
