import { NodeRegistry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import { expect, test } from 'vitest'

import { createRunnableFlows, type RunnableFlowsDeps } from '../../src/flows/runnable-flows.ts'

/** Contents of flows in memory; `asked` has the names of each statement. */
function flowsOf(rows: readonly { name: string; version: number; published?: string; written?: string }[]) {
  const asked: string[][] = []
  const content = { draft: null, published: '{"mode":"batch"}', library: null, code: null }
  const sql = async (_text: TemplateStringsArray, ...values: readonly unknown[]) => {
    const names = values.find((value) => Array.isArray(value))
    // a part of the statement has no names
    if (!names) return []
    asked.push(names)
    return rows.filter(({ name }) => names.includes(name)).map((row) => ({ id: row.name, ...content, ...row }))
  }
  const registry = new NodeRegistry(nodeTypes)
  const flows = createRunnableFlows({ database: { sql }, registry } as unknown as RunnableFlowsDeps)
  return { flows, asked }
}

test('who asks for flows in the same moment shares a statement, and each gets the flow of the name', async () => {
  const { flows, asked } = flowsOf([
    { name: 'one', version: 1 },
    { name: 'two', version: 2 },
  ])
  const names = ['one', 'two', 'gone', 'one']
  const found = await Promise.all(names.map((name) => flows.byName(name, 'published')))
  expect(asked).toEqual([['one', 'two', 'gone']])
  expect(found.map((flow) => flow && [flow.name, flow.version])).toEqual([['one', 1], ['two', 2], null, ['one', 1]])
})

test('who asks while others are answered gets an answer of the time after that', async () => {
  const rows = [{ name: 'one', version: 1 }]
  const { flows, asked } = flowsOf(rows)
  const before = await flows.byName('one', 'published')
  rows[0] = { name: 'one', version: 2 }
  const after = await flows.byName('one', 'published')
  expect([before?.version, after?.version]).toEqual([1, 2])
  expect(asked).toHaveLength(2)
})

test('a published content stays in memory as it was read last, with the writing of its row', async () => {
  const rows = [{ name: 'one', version: 1, written: '700' }]
  const { flows, asked } = flowsOf(rows)
  expect(flows.readLast('one')).toBeNull()
  await flows.byName('one', 'draft')
  expect(flows.readLast('one')).toBeNull()
  const flow = await flows.byName('one', 'published')
  expect(flows.readLast('one')).toEqual({ ...flow, written: '700' })
  rows[0] = { name: 'one', version: 2, written: '701' }
  await flows.byName('one', 'published')
  expect(flows.readLast('one')).toMatchObject({ version: 2, written: '701' })
  rows.pop()
  await flows.byName('one', 'published')
  expect(flows.readLast('one')).toBeNull()
  expect(asked).toHaveLength(4)
})

test('content with code of the library is read each time, for that changes without the row', async () => {
  const node = { id: 'n', type: 'python', library: 'shared' }
  const { flows } = flowsOf([
    { name: 'own', version: 1, published: JSON.stringify({ mode: 'batch', nodes: [{ ...node, library: null }] }) },
    { name: 'of the library', version: 1, published: JSON.stringify({ mode: 'batch', nodes: [node] }) },
    { name: 'unread', version: 1, published: JSON.stringify({ mode: 'batch', nodes: 7 }) },
  ])
  for (const name of ['own', 'of the library', 'unread']) await flows.byName(name, 'published')
  expect(['own', 'of the library', 'unread'].map((name) => flows.readLast(name) !== null)).toEqual([true, false, false])
})
