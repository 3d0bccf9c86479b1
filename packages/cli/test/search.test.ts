import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { integers } from '../src/grammar/options.ts'
import { searchOf } from '../src/search.ts'

const dir = mkdtempSync(join(tmpdir(), 'search-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const fileWith = (content: string): string => {
  const file = join(dir, 'entries.json')
  writeFileSync(file, content)
  return file
}

test('axes span a grid over fixed parameters, once for each seed', () => {
  expect(searchOf([], { param: ['epochs=5'], grid: ['lr=0.1,0.3', 'name=["a,b"]'], seeds: [1, 2] })).toEqual({
    runs: [
      { epochs: 5, lr: 0.1, name: 'a,b' },
      { epochs: 5, lr: 0.1, name: 'a,b' },
      { epochs: 5, lr: 0.3, name: 'a,b' },
      { epochs: 5, lr: 0.3, name: 'a,b' },
    ],
    seeds: [1, 2, 1, 2],
  })
  expect(searchOf([], {})).toEqual({ runs: [{}] })
})

test('entries of a file go over fixed parameters', () => {
  const file = fileWith('[{"lr": 0.1}, {"lr": 0.3, "epochs": 9}]')
  expect(searchOf([], { file, param: ['epochs=5'] })).toEqual({
    runs: [
      { epochs: 5, lr: 0.1 },
      { epochs: 9, lr: 0.3 },
    ],
  })
})

test('what is no search says so', () => {
  expect(() => searchOf([], { grid: ['lr'] })).toThrow('"lr" has no name')
  expect(() => searchOf([], { grid: ['a=1'], file: 'x.json' })).toThrow('not both')
  expect(() => searchOf([], { file: fileWith('[{"lr": oops}]') })).toThrow('entries.json:1:9: no JSON: ')
  expect(() => searchOf([], { file: fileWith('{"lr": 1}') })).toThrow('is no list of params')
  expect(() => searchOf([], { file: fileWith('[1]') })).toThrow('is no list of params')
})

test('numbers are listed or ranged', () => {
  expect(integers('1,3..5,-2..-1')).toEqual([1, 3, 4, 5, -2, -1])
  for (const bad of ['', '1.5', '5..1', '1..20000', 'x']) expect(() => integers(bad)).toThrow('Give a')
})
