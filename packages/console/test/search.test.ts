import { expect, test } from 'vitest'

import { combinationsOf, valuesOf } from '../src/runs/search.ts'

test.each([
  ['', 'float', []],
  ['0.1, 3e-2,-5', 'float', [0.1, 0.03, -5]],
  ['1..4', 'int', [1, 2, 3, 4]],
  ['1..2, 9', 'int', [1, 2, 9]],
  ['true,false', 'bool', [true, false]],
  ['a, b', 'str', ['a, b']],
  ['[1, 2]', 'array', [[1, 2]]],
  ['{"a": 1}', 'object', [{ a: 1 }]],
  ['north', 'any', ['north']],
  ['1,2', 'any', [1, 2]],
  ['null', 'any', [null]],
])('"%s" as %s', (text, dtype, values) => {
  expect(valuesOf(text, dtype)).toEqual({ values })
})

test.each([
  ['1.5', 'int'],
  ['abc', 'float'],
  ['0x10', 'float'],
  ['yes', 'bool'],
  ['{a}', 'object'],
])('"%s" is no %s', (text, dtype) => {
  expect(valuesOf(text, dtype)).toEqual({ fault: expect.any(String) })
})

test('several values span all combinations, as many as a sweep takes', () => {
  const fields = [
    { name: 'lr', values: [0.1, 0.3] },
    { name: 'depth', values: [] },
    { name: 'name', values: ['a'] },
  ]
  expect(combinationsOf(fields)).toEqual([
    { lr: 0.1, name: 'a' },
    { lr: 0.3, name: 'a' },
  ])
  expect(combinationsOf([])).toEqual([{}])
  const many = valuesOf('1..999999999', 'int')
  expect('values' in many && combinationsOf([{ name: 'n', ...many }])).toBeNull()
})
