import type { ImportedRun } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openEngine, type TestEngine } from './engine.ts'
import { double, input, node, output, stream } from './flows.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openEngine({ closed: true })
  await engine.publish('double', double)
  await engine.publish('fit', {
    inputs: [{ name: 'lr', dtype: 'float', initial: 0.1 }],
    outputs: [{ name: 'best' }],
    nodes: [node('train', [input('lr'), stream('loss'), output('best')])],
  })
})
afterAll(() => engine[Symbol.asyncDispose]())

let last = 0
const entry = (rest: Partial<ImportedRun> = {}): ImportedRun => ({
  flow: 'double',
  external_id: `run-${++last}`,
  params: {},
  status: 'ok',
  created_at: '2024-05-01T12:00:00+02:00',
  metrics: [],
  artifacts: [],
  ...rest,
})
const take = (entries: ImportedRun[]) => engine.runs.import(entries, 'ann@example.org')
const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'accepted',
    (error: unknown) => error,
  )
const countRuns = async (): Promise<number> => (await engine.database.sql`select from run`).length

describe('an import', () => {
  test('keeps runs as they ended elsewhere, and executes nothing [R087, R091, R489, R523]', async () => {
    const given = entry({ params: { x: 5 }, result: { y: 10 }, finished_at: '2024-05-01T10:00:02.5Z' })
    const answer = await take([given, entry({ status: 'error', seed: 3 })])
    expect(answer.runs).toMatchObject([{ external_id: given.external_id, created: true }, { created: true }])
    const [id, second] = answer.runs.map((run) => run.id) as [string, string]
    expect(await engine.runs.get(id)).toMatchObject({
      flow: 'double',
      status: 'ok',
      external_id: given.external_id,
      created_at: '2024-05-01T10:00:00.000000+00:00',
      finished_at: '2024-05-01T10:00:02.500000+00:00',
      duration_s: 2.5,
      digest: null,
      commit: null,
      flow_version: null,
      params: { x: 5 },
      result: { y: 10 },
      nodes: [],
      submitted_by: 'ann@example.org',
    })
    expect(await engine.runs.get(second)).toMatchObject({
      status: 'error',
      seed: 3,
      params: { x: 2 },
      finished_at: null,
    })
    expect(engine.events.filter((event) => event.type === 'run')).toEqual([])
  })

  test('answers a known external id with its run, whatever the entry says, also within one import [R087, R491]', async () => {
    const first = entry()
    const { runs } = await take([first, { ...first, status: 'error' }])
    expect(runs.map(({ id, created }) => [id === runs[0]?.id, created])).toEqual([
      [true, true],
      [true, false],
    ])
    const before = await countRuns()
    const again = await take([{ ...first, flow: 'deleted', params: { unknown: 1 } }])
    expect(again.runs).toEqual([{ external_id: first.external_id, id: runs[0]?.id, created: false }])
    expect(await countRuns()).toBe(before)
  })

  test('with a bad entry is refused by the places of all faults, and nothing is stored [R490, R521, R522]', async () => {
    await engine.publish('live', { ...double, mode: 'live' })
    const before = await countRuns()
    const point = { step: 0, value: 1 }
    const error = await refusal(
      take([
        entry(),
        entry({ flow: 'nobody' }),
        entry({ params: { x: 'a', lr: 1 } }),
        entry({ flow: 'live' }),
        entry({ finished_at: '2024-05-01T09:00:00Z' }),
        entry({
          metrics: [
            { ...point, name: 'other.loss' },
            { ...point, name: 'a loss' },
          ],
        }),
      ]),
    )
    const { errors } = (error as { extensions: { errors: { path: string }[] } }).extensions
    expect(errors.map(({ path }) => path).toSorted()).toEqual([
      '/runs/1/flow',
      '/runs/2/params/lr',
      '/runs/2/params/x',
      '/runs/3/flow',
      '/runs/4/finished_at',
      '/runs/5/metrics/0/name',
      '/runs/5/metrics/1/name',
    ])
    expect(await countRuns()).toBe(before)
  })

  test('brings curves, under the ports that the flow has for them [R524]', async () => {
    const metrics = [
      { name: 'fit.loss', step: 1, value: 'NaN' as const, ts: '2024-05-01T10:00:01.25Z' },
      { name: 'fit.loss', step: 0, value: 0.5 },
      { name: 'accuracy', step: 7, value: 1 },
    ]
    const { runs } = await take([entry({ flow: 'fit', metrics })])
    const id = runs[0]?.id ?? ''
    const series = await engine.runs.metrics(id, { stride: 1 })
    expect(series.toSorted((a, b) => (a.name < b.name ? 1 : -1))).toMatchObject([
      {
        name: 'fit.loss',
        node: 'train',
        port: 'loss',
        run: id,
        points: [
          { step: 0, ts: '2024-05-01T10:00:00.000000+00:00', value: 0.5 },
          { step: 1, ts: '2024-05-01T10:00:01.250000+00:00', value: 'NaN' },
        ],
      },
      { name: 'fit.accuracy', count: 1, points: [{ step: 7, value: 1 }] },
    ])
    expect((await engine.runs.get(id)).metrics).toHaveLength(2)
  })

  test('brings artifacts, which its run keeps; a large result value becomes one [R525]', async () => {
    const bytes = Buffer.from('weights')
    const file = { name: 'w.bin', media_type: 'application/x-weights', data: bytes.toString('base64') }
    const { runs } = await take([entry({ artifacts: [file], result: { y: 'long'.repeat(100_000) } })])
    const run = await engine.runs.get(runs[0]?.id ?? '')
    expect(run.artifacts).toMatchObject([{ name: 'w.bin', media_type: 'application/x-weights', size: 7 }])
    expect(Buffer.from(await engine.artifacts.read(run.artifacts[0]?.digest ?? ''))).toEqual(bytes)
    expect(run.result).toMatchObject({ y: { media_type: 'application/json', size: 400_002 } })
    const refs = await engine.database.sql`select from blob_ref where kind = 'run' and owner = ${run.id}`
    expect(refs).toHaveLength(2)
  })

  test('gives the next free microseconds to runs of one time, in order, and does not move the clock [R088]', async () => {
    const second = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
    const created_at = `${second}Z`
    const before = await take([entry({ created_at }), entry({ created_at: `${second}.000002Z` })])
    const { runs } = await take([1, 2, 3].map(() => entry({ created_at })))
    const times = await Promise.all(
      [...before.runs, ...runs].map(async ({ id }) => (await engine.runs.get(id)).created_at),
    )
    expect(times.map((time) => time.slice(20, 26))).toEqual(['000000', '000002', '000001', '000003', '000004'])
    expect((await engine.submit('double')).created_at < created_at).toBe(true)
  })

  test('that lies more than a day ahead is refused, and one within the day taken', async () => {
    const ahead = (ms: number) => new Date(Date.now() + ms).toISOString()
    const [tomorrow, later] = [ahead(86_000_000), ahead(87_000_000)]
    expect(await take([entry({ created_at: tomorrow })])).toMatchObject({ runs: [{ created: true }] })
    const error = await refusal(take([entry({ created_at: tomorrow }), entry({ created_at: later })]))
    expect(error).toMatchObject({
      code: 'validation_failed',
      extensions: {
        errors: [{ path: '/runs/1/created_at', code: 'bad_time', message: expect.stringContaining(later) }],
      },
    })
  })

  test('with more faults than a call takes arguments is refused, and names the first of them', async () => {
    const metrics = Array.from({ length: 150_000 }, (_, step) => ({ name: `other.n${step}`, step, value: 1 }))
    const error = await refusal(take([entry({ flow: 'fit', metrics })]))
    expect(error).toMatchObject({ code: 'validation_failed', extensions: { errors: { length: 100 } } })
  })

  test('with times that microseconds cannot count is refused: looking for a free one would never end [T89]', async () => {
    const [far, early] = ['2300-01-01T00:00:00.000001Z', '0000-01-01T00:00:00Z']
    const point = { name: 'loss', step: 0, value: 1 }
    const error = await refusal(
      take([
        entry({ created_at: far }),
        entry({ created_at: far }),
        entry({ created_at: early }),
        entry({ finished_at: '9999-12-31T23:59:59Z' }),
        entry({ flow: 'fit', metrics: [point, { ...point, step: 1, ts: far }] }),
      ]),
    )
    const { errors } = (error as { extensions: { errors: { path: string }[] } }).extensions
    expect(errors.map(({ path }) => path)).toEqual([
      '/runs/0/created_at',
      '/runs/1/created_at',
      '/runs/2/created_at',
      '/runs/3/finished_at',
      '/runs/4/metrics/1/ts',
    ])
    const created_at = '1700-01-01T00:00:00Z'
    const { runs } = await take([entry({ created_at }), entry({ created_at, finished_at: '2250-12-31T23:59:59Z' })])
    const kept = await Promise.all(runs.map(async ({ id }) => (await engine.runs.get(id)).created_at))
    expect(kept).toEqual(['1700-01-01T00:00:00.000000+00:00', '1700-01-01T00:00:00.000001+00:00'])
  })

  test('200 entries go in at once, and again without another run, from several clients too [R488, F8]', async () => {
    const entries = Array.from({ length: 200 }, () => entry())
    const before = await countRuns()
    const answers = await Promise.all([take(entries), take(entries.toReversed()), take(entries)])
    const ids = answers.map(({ runs }) => new Map(runs.map(({ external_id, id }) => [external_id, id])))
    expect(ids[1]).toEqual(new Map([...(ids[0] ?? [])].toReversed()))
    expect(ids[2]).toEqual(ids[0])
    expect(await countRuns()).toBe(before + 200)
    const created = answers.flatMap(({ runs }) => runs).filter((run) => run.created)
    expect(created).toHaveLength(200)
  })

  test('that fails at its last statement leaves no run, and can be repeated [F8]', async () => {
    const entries = [entry(), entry({ flow: 'fit', metrics: [{ name: 'loss', step: 0, value: 1 }] })]
    await engine.database.sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`
    await engine.database.sql`
      create trigger refused before insert on metric_chunk for each row execute function refuse()`
    const before = await countRuns()
    try {
      await expect(take(entries)).rejects.toThrow('no room')
    } finally {
      await engine.database.sql`drop function refuse cascade`
    }
    expect(await countRuns()).toBe(before)
    expect((await take(entries)).runs).toMatchObject([{ created: true }, { created: true }])
  })
})
