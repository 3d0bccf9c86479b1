import { NodeRegistry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import { expect, test } from 'vitest'

import { createRunnableFlows, type RunnableFlowsDeps } from '../../src/flows/runnable-flows.ts'

/** Contents of flows in memory; `asked` has the names of each statement. */
function flowsOf(rows: readonly { name: string; version: number }[]) {
  const asked: string[][] = []
  const content = { draft: null, published: '{"mode":"batch"}', library: null, code: null }
  const sql = async (_text: TemplateStringsArray, ...values: readonly unknown[]) => {
    const names = values.find((value) => Array.isArray(value))
    // a part of the statement has no names
    if (!names) return []
    asked.push(names)
    return rows.filter(({ name }) => names.includes(name)).map((row) => ({ ...row, id: row.name, ...content }))
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
