import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { CurveComparison } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { columnsText, type NextPoints } from '../../../src/runs/reports/columns-text.ts'
import { createdAt, Past } from '../curves/curve-rows.ts'
import { openTables, type Tables } from '../tables.ts'

const POINTS = 15_000
const CHUNK = 500
let dataDir: string
let tables: Tables
let ids: string[]

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'columns-text-'))
  tables = await openTables(dataDir)
  const past = new Past(tables.database)
  ids = await past.runs(Array.from({ length: 6 }, (_, at) => ({ flow: 'fit', created_at: createdAt(at) })))
  // the third run has no curve
  for (const [which, run] of ids.entries()) {
    if (which === 2) continue
    const of = { run, node: 'fit', port: 'loss', message: 'loss' }
    const values = [Number.NaN, Infinity, -Infinity, -0, 1e-7, 1e21, 0.1 + 0.2]
    await past.chunks(
      Array.from({ length: POINTS / CHUNK }, (_, seq) => ({
        ...of,
        seq,
        // the last run has every other step
        steps: Array.from({ length: CHUNK }, (_step, at) => (seq * CHUNK + at) * (which === 5 ? 2 : 1)),
        vals: Array.from({ length: CHUNK }, (_value, at) => {
          const value = at < values.length ? (values[at] ?? 0) : Math.sin(seq * CHUNK + at + which)
          return Number.isFinite(value) ? value : (String(value) as 'NaN')
        }),
      })),
    )
  }
})
afterAll(async () => {
  await tables[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

async function compare(rest: object): Promise<{ headers: Headers; body: CurveComparison }> {
  const answer = await fetch(`${tables.api.url}/runs/series/compare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids, metrics: ['loss'], ...rest }),
  })
  expect(answer.status).toBe(200)
  return { headers: answer.headers, body: (await answer.json()) as CurveComparison }
}

const axes = [
  { x: 'step' },
  { x: 'time' },
  { x: 'step', after_step: 777 },
  { x: 'step', metrics: ['loss', 'none', 'fit.loss'] },
]
test.each([null, 20_000, 11_000].flatMap((points) => axes.map((axis) => ({ ...axis, points }))))(
  'long curves in pieces are the same as each of them as a value: %o',
  async (asked) => {
    const { headers, body } = await compare(asked)
    expect(headers.has('content-length')).toBe(false)
    const series: CurveComparison['series'] = []
    for (const metric of 'metrics' in asked ? asked.metrics : ['loss']) {
      for (const id of ids) {
        // oxlint-disable-next-line no-await-in-loop -- one is short enough
        const one = await compare({ ...asked, metrics: [metric], ids: [id] })
        expect(one.headers.has('content-length')).toBe(true)
        series.push(...one.body.series)
      }
    }
    expect(body).toEqual({ x: asked.x, series, params: Object.fromEntries(ids.map((id) => [id, {}])), groups: null })
  },
)

test('few points, means over groups and curves over each other are one value', async () => {
  const few = await compare({ ids: ids.slice(0, 3), points: null })
  expect(few.headers.has('content-length')).toBe(true)
  expect(few.body.series.map(({ x }) => x.length)).toEqual([POINTS, POINTS, 0])
  const grouped = await compare({ points: null, group: 'params.lr' })
  expect(grouped.headers.has('content-length')).toBe(true)
  expect(grouped.body.groups).toMatchObject([{ metric: 'loss', key: null, runs: ids }])
  const joined = await compare({ points: null, x: 'loss' })
  expect(joined.headers.has('content-length')).toBe(true)
  expect(joined.body.series[2]?.x).toEqual([])
})

/** What there is of curves whose pages hold these points, each with its place. */
async function textOf(
  pages: readonly (readonly [at: number, ...x: number[]])[][],
  heads = 4,
): Promise<CurveComparison> {
  async function* points(): AsyncGenerator<NextPoints[]> {
    for (const page of pages)
      yield page.map(([at, ...x]) => ({ at, x: Float64Array.from(x), y: Float64Array.from(x, (step) => -step) }))
  }
  const asked = { x: 'step', params: { r: {} }, points: null, ends: [] }
  let text = ''
  const all = Array.from({ length: heads }, (_, at) => {
    return { metric: `m${at}`, run: 'r', flow: 'f', status: 'ok' as const, count: 0 }
  })
  for await (const piece of columnsText({ ...asked, heads: all, pages: points })) text += piece
  return JSON.parse(text) as CurveComparison
}

test('curves without points stand where they were asked for, and chunks of all kinds follow each other', async () => {
  const shown = ({ series }: CurveComparison) => series.map(({ metric, x, y }) => [metric, x, y])
  expect(shown(await textOf([]))).toEqual(['m0', 'm1', 'm2', 'm3'].map((metric) => [metric, [], []]))
  expect(shown(await textOf([], 0))).toEqual([])
  const pages: [number, ...number[]][][] = [
    [
      [1, 0, 1, 2],
      [1, 3, 9],
    ],
    [],
    [[1], [1, 10, 11], [2, 0, 1, 2]],
    [[2, 3, 5, 4]],
  ]
  expect(shown(await textOf(pages))).toEqual([
    ['m0', [], []],
    ['m1', [0, 1, 2, 3, 9, 10, 11], [0, -1, -2, -3, -9, -10, -11]],
    ['m2', [0, 1, 2, 3, 5, 4], [0, -1, -2, -3, -5, -4]],
    ['m3', [], []],
  ])
})
