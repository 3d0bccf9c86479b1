/** References to secrets in the settings of the built-in node types (wire decisions G48 and S1: at any depth). */
import { checkDocument, NodeRegistry, nodeTypeEntry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import { flowDocumentInputSchema, type Issue, normalizeDocument } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { Redactor } from '../../src/secrets/redactor.ts'

const canary = 'canary value/1'
const redactor = new Redactor()
redactor.set([canary])
const secrets = { valueOf: (name: string) => (name === 'known' ? canary : undefined), mask: redactor.mask }
const registry = new NodeRegistry(nodeTypes)

function issuesOf(type: string, settings: object): Issue[] {
  const ports = [{ direction: 'input' as const, name: 'x' }]
  const node = { id: 'n', type, settings: settings as never, ports, source: 'def run(): pass' }
  const document = normalizeDocument('f', flowDocumentInputSchema.parse({ nodes: [node], inputs: [{ name: 'x' }] }))
  return checkDocument(document, registry, { message: () => undefined, secrets })
}

interface Property {
  readonly [keyword: string]: unknown
  readonly type?: string
}
interface Setting {
  readonly type: string
  readonly name: string
  readonly schema: Property
}
/** The settings of each type, and what their JSON Schema says of them. */
const properties: Setting[] = nodeTypes.flatMap((definition) =>
  Object.entries((nodeTypeEntry(definition).params['properties'] ?? {}) as Record<string, Property>).map(
    ([name, schema]) => ({ type: definition.type, name, schema }),
  ),
)
const marked = properties.filter(({ schema }) => schema['x-secret'] === true)
const at = (issues: readonly Issue[], name: string) =>
  issues.filter(({ path }) => path === `/nodes/0/settings/${name}` || path?.startsWith(`/nodes/0/settings/${name}/`))

test('the credentials of the built-in types are marked', () => {
  expect(marked.map(({ type, name }) => `${type}.${name}`).toSorted()).toEqual([
    'http.secret',
    'mqtt.password',
    'push.token',
    'tsdb.token',
    'websocket.secret',
  ])
})

const given = ({ type, name }: Setting, value: unknown) => issuesOf(type, { [name]: value })

describe.each(properties)('$type.$name', (setting) => {
  test('tells of no value that a reference puts in [T81]', () => {
    expect(JSON.stringify(given(setting, { $secret: 'known' }))).not.toContain(canary)
    expect(JSON.stringify(given(setting, { a: [{ $secret: 'known' }] }))).not.toContain(canary)
  })

  test('misses a secret that is not there, and says where [T81]', () => {
    const [first] = at(given(setting, { $secret: 'gone' }), setting.name)
    expect(first).toMatchObject({ code: 'unknown_secret', path: `/nodes/0/settings/${setting.name}` })
  })
})

test.each(marked)('$type.$name takes a reference, and a plain text is an advice [T81]', (setting) => {
  const { type, name } = setting
  expect(at(given(setting, { $secret: 'known' }), name)).toEqual([])
  const plain = at(issuesOf(type, { ...required[type], [name]: 'in the open' }), name)
  expect(plain).toMatchObject([{ code: 'plain_credential', severity: 'advisory' }])
  expect(plain[0]?.message).not.toContain('in the open')
  for (const broken of [{ $secret: '' }, { $secret: 1 }, { $secret: 'known', more: 1 }, { secret: 'known' }, {}, []])
    expect([broken, at(given(setting, broken), name)]).toMatchObject([broken, [{ severity: 'error' }]])
})

const isPublished = ({ schema }: Setting): boolean => schema['x-published'] === true

test('settings that nodes repeat are marked', () => {
  const names = properties.filter(isPublished).map(({ type, name }) => `${type}.${name}`)
  const known =
    'change.default change.mapping debounce.first debounce.then device.config inject.payload inject.payloads push.tags push.title'
  expect(names.toSorted()).toEqual(known.split(' '))
})

test.each(properties.filter(isPublished))('$type.$name, which is repeated, takes no reference [T81]', (setting) => {
  const { type, name } = setting
  for (const [value, pointer] of [
    [{ $secret: 'known' }, ''],
    [{ deep: [1, { $secret: 'known' }] }, '/deep/1'],
  ] as const) {
    expect(given(setting, value)).toContainEqual({
      severity: 'error',
      code: 'bad_setting',
      node: 'n',
      path: `/nodes/0/settings/${name}${pointer}`,
      message: `setting "${name}" is published as it stands, and the secret in it would be; name the secret in the node that needs it`,
    })
  }
  expect(
    at(issuesOf(type, { [name]: '$secret' }), name).filter(({ message }) => message.includes('secret in it')),
  ).toEqual([])
})

const isNoText = ({ schema }: Setting): boolean =>
  ['integer', 'number', 'boolean'].includes(schema.type ?? '') || 'enum' in schema

test.each(properties.filter(isNoText))('$type.$name is no text, and refuses one of a secret [T81]', (setting) => {
  expect(at(given(setting, { $secret: 'known' }), setting.name)).toMatchObject([
    { code: 'bad_setting', severity: 'error' },
  ])
})

test('a setting that takes a text or more takes the one of a secret as a text', () => {
  const settings = { topic: { $secret: 'known' }, broker_host: 'localhost' }
  expect(at(issuesOf('mqtt', settings), 'topic')).toEqual([])
})

/** What a type needs beside its credential. */
const required: Record<string, object> = {
  http: { url: 'in' },
  mqtt: { username: 'u', topic: 't' },
  push: { topic: 't' },
  tsdb: { url: 'http://host/', org: 'o', bucket: 'b', writes: { x: { measurement: 'm' } } },
  websocket: { url: '/s' },
}
