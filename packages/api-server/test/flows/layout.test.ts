import { liveFlow, t } from '@flow-service/flow-sdk'
import { change } from '@flow-service/node-types/flow'
import type { Layout } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const drawn = { nodes: { pass: { x: -12.5, y: 1e6 } }, zoom: 2, note: 'é' }
const put = (name: string, body: unknown) => engine.ann<Layout>('PUT', `/flows/${name}/layout`, body)
const read = async (name: string) => (await engine.ann('GET', `/flows/${name}`)).value

test('a layout is saved without a draft or a version, and places of unknown nodes are dropped', async () => {
  await engine.publish('one', relay)
  const before = await read('one')
  const saved = await put('one', { ...drawn, nodes: { ...drawn.nodes, gone: { x: 0, y: 0 } } })
  expect([saved.status, saved.value]).toEqual([200, drawn])
  expect(await read('one')).toEqual({ ...before, layout: drawn })
  expect((await put('nobody', drawn)).problem).toMatchObject({ status: 404, code: 'not_found' })
})

test('what is no layout is refused with its place', async () => {
  const refused = async (body: unknown) => {
    const { status, problem } = await put('one', body)
    return [status, problem.errors?.map(({ path }) => path)]
  }
  expect(await refused({})).toEqual([422, ['/nodes']])
  expect(await refused({ nodes: { pass: { x: 1_000_001, y: 0 } } })).toEqual([422, ['/nodes/pass/x']])
  expect(await refused({ nodes: { pass: { x: 0, y: 0, z: 0 } } })).toEqual([422, ['/nodes/pass/z']])
  expect(await refused({ nodes: {}, text: 'x'.repeat(262_144) })).toEqual([422, ['']])
  expect((await read('one')).layout).toEqual(drawn)
})

test('a save with another layout alone changes nothing else, and one without a layout keeps it', async () => {
  await engine.publish('two', relay)
  const before = await read('two')
  const saved = await engine.root('PUT', '/flows/two', { ...before, layout: drawn })
  expect([saved.status, saved.value]).toEqual([200, { ...before, layout: drawn }])
  const draft = await engine.root('PUT', '/flows/two', { ...relay, version: 1, title: 'New' })
  expect(draft.value).toMatchObject({ version: 2, has_draft: true, layout: drawn })
})

test('a layout follows its flow to another name, goes with a copy, and ends with the flow', async () => {
  await engine.publish('three', { ...relay, layout: drawn })
  await engine.root('POST', '/flows/three/rename', { name: 'four' })
  expect((await read('four')).layout).toEqual(drawn)
  await engine.root('POST', '/flows/four/duplicate', { name: 'five' })
  expect((await read('five')).layout).toEqual(drawn)
  await engine.root('DELETE', '/flows/four')
  await engine.publish('four', relay)
  expect((await read('four')).layout).toEqual({ nodes: {} })
})

test('the layout of a flow in code is the one that people drew, after its code has changed and after a restart', async () => {
  const hall = (title: string) =>
    liveFlow('hall', { on: t.float }, ({ on }, use) => void use(change(t.float), { in: on }, { id: 'pass' }), { title })
  const first = await openEngine({ objects: [hall('First')] })
  const laidOut = async (at: Engine) => {
    const { title, origin, layout, version } = (await at.ann('GET', '/flows/hall')).value
    return { title, origin, layout, version }
  }
  expect((await first.ann('PUT', '/flows/hall/layout', drawn)).status).toBe(200)
  expect(await laidOut(first)).toEqual({ title: 'First', origin: 'code', layout: drawn, version: 1 })
  await first.close()

  const again = await openEngine({ objects: [hall('First')], dataDir: first.dataDir })
  expect(await laidOut(again)).toEqual({ title: 'First', origin: 'code', layout: drawn, version: 1 })
  await again.close()

  await using changed = await openEngine({ objects: [hall('Second')], dataDir: first.dataDir })
  expect(await laidOut(changed)).toEqual({ title: 'Second', origin: 'code', layout: drawn, version: 2 })
  const other = { nodes: { pass: { x: 3, y: 4 } } }
  expect((await changed.ann('PUT', '/flows/hall/layout', other)).status).toBe(200)
  expect(await laidOut(changed)).toEqual({ title: 'Second', origin: 'code', layout: other, version: 2 })
})
