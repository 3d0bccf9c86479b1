import fc from 'fast-check'
import { expect, test } from 'vitest'

import { portOf } from '../src/flow/document.ts'
import { placeFor } from '../src/flow/place-for.ts'
import { heightOf, WIDTH } from '../src/flow/places.ts'
import { node } from './flow-documents.ts'

const made = node('new', [portOf('f', { direction: 'output', name: 'x' })])

test('the first node stands at the beginning, and the next one beside the chosen one', () => {
  expect(placeFor(made, {}, [], null)).toEqual({ x: 0, y: 0 })
  const place = placeFor(made, { a: { x: 0, y: 50 }, b: { x: 900, y: 0 } }, [node('a'), node('b')], 'a')
  expect(place.y).toBe(50)
  expect(place.x).toBeGreaterThan(WIDTH)
})

test('a new node covers no other one', () => {
  const place = fc.record({ x: fc.integer({ min: -900, max: 900 }), y: fc.integer({ min: -900, max: 900 }) })
  fc.assert(
    fc.property(fc.array(place, { maxLength: 30 }), (all) => {
      const nodes = all.map((_, at) => node(`n${at}`))
      const places = Object.fromEntries(all.map((one, at) => [`n${at}`, one]))
      const { x, y } = placeFor(made, places, nodes, 'n0')
      const covered = nodes.filter((other) => {
        const at = places[other.id] ?? { x: 0, y: 0 }
        return Math.abs(at.x - x) < WIDTH && at.y < y + heightOf(made) && y < at.y + heightOf(other)
      })
      expect(covered).toEqual([])
    }),
  )
})
