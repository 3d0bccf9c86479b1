import { describe, expect, test } from 'vitest'

import { flowDocumentInputSchema, normalizeDocument } from '../src/index.ts'

const parse = (document: unknown) => flowDocumentInputSchema.parse(document)
const issuesOf = (document: unknown) =>
  flowDocumentInputSchema.safeParse(document).error?.issues.map((issue) => issue.path.join('/')) ?? []

describe('flow documents', () => {
  test('the normal form fills every default and qualifies every message [R067] [R068] [R056] [R063]', () => {
    const input = parse({ nodes: [{ id: 'a', type: 'switch', ports: [{ direction: 'input', name: 'temp' }] }] })
    expect(normalizeDocument('climate', input)).toEqual({
      name: 'climate',
      title: '',
      description: '',
      version: 0,
      mode: 'live',
      inputs: [],
      outputs: [],
      resources: { env: {}, flavor: null, cpus: null, gpus: null, memory: null },
      concurrency: null,
      layout: {},
      nodes: [
        {
          id: 'a',
          type: 'switch',
          title: '',
          settings: {},
          source: null,
          library: null,
          entry: null,
          worker: null,
          worker_policy: 'require',
          cache: true,
          timeout: null,
          retry: null,
          ports: [
            {
              direction: 'input',
              name: 'temp',
              port: 'temp',
              dtype: 'any',
              interval: null,
              stream: false,
              on_demand: false,
              trigger: true,
              message: 'climate.temp',
            },
          ],
        },
      ],
    })
  })

  test('the normal form of a normal form is itself', () => {
    const once = normalizeDocument(
      'f',
      parse({
        mode: 'batch',
        inputs: [{ name: 'x', dtype: 'dict' }],
        outputs: [{ name: 'y' }],
        nodes: [
          { id: 'a', type: 'python', source: 'x', ports: [{ direction: 'output', message: 'g.y', dtype: 'list' }] },
        ],
      }),
    )
    expect(normalizeDocument('f', parse(once))).toEqual(once)
    expect(once.nodes[0]?.ports[0]).toMatchObject({ name: 'g.y', port: 'y', message: 'g.y', dtype: 'array' })
  })

  test('a source that is left out stays the stored one, and null clears it', () => {
    const document = parse({
      nodes: [
        { id: 'kept', type: 'python' },
        { id: 'cleared', type: 'python', source: null },
      ],
    })
    const { nodes } = normalizeDocument('f', document, (id) => `stored ${id}`)
    expect(nodes.map((node) => node.source)).toEqual(['stored kept', null])
  })

  test('keys that only answers carry are accepted and ignored, any other unknown key is refused', () => {
    expect(parse({ status: 'active', issues: [], held: 3, node_states: [] })).toBeTruthy()
    expect(issuesOf({ colour: 'red' })).toEqual([''])
    expect(issuesOf({ nodes: [{ id: 'a', type: 'b', foo: 1 }] })).toEqual(['nodes/0'])
  })

  test('a port needs a message, and every name has its grammar', () => {
    expect(issuesOf({ nodes: [{ id: 'a', type: 'b', ports: [{ direction: 'input' }] }] })).toEqual([
      'nodes/0/ports/0/name',
    ])
    expect(issuesOf({ nodes: [{ id: 'a.b', type: 'b' }] })).toEqual(['nodes/0/id'])
    expect(issuesOf({ inputs: [{ name: '1x' }] })).toEqual(['inputs/0/name'])
    expect(issuesOf({ nodes: [{ id: 'a', type: 'b', ports: [{ direction: 'up', name: 'x' }] }] })).toEqual([
      'nodes/0/ports/0/direction',
    ])
    expect(issuesOf({ resources: { env: { 'A B': '1' } } })).toEqual(['resources/env/A B'])
  })
})

test('the limit of runs that execute at once is a positive integer or null', () => {
  const parsed = (concurrency: unknown) => flowDocumentInputSchema.safeParse({ mode: 'batch', concurrency })
  for (const limit of [1, 10_000, null]) expect(parsed(limit).data?.concurrency).toBe(limit)
  for (const limit of [0, -1, 1.5, 10_001, '2']) {
    expect(parsed(limit).error?.issues).toMatchObject([{ path: ['concurrency'] }])
  }
})

test('a retry has defaults and limits', () => {
  const parsed = (retry: object | null) =>
    flowDocumentInputSchema.safeParse({ mode: 'batch', nodes: [{ id: 'a', type: 'python', retry }] })
  expect(parsed({ attempts: 3 }).data?.nodes[0]?.retry).toEqual({
    attempts: 3,
    delay_s: 1,
    factor: 2,
    max_delay_s: 300,
  })
  expect(parsed(null).data?.nodes[0]?.retry).toBeNull()
  const refused = [
    {},
    { attempts: 0 },
    { attempts: 21 },
    { attempts: 1.5 },
    { attempts: 3, delay_s: -1 },
    { attempts: 3, factor: 0.5 },
    { attempts: 3, max_delay_s: 1e9 },
    { attempts: 3, delay_s: Number.NaN },
    { attempts: 3, wait: 1 },
  ]
  for (const retry of refused) expect(parsed(retry).error?.issues[0]?.path.slice(0, 3)).toEqual(['nodes', 0, 'retry'])
})
