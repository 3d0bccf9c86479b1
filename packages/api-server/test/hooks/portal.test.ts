import { expect, test } from 'vitest'

import { portalCheck } from '../../src/hooks/portal.ts'

const through = (token: string | null, header?: string | string[]): boolean =>
  portalCheck(token)({ headers: header === undefined ? {} : { 'x-service-portal': header as string } })

test('without a token nothing is the portal, whatever a request says of itself [T59]', () => {
  expect(['', 'null', 'undefined', 'x', ['x', 'x']].filter((header) => through(null, header))).toEqual([])
  expect(through(null)).toBe(false)
})

test('with one only that very text is [T59]', () => {
  expect(through('token', 'token')).toBe(true)
  const others = ['', 'Token', 'token ', 'toke', 'tokenx', 'token, token', ['token'], ['token', 'token']]
  expect(others.filter((header) => through('token', header))).toEqual([])
  expect(through('token')).toBe(false)
})
