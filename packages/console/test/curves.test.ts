/** Curves as columns: what of them is drawn, how they are smoothed, coloured and taken along. */
import { expect, test } from 'vitest'

import { Columns } from '../src/compare/columns.ts'
import { coloursOf, ramp } from '../src/parts/chart/colours.ts'
import { csvOf, svgOf, ticksOf } from '../src/parts/chart/picture.ts'
import { eachSeen, firstAt, nearest, rangeOf, type Series, smoothed } from '../src/parts/chart/series.ts'

const curve = (ys: readonly number[], more: Partial<Series> = {}): Series => ({
  key: 'a',
  name: 'a',
  colour: '#000',
  xs: Float64Array.from(ys, (_, at) => at),
  ys: Float64Array.from(ys),
  ...more,
})

test('of many points those are drawn that make the same picture, every spike among them', () => {
  const ys = Array.from({ length: 100_000 }, (_, at) => Math.sin(at / 9000))
  ys[31_337] = 50
  ys[77_777] = -50
  const seen: [number, number][] = []
  eachSeen(curve(ys), [0, 99_999], 500, (x, y) => seen.push([x, y]))
  expect(seen.length).toBeLessThanOrEqual(2000)
  expect(seen).toContainEqual([31_337, 50])
  expect(seen).toContainEqual([77_777, -50])
  expect([seen[0]?.[0], seen.at(-1)?.[0]]).toEqual([0, 99_999])
  expect(seen.map(([x]) => x)).toEqual(seen.map(([x]) => x).toSorted((a, b) => a - b))
})

test('of a part those points are drawn, and one at each side so that the line goes to the edge', () => {
  const seen: number[] = []
  eachSeen(curve([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), [3.5, 5.5], 500, (x) => seen.push(x))
  expect(seen).toEqual([3, 4, 5, 6])
})

test('a range has what can be drawn: nothing below zero on a logarithmic axis, room around a single value', () => {
  expect(
    rangeOf(
      [
        [1, Number.NaN, -5],
        [Infinity, 3],
      ],
      false,
    ),
  ).toEqual([-5, 3])
  expect(rangeOf([[1, -5, 0, 100]], true)).toEqual([1, 100])
  expect(rangeOf([[]], false)).toEqual([0, 1])
  expect(rangeOf([[-1, 0]], true)).toEqual([1, 10])
  const [low, high] = rangeOf([[7]], false)
  expect([low < 7, high > 7]).toEqual([true, true])
})

test('a smooth curve begins at its first value, and goes on behind a gap', () => {
  expect([...smoothed(Float64Array.of(4, 4, 4), 0.9)].map((y) => Math.round(y * 1e9) / 1e9)).toEqual([4, 4, 4])
  const [first, gap, second] = smoothed(Float64Array.of(1, Number.NaN, 3), 0.5)
  expect([first, gap]).toEqual([1, Number.NaN])
  expect(second).toBeCloseTo((1 * 0.25 + 3 * 0.5) / 0.75)
  const same = Float64Array.of(1, 2)
  expect(smoothed(same, 0)).toBe(same)
})

test('the nearest curve is told within a distance; those out of the selection are not', () => {
  const [low, high] = [curve([0, 0, 0], { key: 'low' }), curve([9, 9, 9], { key: 'high' })]
  const away = (x: number, y: number): number => Math.hypot(x - 1, y - 8)
  expect(nearest([low, high], 1, away, 5)).toMatchObject({ series: { key: 'high' }, at: 1 })
  expect(nearest([low, { ...high, isDim: true }], 1, away, 5)).toBeNull()
  expect(firstAt([1, 2, 2, 5], 2)).toBe(1)
})

test('few curves have hues of their own; many are coloured by the rank of a value, without the end that vanishes', () => {
  const few = coloursOf(['a', 'b', 'c'], () => 0, 'light')
  expect(new Set(few.values()).size).toBe(3)
  const keys = Array.from({ length: 20 }, (_, at) => `${at}`)
  const many = coloursOf(keys, (key) => (key === '7' ? Number.NaN : Number(key)), 'dark')
  expect(many.get('0')).toBe(ramp(1, 'dark'))
  expect(many.get('7')).toBe(ramp(0, 'dark'))
  expect(luminance(ramp(0, 'dark'))).toBeGreaterThan(luminance('rgb(23, 27, 34)') + 0.02)
  expect(luminance(ramp(1, 'light'))).toBeLessThan(0.6)
})

const luminance = (colour: string): number => {
  const parts = (colour.match(/\d+/g) ?? []).map((part) => (Number(part) / 255) ** 2.2)
  return 0.2126 * (parts[0] ?? 0) + 0.7152 * (parts[1] ?? 0) + 0.0722 * (parts[2] ?? 0)
}

test('ticks are round, and powers of ten on a logarithmic axis', () => {
  expect(ticksOf([0, 10], false)).toEqual([0, 2, 4, 6, 8, 10])
  expect(ticksOf([0.0005, 20], true)).toEqual([0.001, 0.01, 0.1, 1, 10])
})

test('a picture is a whole document whose names are texts, of the part that is shown', () => {
  const name = '<img src=x onerror=alert(1)>'
  const series = [curve([1, 2, 3, 4], { name }), curve([9, 9, 9, 9], { key: 'b', name: 'out', isDim: true })]
  const svg = svgOf({ title: '"loss" & more', xTitle: 'step', series, isLogX: false, isLogY: true, view: null })
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
  expect(svg).toContain('&lt;img src=x onerror=alert(1)')
  expect(svg).toContain('&quot;loss&quot; &amp; more')
  expect(svg).not.toContain('<img')
  expect(svg).not.toContain('>out<')
  const zoomed = { x: [1, 2], y: [2, 3] } as const
  expect(svgOf({ title: '', xTitle: 'step', series, isLogX: false, isLogY: false, view: zoomed })).toContain('>2.2<')
})

test('the numbers have the values before they were smoothed and the edges of bands, and no cell that is calculated', () => {
  const band = { low: Float64Array.of(0, 1), high: Float64Array.of(2, 3) }
  const series = [
    curve([1, 2], { name: '=HYPERLINK("x")', raw: Float64Array.of(5, -6), band }),
    curve([7, 8], { key: 'b', isDim: true }),
  ]
  expect(csvOf({ xTitle: 'step', series }).split('\r\n')).toEqual([
    'key,name,step,value,raw,low,high',
    `a,"'=HYPERLINK(""x"")",0,1,5,0,2`,
    `a,"'=HYPERLINK(""x"")",1,2,-6,1,3`,
  ])
})

test('columns grow at their end by what is new, and what was handed out before stays as it was', () => {
  const columns = new Columns()
  expect(columns.last).toBe(-1)
  columns.set([0, 1], [5, 'NaN'])
  const before = columns.now()
  expect(columns.add([1, 2, 3], [9, 9, 'Infinity'])).toBe(true)
  expect(columns.add([3], [1])).toBe(false)
  for (let x = 4; x < 1000; x += 1) columns.add([x], [x])
  expect([...before.ys]).toEqual([5, Number.NaN])
  expect([...columns.now().ys].slice(0, 6)).toEqual([5, Number.NaN, 9, Infinity, 4, 5])
  expect([columns.now().xs.length, columns.last]).toEqual([1000, 999])
})
