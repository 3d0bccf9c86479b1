/** Publications of active flows: what is made anew, what is refused, and what goes on. */
import { defineNode } from '@flow-service/connector-sdk'
import {
  type FlowDocumentInput,
  flowDocumentInputSchema,
  normalizeDocument,
  type PublishedFlow,
} from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import type { RegisteredFlow } from '../../src/code/registry.ts'
import { createFlowStore } from '../../src/flows/store.ts'
import { type Engine, openEngine } from './engine.ts'

/** What starts of `door` have told, and the keys that they refuse, or nodes that are refused once. */
const starts: string[] = []
const refused = new Set<string>()
const door = defineNode({
  type: 'door',
  title: 'Door',
  description: '',
  category: 'logic',
  settings: z.strictObject({ key: z.string() }),
  arrival: 'each',
  start({ node, settings: { key } }) {
    starts.push(`${node} ${key}`)
    if (refused.has(key) || refused.delete(`${node} once`)) throw new Error(`no door takes the key`)
    return { onValue: (_port, value) => void starts.push(`${node} got ${String(value)}`) }
  },
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ types: [door] })
})
afterAll(() => engine[Symbol.asyncDispose]())

const doors = (keys: Record<string, string>, more: FlowDocumentInput = {}): FlowDocumentInput => ({
  ...more,
  inputs: [{ name: 'x' }],
  nodes: Object.entries(keys).map(([id, key]) => ({
    id,
    type: 'door',
    settings: { key },
    ports: [{ direction: 'input', name: 'x' }],
  })),
})

/** Saves a document over what there is, and publishes it. */
async function republish(name: string, document: FlowDocumentInput, more: object = {}) {
  const { version } = (await engine.root('GET', `/flows/${name}`)).value
  const saved = await engine.root('PUT', `/flows/${name}`, { ...document, version })
  return engine.root<PublishedFlow>('POST', `/flows/${name}/publish`, { version: saved.value.version, ...more })
}

async function active(name: string, document: FlowDocumentInput): Promise<void> {
  await engine.publish(name, document)
  await engine.root('POST', `/flows/${name}/start`)
  starts.splice(0)
}

const startFailures = async (name: string): Promise<unknown[]> =>
  (await engine.root('GET', `/flows/${name}`)).value.issues.filter(({ code }) => code === 'start_failed')

test('the answer names the nodes that are made anew, and those that have gone; a title makes none anew', async () => {
  await active('named', doors({ a: '1', b: '1', gone: '1' }))
  expect((await republish('named', doors({ a: '1', b: '2', fresh: '1' }))).value).toMatchObject({
    status: 'active',
    rebuilt: ['b', 'fresh', 'gone'],
  })
  expect(starts.splice(0)).toEqual(['b 2', 'fresh 1'])
  expect((await republish('named', doors({ a: '1', b: '2', fresh: '1' }, { title: 'T' }))).value.rebuilt).toEqual([])
  expect(starts).toEqual([])
})

test('with restart all are made anew, also without a draft; the audit trail has both', async () => {
  await active('again', doors({ a: '1', b: '1' }))
  const answer = await engine.root<PublishedFlow>('POST', '/flows/again/publish', { version: 1, restart: true })
  expect(answer.value).toMatchObject({ version: 1, rebuilt: ['a', 'b'] })
  expect(starts.splice(0)).toEqual(['a 1', 'b 1'])
  const rows = await engine.database.sql<{ detail: object }[]>`
    select detail from engine_event where action = 'flow.publish' and flow = 'again' order by ts, id`
  expect(rows.map(({ detail }) => detail)).toEqual([
    { version: 1, restart: false, rebuilt: [] },
    { version: 1, restart: true, rebuilt: ['a', 'b'] },
  ])
})

test('a flow that is not active has nothing to make anew', async () => {
  await engine.publish('idle', doors({ a: '1' }))
  expect((await republish('idle', doors({ a: '2' }), { restart: true })).value).toMatchObject({
    status: 'stopped',
    rebuilt: [],
  })
})

test('a content that does not start is refused, not published, and the old one goes on', async () => {
  await active('solid', doors({ a: '1', b: '1' }))
  refused.add('bad')
  const answer = await republish('solid', doors({ a: '2', b: 'bad' }))
  expect(answer.problem).toMatchObject({
    status: 422,
    code: 'flow_invalid',
    errors: [{ code: 'start_failed', path: '/nodes/1', message: 'no door takes the key' }],
  })
  expect((await engine.root('GET', '/flows/solid')).value).toMatchObject({
    status: 'active',
    has_draft: true,
    published_version: 1,
  })
  expect(await startFailures('solid')).toEqual([])
  engine.runtime.publish('solid.x', 7)
  await engine.runtime.get('solid')?.idle()
  expect(starts.splice(0)).toEqual(['a 2', 'b bad', 'a 1', 'b 1', 'a got 7', 'b got 7'])
  const [{ count } = { count: -1 }] = await engine.database.sql<{ count: number }[]>`
    select count(*)::int from engine_event where action = 'flow.publish' and flow = 'solid'`
  expect(count).toBe(1)
})

test('a failed flow is started by what is published, or stays failed and keeps what was published', async () => {
  refused.add('bad')
  await engine.publish('ill', doors({ a: 'bad' }))
  await engine.root('POST', '/flows/ill/start')
  expect((await engine.root('GET', '/flows/ill')).value.status).toBe('failed')
  refused.add('worse')
  expect((await republish('ill', doors({ a: 'worse' }))).problem).toMatchObject({ status: 422, code: 'flow_invalid' })
  expect((await engine.root('GET', '/flows/ill')).value).toMatchObject({ status: 'failed', published_version: 1 })
  expect((await republish('ill', doors({ a: 'good' }))).value).toMatchObject({ status: 'active', rebuilt: ['a'] })
  expect(await startFailures('ill')).toEqual([])
})

test('an active flow that becomes a batch flow stops', async () => {
  await active('turned', doors({ a: '1' }))
  expect((await republish('turned', { mode: 'batch' })).value).toMatchObject({ status: 'ready', rebuilt: [] })
  expect(engine.runtime.get('turned')).toBeUndefined()
})

test('a new initial value counts where the message never had another one', async () => {
  const held = (initial: number, more: object = {}): FlowDocumentInput => ({
    inputs: [{ name: 'tick' }, { name: 'level', initial }],
    nodes: [
      {
        id: 'pair',
        type: 'join',
        ...more,
        ports: [
          { direction: 'input', name: 'tick' },
          { direction: 'input', name: 'level', trigger: false },
          { direction: 'output', name: 'pair' },
        ],
      },
    ],
  })
  const paired = async (tick: number): Promise<unknown> => {
    engine.runtime.publish('first.tick', tick)
    await engine.runtime.get('first')?.idle()
    return engine.lastValues.get('first.pair')?.value
  }
  await active('first', held(1))
  expect(await paired(1)).toEqual({ tick: 1, level: 1 })
  expect((await republish('first', held(2))).value.rebuilt).toEqual([])
  expect(await paired(2)).toEqual({ tick: 2, level: 2 })
  engine.runtime.publish('first.level', 9)
  await republish('first', held(3))
  expect(await paired(3)).toEqual({ tick: 3, level: 9 })
})

test('a last value of another dtype makes way for the initial one', async () => {
  const typed = (dtype: string, initial: unknown): FlowDocumentInput => ({
    inputs: [{ name: 'tick' }, { name: 'level', dtype, initial } as never],
    nodes: [
      {
        id: 'pair',
        type: 'join',
        ports: [
          { direction: 'input', name: 'tick' },
          { direction: 'input', name: 'level', trigger: false, dtype },
          { direction: 'output', name: 'pair' },
        ] as never,
      },
    ],
  })
  await active('typed', typed('int', 1))
  engine.runtime.publish('typed.level', 5)
  expect((await republish('typed', typed('str', 'low'))).value.rebuilt).toEqual(['pair'])
  engine.runtime.publish('typed.tick', 1)
  await engine.runtime.get('typed')?.idle()
  expect(engine.lastValues.get('typed.pair')?.value).toEqual({ tick: 1, level: 'low' })
})

test('what is stored already and does not start leaves the old content running, and says so until it is mended', async () => {
  await active('shared', doors({ a: '1' }))
  const row = await createFlowStore(engine.database.sql).byName('shared')
  if (row === null) throw new Error('the flow is not stored')
  const follow = (key: string) =>
    engine.live.exclusive(row.id, () => engine.live.rebuild({ ...row, published: doors({ a: key }) }))
  refused.add('bad')
  await follow('bad')
  expect((await engine.root('GET', '/flows/shared')).value.status).toBe('active')
  expect(await startFailures('shared')).toMatchObject([{ severity: 'error', node: 'a' }])
  engine.runtime.publish('shared.x', 7)
  await engine.runtime.get('shared')?.idle()
  expect(starts.splice(0)).toEqual(['a bad', 'a 1', 'a got 7'])
  await follow('2')
  expect(await startFailures('shared')).toEqual([])
})

test('a renaming makes only those nodes of other flows anew that name the flow; one that does not start refuses it', async () => {
  const { nodes } = doors({ own: '1', naming: '1' })
  const [own, naming] = nodes!
  const guard = {
    ...doors({}),
    nodes: [own!, { ...naming!, ports: [{ direction: 'input', name: 'hall.x' } as const] }],
  }
  await engine.publish('hall', doors({ gate: '1' }))
  await engine.root('POST', '/flows/hall/start')
  await active('guard', guard)
  expect((await engine.root('POST', '/flows/hall/rename', { name: 'lobby' })).value).toMatchObject({ status: 'active' })
  expect(starts.splice(0)).toEqual(['naming 1', 'gate 1'])
  engine.runtime.publish('lobby.x', 1)
  engine.runtime.publish('guard.x', 2)
  await expect.poll(() => starts.toSorted()).toEqual(['gate got 1', 'naming got 1', 'own got 2'])

  starts.splice(0)
  refused.add('naming once')
  const answer = await engine.root('POST', '/flows/lobby/rename', { name: 'attic' })
  expect(answer.problem).toMatchObject({
    status: 422,
    code: 'flow_invalid',
    errors: [{ code: 'start_failed', path: '/nodes/1' }],
  })
  expect(starts).toEqual(['naming 1', 'naming 1'])
  expect((await engine.root('GET', '/flows/attic')).status).toBe(404)
  expect((await engine.root('GET', '/flows/lobby')).value).toMatchObject({ status: 'active', issues: [] })
  engine.runtime.publish('lobby.x', 3)
  await expect.poll(() => starts.slice(2).toSorted()).toEqual(['gate got 3', 'naming got 3'])
})

test('a flow in TypeScript that runs and would not start is not registered, and goes on as it was', async () => {
  const inCode = (keys: Record<string, string>): RegisteredFlow => ({
    document: normalizeDocument('porch', flowDocumentInputSchema.parse(doors(keys))),
    module: 'flows/porch.ts',
    project: null,
    commit: null,
    bundles: new Map(),
  })
  const first = [inCode({ a: '1', b: '1' })]
  await engine.register(first)
  await engine.root('POST', '/flows/porch/start')
  starts.splice(0)
  refused.add('2')
  const registration = await engine.register([inCode({ a: '1', b: '2' })], first)
  expect(registration).toMatchObject({ changed: [], removed: [], flows: first })
  expect(registration.errors).toMatchObject([
    { file: 'flows/porch.ts', message: 'flow "porch": no door takes the key; it goes on as it was' },
  ])
  expect(starts.splice(0)).toEqual(['b 2', 'b 1'])
  expect((await engine.root('GET', '/flows/porch')).value).toMatchObject({ version: 1, status: 'active', issues: [] })
  const rows = await engine.database.sql`select 1 from engine_event where action = 'flow.publish' and flow = 'porch'`
  expect(rows).toHaveLength(1)

  refused.clear()
  expect(await engine.register([inCode({ a: '1', b: '2' })], first)).toMatchObject({
    changed: [{ name: 'porch', version: 2, nodes: ['b'] }],
    errors: [],
  })
  expect(starts).toEqual(['b 2'])
  expect((await engine.root('GET', '/flows/porch')).value).toMatchObject({ version: 2, status: 'active', issues: [] })
})
