/** Values between stages that are too large for a row (V15): stored as artifacts, and given to code as they are. */
import { isArtifactRef, STORED_VALUE_TYPE } from '@flow-service/protocol'
import { assert, describe, expect, test } from 'vitest'

import { python } from '../../../../../test/components/pythons.ts'
import type { TestEngine } from '../engine.ts'
import { input, node, output } from '../flows.ts'
import { useEngine } from '../use-engine.ts'

let engine: TestEngine
useEngine({ agent: python !== null }, (opened) => {
  engine = opened
})

const nodesOf = async (flow: string) => {
  const run = await engine.finished((await engine.submit(flow)).id)
  return { run, cached: Object.fromEntries(run.nodes.map((each) => [each.node, each.cached])) }
}
const rows = { rows: Array.from({ length: 3000 }, (_, at) => ({ at, text: 'ä😀'.repeat(20), half: at / 2 })) }

test('code gets the value, the API shows the reference, and both stages are taken over the next time', async () => {
  const given: unknown[] = []
  engine.code['make'] = async () => ({ table: rows })
  engine.code['count'] = async ({ inputs }) => {
    given.push(inputs['table'])
    return { n: 1 }
  }
  await engine.publish('table', {
    outputs: [{ name: 'table' }, { name: 'n' }],
    nodes: [node('make', [output('table', 'object')]), node('count', [input('table', 'object'), output('n', 'int')])],
  })
  const first = await nodesOf('table')
  expect(given).toEqual([rows])
  const table = first.run.result?.['table']
  assert(isArtifactRef(table))
  expect(table).toMatchObject({ media_type: STORED_VALUE_TYPE, name: 'table.json' })
  expect(JSON.parse(Buffer.from(await engine.artifacts.read(table.digest)).toString())).toEqual(rows)
  expect(await engine.runs.history.outputs(first.run.id, 'make')).toMatchObject({ outputs: { table } })
  expect(first.run.artifacts).toMatchObject([{ ...table, node: 'make', port: 'table' }])
  // what is published is the value, and comes after the end of the run
  expect(engine.published).toContainEqual(['table.n', 1, first.run.id])
  expect(engine.published).toContainEqual(['table.table', rows, first.run.id])
  const second = await nodesOf('table')
  expect([second.cached, second.run.result]).toEqual([{ make: true, count: true }, first.run.result])
  const { stages } = await engine.runs.plan('table', { draft: false, no_cache: false })
  expect(stages.map(({ hits }) => hits)).toEqual([1, 1])
  await engine.database.sql`delete from run`
  await engine.artifacts.sweep(new AbortController().signal)
  expect((await nodesOf('table')).cached).toEqual({ make: true, count: true })
  await engine.database.sql`delete from blob_ref where digest = ${table.digest}`
  await engine.database.sql`delete from blob where digest = ${table.digest}`
  const third = await nodesOf('table')
  expect(third.cached).toEqual({ make: false, count: true })
  expect(third.run.nodes[0]?.cache?.why).toEqual(['an artifact of it is gone'])
})

test('a reference that code makes up or has stored itself is passed on as it is, of whatever type', async () => {
  const given: unknown[] = []
  engine.code['save'] = async () => {
    const data = Buffer.from('["long"]')
    const { ref } = await engine.artifacts.put(data, { name: 'x', mediaType: STORED_VALUE_TYPE, volatile: false })
    return { x: ref }
  }
  engine.code['see'] = async ({ inputs }) => {
    given.push(inputs['x'])
    return { n: 1 }
  }
  await engine.publish('own', {
    nodes: [node('save', [output('x', 'any')]), node('see', [input('x', 'any'), output('n')])],
  })
  await nodesOf('own')
  const hit = await nodesOf('own')
  expect(hit.cached).toEqual({ save: true, see: true })
  expect(given).toMatchObject([{ media_type: STORED_VALUE_TYPE, size: 8 }])
})

describe.skipIf(python === null)('in Python', () => {
  test('values go from process to process, and the engine sees references', async () => {
    const make = `def run(n):
    return {"big": {"list": [1.0, 2, "\\u00e4", None] * int(n), "nested": [[[{"deep": True}]]]}}
`
    const use = `def run(big):
    first = big["list"][:4]
    return {"says": f"{len(big['list'])} {first!r} {big['nested']!r}", "same": big}
`
    await engine.publish('deep', {
      inputs: [{ name: 'n', dtype: 'int', initial: 400_000 }],
      outputs: [{ name: 'says' }, { name: 'same' }, { name: 'big' }],
      nodes: [
        node('deep', [input('n', 'int'), output('big', 'object')], { source: make }),
        node('use', [input('big', 'object'), output('says', 'str'), output('same', 'object')], { source: use }),
      ],
    })
    const { run } = await nodesOf('deep')
    expect([run.status, run.error]).toEqual(['ok', null])
    const { says, same, big } = run.result ?? {}
    expect(says).toBe("1600000 [1.0, 2, 'ä', None] [[[{'deep': True}]]]")
    assert(isArtifactRef(same) && isArtifactRef(big))
    expect([same.digest, same.size > 4_000_000]).toEqual([big.digest, true])
    expect((await nodesOf('deep')).cached).toEqual({ deep: true, use: true })
  })

  test('a value of another dtype than its port fails the node', async () => {
    const source = 'def run():\n    return {"text": ["x"] * 300000}\n'
    await engine.publish('typed', { nodes: [node('typed', [output('text', 'str')], { source })] })
    const { run } = await nodesOf('typed')
    expect(run.error).toMatchObject({ node: 'typed', message: expect.stringContaining('output "text" is str, which') })
  })
})
