import { expect, test } from 'vitest'

import { drawCurves } from '../src/curve.ts'

const size = { width: 10, height: 4 }
const flat = { name: 'a', points: [0, 1, 2].map((x) => ({ x, y: 1 })) }
const dotsOf = (picture: string): number =>
  picture.split('').reduce((sum, character) => {
    const bits = character.codePointAt(0)! - 0x28_00
    return bits > 0 && bits < 256 ? sum + bits.toString(2).replaceAll('0', '').length : sum
  }, 0)

test('a band is dots around its line, as far as it reaches', () => {
  const band = [0, 1, 2].map((x) => ({ x, low: 0, high: 2 }))
  const [line, banded] = [drawCurves([flat], size), drawCurves([{ ...flat, band }], size)]
  expect(dotsOf(line)).toBe(20)
  // a quarter of 20 by 16 dots beside the line
  expect(dotsOf(banded)).toBe(20 + 75)
  expect(banded.split('\n')[0]).toMatch(/^2 /)
})

test('points of a band that are not finite are left out', () => {
  const band = [{ x: 0, low: -Infinity, high: Infinity }]
  expect(dotsOf(drawCurves([{ ...flat, band }], size))).toBe(20)
  expect(drawCurves([{ name: 'a', points: [], band }], size)).toBe('no points')
})
