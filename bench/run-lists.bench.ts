/**
 * Lists of 100,000 runs with eight inputs, three results and four curves each, filtered and sorted, against bare SQL over
 * the same rows at the same database. Goals: under 150 ms on an idle machine, at most 3 times the bare statement.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { openManyRuns } from '../packages/api-server/test/runs/lists/many-runs.ts'

const RUNS = 100_000
const ROUNDS = 5
let dataDir: string
let database: Awaited<ReturnType<typeof openManyRuns>>['database']
let lists: Awaited<ReturnType<typeof openManyRuns>>['lists']

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bench-lists-'))
  ;({ database, lists } = await openManyRuns(dataDir, RUNS))
}, 300_000)
afterAll(async () => {
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const best = async (work: () => Promise<unknown>): Promise<number> => {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = performance.now()
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
    await work()
    least = Math.min(least, performance.now() - from)
  }
  return least
}

const include = new Set(['params', 'results', 'metrics'] as const)
const columns = 'id, status, created_at, numbers, texts'
const cases = [
  {
    what: 'newest',
    query: {},
    bare: `select ${columns} from run where not archived order by created_at desc limit 50`,
  },
  {
    what: 'two terms, sorted by a curve',
    query: { filter: 'params.lr<0.1 metrics.loss<0.5', sort: '-metrics.acc' },
    bare: `select ${columns} from run where not archived and numbers[1] < 0.1
      and numbers[9] < 0.5 order by numbers[14] desc limit 50`,
  },
  {
    what: 'two loose terms, sorted by a curve',
    query: { filter: 'params.lr<0.9 metrics.loss<0.9', sort: '-metrics.acc' },
    bare: `select ${columns} from run where not archived and numbers[1] < 0.9
      and numbers[9] < 0.9 order by numbers[14] desc limit 50`,
  },
  {
    what: 'all, sorted by an input',
    query: { sort: 'params.lr' },
    bare: `select ${columns} from run where not archived order by numbers[1] limit 50`,
  },
  {
    what: 'a text, newest first',
    query: { filter: 'params.name~9999' },
    bare: `select ${columns} from run where not archived and texts[1] ilike '%9999%' order by created_at desc limit 50`,
  },
]

test.each(cases)('$what', async ({ what, query, bare }) => {
  const ours = await best(() => lists.list({ of: { archived: false }, ...query, limit: 50, offset: 0, include }))
  const theirs = await best(() => database.sql.unsafe(bare))
  process.stdout.write(
    `${what}: ${ours.toFixed(1)} ms, bare SQL ${theirs.toFixed(1)} ms, ratio ${(ours / theirs).toFixed(2)}\n`,
  )
  expect(ours).toBeLessThan(Math.max(3 * theirs, 10))
})
