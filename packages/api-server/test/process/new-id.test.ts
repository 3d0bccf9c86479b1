import { validate, version } from 'uuid'
import { expect, test, vi } from 'vitest'

import { momentIds, newId } from '../../src/process/new-id.ts'

test('ids are UUIDs of version 7, each greater than the one before, over more than one fill of randomness', () => {
  const ids = Array.from({ length: 5_000 }, newId)
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids.map((id) => id.slice(24))).size).toBe(ids.length)
})

test('an id that was reserved is in its place, however late it is made', async () => {
  const reserved = Array.from({ length: 100 }, () => {
    const ids = momentIds()
    const number = ids.reserve()
    return { make: () => ids.make(number), after: newId() }
  })
  const startedMs = Date.now()
  await vi.waitUntil(() => Date.now() > startedMs)
  const made = reserved.toReversed().flatMap(({ make, after }) => [after, make()])
  expect(made.every((id) => validate(id) && version(id) === 7)).toBe(true)
  expect(made.toReversed()).toEqual(made.toSorted())
  expect(new Set(made).size).toBe(200)
  // what began at one time tells that time, not when its id was read
  expect(made.every((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) <= startedMs)).toBe(true)
})
