import { once } from 'node:events'

import type { NodeState } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { openSocket, sendRaw } from './raw-http.ts'
import { publish, startService, type TestService } from './service.ts'

const SECRET = 'k7-of-the-socket'
/** Asks for a client's socket, byte by byte. */
const handshake = [
  `GET /hooks/plant/ticker/${SECRET} HTTP/1.1`,
  'host: localhost',
  'upgrade: websocket',
  'connection: upgrade',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')
const PORTAL = 'portal-token-of-the-test'
const socket = (id: string, settings: object, ...ports: object[]) => ({ id, type: 'websocket', settings, ports })
const input = (name: string) => ({ direction: 'input', name, dtype: 'any' })
const output = (name: string) => ({ direction: 'output', name, dtype: 'any' })
const plant = {
  mode: 'live',
  inputs: [{ name: 'tick', dtype: 'any' }],
  nodes: [
    socket('ticker', { url: '/ticker', secret: SECRET, timeout: 1, send_queue_size: 8 }, input('tick')),
    socket('heard', { url: 'deep/open' }, output('a'), output('b')),
    { id: 'hook', type: 'http', settings: { url: 'hook' }, ports: [output('posted')] },
    { id: 'self', type: 'http', settings: { url: '', timeout: 5 }, ports: [input('posted')] },
  ],
}

let at: TestService
beforeAll(async () => {
  at = await startService({ portalToken: PORTAL })
  plant.nodes[3]!.settings = { url: `${at.origin}/healthz`, timeout: 5 } as never
  for (const name of ['plant', 'stopped', 'brief']) {
    await publish(at, name, plant)
    await at.send('POST', `/flows/${name}/start`)
  }
  await at.send('POST', '/flows/stopped/stop')
})
afterAll(() => at[Symbol.asyncDispose]())

const url = (path: string): string => `${at.origin.replace('http', 'ws')}${path}`
async function connect(path: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const client = new WebSocket(url(path), { headers })
  await once(client, 'open')
  return client
}
const upgrade = (path: string, ...headers: string[]) =>
  sendRaw(at.origin, [
    `GET ${path} HTTP/1.1`,
    'upgrade: websocket',
    'connection: upgrade',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ])
const tick = (value: unknown) => at.send('POST', '/messages/plant.tick', { value })
const valueOf = async (message: string): Promise<unknown> =>
  (await at.client.messages.list()).find(({ name }) => name === `plant.${message}`)?.value
/** How a node of the flow is, as an event socket shows it first. */
async function stateOf(id: string): Promise<NodeState | undefined> {
  const client = new WebSocket(url('/api/v1/flows/ws?flows=plant'), {
    headers: { authorization: `Bearer ${at.token}` },
  })
  const [data] = (await once(client, 'message')) as [Buffer]
  client.terminate()
  return (JSON.parse(String(data)) as { nodes: NodeState[] }).nodes.find(({ node }) => node === id)
}
const frames = (client: WebSocket): string[] => {
  const seen: string[] = []
  client.on('message', (data) => seen.push((data as Buffer).toString()))
  return seen
}

describe('a served socket', () => {
  test('sends to every client, at both addresses, whatever the origin of its page [R205] [R206]', async () => {
    const clients = await Promise.all([
      connect(`/hooks/plant/ticker/${SECRET}`),
      connect(`/api/v1/hooks/plant/ticker/${SECRET}/`, { origin: 'https://console.example' }),
    ])
    const seen = clients.map(frames)
    await tick({ n: 1 })
    await tick('up')
    await expect.poll(() => seen).toEqual(Array(2).fill(['{"n":1}', 'up']))
    for (const client of clients) client.terminate()
  })

  test('without a secret opens to pages of the service alone, and to what is no page', async () => {
    const foreign = await upgrade('/hooks/plant/deep/open', 'origin: https://evil.example')
    expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining('https://evil.example')])
    for (const origin of [at.origin, undefined])
      (await connect('/hooks/plant/deep/open', origin === undefined ? {} : { origin })).terminate()
  })

  test('hears its clients, and drops what no port is named by: unknown keys, a prototype, many keys [R217] [T102]', async () => {
    const client = await connect('/hooks/plant/deep/open')
    client.send('{"a":1,"c":2,"__proto__":{"b":3},"constructor":4}')
    await expect.poll(() => valueOf('a')).toBe(1)
    const many = `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join(',')},"b":5}`
    client.send(many)
    await expect.poll(() => valueOf('b')).toBe(5)
    const closed = once(client, 'close')
    client.send('x'.repeat(1024 * 1024 + 1))
    expect((await closed)[0]).toBe(1009)
  })

  test('a wrong secret, an unknown path, a webhook and a stopped flow are refused with the same bytes [R205] [R211] [T53]', async () => {
    const unlike = await upgrade('/hooks/nobody/ticker/x')
    expect(unlike.status).toBe(404)
    for (const path of [
      '/hooks/plant/ticker',
      '/hooks/plant/ticker/wrong',
      `/hooks/plant/ticker/${SECRET}x`,
      `/hooks/plant/ticker/${SECRET}/more`,
      `/hooks/plant/ticker?secret=${SECRET}`,
      `/hooks/stopped/ticker/${SECRET}`,
      '/hooks/stopped/deep/open',
      '/hooks/plant/deep%2Fopen',
      '/hooks/plant/hook',
      '/hooks/%zz',
      '/hooks/',
      '/api/v1/hooks/plant/ticker/wrong',
    ])
      expect([path, (await upgrade(path)).text]).toEqual([path, unlike.text])
    // without an upgrade there is no socket either
    expect((await sendRaw(at.origin, [`GET /hooks/plant/ticker/${SECRET} HTTP/1.1`])).status).toBe(404)
  })

  test('through the portal only what has a secret answers, and only the portal is the portal [R202] [T59]', async () => {
    const through = `x-service-portal: ${PORTAL}`
    const forged = `x-service-portal: ${PORTAL}x`
    const statuses = await Promise.all([
      upgrade('/hooks/plant/deep/open', through),
      upgrade('/hooks/plant/deep/open', forged, 'sec-websocket-protocol: ,'),
      sendRaw(at.origin, ['POST /hooks/plant/hook HTTP/1.1', through], '1'),
      sendRaw(at.origin, ['POST /hooks/plant/hook HTTP/1.1', forged], '1'),
    ])
    // a broken handshake is refused behind the address alone
    expect(statuses.map(({ status }) => status)).toEqual([404, 400, 404, 202])
    ;(await connect(`/hooks/plant/ticker/${SECRET}`, { 'x-service-portal': PORTAL })).terminate()
  })

  test('a client that never reads is dropped after the timeout, and the others get everything [R213] [T102]', async () => {
    const raw = await openSocket(at.origin)
    raw.write(handshake)
    await once(raw, 'data')
    raw.pause()
    const gone = once(raw, 'close')
    const reader = await connect(`/hooks/plant/ticker/${SECRET}`)
    let count = 0
    reader.on('message', () => count++)
    const text = 'x'.repeat(250_000)
    for (let n = 0; n < 60; n++) await tick(text)
    await expect.poll(() => count).toBe(60)
    // nobody is degraded any more: the one that was is gone
    await expect.poll(async () => (await stateOf('ticker'))?.health).toBe('ok')
    // what was on its way is all that it gets
    let bytes = 0
    raw.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
    await gone
    expect(bytes).toBeLessThan(60 * text.length)
    reader.terminate()
  })

  test.each([
    ['a reserved opcode', [0x83, 0x80, 0, 0, 0, 0]],
    ['reserved bits', [0xf1, 0x80, 0, 0, 0, 0]],
    ['a frame without a mask', [0x81, 0x02, 0x7b, 0x7d]],
    ['a continuation of nothing', [0x80, 0x80, 0, 0, 0, 0]],
    ['a length of 2^63', [0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0]],
    ['noise', Array<number>(4096).fill(0xff)],
  ])('%s ends its own connection only [T49]', async (_what, bytes) => {
    const other = await connect(`/hooks/plant/ticker/${SECRET}`)
    const heard = frames(other)
    const raw = await openSocket(at.origin)
    const gone = once(raw, 'close')
    raw.write(handshake)
    await once(raw, 'data')
    raw.resume().write(Buffer.from(bytes))
    await gone
    await tick('still here')
    await expect.poll(() => heard).toEqual(['still here'])
    other.terminate()
  })

  test('closes its clients with 1001 when the flow stops, and refuses new ones [R205]', async () => {
    const client = await connect(`/hooks/brief/ticker/${SECRET}`)
    const closed = once(client, 'close')
    await at.send('POST', '/flows/brief/stop')
    expect((await closed)[0]).toBe(1001)
    expect((await upgrade(`/hooks/brief/ticker/${SECRET}`)).status).toBe(404)
  })
})

test('a node does not reach the engine’s own port [T72]', async () => {
  await sendRaw(at.origin, ['POST /hooks/plant/hook HTTP/1.1'], '{"posted":1}')
  await expect.poll(async () => (await stateOf('self'))?.error?.message).toContain("is the engine's own")
})

test('both types are in the catalogue, and nothing is missing for them here [R167]', async () => {
  const types = (await at.send('GET', '/flows/node-types')).body as unknown as {
    type: string
    missing: string | null
  }[]
  for (const type of ['mqtt', 'websocket'])
    expect(types.find((each) => each.type === type)).toMatchObject({
      available: true,
      missing: null,
      category: 'network',
    })
})
