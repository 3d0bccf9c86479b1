import { expect, test } from 'vitest'

import { apiAddress } from '../src/sign-in.ts'
import { duration, oneLine, printable, table } from '../src/table.ts'
import { parsePairs } from '../src/values.ts'

test.each([
  [null, '-'],
  [0, '0.00 s'],
  [9.994, '9.99 s'],
  [12.34, '12.3 s'],
  [59.96, '1 min 0 s'],
  [119.7, '2 min 0 s'],
  [125, '2 min 5 s'],
])('a duration of %s seconds reads %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

test('columns are as wide as their widest cell, and an empty list is a sentence', () => {
  expect(
    table(
      ['ID', 'NAME'],
      [
        ['1', 'a'],
        ['22', ''],
      ],
      'None.',
    ),
  ).toBe('ID  NAME\n1   a\n22')
  expect(table(['ID'], [], 'None.')).toBe('None.')
})

test('a value stands on one line of at most its width', () => {
  expect(oneLine({ a: [1, 'x'] })).toBe('{"a":[1,"x"]}')
  expect(oneLine('x'.repeat(200), 10)).toBe('xxxxxxx...')
  expect(oneLine(undefined)).toBe('null')
})

test('what a terminal would obey is spelled out, whoever has sent it', () => {
  expect(oneLine('\u001b[2J\u001b]0;mine\u0007')).toBe(String.raw`\u001b[2J\u001b]0;mine\u0007`)
  expect(oneLine({ a: '\u009b31m\u202e' })).toBe(String.raw`{"a":"\u009b31m\u202e"}`)
  expect(oneLine('one\ntwo\tthree')).toBe(String.raw`one two\u0009three`)
  expect(printable('two\nlines\r')).toBe('two\nlines\\u000d')
})

test('a parameter is JSON or text, and may hold further equal signs', () => {
  expect(parsePairs(['n=4', 'on=true', 'tags=["a"]', 'text=a=b', 'empty='])).toEqual({
    n: 4,
    on: true,
    tags: ['a'],
    text: 'a=b',
    empty: '',
  })
  expect(() => parsePairs(['n'])).toThrow('"n" has no name')
})

test('the address of an API ends in /api/v1, with or without slashes behind it', () => {
  expect(apiAddress('https://example.com/api/v1//')).toBe('https://example.com/api/v1')
  for (const text of ['localhost', 'ftp://example.com/api/v1', 'http://example.com', 'http://:x/api/v1'])
    expect(() => apiAddress(text)).toThrow(`"${text}" is no API address`)
})
