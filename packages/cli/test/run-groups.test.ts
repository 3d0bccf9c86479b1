import { expect, test } from 'vitest'

import {
  aimOf,
  assertGroupFlags,
  type GroupedRun,
  groupsOf,
  groupText,
  inRanges,
  isBest,
  spreadText,
} from '../src/run-groups.ts'

let count = 0
const run = (params: Record<string, unknown>, loss: unknown): GroupedRun => ({
  id: `run-${(count += 1)}`,
  flow: 'fit',
  params,
  finals: loss === undefined ? {} : { loss },
})
const least = { metric: 'loss', least: true }
const told = (runs: GroupedRun[], by = ['params.lr'], aim: typeof least | null = null) =>
  groupsOf(runs, by, aim).map((group) => [
    groupText(group),
    group.runs.length,
    spreadText(group.metrics['loss'] ?? null, group.runs.length),
  ])

test('a group has the mean and the sample standard deviation of its runs; a single run has no spread', () => {
  expect(told([run({ lr: 1 }, 2), run({ lr: 1 }, 4), run({ lr: 0.1 }, 7), run({ lr: 1 }, 9)])).toEqual([
    ['lr=0.1', 1, '7'],
    ['lr=1', 3, '5.0 ± 3.6'],
  ])
  const [group] = groupsOf([run({ lr: 1 }, 7)], ['params.lr'], null)
  expect(group?.metrics).toEqual({ loss: { n: 1, mean: 7, sd: null, min: 7, max: 7 } })
})

test('equal values have no spread and exactly their mean', () => {
  expect(told([0.1, 0.1, 0.1].map((loss) => run({ lr: 1 }, loss)))).toEqual([['lr=1', 3, '0.1 ± 0']])
})

test('values that are missing or not finite are in no mean, and it says of how many it is', () => {
  const runs = [run({ lr: 1 }, 2), run({ lr: 1 }, 'NaN'), run({ lr: 1 }, 'Infinity'), run({ lr: 2 }, undefined)]
  expect(told(runs)).toEqual([
    ['lr=1', 3, '2 (1 of 3)'],
    ['lr=2', 1, '-'],
  ])
})

test('runs without the input are a group of their own, and values that look like others are told apart', () => {
  const runs = ['(none)', null, 1, '1', '', { a: 1 }, 'sgd'].map((lr) => run({ lr }, 1))
  expect(told([...runs, run({}, 1)]).map(([name]) => name)).toEqual([
    'lr=1',
    'lr=""',
    'lr="(none)"',
    'lr="1"',
    'lr=sgd',
    'lr={"a":1}',
    'lr=(none)',
  ])
})

test('several inputs group by all of them, and an input may lie deeper', () => {
  const runs = [1, 2].flatMap((depth) => [0.1, 0.2].map((lr) => run({ depth, opt: { lr } }, depth * lr)))
  expect(told(runs, ['params.depth', 'params.opt.lr']).map(([name]) => name)).toEqual([
    'depth=1 opt.lr=0.1',
    'depth=1 opt.lr=0.2',
    'depth=2 opt.lr=0.1',
    'depth=2 opt.lr=0.2',
  ])
})

test('the best group comes first; one in which a run has no finite value is behind those in which all have one', () => {
  const runs = [run({ lr: 1 }, 3), run({ lr: 2 }, 2), run({ lr: 3 }, 0.1), run({ lr: 3 }, 'NaN'), run({ lr: 4 }, 'NaN')]
  expect(told(runs, ['params.lr'], least).map(([name]) => name)).toEqual(['lr=2', 'lr=1', 'lr=3', 'lr=4'])
  const marked = (all: GroupedRun[]) => {
    const groups = groupsOf(all, ['params.lr'], least)
    return groups.filter((group) => isBest(group, groups, least)).map(groupText)
  }
  expect(marked(runs)).toEqual(['lr=2'])
  expect(marked([...runs, run({ lr: 0 }, 2)])).toEqual(['lr=0', 'lr=2'])
  expect(marked([run({ lr: 1 }, 'NaN')])).toEqual([])
})

test('a name of a value cannot move the cursor', () => {
  expect(told([run({ lr: '\u001b[2J' }, 1)])).toEqual([[String.raw`lr=\u001b[2J`, 1, '1']])
})

test('means have the digits that their spread gives sense to', () => {
  const spread = (mean: number, sd: number | null) => spreadText({ n: 2, mean, sd, min: 0, max: 0 }, 2)
  expect(spread(0.123456, 0.00321)).toBe('0.1235 ± 0.0032')
  expect(spread(12345.678, 210)).toBe('12346 ± 210')
  expect(spread(0.000_000_123_456, 0.000_000_012)).toBe('1.235e-7 ± 1.2e-8')
  expect(spread(1.5e12, 3e10)).toBe('1500000000000 ± 30000000000')
  expect(spread(0.123456, null)).toBe('0.1235')
})

test('an unknown input or metric names the known ones', () => {
  const runs = [run({ lr: 1, depth: 2 }, 3)]
  expect(() => groupsOf(runs, ['params.lrr'], null)).toThrow('"params.lrr"; there are params.depth, params.lr')
  expect(() => aimOf({ by: ['lr'], metric: 'f1', min: true }, runs)).toThrow('"f1"; there are loss')
  expect(aimOf({ by: ['lr'], metric: 'fit.loss', max: true }, runs)).toEqual({ metric: 'loss', least: false })
})

test('options that do not go together are refused', () => {
  expect(() => assertGroupFlags({ min: true }, 'loss')).toThrow('--by')
  expect(() => assertGroupFlags({ by: ['lr'], min: true, max: true }, 'loss')).toThrow(
    '(--min) or the greatest (--max)',
  )
  expect(() => assertGroupFlags({ by: ['lr'], metric: 'loss' })).toThrow('(--min) or the greatest (--max)')
  expect(() => assertGroupFlags({ by: ['lr'], min: true })).toThrow('--metric <name>')
  expect(() => assertGroupFlags({ by: ['lr'] })).not.toThrow()
})

test('a curve in ranges has the mean of all values in each, with the least and the greatest', () => {
  const curve = { metric: 'loss', x: [0, 1, 9, 10], mean: [4, 1, 2, 2], sd: [1, null, null, null] }
  expect(inRanges({ ...curve, min: [3, 1, 2, 2], max: [5, 1, 2, 2], n: [2, 1, 1, 1] }, 2)).toEqual({
    metric: 'loss',
    x: [2.5, 7.5],
    mean: [3, 2],
    min: [1, 2],
    max: [5, 2],
    n: [3, 2],
  })
  const one = { metric: 'loss', x: [7], mean: [4], sd: [null], min: [4], max: [4], n: [1] }
  expect(inRanges(one, 2)).toMatchObject({ mean: [4], n: [1] })
})
