/** A difference of two contents says all that is different, and nothing else (wire decision V23). */
import {
  type Change,
  type FlowDiff,
  type FlowDocument,
  flowDiffSchema,
  type FlowNode,
  type Port,
  type Wire,
} from '@flow-service/protocol'
import { applyPatch, parsePatch, reversePatch } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import {
  documentChanges,
  type Reader,
  type SourcedDocument,
  wireChanges,
  wiresOf,
} from '../../src/flows/versions/document-diff.ts'

type Fields = Record<string, unknown>

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as FlowNode['settings'])
const settings = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'a/b', '~', '', '__proto__'), fc.string()), json, {
  maxKeys: 4,
}) as fc.Arbitrary<FlowNode['settings']>
const line = fc.constantFrom('', 'a', 'b', '\\', '-a', '+b', '@@', 'é\u2028', 'x\r', '--- a', '+++ b')
const source = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
  .map(([lines, isWhole]) => `${lines.join('\n')}${isWhole ? '\n' : ''}`)
const port = fc.record({
  direction: fc.constantFrom('input' as const, 'output' as const),
  name: fc.constantFrom('x', 'y', 'other.z'),
  port: fc.constantFrom('p', 'q', 'r'),
  dtype: fc.constantFrom('float' as const, 'any' as const),
  interval: fc.constantFrom(null, 1),
  stream: fc.boolean(),
  on_demand: fc.constant(false),
  trigger: fc.boolean(),
})
const messageOf = (name: string): string => (name.includes('.') ? name : `f.${name}`)
const node = fc
  .record({
    type: fc.constantFrom('python', 'change'),
    title: fc.constantFrom('', 'One'),
    settings,
    ports: fc.array(port, { maxLength: 3 }),
    source: fc.option(source),
    library: fc.constantFrom(null, 'common'),
    timeout: fc.constantFrom(null, 2),
    retry: fc.constantFrom(null, { attempts: 2, delay_s: 1, factor: 2, max_delay_s: 300 }),
  })
  .map(({ ports, ...fields }): Omit<FlowNode, 'id'> => ({
    ...fields,
    ports: ports.map((one): Port => ({ ...one, message: messageOf(one.name) })),
    entry: null,
    worker: null,
    worker_policy: 'require',
    cache: true,
  }))
/** Nodes of few ids, so that two documents share some. */
const nodes = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'constructor', '__proto__'), node), {
  selector: ([id]) => id,
  maxLength: 4,
})
const document = fc
  .record({
    title: fc.constantFrom('', 'T'),
    description: fc.constantFrom('', 'D'),
    mode: fc.constantFrom('live' as const, 'batch' as const),
    inputs: fc.array(
      fc.record({
        name: fc.constantFrom('x', 'y'),
        dtype: fc.constant('any' as const),
        initial: json,
        title: fc.constant(''),
      }),
      { maxLength: 2 },
    ),
    outputs: fc.array(fc.record({ name: fc.constantFrom('x', 'y'), port: fc.constant('o') }), { maxLength: 2 }),
    concurrency: fc.constantFrom(null, 3),
    resources: fc.record({
      env: fc.dictionary(fc.constantFrom('A', 'B'), fc.string(), { maxKeys: 2 }),
      flavor: fc.constantFrom(null, 'large'),
      cpus: fc.constantFrom(null, 2),
      gpus: fc.constant(null),
      memory: fc.constant(null),
    }),
    nodes,
  })
  .map(({ nodes: made, ...fields }): FlowDocument => ({
    ...fields,
    name: 'f',
    version: 1,
    layout: { nodes: {} },
    nodes: made.map(([id, of]) => ({ id, ...of })),
  }))

/** Two documents: independent ones, and such as differ in one node alone. */
const pair = fc.oneof(
  fc.tuple(document, document),
  fc
    .tuple(document, node)
    .map(([from, of]): [FlowDocument, FlowDocument] => [
      from,
      { ...from, nodes: from.nodes.map((old, at) => (at === 0 ? { ...of, id: old.id } : old)) },
    ]),
  fc
    .tuple(document, fc.nat())
    .map(([from, at]): [FlowDocument, FlowDocument] => [
      from,
      { ...from, nodes: from.nodes.toSorted((a, b) => (a.id > b.id === (at % 2 === 0) ? 1 : -1)) },
    ]),
)

const sourced = (of: FlowDocument, label: string): SourcedDocument => ({
  document: of,
  sources: Object.fromEntries(of.nodes.flatMap(({ id, source: code }) => (code === null ? [] : [[id, code]]))),
  label,
})
const readersOf = (message: string): Reader[] => [{ flow: 'reader', node: 'n', port: message }]

/** As the endpoint answers it: whatever JSON does not carry is not there. */
function diff(from: FlowDocument, to: FlowDocument): FlowDiff {
  const wires = wireChanges(wiresOf(from, readersOf), wiresOf(to, readersOf))
  const made = { from: 1, to: 2, ...documentChanges(sourced(from, 'version 1'), sourced(to, 'version 2')), wires }
  expect(flowDiffSchema.safeParse(made).success).toBe(true)
  return plain(made) as FlowDiff
}

/** Makes changes by their JSON Pointers (RFC 6901), each of which says what was there. */
function changed(of: Fields, changes: readonly Change[]): Fields {
  const copy = structuredClone(of)
  for (const { path, ...change } of changes) {
    const names = path
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop() ?? ''
    const place = names.reduce<Fields>((inner, name) => own(inner, name) as Fields, copy)
    expect(own(place, last)).toEqual(change.from)
    if ('to' in change)
      Object.defineProperty(place, last, { value: change.to, configurable: true, enumerable: true, writable: true })
    else delete place[last]
  }
  return copy
}
const own = (of: Fields, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined)

/** What changes of a node are about: its code has a diff of its own, and messages follow from names. */
const fieldsOf = ({ id: _id, source: _source, ports, ...fields }: FlowNode): Fields => ({
  ...fields,
  ports: ports.map(({ message: _message, ...one }) => one),
})
const flowOf = ({ name: _name, version: _version, layout: _layout, nodes: _nodes, ...fields }: FlowDocument): Fields =>
  fields
const byId = (of: FlowDocument): Map<string, FlowNode> => new Map(of.nodes.map((one) => [one.id, one]))
const plain = (of: unknown): unknown => JSON.parse(JSON.stringify(of))
const keysOf = (wires: readonly Wire[]): string[] => [...new Set(wires.map((wire) => JSON.stringify(wire)))].toSorted()

test('the changes made in the one content give the other one, but for the place of nodes that are added', () => {
  fc.assert(
    fc.property(pair, ([from, to]) => {
      const { flow, nodes: told, wires } = diff(from, to)
      const order = flow.find(({ path }) => path === '/nodes')
      const rest = flow.filter((change) => change !== order)
      expect(changed(flowOf(from), rest)).toEqual(plain(flowOf(to)))

      const [old, fresh, made] = [byId(from), byId(to), byId(from)]
      for (const { id, change, fields, source: patch } of told) {
        const before = old.get(id)
        expect(change).toBe(before === undefined ? 'added' : fresh.has(id) ? 'changed' : 'removed')
        const after = changed(before ? fieldsOf(before) : {}, fields)
        const code = patch === null ? (before?.source ?? '') : applyPatch(before?.source ?? '', patch)
        expect(code).toBe(fresh.get(id)?.source ?? '')
        if (change === 'removed') {
          expect(after).toEqual({})
          made.delete(id)
        } else made.set(id, { ...after, id, source: code } as FlowNode)
      }
      const shown = (nodesOf: Map<string, FlowNode>): unknown =>
        new Map([...nodesOf].map(([id, one]) => [id, [plain(fieldsOf(one)), one.source ?? '']]))
      const withMessages = new Map(
        [...made].map(([id, one]) => [
          id,
          { ...one, ports: one.ports.map((of) => ({ ...of, message: messageOf(of.name) })) },
        ]),
      )
      expect(shown(withMessages)).toEqual(shown(fresh))
      const common = to.nodes.flatMap(({ id }) => (old.has(id) ? [id] : []))
      expect(order?.to ?? from.nodes.flatMap(({ id }) => (fresh.has(id) ? [id] : []))).toEqual(common)

      const removed = new Set(keysOf(wires.removed))
      const kept = wiresOf(from, readersOf).filter((wire) => !removed.has(JSON.stringify(wire)))
      expect(keysOf([...kept, ...wires.added])).toEqual(keysOf(wiresOf(to, readersOf)))
    }),
    { numRuns: 200 },
  )
})

test('a content has no difference to itself, and the way back is the way there turned round', () => {
  const empty = { flow: [], nodes: [], wires: { added: [], removed: [] } }
  const turned = ({ path, ...change }: Change): Fields => ({
    path,
    ...('to' in change ? { from: change.to } : {}),
    ...('from' in change ? { to: change.from } : {}),
  })
  const byPath = (changes: readonly Fields[]): unknown => new Map(changes.map((of) => [of['path'], of]))
  fc.assert(
    fc.property(pair, ([from, to]) => {
      expect(diff(from, structuredClone(from))).toMatchObject(empty)
      const [there, back] = [diff(from, to), diff(to, from)]
      expect(byPath(back.flow.map(turned))).toEqual(byPath(there.flow))
      expect([keysOf(back.wires.added), keysOf(back.wires.removed)]).toEqual([
        keysOf(there.wires.removed),
        keysOf(there.wires.added),
      ])
      const forth = new Map(there.nodes.map((change) => [change.id, change]))
      expect(back.nodes.map(({ id }) => id).toSorted()).toEqual([...forth.keys()].toSorted())
      for (const { id, change, fields, source: patch } of back.nodes) {
        const other = forth.get(id)
        expect(change).toBe({ added: 'removed', removed: 'added', changed: 'changed' }[other?.change ?? 'changed'])
        expect(byPath(fields.map(turned))).toEqual(byPath(other?.fields ?? []))
        expect(patch === null).toBe(other?.source === null)
        const code = byId(to).get(id)?.source ?? ''
        if (typeof other?.source === 'string')
          expect(applyPatch(code, reversePatch(parsePatch(other.source)[0] as never))).toBe(
            byId(from).get(id)?.source ?? '',
          )
      }
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['lines that all differ', (at: number) => `a${at}`, (at: number) => `b${at}`],
  [
    'lines of a thousand pieces',
    (at: number) => (at % 2 ? 'same' : `a${at}`),
    (at: number) => (at % 3 ? `b${at}` : 'same'),
  ],
])('the diff of a large source with %s is made soon, and applies', (_, old, fresh) => {
  const text = (lineOf: (at: number) => string, end: string): string =>
    Array.from({ length: 3000 }, (__, at) => lineOf(at)).join('\n') + end
  for (const end of ['', '\n']) {
    const [from, to] = [text(old, end), text(fresh, '\n')]
    const content = (code: string): FlowDocument =>
      ({ nodes: [{ id: 'n', source: code, ports: [] }], inputs: [], outputs: [] }) as never
    const { nodes: told } = documentChanges(sourced(content(from), 'version 1'), sourced(content(to), 'draft'))
    expect(applyPatch(from, told[0]?.source ?? '')).toBe(to)
  }
})
