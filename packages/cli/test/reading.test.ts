/** What people read: times, findings, events, reloads. */
import type { LoadError } from '@flow-service/api-server'
import type { EventFrame } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { eventLine } from '../src/commands/events.ts'
import { reloadLines } from '../src/dev-report.ts'
import { issueLines, issueSummary } from '../src/issues.ts'
import { table } from '../src/table.ts'
import { counted, shortTime } from '../src/terminal.ts'

test('a time is as short as its distance from now allows, in the local zone', () => {
  const now = new Date(2027, 2, 21, 12)
  const at = (...parts: [number, number, number, number, number, number]) => new Date(...parts).toISOString()
  expect(shortTime(at(2027, 2, 21, 9, 5, 7), now)).toBe('09:05:07')
  expect(shortTime(at(2027, 2, 20, 9, 5, 7), now)).toBe('03-20 09:05:07')
  expect(shortTime(at(2026, 2, 21, 9, 5, 7), now)).toBe('2026-03-21 09:05:07')
  expect(shortTime(null, now)).toBe('-')
})

test('colours do not move columns', () => {
  expect(
    table(
      ['A', 'B'],
      [
        ['\u001B[31mred\u001B[39m', 'x'],
        ['longer', 'y'],
      ],
      '',
    ),
  ).toBe('A       B\n\u001B[31mred\u001B[39m     x\nlonger  y')
})

test('findings are counted by severity and stand with their place', () => {
  const issues = [
    { severity: 'error', message: 'no such type', path: '/nodes/0/type' },
    { severity: 'error', message: 'a cycle', path: null },
    { severity: 'advisory', message: 'set a secret', path: '/nodes/1' },
  ] as const
  expect(issueSummary(issues)).toBe('2 errors, 1 hint')
  expect(issueSummary([])).toBe('no issues')
  expect(issueLines(issues)).toEqual([
    '  error     /nodes/0/type  no such type',
    '  error                    a cycle',
    '  advisory  /nodes/1       set a secret',
  ])
  expect(issueLines([])).toEqual([])
  expect([counted(1, 'node'), counted(2, 'node')]).toEqual(['1 node', '2 nodes'])
})

const framed = { seq: 1, ts: '2027-03-21T12:00:00.000Z' }
const run = { id: 'r1', flow: 'fit', status: 'error', error: { node: 'a', type: 'E', message: 'no\nluck' } }
test.each<[string, object]>([
  [
    'flow      hall is paused, version 3, holds 2',
    { type: 'flow', name: 'hall', status: 'paused', held: 2, version: 3 },
  ],
  [
    'node      hall.fan failed: no fan',
    {
      type: 'node',
      flow: 'hall',
      node: 'fan',
      run: null,
      status: 'failed',
      cached: false,
      error: { type: 'E', message: 'no fan' },
      executions: 1,
    },
  ],
  [
    'node      hall.fan idle after 500 executions',
    { type: 'node', flow: 'hall', node: 'fan', run: null, status: 'idle', cached: false, error: null, executions: 500 },
  ],
  [
    'node      fit.draw ok (cached) run r1',
    { type: 'node', flow: 'fit', node: 'draw', run: 'r1', status: 'ok', cached: true, error: null, executions: null },
  ],
  ['value     fit.loss = 0.5 step 7 run r1', { type: 'value', message: 'fit.loss', value: 0.5, run: 'r1', step: 7 }],
  [
    'health    hall.mqtt is down: refused',
    { type: 'health', flow: 'hall', node: 'mqtt', status: 'down', message: 'refused' },
  ],
  [
    'log       hall.fan run r1: on off',
    { type: 'log', flow: 'hall', node: 'fan', run: 'r1', offset: 0, text: 'on\noff\n' },
  ],
  ['run       r1 of fit error: no luck', { type: 'run', run }],
  ['error     bad_request: what?', { type: 'error', code: 'bad_request', detail: 'what?' }],
])('an event reads "%s"', (line, frame) => {
  expect(eventLine({ ...framed, ...frame } as EventFrame).replace(/^.*?\d\d:\d\d:\d\d {2}/, '')).toBe(line)
})

const error: LoadError = { file: 'flows/a.ts', line: 2, column: 4, message: 'Unexpected token', frame: '2: x\n   ^' }
const nothing = {
  changed: [],
  removed: [],
  dashboards: { changed: [], removed: [] },
  packages: [],
  errors: [],
}

test('a reload shows what was swapped, by how much', () => {
  const change = { name: 'hall', mode: 'live', previousVersion: 3, version: 4, nodes: ['a', 'b'] } as const
  const lines = reloadLines(
    {
      changed: [
        change,
        { ...change, name: 'greenhouse', mode: 'batch', nodes: ['a'] },
        { ...change, name: 'title', nodes: [] },
        { ...change, name: 'new', previousVersion: null, version: 1 },
        { ...change, name: 'back', version: 3, nodes: [] },
      ],
      removed: ['gone'],
      dashboards: {
        changed: [
          { name: 'wall', version: 1 },
          { name: 'hall', version: 3 },
        ],
        removed: ['old'],
      },
      packages: [
        {
          package: 'acme-meter',
          version: '1.0.0+dev.1',
          nodeTypes: ['acme_meter', 'acme_gauge'],
          removedTypes: ['acme_old'],
          rebuilt: [
            { flow: 'house', nodes: ['meter', 'gauge'] },
            { flow: 'barn', nodes: [] },
          ],
        },
      ],
      errors: [],
    },
    { before: [], ms: 180.4 },
  )
  expect(lines).toEqual([
    '↻ acme-meter: acme_meter, acme_gauge reloaded in 180 ms, acme_old removed, rebuilt meter, gauge of house',
    '↻ hall        v3 → v4 (2 nodes changed)',
    '↻ greenhouse  v3 → v4 (1 stage changed)',
    '↻ title       v3 → v4 (document changed)',
    '+ new         v1 (new, live)',
    '↻ back        v3 (back)',
    '✗ gone        no module defines it any more: ended',
    '+ dashboard wall  v1 (new)',
    '↻ dashboard hall  v3',
    '✗ dashboard old  no module defines it any more: it stays, and is changed through the API',
  ])
})

test('an error is shown once with its place, and its file when it loads again', () => {
  const broken = reloadLines({ ...nothing, errors: [error] }, { before: [], ms: 1 })
  expect(broken).toEqual([
    '\nerror: flows/a.ts:2:4: Unexpected token\n2: x\n   ^',
    'what it defines goes on as it was last loaded',
  ])
  expect(reloadLines({ ...nothing, errors: [error] }, { before: [error], ms: 1 })).toEqual([])
  const other = { ...error, file: 'flows/b.ts' }
  expect(reloadLines({ ...nothing, errors: [other] }, { before: [error, other], ms: 1 })).toEqual([
    '✓ flows/a.ts loads again',
  ])
  expect(reloadLines(nothing, { before: [], ms: 1 })).toEqual([])
})
