import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { type Doc, isSame, nodeOf, portOf } from '../src/flow/document.ts'
import { addNode, connect, deleteNodes, type Edit, moveNodes, setNode, setSetting } from '../src/flow/edit.ts'
import { merge, placeOfConflict, takeTheirs } from '../src/flow/merge.ts'
import { docWith, node } from './flow-documents.ts'

const base = docWith([
  node('a', [portOf('f', { direction: 'output', name: 'x' })]),
  node('b', [portOf('f', { direction: 'input', name: 'y' }), portOf('f', { direction: 'output', name: 'z' })]),
  node('c', [portOf('f', { direction: 'input', name: 'z' })]),
])
const all = (doc: Doc, ...edits: readonly Edit[]): Doc => edits.reduce((now, edit) => edit(now), doc)

describe('two forms of a flow', () => {
  test('what different people have changed is all there', () => {
    const mine = all(
      base,
      setSetting('a', ['interval'], 5),
      connect('f', { node: 'a', port: 'x' }, { node: 'b', port: 'y' }),
    )
    const theirs = all(
      base,
      setNode('c', { title: 'Last' }),
      addNode(node('d'), { x: 1, y: 2 }),
      setSetting('a', ['payload'], 1),
    )
    const { doc, conflicts } = merge(base, mine, theirs)
    expect(conflicts).toEqual([])
    expect(nodeOf(doc, 'a')?.settings).toEqual({ interval: 5, payload: 1 })
    expect(nodeOf(doc, 'b')?.ports[0]).toMatchObject({ name: 'x', message: 'f.x' })
    expect(nodeOf(doc, 'c')?.title).toBe('Last')
    expect(doc.layout.nodes['d']).toEqual({ x: 1, y: 2 })
  })

  test('what both have changed keeps mine, and tells theirs, which can be taken', () => {
    const mine = all(base, setSetting('a', ['interval'], 5))
    const theirs = all(base, setSetting('a', ['interval'], 7))
    const { doc, conflicts } = merge(base, mine, theirs)
    expect(nodeOf(doc, 'a')?.settings).toEqual({ interval: 5 })
    expect(conflicts).toEqual([{ path: ['nodes', 'a', 'settings', 'interval'], base: undefined, mine: 5, theirs: 7 }])
    expect(conflicts.map(placeOfConflict)).toEqual(['node a: settings interval'])
    expect(conflicts.reduce(takeTheirs, doc)).toEqual(theirs)
  })

  test('a node that the one deletes and the other changes stays, and is told of', () => {
    const gone = all(base, deleteNodes(new Set(['a'])))
    const changed = all(base, setNode('a', { title: 'Clock' }))
    for (const [mine, theirs] of [
      [gone, changed],
      [changed, gone],
    ] as const) {
      const { doc, conflicts } = merge(base, mine, theirs)
      expect(nodeOf(doc, 'a')?.title).toBe('Clock')
      expect(conflicts).toHaveLength(1)
    }
    expect(takeTheirs(changed, { path: ['nodes', 'a'], base: null, mine: null, theirs: undefined }).nodes).toHaveLength(
      2,
    )
  })

  test('a node that both have added under one id is two nodes', () => {
    const mine = all(base, addNode({ ...node('n'), title: 'Mine' }, { x: 1, y: 1 }))
    const theirs = all(base, addNode({ ...node('n'), title: 'Theirs' }, { x: 2, y: 2 }))
    const { doc, renamed } = merge(base, mine, theirs)
    expect(renamed).toEqual({ n: 'n_2' })
    expect(doc.nodes.slice(3).map(({ id, title }) => [id, title])).toEqual([
      ['n', 'Theirs'],
      ['n_2', 'Mine'],
    ])
    expect(doc.layout.nodes).toMatchObject({ n: { x: 2, y: 2 }, n_2: { x: 1, y: 1 } })
  })

  test('ports of one name differ as a whole: none of them is lost', () => {
    const twice = setNode('b', {})(base)
    const both = {
      ...twice,
      nodes: twice.nodes.map((one) => (one.id === 'b' ? { ...one, ports: [...one.ports, ...one.ports] } : one)),
    }
    const theirs = all(base, connect('f', { node: 'a', port: 'x' }, { node: 'b', port: 'y' }))
    const { doc, conflicts } = merge(base, both, theirs)
    expect(nodeOf(doc, 'b')?.ports).toHaveLength(4)
    expect(conflicts).toHaveLength(1)
  })

  test('names of nodes and settings may be those of everything', () => {
    const mine = all(base, addNode(node('constructor'), null), setSetting('a', ['toString'], 1))
    const theirs = all(base, setSetting('a', ['valueOf'], 2))
    const { doc, conflicts } = merge(base, mine, theirs)
    expect(conflicts).toEqual([])
    expect(nodeOf(doc, 'a')?.settings).toEqual({ toString: 1, valueOf: 2 })
    expect(nodeOf(doc, 'constructor')).toBeDefined()
  })
})

const ids = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'] as const
const start = docWith(ids.map((id) => node(id, [portOf('f', { direction: 'output', name: `${id}_out` })])))
const setting = fc.record({
  key: fc.constantFrom('p', 'q', 'r'),
  value: fc.oneof(fc.integer(), fc.string(), fc.boolean()),
})
const act = fc.oneof(
  setting.map(
    ({ key, value }) =>
      (id: string) =>
        setSetting(id, [key], value),
  ),
  fc.string({ maxLength: 5 }).map((title) => (id: string) => setNode(id, { title })),
  fc.record({ x: fc.integer(), y: fc.integer() }).map((place) => (id: string) => moveNodes({ [id]: place })),
  fc.nat(9).map((count) => (id: string) => addNode(node(`${id}_new_${count}`), { x: count, y: 0 })),
  fc.constant((id: string) => deleteNodes(new Set([id]))),
)
const acts = fc.array(fc.record({ id: fc.nat(2), act }), { maxLength: 6 })

test('edits of different nodes lose nothing, and it does not matter whose come first', () => {
  fc.assert(
    fc.property(acts, acts, (mine, theirs) => {
      const unique = (edits: typeof mine): Edit[] =>
        edits.map(({ id, act: make }) => make(ids[id] ?? 'n0')).map((edit) => (doc) => distinct(edit(doc), doc))
      const [a, b] = [
        all(start, ...unique(mine)),
        all(start, ...unique(theirs.map(({ id, act: make }) => ({ id: id + 3, act: make })))),
      ]
      const [one, other] = [merge(start, a, b), merge(start, b, a)]
      expect(one.conflicts).toEqual([])
      expect(isSame(one.doc, other.doc)).toBe(true)
      for (const from of [a, b]) {
        const own = from.nodes.filter((item) => !isSame(item, nodeOf(start, item.id)))
        for (const item of own) expect(nodeOf(one.doc, item.id)).toEqual(item)
        for (const item of start.nodes) if (!nodeOf(from, item.id)) expect(nodeOf(one.doc, item.id)).toBeUndefined()
      }
    }),
  )
})

test('any edits at all: every conflict is told with both values, and nothing else differs from what was done', () => {
  fc.assert(
    fc.property(acts, acts, (mine, theirs) => {
      const [a, b] = [mine, theirs].map((edits) =>
        all(
          start,
          ...edits.map(
            ({ id, act: make }): Edit =>
              (doc) =>
                distinct(make(ids[id] ?? 'n0')(doc), doc),
          ),
        ),
      ) as [Doc, Doc]
      const { doc, conflicts, renamed } = merge(start, a, b)
      // without conflict with one side only, that side stands
      expect(merge(start, a, start).doc).toEqual(a)
      expect(merge(start, start, b).doc).toEqual(b)
      for (const item of b.nodes) {
        const isOwn = !isSame(item, nodeOf(start, item.id))
        if (
          isOwn &&
          !conflicts.some(({ path }) => path[1] === item.id) &&
          isSame(nodeOf(a, item.id), nodeOf(start, item.id))
        )
          expect(nodeOf(doc, item.id)).toEqual(item)
      }
      for (const id of Object.values(renamed)) expect(nodeOf(doc, id)).toBeDefined()
    }),
  )
})

/** No editor makes two nodes of one id. */
const distinct = (doc: Doc, before: Doc): Doc =>
  new Set(doc.nodes.map(({ id }) => id)).size === doc.nodes.length ? doc : before
