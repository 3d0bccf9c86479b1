import { hash } from 'node:crypto'

import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type CodeRegistry, createCodeRegistry, type RegisteredFlow } from '../../src/code/registry.ts'
import { openStores, type Stores } from '../artifacts/stores.ts'

const never = new AbortController().signal
let stores: Stores
let registry: CodeRegistry
beforeAll(async () => {
  stores = await openStores()
  registry = createCodeRegistry(stores.stores[0])
})
afterAll(() => stores[Symbol.asyncDispose]())

const digestOf = (name: string): string => `sha256:${hash('sha256', name)}`
const documentOf = (name: string) => ({
  nodes: [{ id: 'n', type: 'code', entry: { module: 'm.ts', export: 'n', digest: digestOf(name), modules: [] } }],
})
const registered = (name: string): RegisteredFlow => ({
  document: normalizeDocument(name, flowDocumentInputSchema.parse({ mode: 'batch', version: 0, ...documentOf(name) })),
  module: 'm.ts',
  project: null,
  commit: null,
  bundles: new Map([[digestOf(name), async () => ({ text: `// ${name}`, map: `{"of":"${name}"}`, addons: [] })]]),
})

/** What is kept of these bundles' code; the text of each is two artifacts. */
async function keptOf(names: readonly string[]): Promise<string[]> {
  const { database, artifacts } = stores.stores[1]
  const rows = await database.sql<{ digest: string; bundle: string; source_map: string }[]>`
    select digest, bundle, source_map from code_bundle`
  const known = await artifacts.known(rows.flatMap((row) => [row.bundle, row.source_map]))
  expect(known.size).toBe(2 * rows.length)
  return names.filter((name) => rows.some(({ digest }) => digest === digestOf(name)))
}

/** Lets time pass for everything that is stored. */
async function age(): Promise<void> {
  const { database } = stores.stores[0]
  await database.sql`update code_bundle set touched_at = touched_at - interval '2 hours'`
  await database.sql`update blob set touched_at = touched_at - interval '2 hours'`
}

test('code that no flow and no run names is dropped after an hour, with its bytes', async () => {
  const { database, artifacts } = stores.stores[0]
  const { sql } = database
  const names = ['drafted', 'published', 'executed', 'prepared', 'idle']
  await registry.prepare(names.map(registered))
  const id = (n: number): string => `01900000-0000-7000-8000-0000000000a${n}`
  await sql`
    insert into flow (id, name, version, draft, published, published_version, origin) values
      (${id(1)}, 'drafted', 1, ${sql.json(documentOf('drafted'))}, null, null, 'api'),
      (${id(2)}, 'published', 1, null, ${sql.json(documentOf('published'))}, 1, 'code'),
      (${id(3)}, 'python', 1, ${sql.json({ nodes: [{ id: 'p', entry: null }] })}, null, null, 'api')`
  await sql`insert into run_flow (id, name) values (${id(4)}, 'gone')`
  for (const name of ['executed', 'forgotten', 'plain'])
    await sql`
      insert into run_document (flow, digest, document)
      values (${id(4)}, ${name}, ${JSON.stringify(name === 'plain' ? { nodes: [{ entry: null }] } : documentOf(name))}::text::json)`
  await sql`
    insert into run (id, flow, status, created_at, finished_at, draft, no_cache, digest)
    values (${id(5)}, ${id(4)}, 'ok', now(), now(), false, false, 'executed'),
      (${id(6)}, ${id(4)}, 'ok', now() + interval '1 s', now(), false, false, 'plain')`

  expect(await registry.expire()).toBe(0)
  await age()
  // registered again, but not yet in a flow
  await createCodeRegistry(stores.stores[1]).prepare([registered('prepared')])
  expect(await registry.expire()).toBe(1)
  expect(await keptOf(names)).toEqual(['drafted', 'published', 'executed', 'prepared'])
  expect((await artifacts.sweep(never)).artifacts).toBe(2)
  expect(await keptOf(names)).toEqual(['drafted', 'published', 'executed', 'prepared'])

  await sql`delete from run`
  await sql`delete from flow`
  await age()
  expect(await registry.expire()).toBe(4)
  expect(await artifacts.sweep(never)).toMatchObject({ artifacts: 8 })
  expect(await keptOf(names)).toEqual([])
})
