import { atOnce, type Steps } from '@flow-service/core'
import { describe, expect, test } from 'vitest'

import { hasLongList, parseSteps, textSteps } from '../../src/http/long-json.ts'

/** The result of steps, and how many there were. */
function counted<T>(steps: Steps<T>): { readonly value: T; readonly steps: number } {
  for (let count = 0; ; count += 1) {
    const step = steps.next()
    if (step.done) return { value: step.value, steps: count }
  }
}

const texts = ['plain', '}, {', '"nodes": [{"id": "x"}, {', '\\"}],[{', 'größe \u{1F600}', '\n\t}', '"nodes":[']
const item = (at: number) => ({
  id: `n${at}`,
  settings: {
    text: texts[at % texts.length],
    list: [{ a: at }, { b: [{ c: null }, {}] }],
    nodes: [{ id: 'inner' }, {}],
  },
  ports: [{ name: `m${at}` }, { name: `m${at + 1}` }],
})
const many = Array.from({ length: 2_000 }, (_, at) => item(at))
const one = { id: 'huge', parts: Array.from({ length: 20_000 }, (_, at) => ({ at })) }

const values: [what: string, value: unknown][] = [
  ['a list among other members', { mode: 'live', nodes: many, title: 'nodes', outputs: [] }],
  ['a list behind a member whose key ends like its own', { 'a"nodes': [{}, {}], mode: 1, nodes: many }],
  ['a list of the name further inside first', { inner: { nodes: many }, nodes: [{ id: 'outer' }, { id: 'last' }] }],
  ['a list of the name further inside alone', { inner: { nodes: many } }],
  ['one huge item between others', { nodes: [...many.slice(0, 900), one, ...many.slice(900)], last: true }],
  [
    'much behind the list',
    { nodes: many.slice(0, 3), layout: Object.fromEntries(many.map((node) => [node.id, node])) },
  ],
  ['no list', { texts: many }],
  ['a text in place of the list', { nodes: '[{}, {'.repeat(40_000) }],
  ['a list at its top', many],
]

describe('a long text is parsed in steps as at once, with', () => {
  test.each(values)('%s', (_what, value) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 1)])
      expect(atOnce(parseSteps(text, 'nodes'))).toEqual(JSON.parse(text))
  })
})

test('a list is parsed and written some items a step, and what is short in none', () => {
  const value = { mode: 'live', nodes: many }
  const text = JSON.stringify(value)
  expect(counted(parseSteps(text, 'nodes')).steps).toBeGreaterThan(text.length / 100_000)
  expect(counted(textSteps(value)).steps).toBeGreaterThanOrEqual(many.length / 100 - 1)
  expect(counted(parseSteps('{"nodes":[{},{}]}', 'nodes')).steps).toBe(0)
  expect(counted(textSteps({ nodes: [{}, {}] })).steps).toBe(0)
  expect(counted(textSteps({ series: [{ points: many }] })).steps).toBeGreaterThanOrEqual(many.length / 100 - 1)
  const series = Array.from({ length: 101 }, () => ({ points: many.slice(0, 301) }))
  expect(counted(textSteps({ series })).steps).toBeGreaterThanOrEqual(101 * 3)
})

test('the order of members is that of the text', () => {
  const value = { b: 1, nodes: many, a: 2 }
  const parsed = atOnce(parseSteps(JSON.stringify(value), 'nodes'))
  expect(JSON.stringify(parsed)).toBe(JSON.stringify(value))
})

test.each([
  ['that ends in the list', (text: string) => text.slice(0, -200)],
  ['with a broken item', (text: string) => text.replace('"n1000"', '"n1000')],
  ['with a comma too many', (text: string) => text.replace(/\]\}$/, ',]}')],
])('a long text %s is refused as JSON.parse refuses it', (_what, broken) => {
  const text = broken(JSON.stringify({ nodes: many }))
  const refusal = (parse: () => unknown): string => {
    try {
      return JSON.stringify(parse())
    } catch (error) {
      return String(error)
    }
  }
  expect(refusal(() => atOnce(parseSteps(text, 'nodes')))).toBe(refusal(() => JSON.parse(text)))
})

test.each([
  ...values,
  ['members without a value', { nodes: [...many, undefined], none: undefined, call: () => 1 }],
  ['a value that has its own way', { nodes: many, toJSON: () => 'short' }],
  ['a number', 3],
  ['null', null],
  ['curves of series', { x: 'step', series: [{ run: 'a', points: many }, { run: 'b', points: [] }, null] }],
  ['what has no JSON beside a long list', { series: [undefined, () => 1, { points: many, none: undefined }] }],
  [
    'curves of many series',
    { series: Array.from({ length: 102 }, (_, at) => ({ at, points: many.slice(0, 101 + at) })) },
  ],
  ['short lists in a long list', many.map((_, at) => ({ at, items: [at, at + 1] }))],
])('a value is written in steps as at once, with %s', (_what, value) => {
  expect(atOnce(textSteps(value))).toBe(JSON.stringify(value))
})

test('a long list is one of more than a hundred items', () => {
  expect(hasLongList(many)).toBe(true)
  expect(hasLongList({ title: 'x', nodes: many.slice(0, 101) })).toBe(true)
  expect(hasLongList({ title: 'x', nodes: many.slice(0, 100) })).toBe(false)
  expect(hasLongList({ series: [{ points: many.slice(0, 100) }, { points: many.slice(0, 101) }] })).toBe(true)
  expect(hasLongList({ deep: { far: { below: { points: many } } } })).toBe(false)
})
