import { expect, test } from 'vitest'

import { largeText } from '../src/large-text.ts'

test('every letter and digit of codes is drawn in five lines, each in its own way', () => {
  const drawn = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'.split('').map(largeText)
  expect(drawn.filter((text) => text.split('\n').length !== 5 || !text.includes('█'))).toEqual([])
  expect(new Set(drawn).size).toBe(31)
})

test('letters stand beside each other', () => {
  expect(largeText('4F')).toBe(['  █  █   █████', '  █  █   █', '  █████  ████', '     █   █', '     █   █'].join('\n'))
})
