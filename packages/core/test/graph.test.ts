import { nodeTypeSchema } from '@flow-service/protocol'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { buildGraph, declaredMessages, NodeRegistry, nodeTypeEntry } from '../src/index.ts'
import { batch, flow, input, output, pass, type } from './documents.ts'

test('a flow declares its inputs, what its nodes produce, and in live flows what they read and nobody produces', () => {
  const nodes = [
    {
      id: 'a',
      type: 'pass',
      ports: [input('x', { dtype: 'int' }), input('other.q'), output('y', { dtype: 'float', stream: true })],
    },
    { id: 'b', type: 'pass', ports: [input('y'), output('other.z'), output('out:y', { dtype: 'int' })] },
  ]
  const inputs = [{ name: 'k', dtype: 'str' as const }]
  expect(declaredMessages(flow(nodes, { inputs }))).toEqual([
    { name: 'f.k', message: 'k', dtype: 'str', stream: false, sources: [] },
    {
      name: 'f.y',
      message: 'y',
      dtype: 'any',
      stream: true,
      sources: [
        { node: 'a', port: 'y' },
        { node: 'b', port: 'out' },
      ],
    },
    { name: 'f.x', message: 'x', dtype: 'int', stream: false, sources: [] },
  ])
  expect(declaredMessages(batch(nodes, { inputs })).map(({ message }) => message)).toEqual(['k', 'y'])
})

test('the graph stands in dependency order, and tells producers and readers by message', () => {
  const graph = buildGraph(
    batch([
      { id: 'c', type: 'pass', ports: [input('y'), input('z')] },
      { id: 'b', type: 'pass', ports: [input('y'), output('z')] },
      { id: 'a', type: 'pass', ports: [output('y')] },
    ]),
  )
  expect(graph.nodes.map(({ node }) => node.id)).toEqual(['a', 'b', 'c'])
  expect(graph.readers.get('f.y')).toEqual([
    { node: 'c', port: 'y' },
    { node: 'b', port: 'y' },
  ])
  expect(graph.producers.get('f.z')).toEqual([{ node: 'b', port: 'z' }])
})

test('a node type’s entry carries the JSON Schema of its settings, which takes no unknown key [R158]', () => {
  const definition = type('t', () => ({}), {
    settings: z.object({ host: z.string().describe('Where'), retries: z.int().default(3) }),
  })
  const entry = nodeTypeEntry(definition, { package: 'acme', version: '1.0.0' })
  expect(nodeTypeSchema.parse(entry)).toEqual(entry)
  expect(entry).toMatchObject({
    package: 'acme',
    contract: 1,
    modes: ['live', 'batch'],
    has_source: false,
    params: { required: ['host'], additionalProperties: false, properties: { retries: { default: 3 } } },
  })
})

test('a type of a package has its origin, in the catalogue too, and a built-in one has none [R353]', () => {
  const origin = { package: 'acme', version: '1.2.0' }
  const [meter, stolen] = [type('meter', () => ({})), type('pass', () => ({}))]
  const registry = new NodeRegistry([pass], {
    types: [meter, stolen].map((definition) => ({ definition, origin })),
    absent: new Map([['gone', 'install acme again']]),
  })
  expect(registry.originOf(meter)).toEqual(origin)
  expect(registry.get('pass')).toBe(pass)
  expect(registry.originOf(pass)).toBeNull()
  expect(registry.catalogue()).toMatchObject([
    { type: 'meter', ...origin, contract: 1 },
    { type: 'pass', package: null, version: null, contract: null },
  ])
  expect(registry.absence('gone')).toBe('install acme again')
  expect(registry.absence('nope')).toBe('there is no node type "nope"; install its package or change the type')
})

test('types of a package are replaced, and those of others are not', () => {
  const [first, second, added] = [type('meter', () => ({})), type('meter', () => ({})), type('gauge', () => ({}))]
  const of = (...definitions: (typeof first)[]) =>
    definitions.map((definition) => ({ definition, origin: { package: 'acme', version: '1.2.0' } }))
  const registry = new NodeRegistry([pass], { types: of(first), absent: new Map() })
  expect(registry.catalogue()).toHaveLength(2)
  registry.replace('acme', {
    types: of(
      second,
      added,
      type('pass', () => ({})),
    ),
    absent: new Map(),
  })
  expect(registry.get('meter')).toBe(second)
  expect(registry.get('pass')).toBe(pass)
  expect(registry.catalogue().map((each) => each.type)).toEqual(['gauge', 'meter', 'pass'])
  registry.replace('acme', { types: [], absent: new Map([['gauge', 'acme has it no more']]) })
  expect(registry.list()).toEqual([pass])
  expect(registry.absence('gauge')).toBe('acme has it no more')
  // nodes may go on with it
  expect(registry.originOf(first)?.package).toBe('acme')
})

test('the first definition of a type wins', () => {
  const other = type('pass', () => ({}))
  const registry = new NodeRegistry([pass, other])
  expect(registry.get('pass')).toBe(pass)
  expect(registry.list()).toEqual([pass])
})
