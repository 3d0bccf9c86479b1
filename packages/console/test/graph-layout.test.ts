import { expect, test } from 'vitest'

import { CARD_WIDTH, type GraphWire, layoutOf } from '../src/parts/graph-layout.ts'

const nodesOf = (ids: string) => ids.split('').map((id) => ({ id, title: id, type: 'python', status: 'idle' }))
/** `ab` is a wire from a to b; `a` one that nobody reads. */
const wiresOf = (...pairs: string[]): GraphWire[] =>
  pairs.map(([from = '', to = null]) => ({ from, to, message: `of ${from}` }))
const layout = (ids: string, ...pairs: string[]) => layoutOf({ nodes: nodesOf(ids), wires: wiresOf(...pairs) })

/** Columns of nodes, each from the top. */
function columns({ places }: ReturnType<typeof layoutOf>): string[] {
  const byX = Object.groupBy(places, ([, { x }]) => String(x).padStart(6))
  return Object.keys(byX)
    .toSorted()
    .map((x) =>
      (byX[x] ?? [])
        .toSorted(([, a], [, b]) => a.y - b.y)
        .map(([id]) => id)
        .join(''),
    )
}

test('a node stands behind all that it reads', () => {
  expect(columns(layout('abcd', 'ab', 'bc', 'ac', 'cd'))).toEqual(['a', 'b', 'c', 'd'])
  expect(columns(layout('dcba', 'ad', 'bd', 'cd'))[1]).toBe('d')
})

test('columns are ordered so that wires do not cross', () => {
  expect(columns(layout('abcxyz', 'az', 'by', 'cx'))).toEqual(['abc', 'zyx'])
})

test('circles and wires to oneself are drawn, below the cards', () => {
  const { wires, height, places } = layout('ab', 'ab', 'ba', 'aa')
  expect(columns(layout('ab', 'ab', 'ba', 'aa'))).toEqual(['a', 'b'])
  expect(wires).toHaveLength(3)
  expect(height).toBeGreaterThan(Math.max(...[...places.values()].map((place) => place.y + place.height)) + 8)
})

test('no card covers another, and all are in the picture', () => {
  const ids = 'abcdefghijklmnopqrstuvwxyz'
  const pairs = ids
    .split('')
    .flatMap((from, at) => [ids[(at * 7) % 26], ids[(at * 11 + 3) % 26]].map((to) => `${from}${to}`))
  const { places, width, height } = layout(ids, ...pairs)
  const boxes = [...places.values()]
  for (const [at, one] of boxes.entries()) {
    expect(one.x).toBeGreaterThanOrEqual(0)
    expect(one.y).toBeGreaterThanOrEqual(0)
    expect(one.x + CARD_WIDTH).toBeLessThanOrEqual(width)
    expect(one.y + one.height).toBeLessThanOrEqual(height)
    for (const other of boxes.slice(at + 1))
      expect(one.x !== other.x || one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true)
  }
})

test('a wire over a column passes its cards', () => {
  const { wires, places } = layout('abc', 'ab', 'bc', 'ac')
  const b = places.get('b') ?? { x: 0, y: 0, height: 0 }
  const [, , over] = wires
  // it runs level through the column of b, beside the card
  const [, y = ''] = new RegExp(` ${b.x} ([\\d.]+)h${CARD_WIDTH}`).exec(over?.path ?? '') ?? []
  expect(Number(y) < b.y || Number(y) > b.y + b.height).toBe(true)
})

test('a message is named once, whoever reads it, and also when nobody does', () => {
  const { outlets } = layout('abc', 'ab', 'ac', 'b')
  expect(outlets.map(({ message }) => message)).toEqual(['of a', 'of b'])
})

test('nodes that are tied to none stand below, and wires of unknown nodes are none', () => {
  const { places, wires } = layout('abxy', 'ab', 'qa')
  const [a, x, y] = ['a', 'x', 'y'].map((id) => places.get(id))
  expect(x?.y).toBeGreaterThan(a?.y ?? Infinity)
  expect(y?.y).toBe(x?.y)
  expect(wires).toHaveLength(1)
  expect(layoutOf({ nodes: [], wires: [] }).wires).toEqual([])
})
