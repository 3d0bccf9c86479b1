import { expect, test } from 'vitest'

import { createSignInLimit } from '../../src/auth/sign-in-limit.ts'

type Limit = ReturnType<typeof createSignInLimit>

/** Each attempt claims another name. */
const begin = (limit: Limit, address: string) => limit.begin(address, crypto.randomUUID())

const fail = (limit: Limit, address: string, times: number) => {
  for (let attempt = 0; attempt < times; attempt += 1) begin(limit, address)
}

/** Failures on one account, each from another address. */
const failOn = (limit: Limit, account: string, times: number) => {
  for (let attempt = 0; attempt < times; attempt += 1) limit.begin(`10.${attempt}.0.1`, account)
}
const refused = 'too many failed sign-ins from this address: wait 60 s'

test('the 11th failure of a minute is refused, and the time to wait shrinks', () => {
  let now = 0
  const limit = createSignInLimit(() => now)
  fail(limit, '203.0.113.1', 10)
  expect(() => begin(limit, '203.0.113.1')).toThrow(refused)
  now = 59_000
  expect(() => begin(limit, '203.0.113.1')).toThrow('wait 1 s')
  now = 60_000
  fail(limit, '203.0.113.1', 10)
  expect(() => begin(limit, '203.0.113.1')).toThrow(refused)
})

test('an attempt that succeeds is taken back, once', () => {
  const limit = createSignInLimit(() => 0)
  fail(limit, '203.0.113.1', 9)
  const succeeded = begin(limit, '203.0.113.1')
  succeeded()
  fail(limit, '203.0.113.1', 1)
  expect(() => begin(limit, '203.0.113.1')).toThrow(refused)
})

test('IPv4 addresses are told apart, also when written as IPv6', () => {
  const limit = createSignInLimit(() => 0)
  fail(limit, '::ffff:203.0.113.1', 10)
  expect(() => begin(limit, '203.0.113.1')).toThrow(refused)
  expect(() => begin(limit, '::ffff:203.0.113.2')).not.toThrow()
})

test('IPv6 addresses of one /64 count together, and no others', () => {
  const limit = createSignInLimit(() => 0)
  for (let host = 1; host <= 10; host += 1) begin(limit, `2001:db8:0:1::${host}`)
  expect(() => begin(limit, '2001:db8:0:1:a:b:c:d')).toThrow(refused)
  expect(() => begin(limit, '2001:db8:0:2::1')).not.toThrow()
  expect(() => begin(limit, '2001:db8::1')).not.toThrow()
})

test('addresses beyond what is remembered push out those that failed longest ago', () => {
  const limit = createSignInLimit(() => 0)
  fail(limit, '203.0.113.1', 10)
  for (let each = 0; each < 9_999; each += 1) begin(limit, `10.${each >> 16}.${(each >> 8) & 255}.${each & 255}`)
  expect(() => begin(limit, '203.0.113.1')).toThrow(refused)
  begin(limit, '198.51.100.1')
  expect(() => begin(limit, '203.0.113.1')).not.toThrow()
})

test('an account is tried every 3 seconds once it had 20 failures of a minute, from wherever they come [T2]', () => {
  let now = 0
  const limit = createSignInLimit(() => now)
  failOn(limit, 'ann@example.org', 20)
  expect(() => limit.begin('192.0.2.1', 'ann@example.org')).toThrow(
    'too many failed sign-ins with this user name: wait 3 s',
  )
  expect(() => limit.begin('192.0.2.1', 'bob@example.org')).not.toThrow()
  now = 3_000
  const succeeded = limit.begin('192.0.2.1', 'ann@example.org')
  expect(() => limit.begin('192.0.2.2', 'ann@example.org')).toThrow('wait 3 s')
  succeeded()
  now = 60_000
  failOn(limit, 'ann@example.org', 20)
})

test('an account that is slowed is not so where it has signed in before, for which the address counts as ever', () => {
  const limit = createSignInLimit(() => 0)
  limit.begin('192.0.2.1', 'ann@example.org')()
  failOn(limit, 'ann@example.org', 20)
  for (let attempt = 0; attempt < 10; attempt += 1) limit.begin('192.0.2.1', 'ann@example.org')
  expect(() => limit.begin('192.0.2.1', 'ann@example.org')).toThrow(refused)
  expect(() => limit.begin('192.0.2.2', 'ann@example.org')).toThrow('with this user name')
})

test('an attempt that its address refuses does not count against the account', () => {
  const limit = createSignInLimit(() => 0)
  fail(limit, '203.0.113.1', 10)
  for (let attempt = 0; attempt < 30; attempt += 1)
    expect(() => limit.begin('203.0.113.1', 'ann@example.org')).toThrow(refused)
  failOn(limit, 'ann@example.org', 20)
})

test('names, and places where they have signed in, are remembered up to a number [T2]', () => {
  const limit = createSignInLimit(() => 0)
  const addressOf = (nth: number): string => `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`
  const isSlowed = (): boolean => {
    try {
      limit.begin('192.0.2.2', 'ann@example.org')
      return false
    } catch {
      return true
    }
  }
  failOn(limit, 'ann@example.org', 20)
  for (let nth = 0; nth < 9_999; nth += 1) limit.begin(addressOf(nth), `claimed-${nth}@example.org`)
  expect(isSlowed()).toBe(true)
  limit.begin('198.51.100.1', 'one-more@example.org')
  expect(isSlowed()).toBe(false)

  limit.begin('192.0.2.1', 'bob@example.org')()
  failOn(limit, 'bob@example.org', 20)
  for (let nth = 0; nth < 9_999; nth += 1) limit.begin(addressOf(nth), `true-${nth}@example.org`)()
  expect(() => limit.begin('192.0.2.1', 'bob@example.org')).not.toThrow()
  limit.begin('198.51.100.1', 'true-one-more@example.org')()
  expect(() => limit.begin('192.0.2.1', 'bob@example.org')).toThrow('with this user name')
})
