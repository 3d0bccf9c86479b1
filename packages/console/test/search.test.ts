import fc from 'fast-check'
import { expect, test } from 'vitest'

import { combinationsOf, textOf, valuesOf } from '../src/runs/search.ts'

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
  ['"a", "b,c"', 'str', ['a', 'b,c']],
  ['""', 'str', ['']],
  ['"a', 'str', ['"a']],
  ['"a", 1', 'str', ['"a", 1']],
  ['"1", "2"', 'any', ['1', '2']],
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

test.each([
  ['any', fc.jsonValue()],
  ['str', fc.string()],
  ['int', fc.integer()],
  ['float', fc.double({ noNaN: true, noDefaultInfinity: true })],
  ['bool', fc.boolean()],
  ['object', fc.dictionary(fc.string(), fc.jsonValue())],
  ['array', fc.array(fc.jsonValue())],
] as const)('a value of a run is typed again: %s', (dtype, drawn) => {
  fc.assert(
    fc.property(drawn as fc.Arbitrary<unknown>, (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown
      expect(valuesOf(textOf(plain, dtype), dtype)).toEqual({ values: [plain] })
    }),
  )
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
