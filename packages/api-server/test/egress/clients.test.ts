/** Every node type that connects to somebody, against hosts that nobody may connect to. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

import { LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { nodeTypes } from '@flow-service/node-types'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { AddressRules } from '../../src/egress/address-rules.ts'
import { createDialer } from '../../src/egress/dialer.ts'
import { createOutgoingFetch } from '../../src/egress/outgoing-fetch.ts'
import { always, hosts, lookup } from './hosts.ts'

const TOKEN = 'canary-of-the-token'
/** Everything that comes to it is a hit. */
let sink: Server
let port: number
let hits = 0
beforeAll(async () => {
  sink = createServer((socket) => {
    hits++
    socket.on('error', () => {})
    socket.end()
  })
  await once(sink.listen(0, '127.0.0.1'), 'listening')
  port = (sink.address() as AddressInfo).port
})
afterAll(() => void sink.close())

const secret = { $secret: 'token' }
/** The settings of each client for a host. */
const clients: Record<string, (host: string) => object> = {
  http: (host) => ({ url: `http://${host}:${port}/x`, headers: { authorization: secret }, query: { key: secret } }),
  websocket: (host) => ({ url: `ws://${host}:${port}/x?key=1`, headers: { authorization: secret } }),
  mqtt: (host) => ({ broker_host: host, broker_port: port, topic: 't', username: 'u', password: secret }),
  push: (host) => ({ server: `http://${host}:${port}/`, topic: 't', token: secret }),
  tsdb: (host) => ({
    url: `http://${host}:${port}/`,
    token: secret,
    org: 'o',
    bucket: 'b',
    writes: { go: { measurement: 'm' } },
  }),
}

/** What each client says of each host once it was asked to reach it, in their order. */
async function said(rules: AddressRules, among: readonly string[]): Promise<Record<string, string[]>> {
  const dial = createDialer({ rules, lookup })
  const outgoing = createOutgoingFetch(dial)
  const host = memoryHost({ fetch: outgoing.fetch, connect: dial, secrets: { token: TOKEN } })
  const runtime = new LiveRuntime(host, new NodeRegistry(nodeTypes))
  const nodes = Object.entries(clients).flatMap(([type, settingsFor]) =>
    among.map((name, at) => ({
      id: `${type}-${at}`,
      type,
      settings: settingsFor(name) as never,
      ports: [{ direction: 'input' as const, name: 'go' }],
    })),
  )
  const document = normalizeDocument('f', flowDocumentInputSchema.parse({ nodes, inputs: [{ name: 'go' }] }))
  const live = await runtime.start(document)
  runtime.publish('f.go', 1)
  const told = (): Map<string, string> =>
    new Map(live.nodeStates().map(({ node, error, message }) => [node, error?.message ?? message ?? '']))
  await expect.poll(() => [...told()].filter(([, text]) => text === '')).toEqual([])
  const texts = told()
  await runtime.close()
  await outgoing.close()
  return Object.fromEntries(
    Object.keys(clients).map((type) => [type, among.map((_name, at) => texts.get(`${type}-${at}`) ?? '')]),
  )
}

test('each client reaches a host that it may connect to', async () => {
  const before = hits
  await said(new AddressRules({ isProduction: true, allow: ['127.0.0.0/8'] }), ['here.example'])
  expect(hits).toBeGreaterThanOrEqual(before + Object.keys(clients).length)
})

test.each([
  ['private hosts in production', true, [...hosts, ...always]],
  ['metadata services anywhere', false, always],
])(
  'no client reaches %s, by any spelling, nor tells its token [T72] [T75] [T103]',
  async (_which, isProduction, among) => {
    const before = hits
    const answers = await said(new AddressRules({ isProduction, allow: [] }), among)
    for (const [type, texts] of Object.entries(answers)) {
      for (const [at, text] of texts.entries())
        expect([type, among[at], text]).toEqual([type, among[at], type === 'mqtt' ? refusalOfBroker : refusal])
      expect(texts.join('\n')).not.toContain(TOKEN)
    }
    expect(hits).toBe(before)
  },
)

const refusal = expect.stringContaining('nodes may not connect to')
// a broker's name is no URL, which takes some spellings for others: it names nobody, or is looked up as it stands
const refusalOfBroker = expect.stringMatching(/nodes may not connect to|names no broker|no address of/)

test('no client reaches the engine’s own port [T72] [T75]', async () => {
  const rules = new AddressRules({ isProduction: false, allow: ['127.0.0.0/8'] })
  rules.protect(sink as never)
  const before = hits
  const among = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]', 'here.example']
  for (const texts of Object.values(await said(rules, among)))
    for (const text of texts) expect(text).toContain("is the engine's own")
  expect(hits).toBe(before)
})
