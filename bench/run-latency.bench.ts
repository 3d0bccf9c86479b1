/**
 * What a run costs beyond the commits that make it durable: submitted to `ok`, one at a time, against two bare commits
 * on the same database (submission with claim, end).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../packages/api-server/test/runs/engine.ts'
import { double } from '../packages/api-server/test/runs/flows.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openEngine({
    agent: true,
    code: { double: async ({ inputs }) => ({ y: 2 * (inputs['x'] as number) }) },
  })
  await engine.publish('double', double)
  const [node] = double.nodes ?? []
  const python = { ...node, id: 'python', type: 'python', source: 'def run(x):\n  return {"y": 2 * x}' } as const
  await engine.publish('python', { ...double, nodes: [python] })
  await engine.database.sql`create table bare (id int primary key, n int not null)`
  await engine.database.sql`insert into bare values (1, 0)`
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

async function run(flow: string): Promise<void> {
  const { id } = await engine.submit(flow)
  await engine.event((event) => event.type === 'run' && event.run.id === id && event.run.status === 'ok')
  engine.events.length = 0
}

test('a run stays within reach of the two commits that it needs', async ({ bench }) => {
  const results = await bench.compare(
    bench('two bare commits', async () => {
      for (let commit = 0; commit < 2; commit += 1) await engine.database.sql`update bare set n = n + 1 where id = 1`
    }),
    bench('a run of one node', () => run('double')),
    bench('a run of one Python node', () => run('python')),
    { time: 3_000 },
  )
  const median = (name: 'two bare commits' | 'a run of one node' | 'a run of one Python node'): number =>
    results.get(name).latency.p50
  const [bare, plain, python] = [
    median('two bare commits'),
    median('a run of one node'),
    median('a run of one Python node'),
  ]
  console.log(
    `median: two commits ${bare.toFixed(2)} ms, run ${plain.toFixed(2)} ms, Python run ${python.toFixed(2)} ms`,
  )
  expect(plain / bare).toBeLessThan(12)
  expect(python / plain).toBeLessThan(5)
})
