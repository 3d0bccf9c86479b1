/** Lists of runs: filters and sorts of all kinds against the same written over all runs, pages, what is included. */
import type { RunInput, RunSummary, WireNumber } from '@flow-service/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { CurveSummary } from '../../../src/runs/curves/points.ts'
import { createListStore } from '../../../src/runs/lists/list-store.ts'
import { type Included, RunLists } from '../../../src/runs/lists/run-lists.ts'
import { createRunShapes } from '../../../src/runs/shapes.ts'
import { useDatabase } from '../../use-database.ts'
import { createdAt, Past } from '../curves/curve-rows.ts'
import { type DrawnTerm, inOrder, meets } from './reference.ts'

const RUNS = 300
let lists: RunLists
let all: RunSummary[]

const everything = new Set<Included>(['params', 'results', 'metrics'])
const page = { limit: 500, offset: 0 }
/** What hostile names and values look like. */
const odd = [`'; drop table run; --`, 'ä Ä', '日本', '😀', 'a"b', '\\', '%', '_', '$1', '"x"', 'NULL', '']

const pick = <T>(items: readonly T[], at: number): T => items[at % items.length] as T

function inputsOf(at: number): RunInput[] {
  const lr = pick<number | boolean | null | string>(
    [at / 100, at / 100, -at, 0, 'NaN', 'Infinity', true, null, 'x'],
    at,
  )
  const given: Record<string, unknown> = {
    lr,
    name: pick([...odd, 'adam', 'Adam', 'sgd', '7'], at * 7),
    config: { depth: at % 5, layers: [at % 3, { kind: pick(['a', 'b'], at) }], on: at % 2 === 0 },
    ...(at % 4 === 0 && { rare: 1e-300 * at }),
    ...(at % 6 === 0 && { long: 'y'.repeat(2000) }),
  }
  return Object.entries(given).map(([name, value]) => ({ name, dtype: 'any', value: value as never, default: false }))
}

useDatabase(async (database) => {
  const past = new Past(database)
  const loss = (at: number): CurveSummary => [
    at,
    at - 1,
    pick<WireNumber>([1 / (at + 1), 'NaN', 'Infinity', -1], at),
    -1,
    at % 3 ? at : null,
  ]
  await past.runs(
    Array.from({ length: RUNS }, (_, at) => ({
      flow: pick(['fit', 'Fit', 'eval'], at),
      created_at: createdAt(at),
      status: pick(['ok', 'error', 'cancelled', 'queued'] as const, at),
      ...(at % 3 > 0 && { finished_at: createdAt(at + (at % 11) * 1000) }),
      inputs: inputsOf(at),
      result: { f1: pick<unknown>([at / 10, 'good', false, at, null, { a: 1 }], at), path: pick(odd, at) },
      metrics: at % 5 === 0 ? {} : { loss: loss(at), acc: loss(at * 3) },
      tags: [
        pick(['best', 'bad', 'Ünïcode'], at),
        pick(
          odd.filter((tag) => /^\S+$/.test(tag)),
          at,
        ),
      ].slice(0, at % 3),
      note: pick(['', 'look again', ...odd], at),
      pinned: at % 10 === 0,
      ...(at % 2 === 0 && { seed: at % 17 }),
      ...(at % 3 === 0 && { submitted_by: pick(['ada@example.com', 'bob@example.com'], at) }),
      ...(at % 7 === 0 && { external_id: `job-${at}` }),
    })),
  )
  lists = new RunLists({
    store: createListStore(database.sql, createRunShapes(database.sql)),
    secrets: { mask: (value) => value },
    flush: async () => {},
  })
  all = (await lists.list({ of: {}, ...page, include: everything })).runs
})

const ids = (runs: readonly RunSummary[]): string[] => runs.map(({ id }) => id)
const list = (query: { filter?: string; sort?: string; cursor?: string; limit?: number; offset?: number }) =>
  lists.list({ of: {}, ...page, include: everything, ...query })

const jsonFields = [
  'params.lr',
  'params.name',
  'params.config.depth',
  'params.config.layers.0',
  'params.config.layers.1.kind',
  'params.config.on',
  'params.config',
  'params.rare',
  'params.long',
  'params.none',
  'params.lr.deeper',
  'results.f1',
  'results.path',
  'metrics.loss',
  'metrics.loss:min',
  'metrics.loss:max',
  'metrics.acc:count',
  'metrics.none',
  "params.'; drop table run; --",
  'params.日本',
]
const columns = [
  'id',
  'note',
  'seed',
  'duration_s',
  'submitted_by',
  'external_id',
  'group_id',
  'parent',
  'origin',
  'tags',
  'pinned',
]
const numbers = ['0', '1', '-3', '0.5', '7', '1e-299', '.25', '+2', '100', '1e3']
const words = ['adam', 'x', 'job-7', 'best', 'engine', 'ada@example.com', '日本', '😀', 'good', 'b', '%', '_', '$1']
const values = fc.oneof(
  fc.constantFrom(...numbers, ...words, '*', 'null', 'true', 'false', 'NaN', 'Infinity', '-Infinity'),
  fc.constantFrom(...odd).map((text) => JSON.stringify(text)),
)
const terms: fc.Arbitrary<DrawnTerm> = fc
  .record({
    field: fc.constantFrom(...jsonFields, ...columns),
    operator: fc.constantFrom(
      '=' as const,
      '!=' as const,
      '<' as const,
      '<=' as const,
      '>' as const,
      '>=' as const,
      '~' as const,
    ),
    value: values,
  })
  .filter(({ field, operator, value }) => {
    const isEqual = operator === '=' || operator === '!='
    if (['*', 'NaN', 'null'].includes(value) && !isEqual) return false
    if (field === 'pinned') return isEqual && (value === 'true' || value === 'false')
    return !/[\s'"=!<>~]/.test(field) && (field !== 'tags' || isEqual || operator === '~')
  })
const sortable = ['created_at', 'started_at', 'finished_at', 'duration_s', 'status', 'flow', 'seed', ...jsonFields]
const sorts = fc.option(
  fc
    .array(fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...sortable)), { minLength: 1, maxLength: 3 })
    .map((keys) => keys.map(([sign, field]) => `${sign}${field}`).join(',')),
)

test('filters and sorts are those written over all runs, in pages of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(terms, { maxLength: 4 }),
      sorts,
      fc.integer({ min: 1, max: 200 }),
      async (drawn, sort, limit) => {
        const filter = drawn.map(({ field, operator, value }) => `${field}${operator}${value}`).join(' ')
        const expected = ids(
          inOrder(
            all.filter((run) => drawn.every((term) => meets(run, term))),
            sort,
          ),
        )
        const found: string[] = []
        for (let cursor: string | undefined; ;) {
          const query = { filter, ...(sort && { sort }), ...(cursor && { cursor }), limit }
          // oxlint-disable-next-line no-await-in-loop -- each page has the next one's cursor
          const answer = await list(query)
          found.push(...ids(answer.runs))
          if (answer.cursor === null) break
          cursor = answer.cursor
        }
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: process.env['SOAK'] ? 1000 : 250 },
  )
}, 600_000)

test.each(['', 'params.lr', '-params.lr', 'results.f1', '-metrics.loss', 'params.none', 'flow,-params.name'])(
  'a page begins at any place of the order %j, whatever kinds of values are before it',
  async (sort) => {
    for (const filter of ['', 'params.lr!=0']) {
      const query = { filter, ...(sort !== '' && { sort }) }
      // oxlint-disable no-await-in-loop -- one list after the other
      const whole = ids((await list(query)).runs)
      for (let offset = 0; offset <= whole.length; offset += 7) {
        const answer = await list({ ...query, offset, limit: 40 })
        expect([filter, offset, ids(answer.runs)]).toEqual([filter, offset, whole.slice(offset, offset + 40)])
      }
      // oxlint-enable no-await-in-loop
    }
  },
)

describe('a filter that is none', () => {
  const refusals: [string, number, RegExp][] = [
    ['lr<0.1', 1, /params\.lr for an input, metrics\.lr for a curve/],
    ['params.lr', 10, /needs one of/],
    ['params.lr<', 11, /value is missing/],
    ['  params.lr=1 =2', 15, /begins with a field/],
    ['params.=1', 1, /no field/],
    ['metrics.loss:mean>1', 1, /no curve/],
    ['params.a="b', 10, /not closed/],
    [String.raw`params.a="\q"`, 10, /no string of JSON/],
    ['params.a="b"c', 13, /cannot follow/],
    ['params.a=b"c', 11, /only around a whole value/],
    ['params.a<*', 9, /\* goes with/],
    ['params.a<NaN', 9, /NaN goes with/],
    ['params.a<null', 9, /null goes with/],
    ['tags<b', 5, /tags go with/],
    ['pinned=1', 7, /pinned goes with/],
    ['params.a=1e999', 10, /too large/],
    ['params.a=\0', 10, /U\+0000/],
    ['params.\0=1', 1, /U\+0000/],
    [String.raw`params.a="\ud800"`, 10, /surrogate/],
    [Array.from({ length: 33 }, () => 'seed=1').join(' '), 225, /at most 32 terms/],
    ['x'.repeat(5000), 4097, /at most 4096 characters/],
  ]
  test.each(refusals.map((row) => [row[0].slice(0, 40), ...row] as const))('%j…', async (_name, filter, at, why) => {
    const problem: unknown = await list({ filter }).catch((error: unknown) => error)
    expect(problem).toMatchObject({
      code: 'validation_failed',
      extensions: {
        errors: [{ path: 'query.filter', code: 'bad_filter', message: expect.stringMatching(why) as string }],
      },
    })
    expect(JSON.stringify(problem)).toContain(`at ${at}: `)
  })
})

test.each([
  ['-params.lr', ['0', 'false', 'x']],
  ['-params.lr', ['0', 'false', '\0']],
  ['started_at', ['0', 'false', '2026-02-31 00:00:00+00']],
  ['started_at', ['0', 'false', 'soon']],
  ['status', ['0', 'a\0b']],
  ['status', ['0', '\uD800']],
  ['seed', ['0', 'false', '1e']],
])('a cursor for %s that somebody has written is refused, or read', async (sort, values) => {
  const { cursor } = await list({ sort, limit: 1 })
  const [mark, created] = JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString()) as [string, string]
  const forged = Buffer.from(JSON.stringify([mark, created, ...values])).toString('base64url')
  const problem: unknown = await list({ sort, cursor: forged }).catch((error: unknown) => error)
  expect(problem).toMatchObject({ code: 'validation_failed', extensions: { errors: [{ code: 'bad_cursor' }] } })
})
