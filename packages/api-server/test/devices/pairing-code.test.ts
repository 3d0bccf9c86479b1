import vectors from '@flow-service/protocol/device-vectors.json' with { type: 'json' }
import { expect, test } from 'vitest'

import {
  checkOf,
  credentialOf,
  foldCode,
  isProven,
  newCode,
  newSalt,
  newSecret,
  proofOf,
} from '../../src/devices/pairing-code.ts'

test('codes are eight characters that nobody takes for each other, of all there are [R124, T39]', () => {
  const codes = Array.from({ length: 2000 }, newCode)
  expect(codes.filter((code) => !/^[A-HJKMNP-Z2-9]{8}$/.test(code))).toEqual([])
  expect(new Set(codes.join('')).size).toBe(31)
  expect(new Set(codes).size).toBe(codes.length)
})

test('a code is the same in small letters, with spaces and in two halves', () => {
  expect([' k7m4qxab\n', 'K7M4-QXAB', 'K 7 M 4 Q X A B'].map(foldCode)).toEqual(Array(3).fill('K7M4QXAB'))
})

test('a check follows from the secret alone, and differs for most others [R125, T42]', () => {
  const secret = newSecret()
  expect(checkOf(proofOf(secret))).toBe(checkOf(proofOf(secret)))
  // SHA-256 of "abc" begins with ba 78
  expect(checkOf(proofOf('abc'))).toBe('A6')
  const checks = Array.from({ length: 500 }, () => checkOf(proofOf(newSecret())))
  expect(checks.filter((check) => check === checks[0]).length).toBeLessThan(20)
})

test('a secret is proven by itself alone, and never where none is stored [T37]', () => {
  const secret = newSecret()
  expect(isProven(secret, proofOf(secret))).toBe(true)
  expect(isProven(newSecret(), proofOf(secret))).toBe(false)
  expect(isProven(secret, null)).toBe(false)
})

test('a credential is the same as often as it is made of secret and salt, and another for another salt [T41]', () => {
  const [secret, salt] = [newSecret(), newSalt()]
  expect(credentialOf(secret, salt)).toMatch(/^[\w-]{43}$/)
  expect(credentialOf(secret, salt)).toBe(credentialOf(secret, salt))
  expect(credentialOf(secret, newSalt())).not.toBe(credentialOf(secret, salt))
})

test.each(vectors.pairing)('check and credential are those of the vectors: $check [R125]', (vector) => {
  expect(checkOf(proofOf(vector.secret))).toBe(vector.check)
  expect(credentialOf(vector.secret, Buffer.from(vector.salt_hex, 'hex'))).toBe(vector.credential)
})
