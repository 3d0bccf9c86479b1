import { expect, test } from 'vitest'

import { parseRange } from '../../src/artifacts/byte-range.ts'

test.each([
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=2-5', { first: 2, last: 5 }],
  ['bytes=2-', { first: 2, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-30', { first: 0, last: 9 }],
  ['bytes=8-99', { first: 8, last: 9 }],
] as const)('%s of 10 bytes is %o', (header, range) => {
  expect(parseRange(header, 10)).toEqual(range)
})

test.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('%s of 10 bytes cannot be satisfied', (header) => {
  expect(parseRange(header, 10)).toBe('unsatisfiable')
})

test.each([undefined, '', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=1e1-2'])(
  '%s asks for the whole',
  (header) => {
    expect(parseRange(header, 10)).toBeNull()
  },
)

test('nothing of no bytes can be satisfied', () => {
  expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable')
  expect(parseRange('bytes=-1', 0)).toBe('unsatisfiable')
})
