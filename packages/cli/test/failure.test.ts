import { expect, test } from 'vitest'

import { refusalText } from '../src/failure.ts'

test('a refusal names the places that its sentence does not tell', () => {
  const text = (detail: string, ...errors: { path: string; message: string }[]): string =>
    refusalText({ status: 422, problem: { detail, errors } })
  expect(text('flow "x": no secret', { path: '/nodes/0', message: 'no secret' })).toBe(
    'flow "x": no secret; /nodes/0: no secret',
  )
  expect(text('flow "x": its module is gone', { path: '', message: 'its module is gone' })).toBe(
    'flow "x": its module is gone',
  )
  expect(text('it has errors', { path: '', message: 'one' }, { path: '/a', message: 'two' })).toBe(
    'it has errors; one; /a: two',
  )
  expect(text('/a: bad', { path: '/a', message: 'bad' })).toBe('/a: bad')
})
