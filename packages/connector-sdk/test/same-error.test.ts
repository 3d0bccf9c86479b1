/** Errors of two copies of the package: that of an engine, and that of a package which has one of its own. */
import { expect, test } from 'vitest'

import { DtypeViolation, HookRefusal, StoreLimitError } from '../src/index.ts'

test('an error is told by its name, whichever copy of the class has made it', () => {
  class Theirs extends Error {
    override readonly name = 'HookRefusal'
  }
  class Own extends HookRefusal {}
  expect(new Theirs('no') instanceof HookRefusal).toBe(true)
  expect(new Own('no') instanceof HookRefusal).toBe(true)
  expect(new HookRefusal('no') instanceof Own).toBe(false)
  expect(new HookRefusal('no') instanceof DtypeViolation).toBe(false)
  expect(new Error('no') instanceof StoreLimitError).toBe(false)
  expect({ name: 'HookRefusal' } instanceof HookRefusal).toBe(false)
  expect(new StoreLimitError('no') instanceof RangeError).toBe(true)
})
