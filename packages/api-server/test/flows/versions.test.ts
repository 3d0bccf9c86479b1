import type { FlowDiff, FlowVersion, FlowVersionContent } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { FlowVersions } from '../../src/flows/versions/flow-versions.ts'
import { type Engine, openEngine, relay } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const code = (n: number) => `def run():\n    return {"out": ${n}}\n`
const python = (source: string) => ({
  nodes: [{ id: 'f', type: 'python', source, ports: [{ direction: 'output' as const, name: 'out' }] }],
})
const list = async (name: string, query = '') =>
  (await engine.ann<FlowVersion[]>('GET', `/flows/${name}/versions${query}`)).value
const get = (name: string, version: number) =>
  engine.ann<FlowVersionContent>('GET', `/flows/${name}/versions/${version}`)
const diff = async (name: string, version: number, query = '') =>
  (await engine.ann<FlowDiff>('GET', `/flows/${name}/versions/${version}/diff${query}`)).value
const restore = (as: 'ann' | 'root', name: string, kept: number, version: number) =>
  engine[as]('POST', `/flows/${name}/versions/${kept}/restore`, { version })

test('what is published is listed, newest first, and read with its sources', async () => {
  await engine.publish('log', { ...relay, ...python(code(1)), mode: 'batch', title: 'First' })
  await engine.publish('log', { ...relay, ...python(code(2)), mode: 'batch', version: 1, title: 'Second' })
  const versions = await list('log')
  expect(versions).toMatchObject([
    { version: 2, origin: 'api', published_by: 'root@example.org', runs: 0 },
    { version: 1, origin: 'api', published_by: 'root@example.org', runs: 0 },
  ])
  expect(await list('log', '?before=2&limit=1')).toEqual([versions[1]])
  const { value } = await get('log', 1)
  expect(value).toMatchObject({ ...versions[1], sources: { f: code(1) }, document: { name: 'log', title: 'First' } })
  expect((await get('log', 3)).problem).toMatchObject({ status: 404, code: 'not_found' })
  expect((await get('nobody', 1)).status).toBe(404)
})

test('a difference has fields, nodes with their source, and wires', async () => {
  const { from, to, flow, nodes } = await diff('log', 1)
  expect([from, to]).toEqual([1, 'published'])
  expect(flow).toEqual([{ path: '/title', from: 'First', to: 'Second' }])
  expect(nodes).toEqual([
    { id: 'f', change: 'changed', fields: [], source: expect.stringContaining('-    return {"out": 1}\n+') },
  ])
  await engine.root('PUT', '/flows/log', { ...relay, mode: 'live', version: 2 })
  const all = await diff('log', 2, '?to=draft')
  expect(all.nodes.map(({ id, change }) => [id, change])).toEqual([
    ['pass', 'added'],
    ['f', 'removed'],
  ])
  expect(all.wires).toEqual({
    added: [{ message: 'log.on', from: null, to: { flow: 'log', node: 'pass', port: 'on' } }],
    removed: [],
  })
  expect((await diff('log', 2, '?to=2')).nodes).toEqual([])
  expect((await engine.ann('GET', '/flows/log/versions/1/diff?to=last')).problem).toMatchObject({ status: 422 })
})

test('a version becomes the draft for whoever may bring its code back, over the version that was read', async () => {
  expect((await restore('ann', 'log', 1, 3)).problem).toMatchObject({ status: 403, code: 'forbidden' })
  expect((await restore('root', 'log', 1, 2)).problem).toMatchObject({ status: 409, code: 'version_conflict' })
  expect((await restore('root', 'log', 9, 3)).problem).toMatchObject({ status: 404 })
  const { status, value } = await restore('root', 'log', 1, 3)
  expect([status, value]).toMatchObject([200, { version: 4, has_draft: true, title: 'First', published_version: 2 }])
  expect(value.nodes[0]?.source).toBe(code(1))
  expect((await diff('log', 1)).nodes).toEqual([])
})

test('a node is linked to the library only while that has the code of then', async () => {
  await engine.publish('shared', { mode: 'batch', ...python(code(1)) })
  await engine.root('POST', '/flows/shared/nodes/f/share', { name: 'common' })
  const [newest] = await list('shared')
  const { version } = (await engine.root('GET', '/flows/shared')).value
  const same = await restore('root', 'shared', newest?.version ?? 0, version)
  expect(same.value.nodes[0]).toMatchObject({ library: 'common' })
  await engine.root('PUT', '/flows/shared/nodes/f/source', { code: code(2) })
  const other = await restore('root', 'shared', newest?.version ?? 0, same.value.version)
  expect(other.value.nodes[0]).toMatchObject({ library: null, source: code(1) })
})

test('beyond the newest ones no version is kept, and with the flow all end', async () => {
  await engine.publish('many', relay)
  for (const version of [1, 2, 3]) await engine.publish('many', { ...relay, version, title: `${version}` })
  const { artifacts, database, published } = engine
  const few = new FlowVersions({ artifacts, database, published, kept: 2 })
  await database.sql`update flow set published = published || '{"title": "x"}' where name = 'many'`
  const [row] = await database.sql`select *, null as library from flow where name = 'many'`
  await database.transaction((tx) => few.keep(tx, row as never))
  expect((await list('many')).map(({ version }) => version)).toEqual([4, 3])
  await engine.root('DELETE', '/flows/many')
  expect(
    await database.sql`select from flow_version left join flow on flow.id = flow where flow.id is null`,
  ).toHaveLength(0)
})
