import type { NodeReport } from '@flow-service/api-server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { NodeNews } from '../src/node-news.ts'

const place = { flow: 'hall', node: 'fan', run: null }
let lines: string[] = []
let news: NodeNews
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  lines = []
  news = new NodeNews((text) => void lines.push(text))
})
afterEach(() => void vi.useRealTimers())

const print = (text: string, run: string | null = null): void => news.hear({ ...place, run, is: 'print', text })
const fail = (text: string, traceback: string | null = null, run: string | null = null): void =>
  news.hear({ ...place, run, is: 'failure', type: 'RangeError', text, traceback })
const hear = (report: Record<string, unknown>): void => news.hear({ ...place, ...report } as NodeReport)

test('what a node prints reads line by line, without what a terminal would obey', () => {
  print('one\n\u001b[31mtwo\u001b[0m\tand\u0007\r\n\nfour\n')
  expect(lines).toEqual(['› hall.fan  one', '› hall.fan  two  and\\u0007', '› hall.fan', '› hall.fan  four'])
})

test('a line that comes in parts is one line; one that never ends is shown after a moment, and before a failure', () => {
  print('half ')
  print('of it\nmore')
  expect(lines).toEqual(['› hall.fan  half of it'])
  vi.advanceTimersByTime(250)
  print('last')
  fail('too cold')
  expect(lines.slice(1)).toEqual(['› hall.fan  more', '› hall.fan  last', '✗ hall.fan  failed: RangeError: too cold'])
})

test('a flood is cut to a burst and a trickle, what was left out is counted, and other nodes are not held back', () => {
  for (let at = 0; at < 1000; at += 1) print(`${at}\n`)
  news.hear({ ...place, node: 'lamp', is: 'print', text: 'on\n' })
  expect(lines.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, at) => `› hall.fan  ${at}`))
  expect(lines.slice(40)).toEqual(['› hall.lamp  on'])
  vi.advanceTimersByTime(2000)
  expect(lines.slice(41)).toEqual(['… hall.fan  960 lines left out here'])
  for (let at = 0; at < 100; at += 1) print(`later ${at}\n`)
  expect(lines.slice(42)).toHaveLength(8)
  news.close()
  expect(lines.at(-1)).toBe('… hall.fan  92 lines left out here')
})

test('what was left out of a run is found in the run', () => {
  for (let at = 0; at < 41; at += 1) print('x\n', 'r1')
  news.close()
  expect(lines.at(-1)).toBe('… hall.fan  1 line left out here; service runs show r1 has more of it')
})

test("a failure names the place in the author's code and its frames; packages stand behind, and the same again is one line", () => {
  const traceback = [
    'RangeError: too cold',
    '    at check (node_modules/odd/index.js:1:9)',
    '    at Object.run (flows/fan.ts:7:3)',
  ].join('\n')
  fail('too cold', traceback)
  fail('too cold', traceback)
  fail('too warm')
  expect(lines).toEqual([
    [
      '✗ hall.fan  failed at flows/fan.ts:7:3: RangeError: too cold',
      '    at check (node_modules/odd/index.js:1:9)',
      '    at Object.run (flows/fan.ts:7:3)',
    ].join('\n'),
    '✗ hall.fan  failed again: RangeError: too cold',
    '✗ hall.fan  failed: RangeError: too warm',
  ])
})

test('a failure of Python has the frames of its traceback, and that of a stage the run', () => {
  const traceback = [
    'Traceback (most recent call last):',
    '  File "fan.py", line 2, in run',
    '    return spin(x)',
    '  File "/venv/lib/python3.13/site-packages/odd.py", line 9, in spin',
    '    raise RangeError("too cold")',
    'RangeError: too cold',
  ].join('\n')
  fail('too cold', traceback, 'r1')
  expect(lines[0]?.split('\n')).toEqual([
    '✗ hall.fan  failed at fan.py:2: RangeError: too cold',
    '      File "fan.py", line 2, in run',
    '        return spin(x)',
    '      File "/venv/lib/python3.13/site-packages/odd.py", line 9, in spin',
    '        raise RangeError("too cold")',
    '    run r1: service runs show r1',
  ])
})

test.each([
  [
    '! hall.fan  dropped hall.speed: its queue is full (overflow; service dead-letter list --flow hall --node fan)',
    { is: 'dropped', message: 'hall.speed', reason: 'overflow' },
  ],
  [
    '! hall  dropped a request to act: the engines that executed it are gone (lease; service dead-letter list --flow hall)',
    { is: 'dropped', node: '', run: 'r1', message: null, reason: 'lease' },
  ],
  [
    '! hall.fan  refused: output "speed" is int, which "fast" is not',
    { is: 'refused', text: 'output "speed" is int, which "fast" is not' },
  ],
  ['! hall  refused: message "hall.speed" is int', { is: 'refused', node: null, text: 'message "hall.speed" is int' }],
  [
    '! hall.fan  is degraded: values for it are dropped',
    { is: 'health', health: 'degraded', text: 'values for it are dropped' },
  ],
  ['✓ hall.fan  is ok', { is: 'health', health: 'ok', text: null }],
])('"%s"', (line, report) => {
  hear(report)
  expect(lines).toEqual([line])
})

test('payloads that are dropped by the thousand are a few lines and a count', () => {
  for (let at = 0; at < 5000; at += 1) hear({ is: 'dropped', message: 'hall.speed', reason: 'overflow' })
  news.close()
  expect(lines).toHaveLength(6)
  expect(lines.at(-1)).toBe('… hall.fan  4995 dropped left out here')
})
