import { pythonSource } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { stageParts, type StageParts, whyMissed } from '../../src/index.ts'
import { batch, input, output, type } from '../documents.ts'

const python = type('code', () => ({}), { code: 'python' })
const typescript = type('code', () => ({}), { code: 'typescript' })
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`

function parts(more: object = {}, inputs: Record<string, unknown> = { x: 1 }, definition = python): StageParts {
  const ports = [input('x'), output('y')]
  const { nodes } = batch([{ id: 'a', type: 'code', source: 's', settings: { k: 1 }, ports, ...more }])
  return stageParts(nodes[0]!, definition, inputs)
}
const bundle = (digit: string, modules: Record<string, string>): StageParts => {
  const entry = { module: 'm.ts', export: 'e', digest: digest(digit) }
  const list = Object.entries(modules).map(([path, each]) => ({ path, digest: digest(each) }))
  return parts({ entry: { ...entry, modules: list } }, {}, typescript)
}

test('a miss names the input, setting or declaration that changed', () => {
  const why = (now: StageParts): string[] => whyMissed(now, [parts()])
  expect(why(parts({}, { x: 0.2 }))).toEqual(['input x: 1 -> 0.2'])
  expect(why(parts({}, { x: 1, z: null }))).toEqual(['input z is new'])
  expect(why(parts({}, {}))).toEqual(['input x is gone'])
  expect(why(parts({ settings: { k: { $secret: 'token' } } }))).toEqual(['setting k: 1 -> {"$secret":"token"}'])
  expect(why(parts({ source: 't' }))).toEqual(['source changed'])
  expect(why(parts({ ports: [input('x'), output('y', { stream: true })] }))).toEqual(['ports changed'])
  expect(why(parts({ source: 't', settings: {} }, { x: 2 }))).toEqual([
    'source changed',
    'setting k is gone',
    'input x: 1 -> 2',
  ])
})

test('of a bundle the changed, new and removed modules are named, else its packages', () => {
  const before = bundle('1', { 'fit.ts': 'a', 'helper.ts': 'b', 'old.ts': 'c' })
  const now = bundle('2', { 'fit.ts': 'a', 'helper.ts': 'd', 'new.ts': 'e' })
  expect(whyMissed(now, [before])).toEqual(['source changed: helper.ts, new.ts, old.ts'])
  expect(whyMissed(bundle('2', { 'fit.ts': 'a' }), [bundle('1', { 'fit.ts': 'a' })])).toEqual([
    'source changed: packages',
  ])
})

test('of a Python source that brings modules the changed ones are named, and itself by what it is', () => {
  const source = (own: string, clean: string) =>
    parts({
      source: pythonSource(own, [
        { path: 'clean.py', text: clean },
        { path: 'tools/scale.py', text: 'K = 1' },
      ]),
    })
  const before = source('import clean', 'RATE = 1')
  expect(whyMissed(source('import clean', 'RATE = 2'), [before])).toEqual(['source changed: clean.py'])
  expect(whyMissed(source('import clean # as before', 'RATE = 1'), [before])).toEqual([
    'source changed: the source itself',
  ])
  expect(whyMissed(parts({ source: 'import clean\n#@module no JSON' }), [parts({ source: 'import clean' })])).toEqual([
    'source changed',
  ])
})

test('an input that differs is blamed on the node that gives it', () => {
  const [node] = batch([{ id: 'a', type: 'code', source: 's', ports: [input('x'), output('y')] }]).nodes
  const [before, now] = [1, 2].map((x) => stageParts(node!, python, { x, lr: x }, { x: 'load' }))
  expect(whyMissed(now!, [before!])).toEqual(['input x: 1 -> 2 (load returned another value)', 'input lr: 1 -> 2'])
})

test('it is compared with the one from which the least differs, the newest of several', () => {
  const known = [parts({ source: 't' }, { x: 5 }), parts({}, { x: 3 }), parts({}, { x: 2 })]
  expect(whyMissed(parts({}, { x: 1 }), known)).toEqual(['input x: 3 -> 1'])
  expect(whyMissed(parts(), [])).toEqual(['first run'])
  expect(whyMissed(parts(), [parts()])).toEqual(['node type changed'])
})

test('long values count by digest, so that what is kept beside a key stays small', () => {
  const long = parts({}, { x: 'a'.repeat(1_000_000) })
  expect(JSON.stringify(long).length).toBeLessThan(1000)
  expect(whyMissed(parts({}, { x: 'b'.repeat(1_000_000) }), [long])).toEqual(['input x changed'])
  expect(whyMissed(parts(), [long])).toEqual(['input x changed'])
  expect(whyMissed(parts({}, { x: 'a'.repeat(1_000_000), ['__proto__']: 1 }), [long])).toEqual([
    'input __proto__ is new',
  ])
})
