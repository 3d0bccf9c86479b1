import { expect, test } from 'vitest'

import { Recent } from '../../src/process/recent.ts'

const keysOf = (recent: Recent<string, number>): string[] => [...recent.all().keys()]
const recentOf = (count: number, weight: number) =>
  new Recent<string, number>({ count, weight, weightOf: (value) => value })

test('so many values are kept, and those that were used last', () => {
  const recent = recentOf(3, 100)
  for (const key of ['a', 'b', 'c']) recent.set(key, 1)
  expect(recent.get('a')).toBe(1)
  expect(recent.get('none')).toBeUndefined()
  recent.set('d', 1)
  expect(keysOf(recent)).toEqual(['c', 'a', 'd'])
  recent.set('c', 2)
  expect(keysOf(recent)).toEqual(['a', 'd', 'c'])
  expect(recent.get('c')).toBe(2)
})

test('values that weigh too much together go, but not the one that was used last', () => {
  const recent = recentOf(100, 10)
  for (const key of ['a', 'b', 'c']) recent.set(key, 3)
  recent.set('d', 4)
  expect(keysOf(recent)).toEqual(['b', 'c', 'd'])
  recent.set('e', 50)
  expect(keysOf(recent)).toEqual(['e'])
  recent.set('f', 1)
  expect(keysOf(recent)).toEqual(['f'])
})

test('what was taken of it before stays as it was', () => {
  const recent = recentOf(1, 10)
  recent.set('a', 1)
  const all = recent.all()
  recent.set('b', 1)
  expect([...all]).toEqual([['a', 1]])
})
