import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const cwd = mkdtempSync(join(tmpdir(), 'cli-compare-'))
const service = (...args: string[]) => runService(args, { cwd, env: { SERVICE_DATA_DIR: at.dataDir } })

/** A run of a program, with a curve. */
async function tracked(params: Record<string, unknown>, losses: number[], accuracy?: number): Promise<void> {
  const run = await at.client.track('fit', { params })
  for (const loss of losses) run.log({ loss })
  if (accuracy !== undefined) run.result({ accuracy })
  await run.end()
}

beforeAll(async () => {
  at = await startService()
  await tracked({ lr: 0.1, depth: 1, seed: 1 }, [4, 2, 1], 0.5)
  await tracked({ lr: 0.1, depth: 1, seed: 2 }, [6, 4, 2], 0.75)
  await tracked({ lr: 0.1, depth: 2, seed: 1 }, [8, 6, 3])
  await tracked({ lr: 0.3, depth: 1, seed: 1 }, [1, 0.5, 0.25])
  await tracked({ lr: 'odd \u001b[2J<img>', depth: 1 }, [1, Infinity, NaN])
  await tracked({ depth: 1 }, [5, 5, 5])
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(cwd, { recursive: true, force: true })
})

test('runs are compared by an input: means, spread, curves of means, and the best group', async () => {
  const { out, err, code } = await service('runs', 'compare', 'loss', '--flow', 'fit', '--by', 'params.lr', '--min')
  expect([err, code]).toEqual(['', 0])
  expect(out).toContain('loss by step: means of the groups, dotted from the least to the greatest\n')
  expect(out).toContain('● lr=0.3 (1 run)\n● lr=0.1 (3 runs)\n')
  const rows = out.slice(out.indexOf('LR  ')).split('\n')
  expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['LR', 'RUNS', 'LOSS', 'ACCURACY'],
    ['0.3', '1', '0.25', '-', '<- best: least loss'],
    ['0.1', '3', '2.0 ± 1.0', '0.63 ± 0.18 (2 of 3)'],
    ['(none)', '1', '5', '-'],
    [String.raw`odd \u001b[2J<img>`, '1', '-', '-'],
    ['mean ± standard deviation (n - 1) of the last values of the runs'],
    ['(2 of 3): the other runs of the group have no finite value'],
    [''],
  ])
})

test('a program gets the numbers, with null where there is no spread', async () => {
  const args = ['runs', 'compare', 'loss', '--flow', 'fit', '--filter', 'params.lr<1', '--by', 'lr,depth', '--json']
  const answer = JSON.parse((await service(...args)).out) as { by: string[]; groups: object[] }
  expect(answer).toMatchObject({ metric: 'loss', x: 'step', by: ['params.lr', 'params.depth'] })
  expect(answer.groups).toMatchObject([
    {
      key: { 'params.lr': 0.1, 'params.depth': 1 },
      metrics: { loss: { n: 2, mean: 1.5, sd: Math.SQRT1_2, min: 1, max: 2 } },
      best: false,
      curve: { x: [0, 1, 2], mean: [5, 3, 1.5], min: [4, 2, 1], max: [6, 4, 2], n: [2, 2, 2] },
    },
    {
      key: { 'params.lr': 0.1, 'params.depth': 2 },
      metrics: { loss: { n: 1, mean: 3, sd: null }, 'results.accuracy': null },
      curve: { mean: [8, 6, 3], sd: [null, null, null] },
    },
    { key: { 'params.lr': 0.3, 'params.depth': 1 } },
  ])
})

test('an output has no curve, and tells the best group as well', async () => {
  const { out } = await service('runs', 'compare', 'results.accuracy', '--flow', 'fit', '--by', 'depth', '--max')
  expect(out).toMatch(/^DEPTH +RUNS +LOSS +ACCURACY\n1 .*<- best: greatest results\.accuracy\n2 /)
})

test('runs are grouped by their ids, too', async () => {
  const runs = await at.client.runs.list({ flow: 'fit', filter: 'params.lr=0.1' })
  const { out } = await service('runs', 'compare', 'loss', ...runs.map(({ id }) => id), '--by', 'lr')
  expect(out).toMatch(/\n0\.1 +3 +2\.0 ± 1\.0 +0\.63 ± 0\.18 \(2 of 3\)\n/)
})

test('a report has the groups above the runs', async () => {
  const args = ['--by', 'lr', '--metric', 'loss', '--min', '-o', 'seeds.html']
  expect(await service('runs', 'report', '--flow', 'fit', ...args)).toMatchObject({ code: 0, err: '' })
  const page = readFileSync(join(cwd, 'seeds.html'), 'utf8')
  expect(page).toMatch(/<tr class="best"><td>0\.3<\/td><td>1<\/td><td>0\.25<\/td>/)
  expect(page).toContain('<td>2.0 ± 1.0</td><td>0.63 ± 0.18 (2 of 3)</td>')
  // a band, and means beside a line for each run; a single finite point is a dot
  expect(page.match(/<polygon/g)).toHaveLength(1)
  expect(page.match(/<polyline/g)).toHaveLength(3 + 5)
  expect(page.match(/<circle/g)).toHaveLength(1 + 1)
  for (const hostile of ['<img', '\u001b']) expect(page).not.toContain(hostile)
})

test('what cannot be grouped says what there is', async () => {
  const refused = async (...args: string[]) => {
    const { code, err } = await service('runs', ...args, '--flow', 'fit')
    return [code, err]
  }
  const told = (text: string): string => expect.stringContaining(text) as string
  expect(await refused('compare', 'loss', '--by', 'params.lrr')).toEqual([
    1,
    told('"params.lrr"; there are params.depth, params.lr, params.seed\n'),
  ])
  expect(await refused('compare', 'lss', '--by', 'lr')).toEqual([1, told('has fit.loss\n')])
  expect(await refused('compare', 'lss', '--by', 'lr', '--max')).toEqual([1, told('loss, results.accuracy\n')])
  expect(await refused('report', '--by', 'lr', '--metric', 'f1', '--max')).toEqual([
    1,
    told('loss, results.accuracy\n'),
  ])
  expect(await refused('compare', 'loss', '--min')).toEqual([2, told('--by')])
  expect(await refused('report', '--by', 'lr', '--min')).toEqual([2, told('--metric <name>')])
  expect(await refused('compare', 'loss', '--by', '')).toEqual([2, told('--by')])
})
