import { expect, test } from 'vitest'

import { createSignInLimit } from '../../src/auth/sign-in-limit.ts'

const fail = (limit: ReturnType<typeof createSignInLimit>, address: string, times: number) => {
  for (let attempt = 0; attempt < times; attempt += 1) limit.begin(address)
}
const refused = 'too many failed sign-ins from this address: wait 60 s'

test('the 11th failure of a minute is refused, and the time to wait shrinks', () => {
  let now = 0
  const limit = createSignInLimit(() => now)
  fail(limit, '203.0.113.1', 10)
  expect(() => limit.begin('203.0.113.1')).toThrow(refused)
  now = 59_000
  expect(() => limit.begin('203.0.113.1')).toThrow('wait 1 s')
  now = 60_000
  fail(limit, '203.0.113.1', 10)
  expect(() => limit.begin('203.0.113.1')).toThrow(refused)
})

test('an attempt that succeeds is taken back, once', () => {
  const limit = createSignInLimit(() => 0)
  fail(limit, '203.0.113.1', 9)
  const succeeded = limit.begin('203.0.113.1')
  succeeded()
  fail(limit, '203.0.113.1', 1)
  expect(() => limit.begin('203.0.113.1')).toThrow(refused)
})

test('IPv4 addresses are told apart, also when written as IPv6', () => {
  const limit = createSignInLimit(() => 0)
  fail(limit, '::ffff:203.0.113.1', 10)
  expect(() => limit.begin('203.0.113.1')).toThrow(refused)
  expect(() => limit.begin('::ffff:203.0.113.2')).not.toThrow()
})

test('IPv6 addresses of one /64 count together, and no others', () => {
  const limit = createSignInLimit(() => 0)
  for (let host = 1; host <= 10; host += 1) limit.begin(`2001:db8:0:1::${host}`)
  expect(() => limit.begin('2001:db8:0:1:a:b:c:d')).toThrow(refused)
  expect(() => limit.begin('2001:db8:0:2::1')).not.toThrow()
  expect(() => limit.begin('2001:db8::1')).not.toThrow()
})

test('addresses beyond what is remembered push out those that failed longest ago', () => {
  const limit = createSignInLimit(() => 0)
  fail(limit, '203.0.113.1', 10)
  for (let each = 0; each < 9_999; each += 1) limit.begin(`10.${each >> 16}.${(each >> 8) & 255}.${each & 255}`)
  expect(() => limit.begin('203.0.113.1')).toThrow(refused)
  limit.begin('198.51.100.1')
  expect(() => limit.begin('203.0.113.1')).not.toThrow()
})
