/**
 * Points that programs tell of, from the request that the API has read to its commit, against the bare insert of the same
 * bytes: in large requests of one program, as after a time without a connection, and in small ones of many programs at once.
 */
import { runTrackAppendSchema, runTrackSchema } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../packages/api-server/test/runs/engine.ts'

const ROUNDS = 3
const LARGE = { programs: 1, requests: 40, points: 10_000 }
const SMALL = { programs: 100, requests: 40, points: 5 }
type Load = typeof LARGE

const ann = { id: '0198f6a0-0000-7000-8000-00000000000a', email: 'ann@example.org' }
let engine: TestEngine
beforeAll(async () => {
  engine = await openEngine({ closed: true })
  await engine.database.sql`
    create table bare (run int, seq int, steps bytea, ts bytea, vals bytea, primary key (run, seq))`
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const columnsOf = ({ points }: Load, seq: number) => {
  const steps = Array.from({ length: points }, (_, at) => (seq - 1) * points + at)
  return { steps, ts: steps.map((step) => step + 0.5), values: steps.map((step) => step / 7) }
}
const pointsOf = ({ programs, requests, points }: Load): number => programs * requests * points

async function tell(load: Load): Promise<number> {
  const begun = await Promise.all(
    Array.from({ length: load.programs }, () => engine.runs.tracked.begin(runTrackSchema.parse({ flow: 'fit' }), ann)),
  )
  const started = performance.now()
  await Promise.all(
    begun.map(async ({ run }) => {
      for (let seq = 1; seq <= load.requests; seq += 1) {
        const body = runTrackAppendSchema.parse({ seq, metrics: [{ name: 'loss', ...columnsOf(load, seq) }] })
        // oxlint-disable-next-line no-await-in-loop -- as a program sends them
        await engine.runs.tracked.append(run.id, body, ann)
      }
    }),
  )
  const tookMs = performance.now() - started
  const [row] = await engine.database.sql<{ points: number }[]>`
    select sum(count)::float8 as points from metric_chunk where run = any(${begun.map(({ run }) => run.id)}::uuid[])`
  expect(row?.points).toBe(pointsOf(load))
  engine.events.length = 0
  return (pointsOf(load) / tookMs) * 1000
}

let bareRuns = 0

/** Each moment of all programs is one statement, as an engine could do at best. */
async function insert(load: Load): Promise<number> {
  const first = (bareRuns += load.programs)
  const started = performance.now()
  for (let seq = 1; seq <= load.requests; seq += 1) {
    const { steps, ts, values } = columnsOf(load, seq)
    const rows = Array.from({ length: load.programs }, (_, at) => {
      return { run: first + at, seq, steps: bytes(steps), ts: bytes(ts), vals: bytes(values) }
    })
    // oxlint-disable-next-line no-await-in-loop -- one moment after the other
    await engine.database.sql`
      insert into bare
      select run, seq, decode(steps, 'base64'), decode(ts, 'base64'), decode(vals, 'base64')
      from json_to_recordset(${JSON.stringify(rows)}::json) as item(run int, seq int, steps text, ts text, vals text)`
  }
  return (pointsOf(load) / (performance.now() - started)) * 1000
}

const bytes = (numbers: number[]): string => Buffer.from(new Float64Array(numbers).buffer).toString('base64')
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test.each([
  ['large requests of one program are stored at a quarter of the rate of bare inserts', LARGE, 4],
  [
    'small requests of a hundred programs are stored at a twelfth of it, each with its count, lease and lists',
    SMALL,
    12,
  ],
])('%s', async (_what, load, most) => {
  const ratios: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- side by side would measure both
    const bare = await insert(load)
    // oxlint-disable-next-line no-await-in-loop -- side by side would measure both
    const told = await tell(load)
    rates.push(told)
    ratios.push(bare / told)
  }
  console.log(
    `${median(rates).toFixed(0)} points a second; a bare insert is ${median(ratios).toFixed(1)} times as fast`,
  )
  expect(median(ratios)).toBeLessThan(most)
})
