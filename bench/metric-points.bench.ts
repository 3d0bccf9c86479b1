/**
 * Points on their way from one Python process into the database, from the submission of the run to its end, against the
 * bare insert of the same points in chunks of the same size and form.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../packages/api-server/test/runs/engine.ts'
import { node, output, stream } from '../packages/api-server/test/runs/flows.ts'

const POINTS = 500_000
const CHUNK = 2_000
const CHUNKS_A_STATEMENT = 10
const ROUNDS = 3
let engine: TestEngine
beforeAll(async () => {
  engine = await openEngine({ agent: true })
  const source = `def run():\n  for step in range(${POINTS}):\n    emit({"loss": step / 7})\n  return {"best": 0}`
  await engine.publish('train', {
    outputs: [{ name: 'best' }],
    nodes: [node('train', [stream('loss'), output('best')], { cache: false, source })],
  })
  await engine.database.sql`
    create table bare (run int, metric int, seq int, steps bytea, ts bytea, vals bytea, primary key (run, metric, seq))`
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

async function ingest(): Promise<number> {
  const started = performance.now()
  const run = await engine.submit('train')
  const done = await engine.event(({ type, ...event }) => type === 'run' && 'run' in event && isOver(event.run, run.id))
  const tookMs = performance.now() - started
  expect(done).toMatchObject({ run: { status: 'ok' } })
  expect((await engine.runs.get(run.id)).metrics).toMatchObject([{ count: POINTS }])
  engine.events.length = 0
  return (POINTS / tookMs) * 1000
}

const isOver = (run: unknown, id: string): boolean => {
  const { id: of, status } = run as { id: string; status: string }
  return of === id && status !== 'queued' && status !== 'running'
}

async function insert(run: number): Promise<number> {
  const started = performance.now()
  for (let seq = 0; seq < POINTS / CHUNK; seq += CHUNKS_A_STATEMENT) {
    const rows = Array.from({ length: CHUNKS_A_STATEMENT }, (_, at) => {
      const steps = Array.from({ length: CHUNK }, (_step, index) => (seq + at) * CHUNK + index)
      return {
        run,
        metric: 1,
        seq: seq + at,
        steps: bytes(steps),
        ts: bytes(steps.map((step) => step + 0.5)),
        vals: bytes(steps.map((step) => step / 7)),
      }
    })
    await engine.database.sql`
      insert into bare
      select run, metric, seq, decode(steps, 'base64'), decode(ts, 'base64'), decode(vals, 'base64')
      from json_to_recordset(${JSON.stringify(rows)}::json) as item(
        run int, metric int, seq int, steps text, ts text, vals text)`
  }
  return (POINTS / (performance.now() - started)) * 1000
}

const bytes = (numbers: number[]): string => Buffer.from(new Float64Array(numbers).buffer).toString('base64')

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('200,000 points a second come in from one Python process', async () => {
  const rates: Record<'service' | 'bare', number[]> = { service: [], bare: [] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push(await insert(round))
    rates.service.push(await ingest())
  }
  const [service, bare] = [median(rates.service), median(rates.bare)]
  console.log(`points a second, median of ${ROUNDS}: service ${service.toFixed(0)}, bare insert ${bare.toFixed(0)}`)
  expect(service).toBeGreaterThan(200_000)
})
