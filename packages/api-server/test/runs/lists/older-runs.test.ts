/** Runs that were stored before lists knew facts of them: the migration finds what a run of today would have. */
import { expect, test } from 'vitest'

import type { Database } from '../../../src/db/database.ts'
import { readMigrations } from '../../../src/db/migrate.ts'
import { type Facts, shownFacts } from '../../../src/runs/run-facts.ts'
import { useDatabase } from '../../use-database.ts'

let database: Database
useDatabase((made) => {
  database = made
})

const [flow, drew, took] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`) as [string, string, string]
const params = {
  lr: 0.25,
  steps: 7,
  bad: 'NaN',
  name: 'adam',
  on: true,
  none: null,
  config: { depth: [1, { a: 'b' }] },
  nul: 'a\0b',
  half: '\uD800',
  escaped: '\\u0000',
  long: 'x'.repeat(2000),
}
const inputs = Object.entries(params).map(([name, value]) => ({ name, dtype: 'any', value, default: false }))
const result = { f1: 0.5, words: 'good', all: [1], on: false, long: params.long }

test('their inputs, results and curves are known, also those that were taken over', async () => {
  const shown = await database.transaction(async (tx) => {
    await tx`create schema older`
    await tx`set local search_path to older`
    const migrations = readMigrations()
    const at = migrations.findIndex(({ id }) => id === '0096-run-facts')
    for (const { text } of migrations.slice(0, at)) await tx.unsafe(text)
    await tx`insert into run_flow (id, name) values (${flow}, 'fit')`
    for (const [id, second] of [
      [drew, 1],
      [took, 2],
    ] as const) {
      await tx`
        insert into run (id, flow, status, created_at, draft, no_cache, inputs, result)
        values (${id}, ${flow}, 'ok', '2026-01-01'::timestamptz + ${second} * interval '1 s', false, false,
          ${JSON.stringify(inputs)}::json, ${JSON.stringify(result)}::json)`
    }
    await tx`insert into metric (node, port, message) values ('train', 'loss', 'loss'), ('train', 'acc', 'acc')`
    const numbers = tx`float8send(1)`
    await tx`
      insert into metric_chunk (run, metric, seq, count, last_step, last_value, steps, ts, vals)
      select ${drew}, metric.id, seq, 10, 10 * seq + 9, case when seq = 1 then 'NaN' else 0.5 end, ${numbers}, ${numbers}, ${numbers}
      from metric, generate_series(0, 1) as seq`
    await tx`
      insert into run_node (run, node, status, cached, cached_from, cached_node)
      values (${took}, 'train', 'ok', true, ${drew}, 'train')`
    await tx.unsafe(migrations[at]?.text ?? '')
    const rows = await tx<(Facts & { origin: string })[]>`
      select origin, fields, to_json(numbers) as numbers, texts, flags, nested, cut
      from run join run_shape on run_shape.id = run.shape order by created_at`
    await tx`drop schema older cascade`
    return rows.map((row) => ({ origin: row.origin, ...shownFacts(row) }))
  })
  const curve = [20, 19, 'NaN', null, null]
  const cut = { nul: null, half: null, escaped: null, long: null }
  const expected = {
    origin: 'engine',
    params: { ...params, ...cut },
    params_cut: ['nul', 'half', 'escaped', 'long'],
    results: { f1: 0.5, words: 'good', on: false },
    metrics: { loss: curve, acc: curve },
  }
  expect(shown).toEqual([expected, expected])
})
