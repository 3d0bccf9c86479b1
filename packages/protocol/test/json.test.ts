import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { artifactRefsIn, canonicalJson, timestampInputSchema, timestampOf } from '../src/index.ts'

describe('canonical JSON', () => {
  test('keys are sorted by code units at every depth and nothing else changes', () => {
    expect(canonicalJson({ b: [1, { z: 1, a: '\u20ac' }], a: 1e21, '\u00e9': -0 })).toBe(
      '{"a":1e+21,"b":[1,{"a":"\u20ac","z":1}],"\u00e9":0}',
    )
  })

  test('it parses back to the same value, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  test('a number without a JSON spelling is refused', () => {
    expect(() => canonicalJson({ x: Number.NaN })).toThrow('NaN has no JSON spelling')
  })
})

describe('timestamps', () => {
  test('they carry six decimals and a numeric offset, before 1970 as well [R017]', () => {
    expect(timestampOf(1_700_000_000_000_001)).toBe('2023-11-14T22:13:20.000001+00:00')
    expect(timestampOf(-1)).toBe('1969-12-31T23:59:59.999999+00:00')
    expect(timestampOf(1_700_000_000_000_999)).toBe('2023-11-14T22:13:20.000999+00:00')
    expect(timestampOf(1_700_000_000_001_000)).toBe('2023-11-14T22:13:20.001000+00:00')
  })

  test.each([
    ['0001-01-01T00:00:00+15:59', true],
    ['9999-12-31T23:59:59.999999-15:59', true],
    ['0000-12-31T00:00:00Z', false],
    ['2026-01-31T08:00:00+16:00', false],
    ['2026-01-31T08:00:00-20:00', false],
  ])('%s from a client fits a database: %s', (time, fits) => {
    expect(timestampInputSchema.safeParse(time).success).toBe(fits)
  })
})

describe('references inside values', () => {
  test('are found at any depth', () => {
    const ref = { digest: `sha256:${'a'.repeat(64)}`, name: '', media_type: 'text/plain', size: 0, volatile: false }
    expect(artifactRefsIn({ a: [ref, { b: ref }], c: { digest: 'sha256:1', media_type: 'x' } })).toEqual([ref, ref])
  })
})
