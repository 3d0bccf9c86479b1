import { expect, test } from 'vitest'
import * as z from 'zod'

import { plainCredentials } from '../src/credentials.ts'
import { checkDocument, NodeRegistry } from '../src/index.ts'
import { flow, type } from './documents.ts'

const ref = z.strictObject({ $secret: z.string() })
const secret = () => z.union([z.string(), ref]).meta({ 'x-secret': true })
const account = z.object({ name: z.string(), password: secret().nullable().default(null) })
const settings = z.object({
  host: z.string(),
  account: account.optional(),
  accounts: z.array(account).default([]),
  by_name: z.record(z.string(), account).default({}),
  either: z.union([z.object({ token: secret() }), z.number()]).optional(),
  pair: z.tuple([z.string(), secret()]).optional(),
  all: z.record(z.string(), z.string()).default({}).meta({ 'x-secret': true }),
})
const schema = z.toJSONSchema(settings, { io: 'input' })
const plain = (given: object): string[] => plainCredentials(schema, { host: 'h', ...given })

test('a text where a schema marks a credential is found at any depth, and nothing else is', () => {
  expect(plain({ account: { name: 'n', password: 'p' } })).toEqual(['/account/password'])
  expect(plain({ accounts: [{ name: 'n' }, { name: 'n', password: 'p' }] })).toEqual(['/accounts/1/password'])
  expect(plain({ by_name: { 'a/b': { name: 'n', password: 'p' } } })).toEqual(['/by_name/a~1b/password'])
  expect(plain({ either: { token: 't' } })).toEqual(['/either/token'])
  expect(plain({ pair: ['open', 'closed'] })).toEqual(['/pair/1'])
  expect(plain({ all: { a: 'x', b: '' } })).toEqual(['/all/a'])
  const referring = { name: 'n', password: { $secret: 'p' } }
  expect(plain({ account: referring, accounts: [referring, { name: 'n', password: null }] })).toEqual([])
  expect(plain({ unknown: 'p', either: 5 })).toEqual([])
})

test('schemas that refer to each other, and to themselves, come to an end', () => {
  const $defs = {
    tree: {
      properties: { token: { type: 'string', 'x-secret': true }, next: { $ref: '#/$defs/tree' } },
      anyOf: [{ $ref: '#/$defs/tree' }],
    },
  }
  const nested = { $ref: '#/$defs/tree', $defs }
  expect(plainCredentials(nested, { next: { next: { token: 't' } } })).toEqual(['/next/next/token'])
  expect(plainCredentials({ $ref: '#' }, { a: 1 })).toEqual([])
  expect(plainCredentials({ $ref: '#/$defs/none', 'x-secret': 1 }, 'text')).toEqual([])
})

const registry = new NodeRegistry([
  type('client', () => ({}), {
    settings: z.object({ token: secret().nullable().default(null), port: z.number().default(1) }),
    check: ({ settings: { port } }) => [
      { code: 'plain_credential', severity: 'advisory', path: '/settings/port', message: `port ${String(port)}` },
    ],
  }),
])
const issues = (given: object) =>
  checkDocument(flow([{ id: 'a', type: 'client', settings: given as never }]), registry, {
    message: () => undefined,
    secrets: { valueOf: () => '7'.repeat(9), mask: (shown) => shown },
  }).map(({ severity, code, path, message }) => ({ severity, code, path, message }))

test('such a setting is an advice that does not tell it; a reference is none [R052]', () => {
  const [first, ...more] = issues({ token: 'canary-of-the-broker' })
  expect(first).toMatchObject({ severity: 'advisory', code: 'plain_credential', path: '/nodes/0/settings/token' })
  expect(first?.message).toBe(
    'setting "token" holds a credential that every reader of the flow sees; store it as a secret, and put {"$secret": "its name"} here',
  )
  expect(more.map(({ path }) => path)).toEqual(['/nodes/0/settings/port'])
  expect(issues({ token: { $secret: 'a' } }).map(({ path }) => path)).toEqual(['/nodes/0/settings/port'])
})

test('no fault of settings tells what may be a credential, at any depth; of others it does', () => {
  const nested = new NodeRegistry([type('nested', () => ({}), { settings })])
  const told = (given: object): string[] =>
    checkDocument(flow([{ id: 'a', type: 'nested', settings: { host: 'h', ...given } as never }]), nested).map(
      ({ message }) => message,
    )
  const canary = 'canary-of-the-broker'
  for (const given of [
    { account: { name: 'n', password: [canary] } },
    { account: canary },
    { account: [canary] },
    { account: { password: canary } },
    { accounts: [{ name: 'n' }, { name: 'n', password: { word: canary } }] },
    { accounts: { 0: canary } },
    { by_name: { 'a/b': { name: 'n', password: { word: canary } } } },
    { either: { token: { word: canary } } },
    { either: canary },
    { pair: ['open', { word: canary }] },
    { all: { a: { word: canary } } },
    { all: canary },
  ]) {
    const messages = told(given)
    expect([given, messages.length]).toEqual([given, 1])
    expect(messages[0]).not.toContain('canary')
  }
  expect(told({ accounts: [{ name: 'n', password: 77 }] })[0]).toMatch(/^setting "accounts.0.password" is not valid; /)
  expect(told({ account: { name: 5 } })).toEqual(['setting "account.name" is 5; give it a text'])
  expect(told({ host: [5] })).toEqual(['setting "host" is [5]; give it a text'])
  expect(told({ pair: [5, 'p'] })).toEqual(['setting "pair.0" is 5; give it a text'])
})

test('a setting may have the name of what every object has: a reference in it is in order', () => {
  const free = new NodeRegistry([type('free', () => ({}), { settings: z.looseObject({}) })])
  for (const name of ['constructor', 'toString', 'valueOf']) {
    const document = flow([{ id: 'a', type: 'free', settings: { [name]: { $secret: 'a' } } as never }])
    expect([name, checkDocument(document, free)]).toEqual([name, []])
  }
})
