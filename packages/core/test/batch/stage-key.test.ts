import type { FlowNode } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { documentDigest, stageKey } from '../../src/index.ts'
import { batch, input, output, type } from '../documents.ts'

const python = type('code', () => ({}), { code: 'python' })
const typescript = type('code', () => ({}), { code: 'typescript' })
const node = (more: object = {}, name = 'f'): FlowNode =>
  batch(
    [
      {
        id: 'a',
        type: 'code',
        source: 's',
        settings: { k: 1 },
        ports: [input('x'), output('y', { dtype: 'int' })],
        ...more,
      },
    ],
    { name },
  ).nodes[0]!
const key = (more: object = {}, inputs: Record<string, unknown> = { x: 1 }) => stageKey(node(more), python, inputs)

test('a key changes with source, settings, port declarations and input values [R418]', () => {
  const keys = [
    key(),
    key({ source: 't' }),
    key({ settings: { k: 2 } }),
    key({ settings: { k: { $secret: 'k' } } }),
    key({ ports: [input('x'), output('y', { dtype: 'float' })] }),
    key({ ports: [input('x'), output('y', { dtype: 'int', stream: true })] }),
    key({}, { x: 2 }),
    key({}, { x: '1' }),
    key({}, { x: null }),
  ]
  expect(new Set(keys).size).toBe(keys.length)
  expect(key()).toMatch(/^sha256:[0-9a-f]{64}$/)
})

test('a key does not depend on the flow’s name, the node’s id, title, worker, timeout or display interval', () => {
  expect(stageKey(node({}, 'other'), python, { x: 1 })).toBe(key())
  expect(key({ id: 'b', title: 'T', worker: 'gpu', timeout: 5 })).toBe(key())
  expect(key({ ports: [input('x'), output('y', { dtype: 'int', interval: 5 })] })).toBe(key())
})

test('a key does not depend on the order of keys, and -0 is 0', () => {
  expect(key({}, { x: { a: 1, b: [-0] } })).toBe(key({}, { x: { b: [0], a: 1 } }))
})

test('stored bytes count by digest, at any depth, whatever they are called', () => {
  const ref = (name: string, digit: string) => ({
    digest: `sha256:${digit.repeat(64)}`,
    name,
    media_type: 'image/png',
    size: 1,
    volatile: false,
  })
  expect(key({}, { x: [{ a: ref('one', '1') }] })).toBe(key({}, { x: [{ a: ref('two', '1') }] }))
  expect(key({}, { x: [{ a: ref('one', '1') }] })).not.toBe(key({}, { x: [{ a: ref('one', '2') }] }))
})

test('a bundle’s key follows its digest, not the list of its modules', () => {
  const entry = (digit: string, modules: object[] = []) => ({
    entry: { module: 'm.ts', export: 'e', digest: `sha256:${digit.repeat(64)}`, modules },
  })
  const of = (more: object) => stageKey(node(more), typescript, {})
  expect(of(entry('1'))).not.toBe(of(entry('2')))
  expect(of(entry('1'))).toBe(of(entry('1', [{ path: 'p', digest: `sha256:${'3'.repeat(64)}` }])))
})

test('the digest of a document follows what is executed, not its title, description, version or layout [R090]', () => {
  const digest = (more: object) => documentDigest(batch([{ id: 'a', type: 'code', source: 's' }], more))
  expect(digest({ title: 'T', description: 'D', version: 4, layout: { a: 1 } })).toBe(digest({}))
  expect(digest({ inputs: [{ name: 'x' }] })).not.toBe(digest({}))
  expect(documentDigest(batch([{ id: 'a', type: 'code', source: 't' }]))).not.toBe(digest({}))
})
