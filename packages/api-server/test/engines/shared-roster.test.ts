/** What engines of one database tell of each other. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { liveFlow, node, t } from '@flow-service/flow-sdk'
import type { EngineList, ObservabilitySummary } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'

import type { ServiceConfig } from '../../src/config.ts'
import { newSigningKey } from '../auth/new-signing-key.ts'
import { databaseAt } from '../backend.ts'
import { startService, type TestService } from '../observability/service.ts'

const oauthSigningKey = newSigningKey()

let shared: string
const opened: TestService[] = []
const open = async (more: ServiceConfig = {}): Promise<TestService> => {
  const { databaseUrl } = await databaseAt(shared)
  const at = await startService({ databaseUrl, oauthSigningKey, artifactsDir: join(shared, 'artifacts'), ...more })
  opened.push(at)
  return at
}
beforeEach(async () => {
  shared = await mkdtemp(join(tmpdir(), 'engines-'))
})
afterEach(async () => {
  for (const at of opened.splice(0))
    // oxlint-disable-next-line no-await-in-loop -- each leaves its flows to the next one
    await at[Symbol.asyncDispose]()
  await rm(shared, { recursive: true, force: true })
})

const list = async (at: TestService): Promise<EngineList> => (await at.ann<EngineList>('GET', '/engines')).value
const metricsOf = async (at: TestService): Promise<string[]> =>
  (await at.ann('GET', `${at.origin}/metrics`)).text.match(/^service_(?:engine|lease|fence|link)\S* .*$/gm) ?? []
const living = async (at: TestService) =>
  (await at.ann<ObservabilitySummary>('GET', '/observability/summary')).value.engines

test('each of two engines lists both, itself marked, with the flows that each runs and the link between them', async () => {
  const one = await open()
  const two = await open()
  for (const name of ['porch', 'hall', 'attic'])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await one.publish(name, { mode: 'live', inputs: [{ name: 'temp', dtype: 'float' }] })
  await two.engine.links?.reach(String(one.engineId))
  const ids = [one.engineId, two.engineId]
  for (const at of [one, two]) {
    const self = { self: true, link: null }
    const other = {
      self: false,
      link: { status: 'up', round_trip_ms: expect.any(Number), unsent_bytes: expect.any(Number) },
    }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect
      .poll(() => list(at))
      .toMatchObject({
        engines: ids.map((id, index) => ({
          id,
          address: `${[one, two][index]?.origin}/api/v1`,
          lease_s: expect.any(Number),
          ...(id === at.engineId ? self : other),
        })),
        flows: { wished: 4, nowhere: 0, nowhere_names: [] },
        refused_writes: 0,
      })
    const flowsOfAll = async () => (await list(at)).engines.reduce((sum, { flows }) => sum + flows, 0)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect.poll(flowsOfAll).toBe(4)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect.poll(() => living(at)).toBe(2)
  }
})

test('metrics tell the engines, the lease, and the round trip of each link; an engine that has ended is not among them any more', async () => {
  const one = await open()
  const two = await open()
  await two.engine.links?.reach(String(one.engineId))
  const roundTrip = new RegExp(String.raw`^service_link_round_trip_seconds\{engine="${two.engineId}"\} \S+$`)
  await expect.poll(() => metricsOf(one)).toContainEqual(expect.stringMatching(roundTrip))
  await expect.poll(() => metricsOf(one)).toContain('service_engines 2')
  const found = await metricsOf(one)
  expect(found).toContain('service_fence_refused_total 0')
  expect(found).toContainEqual(expect.stringMatching(/^service_engine_flows [01]$/))
  const leftOf = async (): Promise<number> =>
    Number((await metricsOf(one)).find((line) => line.startsWith('service_lease_seconds '))?.split(' ')[1])
  // of 8 seconds, a fifth less
  await expect.poll(leftOf).toSatisfy((leftS: number) => leftS > 0 && leftS <= 6.4)
  await two.close()
  await expect.poll(() => metricsOf(one)).toContain('service_engines 1')
  expect(await living(one)).toBe(1)
  await expect
    .poll(() => list(one))
    .toMatchObject({ engines: [{ id: one.engineId, flows: 1 }], flows: { wished: 1, nowhere: 0 } })
})

test('a flow whose code no living engine has is named as one that nobody runs', async () => {
  const pass = node('pass', { in: { x: t.int }, out: { y: t.int }, run: ({ x }) => ({ y: x }) })
  const attic = liveFlow('attic', { x: t.int }, (messages, use) => void use(pass, { x: messages.x }))
  const gone = await open({ flows: [attic] })
  expect((await gone.root('POST', '/flows/attic/start')).status).toBe(200)
  expect((await list(gone)).flows).toEqual({ wished: 1, nowhere: 0, nowhere_names: [] })
  await gone.close()
  const one = await open()
  expect((await list(one)).flows).toEqual({ wished: 2, nowhere: 1, nowhere_names: ['attic'] })
})
