import { type FlowListItem, flowListItemSchema, flowPart, messagePart } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const composed = 'caf\u00e9'
/** Names that are refused wherever a name is asked for. */
const bad = [
  composed,
  composed.normalize('NFD'),
  '\u{1f600}',
  '\u202eevil',
  '\u0430dmin',
  'a.b',
  '.',
  '..',
  '../x',
  'a/b',
  'a\\b',
  'a b',
  ' a',
  'a\n',
  'a\tb',
  'a\u0000b',
  'a\u007fb',
  'a\u200bb',
  '-a',
  '_a',
  '',
  '__proto__',
  'a'.repeat(101),
  'a'.repeat(1_000_000),
  'a%2eb',
  "a'--",
  'a"b',
  '<b>',
]
const reserved = ['node-types', 'graph', 'library', 'ws', 'ws-ticket']
/** Names that are distinct however alike they look, or whatever a language means by them. */
const good = [
  'a',
  'A',
  'a_',
  'a-',
  '0',
  '00',
  '1e3',
  'constructor',
  'toString',
  'null',
  'true',
  'Graph',
  'LIBRARY',
  'a'.repeat(100),
]

/** As a path segment; a name that a URL resolves or that is too long for a line is given in a body alone. */
const inPath = (name: string): boolean => !['', '.', '..'].includes(name) && name.length < 10_000

test('a bad or reserved name is refused in a path and in a body, and nothing comes of it [T92, F62]', async () => {
  await engine.root('PUT', '/flows/named', relay)
  for (const name of [...bad, ...reserved]) {
    if (inPath(name)) {
      const { status, problem } = await engine.root('PUT', `/flows/${encodeURIComponent(name)}`, relay)
      expect({ name, status, code: problem.code }).toEqual({ name, status: 422, code: 'validation_failed' })
    }
    for (const operation of ['rename', 'duplicate']) {
      const { status, problem } = await engine.root('POST', `/flows/named/${operation}`, { name })
      const found = { name: name.slice(0, 120), status, path: problem.errors?.[0]?.path }
      expect(found).toEqual({ name: name.slice(0, 120), status: 422, path: '/name' })
    }
  }
  const { value } = await engine.root<FlowListItem[]>('GET', '/flows/')
  expect(value.map(({ name }) => name)).toEqual(['named'])
})

test('the same holds for node ids and messages, which a dot never makes ambiguous [T92, F62]', async () => {
  const [node] = relay.nodes ?? []
  const port = (name: string) => ({ ...relay, nodes: [{ ...node, ports: [{ direction: 'input', name }] }] })
  for (const name of bad) {
    const short = name.slice(0, 120)
    const id = await engine.root('PUT', '/flows/parts', { ...relay, nodes: [{ ...node, id: name }] })
    // a leading underscore is a fault of ids and none of messages
    const isMessage = name === '_a' || name === '__proto__' || name === 'a.b'
    const message = isMessage ? null : await engine.root('PUT', '/flows/parts', port(name))
    const found = { short, id: id.status, message: message?.status ?? 422 }
    expect(found).toEqual({ short, id: 422, message: 422 })
  }
  for (const name of ['a.b.c', '.b', 'a.', 'a..b', 'a.-b']) {
    expect({ name, status: (await engine.root('PUT', '/flows/parts', port(name))).status }).toEqual({
      name,
      status: 422,
    })
  }
})

test('names that only look or sound alike are different flows [R029, F62]', async () => {
  for (const name of good) {
    expect({ name, status: (await engine.root('PUT', `/flows/${name}`, { ...relay, title: name })).status }).toEqual({
      name,
      status: 201,
    })
  }
  for (const name of good) {
    const { value } = await engine.root('GET', `/flows/${name}`)
    expect({ name: value.name, title: value.title }).toEqual({ name, title: name })
    const message = value.nodes[0]?.ports[0]?.message ?? ''
    expect([flowPart(message), messagePart(message)]).toEqual([name, 'on'])
  }
  const { value } = await engine.root<FlowListItem[]>('GET', '/flows/')
  expect(value.map(({ name }) => name)).toEqual([...good, 'named'].toSorted())
})

test('text in any script, and whatever looks like a mistake in it, is kept as it came [F62]', async () => {
  const texts = [
    composed,
    composed.normalize('NFD'),
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
    '\u202eevil',
    '\u2067rtl\u2069',
  ]
  texts.push(
    '\ufeffbom',
    'a\u0301',
    '\u200b',
    '\u{10ffff}',
    'line\r\nend',
    '\u2028',
    '\u001b[31mred',
    '%00',
    '\\u0000',
    'null',
    '',
  )
  for (const [index, title] of texts.entries()) {
    const document = { ...relay, version: index, title, description: title }
    const saved = await engine.root('PUT', '/flows/told', document)
    expect([title, saved.status]).toEqual([title, index === 0 ? 201 : 200])
    expect((await engine.root('GET', '/flows/told')).value).toMatchObject({ title, description: title })
  }
  await engine.root('DELETE', '/flows/told')
})

test('ports whose names only look alike are two, and their values go each its own way [F62]', async () => {
  const names = [composed, composed.normalize('NFD'), 'a\u00e4', '\u0430', 'a', '\u{1f600}', '\u202ea', 'x.y', 'x y']
  const ports = names.map((port, index) => ({ direction: 'output' as const, port, name: `m${index}` }))
  const hook = { id: 'hook', type: 'http', settings: { url: 'in' }, ports }
  expect((await engine.publish('alike', { nodes: [hook] })).status).toBe(200)
  await engine.root('POST', '/flows/alike/start')
  const body = Object.fromEntries(names.map((name, index) => [name, index]))
  const request = { method: 'POST' as const, mediaType: 'application/json', query: {} }
  await engine.hooks.find('/alike/in')?.handler({ ...request, body: Buffer.from(JSON.stringify(body)) })
  const values = names.map((_, index) => engine.lastValues.get(`alike.m${index}`)?.value)
  expect(values).toEqual(names.map((_, index) => index))
  await engine.root('DELETE', '/flows/alike')
})

test('the list tells of every flow what the flow itself tells [R451]', async () => {
  await engine.publish('listed', { ...relay, title: 'Listed' })
  await engine.root('PUT', '/flows/listed', { ...relay, version: 1, mode: 'batch' })
  const { value } = await engine.ann<unknown[]>('GET', '/flows/')
  for (const item of value) {
    const { issues, failed_nodes: failed, last_activity_at: _, ...found } = flowListItemSchema.strict().parse(item)
    const flow = (await engine.ann('GET', `/flows/${found.name}`)).value
    expect(flow).toMatchObject(found)
    expect(issues.error + issues.warning + issues.advisory).toBe(flow.issues.length)
    expect(failed).toBe(flow.node_states.filter(({ status }) => status === 'failed').length)
  }
})
