import { expect, test } from 'vitest'

import { seededRandom } from '../src/random.ts'

test('a seed gives the same numbers on every machine and in every version', () => {
  const random = seededRandom('7')
  expect([random(), random(), random()]).toMatchInlineSnapshot(`
    [
      0.14431843763438312,
      0.5340357030052372,
      0.8282080085725695,
    ]
  `)
})

test('numbers are spread evenly over [0, 1)', () => {
  const random = seededRandom('even')
  const counts = Array.from({ length: 10 }, () => 0)
  for (let count = 0; count < 100_000; count += 1) {
    counts[Math.floor(random() * 10)]! += 1
  }
  expect(counts).toHaveLength(10)
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500)
})
