/**
 * What grows with its data. Each doubling of runs or flows may cost their lists at most 2.2 times as much, and a page far
 * behind, which is found by its cursor, at most 1.5 times the first one. While a document of 10,000 nodes is saved, nobody
 * waits longer than for a tenth of it. Only these ratios are judged; what takes less than a few milliseconds is compared
 * with that.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { FlowDocumentInput } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { startService } from '../packages/api-server/test/observability/service.ts'
import { openManyRuns } from '../packages/api-server/test/runs/lists/many-runs.ts'
import { useServers } from './child-servers.ts'
import { best, dearest, DOUBLING, sizes } from './doublings.ts'
import { chainOf } from './flows/chain.ts'

const DEEP = 1.5
const ROUNDS = 7
/** Of the time of a save: what a request meanwhile may wait. */
const WAIT = 0.1

test('lists of runs, to 100,000', { timeout: 900_000 }, async () => {
  const include = new Set(['params', 'results', 'metrics'] as const)
  const queries = {
    newest: {},
    'two terms, sorted': { filter: 'params.lr<0.1 metrics.loss<0.5', sort: '-metrics.acc' },
    'a rare text': { filter: 'params.name~run_99' },
  }
  const times = new Map(Object.keys(queries).map((what) => [what, new Map<number, number>()]))
  const deep = new Map<string, number>()
  for (const size of sizes(100_000)) {
    const dataDir = await mkdtemp(join(tmpdir(), 'bench-growth-'))
    const { database, lists } = await openManyRuns(dataDir, size)
    try {
      for (const [what, query] of Object.entries(queries)) {
        const page = { of: { archived: false }, limit: 50, include, ...query }
        const first = await best(() => lists.list({ ...page, offset: 0 }))
        times.get(what)?.set(size, first)
      }
      for (const sort of [undefined, 'params.lr']) {
        const page = { of: { archived: false }, limit: 50, include, sort }
        const { cursor } = await lists.list({ ...page, offset: Math.min(10_000, size / 2) })
        if (cursor === null) throw new Error('the list ends before its middle')
        const first = await best(() => lists.list({ ...page, offset: 0 }))
        const far = await best(() => lists.list({ ...page, offset: 0, cursor }))
        deep.set(`${sort ?? 'newest'} of ${size}`, far / first)
      }
    } finally {
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    }
  }
  console.log(`pages far behind: ${[...deep].map(([what, ratio]) => `${what} ${ratio.toFixed(2)}`).join(', ')}`)
  for (const [what, all] of times) expect(dearest(`runs, ${what}`, all)).toBeLessThan(DOUBLING)
  for (const ratio of deep.values()) expect(ratio).toBeLessThan(DEEP)
})

test('the list of flows, to 10,000 of ten nodes', { timeout: 900_000 }, async () => {
  await using service = await startService()
  await service.publish('many', { nodes: chainOf(10) } satisfies FlowDocumentInput)
  const { sql } = service.engine.database
  const times = new Map<number, number>()
  let made = 0
  for (const size of sizes(10_000)) {
    await sql`
      insert into flow (id, name, version, published, published_version, origin)
      select gen_random_uuid(), 'many' || n, 1, replace(published::text, '"many.', '"many' || n || '.')::jsonb, 1, 'api'
      from flow, generate_series(${made + 1}::int, ${size}::int) n where name = 'many'`
    made = size
    times.set(size, await best(() => service.root('GET', '/flows/')))
  }
  expect(dearest('flows', times)).toBeLessThan(DOUBLING)
})

const servers = useServers()
const agent = new Agent({ keepAlive: true, noDelay: true })

/** Sends a request whose answer nobody looks at but for its status: parsing it would hold up those who wait here. */
const answered = (url: string, { body, ...options }: { method?: string; headers?: object; body?: Buffer } = {}) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(url, { ...options, headers: { ...options.headers }, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('error', reject).end(body)
  })

test('saves of a document of 10,000 nodes', { timeout: 300_000 }, async () => {
  const { at } = await servers.startAt<{ baseUrl: string; origin: string; token: string }>('empty-service.ts')
  const headers = { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' }
  const shares: number[] = []
  for (let version = 0; version < ROUNDS; version += 1) {
    const body = Buffer.from(JSON.stringify({ version, title: `version ${version}`, nodes: chainOf(10_000) }))
    let [isSaving, longest] = [true, 0]
    const from = performance.now()
    const saved = answered(`${at.baseUrl}/flows/long`, { method: 'PUT', headers, body }).finally(
      () => (isSaving = false),
    )
    while (isSaving) {
      const asked = performance.now()
      await answered(`${at.origin}/healthz`)
      longest = Math.max(longest, performance.now() - asked)
    }
    expect(await saved).toBe(version === 0 ? 201 : 200)
    const time = performance.now() - from
    console.log(`a save took ${time.toFixed(0)} ms, and others waited up to ${longest.toFixed(0)} ms`)
    shares.push(longest / time)
  }
  expect(shares.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]).toBeLessThan(WAIT)
})
