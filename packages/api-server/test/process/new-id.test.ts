import { validate, version } from 'uuid'
import { expect, test } from 'vitest'

import { newId } from '../../src/process/new-id.ts'

test('ids are UUIDs of version 7, each greater than the one before, over more than one fill of randomness', () => {
  const ids = Array.from({ length: 5_000 }, newId)
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids.map((id) => id.slice(24))).size).toBe(ids.length)
})
