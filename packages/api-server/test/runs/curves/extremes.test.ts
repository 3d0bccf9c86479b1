import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ThinCurve } from '../../../src/runs/curves/extremes.ts'

// no -0, which `Math.min` tells apart from 0 and a curve does not
const values = fc
  .oneof(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), fc.constantFrom(NaN, Infinity, -Infinity, 0))
  .map((value) => value + 0)
const curves = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 50 }), values), { minLength: 1, maxLength: 300 })
  .map((steps) => {
    let x = -1
    return steps.map(([gap, y]): [x: number, y: number] => [(x += gap), y])
  })

const thin = (points: readonly [number, number][], most: number) => {
  const curve = new ThinCurve(most, points.at(-1)?.[0] ?? 0)
  // in chunks, as curves are stored
  for (let from = 0; from < points.length; from += 7) {
    const part = points.slice(from, from + 7)
    const column = (of: (point: readonly [number, number]) => number): Float64Array => Float64Array.from(part, of)
    curve.add(
      column(([x]) => x),
      column(([, y]) => y),
      column(([x]) => x * 10),
    )
  }
  return curve.columns()
}

/** With a point at a third of the way, which is there or just before by rounding. */
const between: [number, number][] = [0, 9, 19, 62, 107, 157, 165, 214, 237, 243, 271, 321].map((x, at) => [
  x,
  [0, NaN, 0, NaN, 0, NaN, 5e-324, 0, NaN, 0, 0, NaN][at]!,
])

describe('a thinned curve', () => {
  test('has its ends and the extremes of each range, in order, and no more than it may', () => {
    fc.assert(
      fc.property(curves, fc.integer({ min: 2, max: 60 }), (points, most) => {
        const { x, y, t } = thin(points, most)
        expect(x.length).toBeLessThanOrEqual(most)
        expect(t).toEqual(x.map((one) => one * 10))
        if (points.length <= most) {
          expect(x).toEqual(points.map(([one]) => one))
          return
        }
        const given = new Map(x.map((one, at) => [one, y[at]]))
        for (const [one, value] of given)
          expect(Object.is(Number(value), points.find(([at]) => at === one)?.[1])).toBe(true)
        expect(x).toEqual([...x].toSorted((a, b) => a - b))
        expect([x[0], x.at(-1)]).toEqual([points[0]?.[0], points.at(-1)?.[0]])
        const ranges = Math.floor(most / 2) - 1
        const [first, last] = [points[0]![0], points.at(-1)![0]]
        // a point between two ranges is in that of them to which it is rounded
        const density = last > first ? ranges / (last - first) : 0
        const parts = Map.groupBy(points, ([at]) => Math.min(ranges - 1, Math.floor((at - first) * density)))
        for (const part of ranges > 0 ? parts.values() : []) {
          const finite = part.map(([, value]) => value).filter((value) => Number.isFinite(value))
          const shown = part.flatMap(([at]) => (given.has(at) ? [Number(given.get(at))] : []))
          if (finite.length === 0) expect(shown.length).toBeGreaterThan(0)
          else {
            const finiteShown = shown.filter((value) => Number.isFinite(value))
            expect(Math.min(...finiteShown)).toBe(Math.min(...finite))
            expect(Math.max(...finiteShown)).toBe(Math.max(...finite))
          }
        }
      }),
      { numRuns: 2000, examples: [[between, 8]] },
    )
  })

  test('keeps a spike of one point in a million', () => {
    const curve = new ThinCurve(1000, 999_999)
    const steps = Float64Array.from({ length: 1_000_000 }, (_, at) => at)
    curve.add(
      steps,
      steps.map((at) => (at === 654_321 ? 1e9 : Math.sin(at))),
      null,
    )
    const { x, y } = curve.columns()
    expect(y[x.indexOf(654_321)]).toBe(1e9)
  })
})
