import type { NodeContext } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { type CodeCall, LiveRuntime, NodeRegistry, runPrivately, StartError } from '../src/index.ts'
import { secretRefs, withSecrets } from '../src/secrets.ts'
import { memoryHost, type MemoryHostOptions } from '../src/testing.ts'
import { flow, input, output, type } from './documents.ts'

const built: Record<string, unknown>[] = []
const client = type(
  'client',
  (ctx) => {
    built.push(ctx.settings)
    return { onValue: () => fail(ctx) }
  },
  { settings: z.object({ host: z.string(), headers: z.record(z.string(), z.string()).default({}) }) },
)
const code = type('code', (ctx) => ({ onValue: () => ctx.call({}) }), { settings: z.looseObject({}), code: 'python' })
const registry = new NodeRegistry([client, code])
const nodeOf = (kind: string, settings: object) =>
  flow([{ id: 'n', type: kind, settings: settings as never, source: 's', ports: [input('x'), output('y')] }], {
    inputs: [{ name: 'x' }],
  })

function fail(ctx: NodeContext): void {
  const { host } = ctx.settings as { host: string }
  ctx.reportHealth('down', `no answer of ${host}`)
  throw new Error(`cannot reach ${host}`)
}

/** A host that masks as the server does, in texts and JSON. */
function hostWith(secrets: Record<string, string>, more: MemoryHostOptions = {}) {
  const host = memoryHost({ secrets, ...more })
  const masked = (text: string): string =>
    Object.values(secrets).reduce((all, value) => all.replaceAll(value, '***'), text)
  const mask = <T>(shown: T): T => (shown === null ? shown : (JSON.parse(masked(JSON.stringify(shown))) as T))
  return { ...host, secrets: { ...host.secrets, mask } }
}

test('references are found at any depth, and nothing else is one [R052]', () => {
  const settings = {
    a: { $secret: 'one' },
    'b/c': [{ d: { $secret: 'two' } }],
    more: { $secret: 'no', than: 'one key' },
    text: '$secret',
    number: { $secret: 1 },
  }
  expect(secretRefs(settings)).toEqual([
    { pointer: '/a', name: 'one' },
    { pointer: '/b~1c/0/d', name: 'two' },
  ])
  const secrets = { valueOf: (name: string) => `the ${name}` }
  expect(withSecrets(settings, secrets)).toEqual({ ...settings, a: 'the one', 'b/c': [{ d: 'the two' }] })
  const plain = { a: { b: [1] } }
  expect(withSecrets(plain, secrets)).toBe(plain)
})

test('a live node is built with the values, and its document keeps the references [R052] [R358]', async () => {
  const settings = { host: { $secret: 'host' }, headers: { auth: { $secret: 'token' } } }
  const runtime = new LiveRuntime(hostWith({ host: 'example.org', token: 'abc' }), registry)
  const live = await runtime.start(nodeOf('client', settings))
  expect(built.pop()).toEqual({ host: 'example.org', headers: { auth: 'abc' } })
  expect(live.document.nodes[0]?.settings).toEqual(settings)
  await runtime.close()
})

test('a node whose secret is missing is not built: the flow does not start', async () => {
  const before = built.length
  const starting = new LiveRuntime(hostWith({}), registry).start(nodeOf('client', { host: { $secret: 'host' } }))
  await expect(starting).rejects.toThrow(new StartError('n', 'there is no secret "host"; store it first'))
  expect(built.length).toBe(before)
})

test('what a node tells of itself holds no value: failure, health, event, cascade [T80]', async () => {
  const host = hostWith({ host: 'secret.example.org' })
  const runtime = new LiveRuntime(host, registry)
  const live = await runtime.start(nodeOf('client', { host: { $secret: 'host' } }))
  live.trigger('n', { x: 1 })
  await live.idle()
  expect(live.nodeStates()).toMatchObject([
    { health: 'down', message: 'no answer of ***', error: { message: 'cannot reach ***' } },
  ])
  const told = JSON.stringify([live.nodeStates(), host.events, host.cascades, host.logs])
  expect(told).toContain('cannot reach ***')
  expect(told).not.toContain('secret.example.org')
  await runtime.close()
})

test('code is called with the values that hold at that moment, in its settings alone [R600]', async () => {
  const calls: CodeCall[] = []
  const secrets: Record<string, string> = { token: 'first value' }
  const call = async (made: CodeCall) => {
    calls.push(made)
    return { y: made.node.settings['token'] }
  }
  const host = hostWith(secrets, { call })
  const runtime = new LiveRuntime(host, registry)
  const live = await runtime.start(nodeOf('code', { token: { $secret: 'token' } }))
  live.trigger('n', { x: 1 })
  await live.idle()
  secrets['token'] = 'second value'
  live.trigger('n', { x: 1 })
  await live.idle()
  expect(calls.map(({ node }) => node.settings)).toEqual([{ token: 'first value' }, { token: 'second value' }])
  expect(calls[0]?.document.nodes[0]?.settings).toEqual({ token: { $secret: 'token' } })
  delete secrets['token']
  live.trigger('n', { x: 1 })
  await live.idle()
  expect(live.nodeStates()).toMatchObject([
    { status: 'failed', error: { type: 'MissingSecret', message: 'there is no secret "token"; store it first' } },
  ])
  await runtime.close()
})

test('the values that a private run answers are masked [T80]', async () => {
  const host = hostWith({ token: 'a long value' }, { call: async ({ node }) => ({ y: node.settings['token'] }) })
  const document = nodeOf('code', { token: { $secret: 'token' } })
  const { values } = await runPrivately({ document, host, registry, inputs: { x: 1 } })
  expect(values).toEqual({ 'f.x': 1, 'f.y': '***' })
})
