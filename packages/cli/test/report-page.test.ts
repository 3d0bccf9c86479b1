import type { MetricSeries, Run } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { reportPage } from '../src/report-page.ts'
import { groupsOf, ofRun } from '../src/run-groups.ts'

const run = (id: string, lr: number, more: Partial<Run> = {}): Run =>
  ({
    id,
    flow: 'fit',
    status: 'ok',
    duration_s: 1.5,
    inputs: [{ name: 'lr', dtype: 'float', value: lr, default: false }],
    metrics: [{ name: 'fit.loss', count: 2, last: 0.25, step: 1 }],
    nodes: [{ node: 'train', status: 'ok', cached: false, duration_s: 1, worker: 'engine', error: null, cache: null }],
    result: { accuracy: 0.9375, model: { digest: 'sha256:1' } },
    error: null,
    ...more,
  }) as unknown as Run
const curve = (values: (number | 'NaN')[]): MetricSeries[] => [
  { name: 'fit.loss', points: values.map((value, step) => ({ step, ts: '', value })) } as unknown as MetricSeries,
]

test('a page has what the runs were given, what came out, and a curve for each', () => {
  const page = reportPage(
    [
      { run: run('01a2-first', 0.1), curves: curve([1, 0.25]) },
      { run: run('01a2-second', 0.3), curves: curve([2, 'NaN', 0.5]) },
    ],
    new Date('2027-03-21T08:00:00Z'),
  )
  expect(page).toContain('<title>fit: 2 runs</title>')
  expect(page).toContain(
    '<th>Run</th><th>Status</th><th>Duration</th><th>lr</th><th>last fit.loss</th><th>accuracy</th>',
  )
  expect(page.match(/<polyline/g)).toHaveLength(2)
  expect(page).toMatch(/c0">● *<\/span> 01a2-first lr=0\.1<.*c1">● *<\/span> 01a2-second lr=0\.3/)
  expect(page).toContain('<td>0.3</td>')
  expect(page).toContain('<h2 id="01a2-second">lr=0.3 <span class="muted">01a2-second</span></h2>')
  expect(page).toContain('2027-03-21 08:00:00 UTC')
  expect(page).not.toMatch(/<script|https?:\/\/|NaN/)
})

test('groups have a table with the best marked, and their means as lines with bands; one run has no band', () => {
  const runs = [run('a', 0.1), run('b', 0.1), run('c', 0.3, { result: { '<img>': 0.5 } })]
  const aim = { metric: 'results.accuracy', least: false }
  const groups = groupsOf(runs.map(ofRun), ['params.lr'], aim)
  const mean = { metric: 'fit.loss', x: [0, 1], mean: [1, 0.5], min: [0.5, 0.25], max: [1.5, 0.75] }
  const curves = new Map([
    [groups[0]!, [{ ...mean, sd: [0.5, 0.25], n: [2, 2] }]],
    [groups[1]!, [{ ...mean, sd: [null, null], n: [1, 1] }]],
  ])
  const reported = runs.map((each) => ({ run: each, curves: [] }))
  const page = reportPage(reported, new Date(0), { groups, curves, aim })
  expect(page).toContain('<h2>Groups by lr</h2>')
  expect(page).toContain('<th>lr</th><th>Runs</th><th>loss</th><th>&#60;img&#62;</th><th>accuracy</th>')
  expect(page).toMatch(
    /<tr class="best"><td>0\.1<\/td><td>2<\/td><td>0\.25 ± 0<\/td><td>-<\/td><td>0\.9375 ± 0<\/td><td>best</,
  )
  expect(page.match(/<polyline/g)).toHaveLength(2)
  expect(page.match(/<polygon/g)).toHaveLength(1)
  expect(page).toMatch(/lr=0\.1 \(2 runs\).*lr=0\.3 \(1 run\)/)
  expect(page).not.toMatch(/<script|https?:\/\/|NaN|<img/)
})

test('text of a run cannot become markup', () => {
  const evil = '<img src=x onerror=alert(1)>'
  const error = { type: 'ValueError', message: evil, node: 'train' }
  const page = reportPage(
    [{ run: run('01a2', 0.1, { status: 'error', error, result: { [evil]: 1 } }), curves: curve(['NaN']) }],
    new Date(0),
  )
  expect(page).not.toContain('<img')
  expect(page).toContain('&#60;img src=x')
  expect(page).toContain('No finite points.')
})

test('a section is headed by what tells its run from the others, and by the end of its id', () => {
  const id = '01a2b3c4-0000-7000-8000-00000000000f'
  const headings = (...runs: Run[]) =>
    [
      ...reportPage(
        runs.map((each) => ({ run: each, curves: [] })),
        new Date(0),
      ).matchAll(/<h2 id="[^"]*">(.*)<\/h2>/g),
    ].map(([, heading]) => heading?.replaceAll(/<[^>]*>/g, ''))
  expect(headings(run(id, 0.1))).toEqual(['00000000000f'])
  expect(headings(run(id, 0.1), run('b', 0.3))).toEqual(['lr=0.1 00000000000f', 'lr=0.3 b'])
  expect(headings(run(id, 0.1), run('b', 0.1, { flow: '<i>' }))).toEqual(['fit 00000000000f', '&#60;i&#62; b'])
})
