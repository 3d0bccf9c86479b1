/**
 * A database with many runs of one flow, which lists read: for measurements.
 * @module
 */
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { createListStore } from '../../../src/runs/lists/list-store.ts'
import { RunLists } from '../../../src/runs/lists/run-lists.ts'
import { factsOf } from '../../../src/runs/run-facts.ts'
import { createRunShapes } from '../../../src/runs/shapes.ts'
import { databaseAt } from '../../backend.ts'
import { quiet } from '../../use-database.ts'

/** Runs with eight inputs, three results and four curves each, and what lists them. */
export async function openManyRuns(dataDir: string, count: number): Promise<{ database: Database; lists: RunLists }> {
  const database = await openDatabase({ ...(await databaseAt(dataDir)), log: quiet })
  const { sql } = database
  const flow = '01a20beb-33d9-744f-8650-f4571dc9f3fa'
  await sql`insert into run_flow (id, name) values (${flow}, 'fit')`
  const shapes = createRunShapes(sql)
  const curves = Object.fromEntries(
    ['loss', 'acc', 'val_loss', 'val_acc'].map((name) => [name, [1, 0, 0, 0, 0]] as const),
  )
  const inputs = ['lr', 'depth', 'batch_size', 'dropout', 'epochs', 'seed'].map((name) => ({ name, value: 0 }))
  const texts = ['name', 'optimizer'].map((name) => ({ name, value: '' }))
  const { shape } = await shapes.columns(
    factsOf({ inputs: [...inputs, ...texts], curves: curves as never, result: { best: 0, f1: 0, path: '' } }),
  )
  await sql`
    insert into run (id, flow, status, created_at, started_at, finished_at, draft, no_cache, seed, shape, numbers, texts)
    select gen_random_uuid(), ${flow}, (array['ok', 'error', 'cancelled'])[1 + at % 3],
      timestamptz '2026-01-01' + at * interval '1 s', timestamptz '2026-01-01' + at * interval '1 s',
      timestamptz '2026-01-01' + at * interval '1 s' + random() * interval '1 h', false, false, at, ${shape},
      array[random(), at % 7, 32, random(), 20, at, 10000, 9999, random(), 0, 1, 10000, 9999, random(), 0, 1, 10000, 9999,
        random(), 0, 1, 10000, 9999, random(), 0, 1, random(), random()],
      array['run ' || at, 'adam', 'out/' || at]
    from generate_series(1, ${count}::int) as at`
  await sql`insert into run_content (run, inputs) select id, '[]' from run`
  await sql.unsafe('vacuum (analyze) run')
  const store = createListStore(sql, shapes)
  return { database, lists: new RunLists({ store, secrets: { mask: (value) => value }, flush: async () => {} }) }
}
