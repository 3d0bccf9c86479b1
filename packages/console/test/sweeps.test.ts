/** Runs gathered to sweeps, and the columns that a list of them shows. */
import type { RunSummary } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { columnsOf, fieldsIn, shownColumns, textOf } from '../src/runs/columns.ts'
import { extremesOf, outcomesOf, sweepsOf, varied } from '../src/runs/sweeps.ts'

const run = (id: number, group: string | null, more: Partial<RunSummary> = {}): RunSummary =>
  ({ id: `${id}`, flow: 'fit', group_id: group, status: 'ok', params: {}, metrics: {}, ...more }) as RunSummary

const curve = (last: number | 'NaN') => ({ loss: { count: 1, step: 0, last, min: null, max: null } })

test('runs are gathered by sweep; the one at which the list ends may have more', () => {
  const runs = [run(5, 'b'), run(4, null), run(3, 'a'), run(2, 'b'), run(1, 'a')]
  const found = (isEnd: boolean) =>
    sweepsOf(runs, isEnd).map((sweep) => [sweep.id, sweep.runs.map(({ id }) => id).join(), sweep.isCut])
  expect(found(true)).toEqual([
    ['b', '5,2', false],
    ['a', '3,1', false],
  ])
  expect(found(false)).toEqual([
    ['b', '5,2', false],
    ['a', '3,1', true],
  ])
  expect(sweepsOf([run(1, null)], true)).toEqual([])
})

test('outcomes, extremes and what differs are those of all runs', () => {
  const runs = [
    run(3, 'a', { status: 'running', params: { lr: 1, way: 'x', list: [1] } }),
    run(2, 'a', { status: 'error', params: { lr: 2, way: 'x', list: [1] }, metrics: curve(0.5) }),
    run(1, 'a', { params: { lr: 2, way: 'x', list: [2] }, metrics: curve(-1) }),
    run(0, 'a', { params: { lr: 2, way: 'x', list: [2] }, metrics: curve('NaN') }),
  ]
  expect(outcomesOf(runs)).toEqual({ ok: 2, error: 1, cancelled: 0, abandoned: 0, total: 4 })
  expect(extremesOf(runs, 'loss')).toEqual({ least: -1, greatest: 0.5, last: 0.5 })
  expect(extremesOf(runs, 'acc')).toBeNull()
  expect(varied(runs)).toEqual(['lr', 'list'])
  expect(varied([])).toEqual([])
})

test('columns that differ are shown, or those that are chosen, in their order and whatever the rows have', () => {
  const runs = [
    run(1, null, { params: { lr: 1, 'a,b': 'x', same: 1 }, metrics: curve(1) }),
    run(2, null, { params: { lr: 2, 'a,b': 'y', same: 1 } }),
  ]
  const fields = (chosen: string | null) => shownColumns(runs, chosen).map(({ field }) => field)
  expect(columnsOf(runs).map(({ field }) => field)).toEqual(['params.lr', 'params.a,b', 'params.same', 'metrics.loss'])
  expect(fields(null)).toEqual(['params.lr', 'params.a,b', 'metrics.loss'])
  const chosen = ['metrics.loss', 'params.a,b', 'params.gone']
  expect(fields(textOf(chosen))).toEqual(chosen)
  expect(fieldsIn(textOf([]))).toEqual([])
  expect(fields('none')).toEqual([])
  expect(fields('constructor,params.')).toEqual([])
  expect(shownColumns(runs, 'params.a%2Cb')[0]).toMatchObject({ title: 'a,b', isNumber: false })
})
