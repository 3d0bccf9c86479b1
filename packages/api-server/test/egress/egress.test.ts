import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { AddressRules, isNetwork } from '../../src/egress/address-rules.ts'
import { createDialer, type Dial } from '../../src/egress/dialer.ts'
import { createOutgoingFetch } from '../../src/egress/outgoing-fetch.ts'
import { always, hosts, lookup } from './hosts.ts'

/** Everything that comes to it is a hit. */
let sink: Server
let port: number
let hits = 0
let headers: Record<string, unknown>[] = []
beforeAll(async () => {
  sink = createServer((request, response) => {
    headers.push(request.headers)
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to')
    if (to === null) response.end('hit')
    else response.writeHead(302, { location: to }).end()
  })
  sink.on('connection', () => hits++)
  await once(sink.listen(0, '127.0.0.1'), 'listening')
  port = (sink.address() as AddressInfo).port
})
afterAll(() => {
  sink.closeAllConnections()
  sink.close()
})

const production = new AddressRules({ isProduction: true, allow: [] })
const dialer = (rules: AddressRules): Dial => createDialer({ rules, lookup })
const strict = dialer(production)

/** What a connection by hand says of its end. */
async function dialed(dial: Dial, host: string): Promise<string> {
  const socket = dial({ host, port })
  socket.write('GET / HTTP/1.0\r\n\r\n')
  const error = await new Promise<Error | null>((resolve) => {
    socket.once('error', resolve)
    socket.once('data', () => resolve(null))
  })
  socket.destroy()
  return error === null ? 'connected' : error.name
}

/** The end of a request, and of a WebSocket handshake, by the same dialer. */
async function tried(dial: Dial, url: string): Promise<string[]> {
  const { fetch, close } = createOutgoingFetch(dial)
  const told = (error: unknown): string => String((error as Error).cause ?? error)
  const requested = await fetch(url).then(() => 'connected', told)
  await close()
  const { hostname } = new URL(url)
  const socket = new WebSocket(url.replace('http', 'ws'), {
    createConnection: (() => dial({ host: hostname, port })) as never,
  })
  const [error] = (await once(socket, 'error')) as [Error]
  return [requested, String(error)]
}

describe('in production', () => {
  test.each(hosts)('no client reaches %s [T72] [T75]', async (host) => {
    const before = hits
    for (const answer of await tried(strict, `http://${host}:${port}/`)) expect(answer).toMatch(/EgressRefusal/)
    const bare = host.startsWith('[') ? host.slice(1, -1) : new URL(`http://${host}`).hostname
    expect(await dialed(strict, bare)).toBe('EgressRefusal')
    expect(hits).toBe(before)
  })

  test('there are enough spellings', () => {
    expect(new Set([...hosts, ...always]).size).toBeGreaterThanOrEqual(80)
  })

  test('numbers that only a resolver reads are judged by what it answers', async () => {
    for (const host of ['2130706433', '0x7f.1', '127.1']) expect(await dialed(strict, host)).toBe('EgressRefusal')
  })

  test('public addresses pass the rules', () => {
    for (const address of [
      '1.1.1.1',
      '172.32.0.1',
      '8.8.8.8',
      '2606:4700::1111',
      '64:ff9b::808:808',
      '2002:808:808::1',
    ])
      expect([address, production.refusal(address, 80)]).toEqual([address, null])
  })

  test('a private network is reached once the configuration allows it, by any spelling', async () => {
    const rules = new AddressRules({ isProduction: true, allow: ['127.0.0.0/8', '10.1.2.3'] })
    for (const host of ['127.0.0.1', 'here.example', 'mixed.example', 'localhost'])
      expect([host, await dialed(dialer(rules), host)]).toEqual([host, 'connected'])
    expect(rules.refusal('::ffff:127.0.0.1', 1)).toBeNull()
    expect(rules.refusal('10.1.2.3', 1)).toBeNull()
    expect(rules.refusal('10.1.2.4', 1)).toContain('SERVICE_EGRESS_ALLOW')
    expect(new AddressRules({ isProduction: true, allow: ['0.0.0.0/0'] }).refusal('169.254.169.254', 80)).not.toBeNull()
  })

  test('what the operator has written down is reached in a private network, and no metadata service', async () => {
    const dial = createDialer({ rules: production.ofOperator, lookup, who: 'provisioners' })
    expect(await dialed(dial, '127.0.0.1')).toBe('connected')
    expect((await tried(dial, `http://169.254.169.254:${port}/`))[0]).toContain(
      'provisioners may not connect to 169.254.169.254: 169.254.169.254 is the address of a metadata service',
    )
    const engine = new AddressRules({ isProduction: true, allow: [] })
    engine.protect(sink)
    expect(await dialed(createDialer({ rules: engine.ofOperator, lookup }), '127.0.0.1')).toBe('EgressRefusal')
  })

  test('a refusal tells the same, whoever listens there', () => {
    expect(production.refusal('127.0.0.1', port)).toBe(production.refusal('127.0.0.1', 1))
  })
})

describe('everywhere', () => {
  const local = new AddressRules({ isProduction: false, allow: [] })

  test.each(always)('no client reaches the metadata service %s [T72]', async (host) => {
    for (const answer of await tried(dialer(local), `http://${host}:${port}/`)) expect(answer).toMatch(/EgressRefusal/)
  })

  test('nobody reaches the own port of the engine, by any name of this machine [T72]', async () => {
    const rules = new AddressRules({ isProduction: false, allow: ['127.0.0.1'] })
    const dial = dialer(rules)
    expect(await dialed(dial, '127.0.0.1')).toBe('connected')
    const release = rules.protect(sink)
    const before = hits
    for (const host of ['127.0.0.1', 'localhost', 'here.example', '0.0.0.0', '::ffff:127.0.0.1', '127.8.8.8', '::1'])
      expect([host, await dialed(dial, host)]).toEqual([host, 'EgressRefusal'])
    expect(hits).toBe(before)
    release()
    expect(await dialed(dial, '127.0.0.1')).toBe('connected')
  })

  test('a name that stands for another address at the second look is judged again [T73]', async () => {
    let looks = 0
    const rebinding: LookupFunction = (_host, _options, done) =>
      done(null, [{ address: looks++ === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 }])
    const dial = createDialer({ rules: local, lookup: rebinding })
    expect([await dialed(dial, 'a.example'), await dialed(dial, 'a.example')]).toEqual(['connected', 'EgressRefusal'])
    expect(looks).toBe(2)
  })

  test('the peer is judged once more when it is connected, and gets nothing before [T73]', async () => {
    let judged = 0
    const changing = { refusal: () => (judged++ === 0 ? null : 'the peer is another one') }
    const before = headers.length
    expect(await dialed(createDialer({ rules: changing, lookup }), 'here.example')).toBe('EgressRefusal')
    expect(judged).toBe(2)
    expect(headers.length).toBe(before)
  })

  test('each hop of a redirect is judged, and credentials stay at their origin [T74]', async () => {
    const { fetch, close } = createOutgoingFetch(dialer(local))
    const other = createServer((request, response) => {
      headers.push(request.headers)
      response.end('other')
    })
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const there = `http://here.example:${(other.address() as AddressInfo).port}/`
    const from = (to: string) => `http://127.0.0.1:${port}/?to=${encodeURIComponent(to)}`
    headers = []
    const answer = await fetch(from(there), { headers: { authorization: 'Bearer canary', cookie: 'c=canary' } })
    expect(await answer.text()).toBe('other')
    expect(headers[0]).toMatchObject({ authorization: 'Bearer canary' })
    expect(JSON.stringify(headers[1])).not.toContain('canary')
    for (const to of ['http://169.254.169.254/latest', 'http://meta.example/', 'http://[::ffff:a9fe:a9fe]/'])
      await expect(fetch(from(to))).rejects.toMatchObject({ cause: { name: 'EgressRefusal' } })
    for (const to of ['file:///etc/passwd', 'data:text/plain,x', 'ftp://127.0.0.1/'])
      await expect(fetch(from(to)).then((response) => response.text())).rejects.toThrow('is no address to request')
    await close()
    other.close()
  })

  test('a form is sent as a form', async () => {
    const { fetch, close } = createOutgoingFetch(dialer(local))
    const form = new FormData()
    form.set('a', 'b')
    headers = []
    await (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form })).text()
    expect(headers[0]?.['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    await close()
  })
})

test('a network of the configuration is an address with or without its bits', () => {
  expect(['10.0.0.0/8', '::1', 'fd00::/8', '1.2.3.4'].map(isNetwork)).toEqual([true, true, true, true])
  expect(['10.0.0.0/33', 'host', '', '10.0.0.0/8/8', '10.0.0.0/x', '::/129'].map(isNetwork)).toEqual(
    Array(6).fill(false),
  )
})
