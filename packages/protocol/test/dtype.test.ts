import { describe, expect, test } from 'vitest'

import { accepts, compatible, describeValue, type Dtype, normalDtype } from '../src/index.ts'

const image = { digest: `sha256:${'0'.repeat(64)}`, name: 'a.png', media_type: 'image/png', size: 3, volatile: false }
const video = { ...image, media_type: 'video/mp4' }
const model = { ...image, media_type: 'application/json' }

const rows: [Dtype, unknown[], unknown[]][] = [
  ['any', [null, 0, '', false, {}, []], [undefined]],
  ['float', [0, 1.5, -0, 'NaN', 'Infinity', '-Infinity'], ['1', Number.NaN, Number.POSITIVE_INFINITY, null, true]],
  ['int', [0, 3, -7, 2 ** 53 - 1, 3.0], [3.5, 2 ** 53, '3', 'NaN', null, true]],
  ['str', ['', 'x'], [1, null, {}]],
  ['bool', [true, false], [0, 1, 'true', null]],
  ['object', [{}, { a: 1 }], [[], null, 'x']],
  ['array', [[], [1]], [{}, null, 'x']],
  ['image', [image], [video, model, {}, 'x', null]],
  ['media', [image, video], [model, null]],
  ['artifact', [image, video, model], [{ digest: 'sha256:12', media_type: 'x' }, null]],
]

describe('dtypes', () => {
  test.each(rows)('%s takes what it should and nothing else [R069]', (dtype, good, bad) => {
    expect(good.filter((value) => !accepts(dtype, value))).toEqual([])
    expect(bad.filter((value) => accepts(dtype, value))).toEqual([])
  })

  test('a producer feeds equal and wider consumers, and any is settled at delivery', () => {
    for (const [from, to] of [
      ['int', 'float'],
      ['image', 'media'],
      ['image', 'artifact'],
      ['media', 'artifact'],
      ['any', 'int'],
      ['int', 'any'],
      ['str', 'str'],
    ] as const)
      expect([from, to, compatible(from, to)]).toEqual([from, to, true])
    for (const [from, to] of [
      ['float', 'int'],
      ['media', 'image'],
      ['str', 'bool'],
      ['object', 'array'],
    ] as const)
      expect([from, to, compatible(from, to)]).toEqual([from, to, false])
  })

  test('dict and list are read as object and array', () => {
    expect([normalDtype('dict'), normalDtype('list'), normalDtype('int')]).toEqual(['object', 'array', 'int'])
  })

  test('a described value never grows beyond one line of a message', () => {
    expect(describeValue('x'.repeat(500))).toHaveLength(80)
    expect(describeValue(undefined)).toBe('nothing')
    expect(describeValue(`x${'😀'.repeat(100)}`).isWellFormed()).toBe(true)
  })
})
