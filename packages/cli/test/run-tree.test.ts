import { stripVTControlCharacters } from 'node:util'

import { expect, test, vi } from 'vitest'

import { drawCurves } from '../src/curve.ts'
import { bars, RunTree } from '../src/run-tree.ts'

type Document = ConstructorParameters<typeof RunTree>[0]

const port = (direction: 'input' | 'output', name: string) => ({ direction, name })
const document = {
  nodes: [
    { id: 'score', ports: [port('input', 'model'), port('output', 'accuracy')] },
    { id: 'train', ports: [port('input', 'rows'), port('output', 'model'), port('output', 'loss')] },
    { id: 'clean', ports: [port('output', 'rows')] },
  ],
} as unknown as Document

function treeOf() {
  let written = ''
  let nowMs = 0
  const tree = new RunTree(document, { write: (text: string) => (written += text) }, () => nowMs)
  const node = (
    id: string,
    status: string,
    rest: { cached?: boolean; error?: { type: string; message: string } } = {},
  ) => tree.node({ type: 'node', node: id, status, cached: false, error: null, ...rest } as never)
  const value = (id: string, message: string, given: number) =>
    tree.value({ type: 'value', node: id, message, value: given } as never)
  const lines = () => tree.lines().map(stripVTControlCharacters)
  return { tree, node, value, lines, pass: (ms: number) => (nowMs += ms), written: () => written }
}

test('nodes stand below what they read from, with state, time and streams', () => {
  const { tree, node, value, lines, pass } = treeOf()
  expect(lines()).toEqual(['  ○ clean', '    ○ train', '      ○ score'])
  node('clean', 'ok', { cached: true })
  node('train', 'running')
  pass(1500)
  for (const loss of [9, 5, 1]) value('train', 'fit.loss', loss)
  expect(lines()).toEqual(['  ✓ clean  cached', '    ● train  1.50 s  fit.loss █▅▁ 1', '      ○ score'])
  node('train', 'error', { error: { type: 'ValueError', message: 'no luck\nat all' } })
  pass(5000)
  node('score', 'skipped')
  expect(lines()).toEqual(['  ✓ clean  cached', '    ✗ train  1.50 s  no luck at all', '      – score'])
  tree.end()
})

test('nothing is painted before the run is submitted, for other lines are written until then', () => {
  vi.useFakeTimers()
  const { tree, written } = treeOf()
  vi.advanceTimersByTime(1000)
  expect(written()).toBe('')
  tree.begin()
  vi.advanceTimersByTime(100)
  expect(stripVTControlCharacters(written())).toContain('○ clean')
  tree.end()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('what was painted is painted over, and the end leaves it', () => {
  const { tree, written, node } = treeOf()
  tree.paint()
  node('clean', 'running')
  tree.end()
  expect(written().split('\u001b[3A')).toHaveLength(2)
  expect(stripVTControlCharacters(written())).toContain('● clean')
})

test('bars reach from the lowest to the highest finite value', () => {
  expect(bars([0, 7, Number.NaN, Number.POSITIVE_INFINITY])).toBe('▁█')
  expect(bars([3, 3])).toBe('▁▁')
  expect(bars([])).toBe('')
})

test('curves are drawn within their ranges, each with a name', () => {
  const falling = { name: 'a', points: [0, 1, 2, 3].map((x) => ({ x, y: 3 - x })) }
  const broken = { name: 'b', points: [{ x: 1, y: Number.NaN }] }
  const picture = stripVTControlCharacters(drawCurves([falling, broken], { width: 4, height: 2 })).split('\n')
  expect(picture).toEqual(['3 ⠑⢄', '0   ⠑⢄', '  0  3', '● a', '● b'])
  expect(drawCurves([broken], { width: 4, height: 2 })).toBe('no points')
  const flat = stripVTControlCharacters(drawCurves([{ name: 'c', points: [{ x: 1, y: 1 }] }], { width: 4, height: 2 }))
  expect(flat).toContain('1.5')
})
