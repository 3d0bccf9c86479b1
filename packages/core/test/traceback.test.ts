import { expect, test } from 'vitest'

import { tracebackOf } from '../src/index.ts'

const packages = new URL('../../', import.meta.url)
const ours = (file: string): string => `    at fn (${new URL(file, packages).href}:1:2)`

function traced(lines: readonly string[], message = 'too hot'): string[] | undefined {
  const error = new RangeError(message)
  error.stack = [`RangeError: ${message}`, ...lines].join('\n')
  return tracebackOf(error)?.split('\n').slice(message.split('\n').length)
}

test('frames of ours and of Node are left out, others are named without their directories [T98]', () => {
  expect(
    traced([
      '    at Array.map (<anonymous>)',
      '    at fn (file:///srv/my engine/(v1)/own.ts:1:2)',
      '    at async /srv/app/node_modules/acme/dist/meter.js:3:4',
      '    at C:\\flows\\own.js:5:6',
      ours('core/src/live/node-execution.ts'),
      '    at async Promise.all (index 0)',
      '    at fn (/srv/node_modules/.pnpm/@flow-service+core@1.0.0/node_modules/@flow-service/core/dist/index.js:9:1)',
      '    at process (node:internal/process/task_queues:104:5)',
    ]),
  ).toEqual([
    '    at Array.map (<anonymous>)',
    '    at fn (own.ts:1:2)',
    '    at async node_modules/acme/dist/meter.js:3:4',
    '    at own.js:5:6',
  ])
})

test.each<[string, string[]]>([
  ['the engine', [ours('core/src/bus.ts'), '    at run (node:timers:1:2)']],
  ['a built-in type', [ours('node-types/src/types/exec/node.ts'), ours('core/src/live/node.ts')]],
  [
    'a package that a built-in type calls',
    [
      '    at x (/srv/node_modules/.pnpm/mqtt@5.0.0/node_modules/mqtt/build/client.js:1:2)',
      '    at new Promise (<anonymous>)',
      ours('node-types/src/types/mqtt/node.ts'),
    ],
  ],
  ['nobody', []],
])('an error of %s has no traceback', (_whose, lines) => {
  expect(traced(lines)).toBeUndefined()
})

test('who calls the engine has not failed, unless it is the code that calls us', () => {
  const host = '    at serve (/srv/host.js:7:8)'
  const failed = '    at fn (/srv/own.ts:1:2)'
  expect(traced([failed, ours('core/src/live/bus.ts'), host])).toEqual(['    at fn (own.ts:1:2)'])
  expect(traced([ours('core/src/engine-context.ts'), failed])).toEqual(['    at fn (own.ts:1:2)'])
})

test('a text that looks like frames stays a text', () => {
  const message = `first\n${ours('core/src/bus.ts')}`
  const error = new RangeError(message)
  expect(tracebackOf(error)).toMatch(/^RangeError: first\n.*bus\.ts:1:2\)\n {4}at .*traceback\.test\.ts:\d+:\d+\)?/)
  expect(traced(['    at fn (/srv/own.ts:1:2)'], message)).toEqual(['    at fn (own.ts:1:2)'])
})

test('an error without a stack has no traceback', () => {
  const error = new RangeError('bare')
  delete error.stack
  expect(tracebackOf(error)).toBeNull()
})
