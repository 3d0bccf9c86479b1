/** A database of before flows had layouts of their own and kept versions: it opens, and both are there. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Flow, FlowDiff, FlowVersion, FlowVersionContent } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openDatabase, type Sql } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'
import { type Engine, openEngine } from './engine.ts'

const code = 'def run(on):\n    pass\n'
const node = {
  id: 'pass',
  type: 'python',
  title: '',
  settings: {},
  ports: [
    {
      direction: 'input',
      name: 'on',
      port: 'on',
      dtype: 'any',
      interval: null,
      stream: false,
      on_demand: false,
      trigger: true,
    },
  ],
  source: null,
  library: 'common',
  entry: null,
  worker: null,
  worker_policy: 'require',
  cache: true,
  timeout: null,
}
const content = (title: string, layout: object) => ({
  title,
  description: '',
  mode: 'batch',
  inputs: [{ name: 'on', dtype: 'any', initial: null, title: '' }],
  outputs: [],
  nodes: [node],
  resources: { env: {}, flavor: null, cpus: null, gpus: null, memory: null },
  concurrency: null,
  layout,
})
const [edited, drawn] = [{ nodes: { pass: { x: 5, y: 6 } } }, { nodes: { pass: { x: 1, y: 2 } }, zoom: 2 }]
const long = { nodes: { pass: { x: 0, y: 0 } }, note: 'x'.repeat(300_000) }
/** By their names: what was drafted, and what was published as the version 3. */
const stored: Record<string, { draft: object | null; published: object | null; layout: object }> = {
  published: { draft: null, published: content('Old', drawn), layout: drawn },
  drafted: { draft: content('New', edited), published: content('Old', drawn), layout: edited },
  unpublished: {
    draft: content('New', { pass: [7, 8], gone: [1, 1] }),
    published: null,
    layout: { gone: [1, 1], nodes: { pass: { x: 7, y: 8 } } },
  },
  plain: { draft: null, published: content('Old', {}), layout: { nodes: {} } },
  endless: { draft: null, published: content('Old', long), layout: { nodes: {} } },
}

async function fill(tx: Sql): Promise<void> {
  await tx`insert into library (name, code, version) values ('common', ${code}, 1)`
  for (const [at, [name, { draft, published }]] of Object.entries(stored).entries()) {
    // oxlint-disable-next-line no-await-in-loop -- a handful
    await tx`
      insert into flow (id, name, version, draft, published, published_version, origin, updated_at, updated_by)
      values (${`00000000-0000-7000-8000-00000000000${at}`}, ${name}, 4, ${draft && JSON.stringify(draft)}::jsonb,
        ${published && JSON.stringify(published)}::jsonb, ${published && 3}::int, 'api', '2026-01-02T03:04:05Z', 'old@example.org')`
  }
}

let engine: Engine
beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'older-'))
  const database = await openDatabase({ ...(await databaseAt(dataDir)), log: quiet })
  await database.transaction(async (tx) => {
    await tx.unsafe('drop schema public cascade')
    await tx.unsafe('create schema public')
  })
  const migrations = readMigrations()
  await migrate(
    database,
    migrations.slice(
      0,
      migrations.findIndex(({ id }) => id === '0098-flow-layout'),
    ),
  )
  await database.transaction(fill)
  await database.close()
  engine = await openEngine({ dataDir })
})
afterAll(() => engine[Symbol.asyncDispose]())

const get = async <T>(path: string): Promise<T> => (await engine.ann<T>('GET', path)).value

test.each(Object.entries(stored))('the layout of the flow "%s" is its own', async (name, { draft, layout }) => {
  expect(await get<Flow>(`/flows/${name}`)).toMatchObject({ version: 4, layout, title: draft ? 'New' : 'Old' })
})

test.each(Object.entries(stored))(
  'what the flow "%s" had published is its first version',
  async (name, { published }) => {
    const versions = await get<FlowVersion[]>(`/flows/${name}/versions`)
    const first = { version: 3, origin: 'api', published_by: 'old@example.org', runs: 0 }
    expect(versions).toMatchObject(published ? [first] : [])
    if (!published) return
    expect(versions[0]).toMatchObject({
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      published_at: expect.stringMatching(/^2026-01-02T03:04:05/),
    })
    expect(await get<FlowVersionContent>(`/flows/${name}/versions/3`)).toMatchObject({
      document: { title: 'Old' },
      sources: { pass: code },
    })
    expect(await get<FlowDiff>(`/flows/${name}/versions/3/diff?to=published`)).toMatchObject({
      flow: [],
      nodes: [],
      wires: { added: [], removed: [] },
    })
  },
)

test('the next versions stand on it, and it is restored', async () => {
  const published = await engine.root('POST', '/flows/drafted/publish', { version: 4 })
  expect(published.status).toBe(200)
  const versions = await get<FlowVersion[]>('/flows/drafted/versions')
  expect(versions.map(({ version }) => version)).toEqual([published.value.published_version, 3])
  expect(await get<FlowDiff>('/flows/drafted/versions/3/diff')).toMatchObject({
    flow: [{ path: '/title', from: 'Old', to: 'New' }],
    nodes: [],
  })
  const { version } = await get<Flow>('/flows/drafted')
  const restored = await engine.root('POST', '/flows/drafted/versions/3/restore', { version })
  expect([restored.status, restored.value]).toMatchObject([200, { title: 'Old', has_draft: true, layout: edited }])
})
