import { expect, test, vi } from 'vitest'

import { failed, refusalText } from '../src/failure.ts'

test('a refusal of several places is a line each, and its sentence counts none of them', () => {
  const told: string[] = []
  using _ = vi.spyOn(console, 'error').mockImplementation((line: string) => void told.push(line))
  const refusal = (...errors: { path: string; message: string }[]) => {
    const detail = `/a: bad${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`
    return Object.assign(new Error(detail), { name: 'ApiError', status: 422, problem: { detail, errors } })
  }
  expect(failed(refusal({ path: '/a', message: 'bad' }, { path: '/b', message: 'worse' }))).toBe(1)
  expect(failed(refusal({ path: '/a', message: 'bad' }))).toBe(1)
  expect(told).toEqual(['error: /a: bad', '  /b: worse', 'error: /a: bad'])
})

test('a name that is none comes with the command that lists the right ones', () => {
  const told: string[] = []
  using _ = vi.spyOn(console, 'error').mockImplementation((line: string) => void told.push(line))
  const refusal = (status: number, detail: string) =>
    Object.assign(new Error(detail), { name: 'ApiError', status, problem: { detail } })
  failed(refusal(404, 'there is no flow "x"'))
  failed(refusal(404, 'there is no run "y"'))
  failed(refusal(404, 'flow "x" has no node "z"'))
  failed(refusal(409, 'flow "x" is live'))
  expect(told).toEqual([
    'error: there is no flow "x"',
    '  see what there is: service flows list',
    'error: there is no run "y"',
    '  see what there is: service runs list',
    'error: flow "x" has no node "z"',
    'error: flow "x" is live',
  ])
})

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
