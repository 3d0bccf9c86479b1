import { defineNode } from '@flow-service/connector-sdk'
import { atOnce } from '@flow-service/core'
import { flowDocumentInputSchema, type FlowDocumentInput, normalizeDocument } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { documentSteps, normalSteps } from '../../src/flows/content-text.ts'
import { inTurns } from '../../src/process/turns.ts'
import { type Engine, openEngine } from './engine.ts'

const COUNT = 1_500

/** What the checks of nodes of the type `slow` do. */
let looksAt: () => void = () => undefined

/** A type of which every look at a node is told. */
const slow = defineNode({
  type: 'slow',
  title: 'Slow',
  description: '',
  category: 'logic',
  settings: z.object({}),
  arrival: 'each',
  check() {
    looksAt()
    return []
  },
  start: () => ({}),
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ types: [slow] })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const nodeAt = (at: number, type = 'change') => ({
  id: `node${at}`,
  type,
  ports: [
    { direction: 'input' as const, name: `m${at}`, dtype: 'float' as const },
    { direction: 'output' as const, name: `m${at + 1}`, dtype: 'float' as const },
  ],
})
const long = (count = COUNT, type?: string) => ({ nodes: Array.from({ length: count }, (_, at) => nodeAt(at, type)) })

const turnOf = (milliseconds: number): void => {
  for (const until = performance.now() + milliseconds; performance.now() < until;);
}

test('while a long document is looked at, others are answered', async () => {
  const count = 4_000
  let [looked, answered] = [0, 0]
  looksAt = () => {
    looked += 1
    if (looked === 1) void engine.ann('GET', '/flows/node-types').then(() => (answered = looked))
    // as long as it takes the other request to be answered, if that is possible
    if (answered === 0) turnOf(1)
  }
  const saved = await engine.root('PUT', '/flows/awaited', long(count, 'slow'))
  looksAt = () => undefined
  expect(saved.status).toBe(201)
  expect(looked).toBe(count)
  expect(answered).toBeGreaterThan(0)
  expect(answered).toBeLessThan(count)
})

test('steps that take long leave turns to others, and those that are short take none', async () => {
  const order: string[] = []
  const work = function* (name: string, milliseconds: number) {
    for (let step = 1; step < 3; step += 1) {
      order.push(`${name} ${step}`)
      turnOf(milliseconds)
      yield
    }
    return name
  }
  setImmediate(() => order.push('another'))
  expect(await inTurns(work('short', 0))).toBe('short')
  expect(order).toEqual(['short 1', 'short 2'])
  expect(await inTurns(work('long', 20))).toBe('long')
  expect(order).toEqual(['short 1', 'short 2', 'long 1', 'another', 'long 2'])
})

test('a long document is saved, published, read and validated like any other one', async () => {
  const document = { ...long(), layout: { nodes: { node3: { x: 1, y: 2 } } } }
  const saved = await engine.root('PUT', '/flows/long', document)
  expect(saved.status).toBe(201)
  const read = await engine.ann('GET', '/flows/long')
  expect(read.value).toEqual(saved.value)
  expect(read.value.nodes).toEqual(
    normalizeDocument('long', flowDocumentInputSchema.parse(document)).nodes.map((node) => ({ ...node })),
  )
  const { value: checked } = await engine.ann<{ valid: boolean }>('POST', '/flows/long/validate', document)
  expect(checked).toEqual({ valid: true, issues: saved.value.issues })
  const published = await engine.root('POST', '/flows/long/publish', { version: 1 })
  expect(published.value).toMatchObject({ published_version: 1, is_draft: false })
  const shown = await engine.ann('GET', '/flows/long')
  expect(shown.value).toEqual({
    ...read.value,
    has_draft: false,
    is_draft: false,
    published_version: 1,
    updated_at: shown.value.updated_at,
    status: 'stopped',
    updated_by: 'root@example.org',
  })
})

test('a save of the layout alone is told from one of the content, however long', async () => {
  const document = { ...long(), version: 0 }
  await engine.root('PUT', '/flows/drawn', document)
  const layout = { nodes: { node1: { x: 5, y: 5 } } }
  const drawn = await engine.root('PUT', '/flows/drawn', { ...document, version: 1, layout })
  expect(drawn.value).toMatchObject({ version: 1, layout })
  const nodes = document.nodes.map((node, at) => (at === COUNT - 1 ? { ...node, title: 'Last' } : node))
  const other = await engine.root('PUT', '/flows/drawn', { nodes, version: 1, layout: { nodes: {} } })
  expect(other.value).toMatchObject({ version: 2 })
  expect(other.value.nodes.at(-1)?.title).toBe('Last')
})

test('of two saves of a long document over the same version, one is stored', async () => {
  await engine.root('PUT', '/flows/raced', long())
  const save = (title: string) => engine.root('PUT', '/flows/raced', { ...long(), title, version: 1 })
  const answers = await Promise.all([save('one'), save('other')])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const stored = answers.find(({ status }) => status === 200)?.value
  expect((await engine.ann('GET', '/flows/raced')).value).toEqual(stored)
})

test('a save while the draft that it replaces is being published keeps both', async () => {
  await engine.root('PUT', '/flows/overtaken', { ...long(), title: 'First' })
  const [saved] = await Promise.all([
    engine.root('PUT', '/flows/overtaken', { ...long(), title: 'Second', version: 1 }),
    engine.root('POST', '/flows/overtaken/publish', { version: 1 }),
  ])
  const rows = await engine.database.sql<{ draft: string; published: string | null }[]>`
    select draft ->> 'title' as draft, published ->> 'title' as published from flow where name = 'overtaken'`
  const read = await engine.ann('GET', '/flows/overtaken')
  expect(saved.value.title).toBe('Second')
  expect(read.value.published_version).toBe(rows[0]?.published === null ? null : 1)
  expect(rows[0]?.draft).toBe('Second')
})

const broken: [what: string, change: (node: object) => object][] = [
  ['an unknown member', (node) => ({ ...node, bogus: 1 })],
  ['a wrong type', (node) => ({ ...node, ports: [{ direction: 'sideways', name: 3 }] })],
  ['a port without a name', (node) => ({ ...node, ports: [{ direction: 'input' }] })],
]
test.each(broken)('what is wrong with a node of a long document is told as ever: %s', async (_what, change) => {
  const nodes = long().nodes.map((node, at) => (at === 1_234 ? change(node) : node))
  const { status, problem } = await engine.root('PUT', '/flows/refused', { nodes, outputs: 3 })
  expect(status).toBe(422)
  const alone = await engine.root('PUT', '/flows/refused', { nodes: [change(nodeAt(0))], outputs: 3 })
  const paths = alone.problem.errors?.map(({ path, ...rest }) => ({
    ...rest,
    path: path.replace('/nodes/0', '/nodes/1234'),
  }))
  expect(problem.errors).toEqual(paths)
})

test('a body that is no JSON any more in its middle is refused where it ends to be', async () => {
  const text = JSON.stringify({ nodes: Array.from({ length: 3_000 }, (_, at) => nodeAt(at)) })
  const at = text.indexOf('node2000')
  const { status, problem } = await engine.root('PUT', '/flows/refused', `${text.slice(0, at)}\n${text.slice(at)}`)
  expect([status, problem.code, problem.position]).toEqual([400, 'malformed_json', at])
})

test('the schema and the normal form of a long document are those of the whole, node by node', () => {
  const value = { title: 'T', nodes: long().nodes, inputs: [{ name: 'm0' }] } satisfies FlowDocumentInput
  const whole = flowDocumentInputSchema.parse(value)
  expect(atOnce(documentSteps(value))).toEqual({ success: true, data: whole })
  expect(JSON.stringify(atOnce(normalSteps('f', whole)))).toBe(JSON.stringify(normalizeDocument('f', whole)))
})
