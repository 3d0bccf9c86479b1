import { describe, expect, test } from 'vitest'

import { credentialNames, diffOfNew, linesOf, masked, placeOf, shown } from '../src/flow/diff.ts'
import { type Doc, freeName, isSame, nodeOf, portOf } from '../src/flow/document.ts'
import {
  addNode,
  addPort,
  clipIn,
  clipOf,
  command,
  connect,
  deleteNodes,
  deletePort,
  disconnect,
  type Edit,
  emptyHistory,
  moveNodes,
  paste,
  remembered,
  renameMessage,
  renameNode,
  setFlow,
  setNode,
  setPort,
  setSetting,
  toRedo,
  toUndo,
} from '../src/flow/edit.ts'
import { docWith, node } from './flow-documents.ts'

const out = (name: string) => portOf('f', { direction: 'output', name })
const input = (name: string, port = name) => portOf('f', { direction: 'input', name, port })
const doc = docWith([node('a', [out('x')]), node('b', [input('x', 'in'), out('y')]), node('c', [input('y')])])

test.each<[string, Edit]>([
  ['add', addNode(node('d'), { x: 1, y: 2 })],
  ['delete', deleteNodes(new Set(['a', 'b']))],
  ['move', moveNodes({ a: { x: 5, y: 6 } })],
  ['rename', renameNode('a', 'clock')],
  ['title', setNode('a', { title: 'Clock' })],
  ['setting', setSetting('a', ['rules', 'deep'], 1)],
  ['add port', addPort('a', out('z'))],
  ['delete port', deletePort('b', 1)],
  ['dtype', setPort('a', 0, { dtype: 'int' })],
  ['rename message', renameMessage('f', 'a', 0, 'temp')],
  ['connect', connect('f', { node: 'a', port: 'x' }, { node: 'c', port: 'y' })],
  ['disconnect', disconnect('f', { node: 'b', port: 'in' })],
  ['flow', setFlow({ title: 'T' })],
  ['paste', paste('f', { nodes: doc.nodes, places: {} })],
])('%s is done, undone and done again, also after another edit', (title, edit) => {
  const done = command(title, doc, edit)
  if (!done) throw new Error('it does nothing')
  const after = done.do(doc)
  expect(isSame(after, doc)).toBe(false)
  expect(done.undo(after)).toEqual(doc)
  expect(done.do(done.undo(after))).toEqual(after)
  // somebody else's work that came in between stays
  const theirs: Edit = addNode(node('theirs'), { x: 9, y: 9 })
  const undone = done.undo(theirs(after))
  expect(new Set(undone.nodes.map(({ id }) => id))).toEqual(new Set(['a', 'b', 'c', 'theirs']))
  expect(deleteNodes(new Set(['theirs']))(undone)).toEqual({ ...doc, nodes: expect.anything() })
})

test('what changes nothing is no command', () => {
  expect(command('move', doc, setNode('a', { title: '' }))).toBeNull()
  expect(command('connect', doc, connect('f', { node: 'a', port: 'x' }, { node: 'nobody', port: 'y' }))).toBeNull()
})

test('letters that are typed in a row are undone together', () => {
  let now: Doc = doc
  let history = emptyHistory
  const type = (edit: Edit, of: string | null): void => {
    const next = command('edit', now, edit, of)
    if (!next) return
    now = next.do(now)
    history = remembered(history, next)
  }
  type(setNode('a', { title: 'C' }), 'title a')
  type(setNode('a', { title: 'Cl' }), 'title a')
  type(setNode('b', { title: 'B' }), 'title b')
  expect(history.done).toHaveLength(2)
  for (let step = toUndo(history); step; step = toUndo(history)) {
    now = step.command.undo(now)
    history = step.history
  }
  expect(now).toEqual(doc)
  const again = toRedo(history)
  expect(again && nodeOf(again.command.do(now), 'a')?.title).toBe('Cl')
  type(setNode('c', { title: 'x' }), null)
  expect(toRedo(history)).toBeNull()
})

describe('wires', () => {
  test('a message that gets another name keeps its readers; of two producers only one goes', () => {
    const renamed = renameMessage('f', 'a', 0, 'temp')(doc)
    expect(nodeOf(renamed, 'b')?.ports[0]).toMatchObject({ name: 'temp', message: 'f.temp', port: 'in' })
    const two = addPort('c', out('x'))(doc)
    expect(nodeOf(renameMessage('f', 'a', 0, 'temp')(two), 'b')?.ports[0]?.name).toBe('x')
  })

  test('one that is cut reads a message of its own', () => {
    const cut = disconnect('f', { node: 'b', port: 'in' })(doc)
    expect(nodeOf(cut, 'b')?.ports[0]).toMatchObject({ name: 'in', port: 'in' })
    const odd = docWith([node('b', [portOf('f', { direction: 'input', name: 'x', port: '1 <b>' })])])
    expect(disconnect('f', { node: 'b', port: '1 <b>' })(odd).nodes[0]?.ports[0]?.name).toMatch(/^[A-Za-z_]\w*$/)
  })

  test('copies have wires among themselves, and read what the originals read', () => {
    const clip = clipIn(clipOf(doc, new Set(['b', 'c']), { b: { x: 1, y: 1 } }))
    if (!clip) throw new Error('nothing was copied')
    const pasted = paste('f', clip)(doc)
    expect(pasted.nodes.slice(3).map(({ id, ports }) => [id, ports.map(({ name }) => name)])).toEqual([
      ['b_2', ['x', 'y_2']],
      ['c_2', ['y_2']],
    ])
    expect(pasted.layout.nodes['b_2']).toEqual({ x: 41, y: 41 })
  })

  test.each([
    '',
    'hello',
    '[]',
    '{"nodes": []}',
    '{"nodes": [{"id": "a"}]}',
    '{"nodes": [{"id":"a","type":"x","settings":{},"ports":[1]}]}',
  ])('%j is nothing that was copied', (text) => expect(clipIn(text)).toBeNull())
})

test('names that are taken get a number', () => {
  expect(freeName('a', new Set())).toBe('a')
  expect(freeName('a', new Set(['a', 'a_2']))).toBe('a_3')
  expect(freeName('a_2', new Set(['a_2']))).toBe('a_3')
  expect(freeName('7', new Set(['7']))).toBe('n_2')
})

test('a unified diff as lines with their numbers', () => {
  const patch =
    '--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n@@ -9 +9 @@\n-- x\n+y\n\\ No newline at end of file\n'
  expect(linesOf(patch)).toEqual([
    { is: 'same', text: 'same', from: 1, to: 1 },
    { is: 'removed', text: 'old', from: 2, to: null },
    { is: 'added', text: 'new', from: null, to: 2 },
    { is: 'gap', text: '', from: null, to: null },
    { is: 'removed', text: '- x', from: 9, to: null },
    { is: 'added', text: 'y', from: null, to: 9 },
  ])
  expect(placeOf('/settings/a~1b/0')).toBe('settings · a/b · 0')
  expect(shown({ $secret: 'key' })).toBe('secret key')
  const [first] = diffOfNew(docWith([{ ...node('p'), source: 'a\nb\n' }])).nodes
  expect(linesOf(first?.source ?? '').map(({ text }) => text)).toEqual(['a', 'b'])
})

test('texts that stand where a secret belongs are not shown', () => {
  const names = credentialNames([
    {
      params: {
        properties: { token: { 'x-secret': true }, list: { items: { properties: { key: { 'x-secret': true } } } } },
      },
    },
  ])
  expect([...names]).toEqual(['token', 'key'])
  expect(masked('abc', names, '/settings/token')).not.toContain('abc')
  expect(masked({ $secret: 'name' }, names, '/settings/token')).toEqual({ $secret: 'name' })
  expect(JSON.stringify(masked({ list: [{ key: 'abc', n: 1 }] }, names))).not.toContain('abc')
  expect(masked('abc', names, '/settings/url')).toBe('abc')
})
