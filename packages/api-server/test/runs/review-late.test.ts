import { expect, test } from 'vitest'
import { findPostgres, startPostgres } from '../../../../test/components/postgres.ts'
import { openEngine } from './engine.ts'
import { double } from './flows.ts'
import { ExecutionStore } from '../../src/runs/execution-store.ts'

test('sweep against singles; metric deadlock', async () => {
  const server = await startPostgres(findPostgres()!)
  try {
    const url = await server.createDatabase('x1')
    const one = await openEngine({ databaseUrl: url, closed: true })
    const two = await openEngine({ databaseUrl: url, closed: true, flows: one.flows })
    await one.publish('double', double)
    let going = true
    let count = 0
    const singles = Array.from({ length: 30 }, async () => { while (going) { await two.submit('double').catch((e) => console.log('single', String(e))); count++ } })
    await new Promise((r) => setTimeout(r, 500))
    const t = performance.now()
    for (let i = 0; i < 3; i++) {
      const before = count
      await one.runs.sweep('double', { runs: Array.from({ length: 10_000 }, (_, x) => ({ x })), draft: false, no_cache: false, priority: 0 } as never, null)
        .then(() => console.log('sweep ok'), (e) => console.log('SWEEP FAILED', String(e), e.code))
      console.log('ms', performance.now() - t, 'singles', count - before)
    }
    going = false
    await Promise.all(singles)
    // metric ids
    const a = new ExecutionStore(one.database), b = new ExecutionStore(two.database)
    let dead = 0
    for (let round = 0; round < 40; round++) {
      const all = Array.from({ length: 400 }, (_, i) => ({ node: `n${round}-${(i * 7919) % 400}`, port: 'p', message: 'f.m' }))
      await Promise.all([a.metricIds(all), b.metricIds(all.toReversed().slice(0, 300 + round)), a.metricIds(all.slice(30)), b.metricIds(all.slice(100).toReversed())].map((p) => p.catch((e) => { dead++; console.log('metric', e.code) })))
    }
    console.log('deadlocks', dead)
    await one[Symbol.asyncDispose](); await two[Symbol.asyncDispose]()
  } finally { await server.stop() }
}, 120000)
