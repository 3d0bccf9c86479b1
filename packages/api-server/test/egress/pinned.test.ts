/** Devices that nobody vouches for, known by the certificate that they have shown first. */
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:http'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect, createServer as createTlsServer, type TLSSocket } from 'node:tls'

import { type CertificatePin, type ConnectorStore, PinError, pinnedAgent, pinnedTls } from '@flow-service/connector-sdk'
import type { Agent } from 'undici'
import { afterAll, expect, onTestFinished, test } from 'vitest'

import { Authority, type Certified, expired } from '../../../../test/components/certificates.ts'
import { AddressRules } from '../../src/egress/address-rules.ts'
import { createDialer } from '../../src/egress/dialer.ts'
import { createOutgoingFetch } from '../../src/egress/outgoing-fetch.ts'
import { PinnedAgents } from '../../src/egress/pinned-agents.ts'

const rules = new AddressRules({ isProduction: false, allow: [] })
const dial = createDialer({ rules })
const { fetch: outgoingFetch, close } = createOutgoingFetch(dial)
afterAll(close)

const factory = new Authority('a factory that nobody knows')
/** Of another name than that by which the device is reached. */
const made = (validity?: typeof expired): Certified => factory.vouchFor(['device.invalid'], validity)
const fingerprintOf = ({ cert }: Certified): string => new X509Certificate(cert).fingerprint256

/** A device that speaks HTTPS; `certify` gives it another certificate. */
async function device(first: Certified, answer = 'ready') {
  const requests: string[] = []
  const server = createServer(first, (request, response) => {
    requests.push(`${request.url} ${request.headers.authorization}`)
    const to = /^\/to\/(.*)$/.exec(request.url ?? '')?.[1]
    if (to === undefined) response.end(answer)
    else response.writeHead(302, { location: to }).end()
  })
  /** Plain bytes of the application, whoever is to read them. */
  let heard = ''
  let connections = 0
  server.on('secureConnection', (socket: TLSSocket) => {
    connections += 1
    socket.on('data', (data: Buffer) => (heard += data.toString('latin1'))).on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    requests,
    port,
    address: `127.0.0.1:${port}`,
    url: `https://127.0.0.1:${port}`,
    get heard() {
      return heard
    },
    get connections() {
      return connections
    },
    certify(next: Certified) {
      server.setSecureContext(next)
      server.closeAllConnections()
      heard = ''
    },
  }
}

/** Keeps texts; each access takes a turn of the event loop. */
function memoryStore(): ConnectorStore & { readonly items: Map<string, string>; onSet: () => unknown } {
  const items = new Map<string, string>()
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    items,
    onSet: () => {},
    async get(key) {
      await turn()
      return items.get(key) ?? null
    },
    async set(key, value) {
      await turn()
      await this.onSet()
      items.set(key, value)
    },
    async delete(key) {
      await turn()
      return items.delete(key)
    },
  }
}

const secret = { headers: { authorization: 'Bearer of the device' } }

/** Sends a line and the end at once, as clients do that do not wait; the error, or null when it was taken. */
async function send(port: number, pin: CertificatePin): Promise<Error | null> {
  const socket = dial({ host: '127.0.0.1', port, tls: true, pin })
  const ended = new Promise<Error | null>((resolve) => {
    socket.once('error', resolve)
    socket.once('close', () => resolve(null))
  })
  socket.end('GET /line HTTP/1.1\r\nhost: device\r\nauthorization: Bearer of the device\r\nconnection: close\r\n\r\n')
  socket.resume()
  return ended
}

test('the first certificate is stored under cert:<address> before anything is sent, and accepted from then on [R389]', async () => {
  const own = made()
  const there = await device(own)
  const store = memoryStore()
  let heardBefore = ''
  store.onSet = () => (heardBefore = there.heard)
  const pin = await pinnedTls(store, there.address)
  expect(await send(there.port, pin)).toBeNull()
  expect([...store.items]).toEqual([[`cert:${there.address}`, fingerprintOf(own)]])
  expect([heardBefore, there.requests]).toEqual(['', ['/line Bearer of the device']])
  expect(await send(there.port, await pinnedTls(store, there.address))).toBeNull()
  expect(there.requests).toHaveLength(2)
})

test('of a changed certificate no byte is sent to its owner, and the error names fingerprint and key [R390, R391, T101]', async () => {
  const [before, after] = [made(), made()]
  const there = await device(before)
  const store = memoryStore()
  const pin = await pinnedTls(store, there.address)
  expect(await (await outgoingFetch(there.url, { ...secret, pin })).text()).toBe('ready')

  there.certify(after)
  const refused = await send(there.port, pin)
  expect(refused).toBeInstanceOf(PinError)
  expect(refused).toMatchObject({ fingerprint: fingerprintOf(after), key: `cert:${there.address}` })
  expect(refused?.message).toContain(fingerprintOf(after))
  expect(refused?.message).toContain(`clear the key "cert:${there.address}"`)
  const asked = outgoingFetch(there.url, { ...secret, method: 'POST', body: 'command', pin })
  await expect(asked).rejects.toMatchObject({ name: 'TypeError', cause: { name: 'PinError' } })
  // a pin that has read the store anew says the same
  expect(await send(there.port, await pinnedTls(store, there.address))).toBeInstanceOf(PinError)
  expect([there.heard, there.requests.length]).toEqual(['', 1])

  there.certify(before)
  expect(await send(there.port, pin)).toBeNull()
  expect(there.requests).toHaveLength(2)
})

test('once its key is cleared the next certificate is pinned [R388]', async () => {
  const [before, after] = [made(), made()]
  const there = await device(before)
  const store = memoryStore()
  expect(await send(there.port, await pinnedTls(store, there.address))).toBeNull()
  there.certify(after)
  await store.delete(`cert:${there.address}`)
  const pin = await pinnedTls(store, there.address)
  expect(await send(there.port, pin)).toBeNull()
  there.certify(before)
  expect(await send(there.port, pin)).toBeInstanceOf(PinError)
  expect(store.items.get(`cert:${there.address}`)).toBe(fingerprintOf(after))
})

test('a pinned certificate is accepted after it has expired [R392]', async () => {
  const old = made(expired)
  const there = await device(old)
  const store = memoryStore()
  await store.set(`cert:${there.address}`, fingerprintOf(old))
  const pin = await pinnedTls(store, there.address)
  expect(await (await outgoingFetch(there.url, { pin })).text()).toBe('ready')
  expect(await send(there.port, pin)).toBeNull()
})

test('the pin of one address says nothing of another', async () => {
  const [one, other] = [await device(made()), await device(made())]
  const store = memoryStore()
  const pins = [await pinnedTls(store, one.address), await pinnedTls(store, other.address)] as const
  expect(await send(one.port, pins[0])).toBeNull()
  expect(await send(other.port, pins[0])).toBeInstanceOf(PinError)
  expect(other.heard).toBe('')
  expect(await send(other.port, pins[1])).toBeNull()
  expect([...store.items.keys()].toSorted()).toEqual([`cert:${one.address}`, `cert:${other.address}`].toSorted())
})

test('nodes that meet one address first at the same time trust one certificate', async () => {
  const store = memoryStore()
  const first = Promise.withResolvers<void>()
  let sets = 0
  // the second to store comes when the first has been told that it may send
  store.onSet = () => (++sets === 1 ? null : first.promise)
  const [one, other] = await Promise.all([pinnedTls(store, 'meter'), pinnedTls(store, 'meter')])
  const shown = [made(), made()].map(({ cert }) => new X509Certificate(cert).raw) as [Buffer, Buffer]
  const ends = await Promise.allSettled([Promise.resolve(one(shown[0])).then(first.resolve), other(shown[1])])
  expect(ends).toMatchObject([{ status: 'fulfilled' }, { reason: { name: 'PinError', key: 'cert:meter' } }])
})

test('what cannot be stored is not trusted, and the next contact may be the first again', async () => {
  const there = await device(made())
  const store = memoryStore()
  store.onSet = () => Promise.reject(new RangeError('256 keys are all that a package may have'))
  const pin = await pinnedTls(store, there.address)
  expect(await send(there.port, pin)).toMatchObject({ message: '256 keys are all that a package may have' })
  expect(there.heard).toBe('')
  store.onSet = () => {}
  expect(await send(there.port, pin)).toBeNull()
})

test('nothing is sent while a pin has not decided, not even by the end of the stream', async () => {
  const there = await device(made())
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const sent = send(there.port, () => {
    asked.resolve()
    return promise
  })
  await asked.promise
  // the device has seen all of the handshake by the time at which another connection is through
  const other = connect({ host: '127.0.0.1', port: there.port, rejectUnauthorized: false })
  await once(other, 'secureConnect')
  other.destroy()
  expect(there.heard).toBe('')
  resolve()
  expect(await sent).toBeNull()
  expect(there.requests).toEqual(['/line Bearer of the device'])
})

test('requests with one pin share a connection, others never use it', async () => {
  const own = made()
  const there = await device(own)
  const seen: string[] = []
  const pinOf =
    (name: string): CertificatePin =>
    () =>
      void seen.push(name)
  const [one, other] = [pinOf('one'), pinOf('other')]
  for (const pin of [one, one, other, one]) {
    // oxlint-disable-next-line no-await-in-loop -- a connection is free once its answer is read
    await (await outgoingFetch(there.url, { pin })).text()
    // oxlint-disable-next-line no-await-in-loop -- and the turn of the event loop is over
    await new Promise(setImmediate)
  }
  expect([seen, there.connections]).toEqual([['one', 'other'], 2])
  await expect(outgoingFetch(there.url)).rejects.toThrow('fetch failed')
  expect(there.requests).toHaveLength(4)
  // a connection that is made anew is judged anew
  there.certify(own)
  await expect.poll(async () => (await outgoingFetch(there.url, { pin: one })).text().catch(() => '')).toBe('ready')
  expect(seen).toEqual(['one', 'other', 'one'])
})

test('connections are kept for the 256 pins that were used last', async () => {
  const told: string[] = []
  let opened = 0
  const agents = new PinnedAgents(async () => {
    const name = `agent ${++opened}`
    const say = (what: string) => async () => void told.push(`${name} ${what}`)
    return { close: say('closed'), destroy: say('destroyed') } as unknown as Agent
  })
  const pins = Array.from({ length: 256 }, () => (): void => {})
  const [first] = await Promise.all(pins.map((pin) => agents.of(pin)))
  expect(await agents.of(pins[0] as CertificatePin)).toBe(first)
  await agents.of(() => {})
  expect([opened, told]).toEqual([257, ['agent 2 closed']])
  await agents.close()
  expect(told.filter((each) => each.endsWith('destroyed'))).toHaveLength(256)
})

test('a pin holds for the origin that is asked: redirects to others are refused, and so is what is no TLS', async () => {
  const [there, elsewhere] = [await device(made()), await device(made())]
  const pin = (): void => {}
  const redirected = outgoingFetch(`${there.url}/to/${elsewhere.url}/`, { ...secret, pin })
  await expect(redirected).rejects.toThrow(`redirects to ${elsewhere.url}/, for which its pin does not hold`)
  expect(elsewhere.connections).toBe(0)
  expect(await (await outgoingFetch(`${there.url}/to//status`, { pin })).text()).toBe('ready')

  const plain = createPlainServer((_request, response) => response.end('plain'))
  await once(plain.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void plain.close())
  const { port } = plain.address() as AddressInfo
  await expect(outgoingFetch(`http://127.0.0.1:${port}/`, { pin })).rejects.toThrow(
    new TypeError(
      `http://127.0.0.1:${port}/ shows no certificate that a pin could accept; use https://, or leave the pin out`,
    ),
  )
  const [error] = (await once(dial({ host: '127.0.0.1', port, pin }), 'error').catch((failed: unknown) => [
    failed,
  ])) as [Error]
  expect(error.message).toBe(
    `127.0.0.1:${port} shows no certificate that a pin could accept; set tls, or leave the pin out`,
  )
})

test.each([
  ['answers a value', () => true, 'answers a value'],
  ['is no function', null, 'is no function'],
  [
    'throws no error',
    () => {
      // oxlint-disable-next-line no-throw-literal -- what others write may
      throw 'another device'
    },
    'another device',
  ],
])('a pin that %s accepts nobody', async (_, pin, says) => {
  const there = await device(made())
  expect((await send(there.port, pin as unknown as CertificatePin))?.message).toContain(says)
  expect(there.heard).toBe('')
})

test('addresses are judged by the rules with a pin as without', async () => {
  const there = await device(made())
  const guarded = createDialer({ rules: new AddressRules({ isProduction: true, allow: [] }) })
  let asked = 0
  const socket = guarded({ host: '127.0.0.1', port: there.port, tls: true, pin: () => void (asked += 1) })
  const error = await new Promise<Error>((resolve) => socket.once('error', resolve))
  expect(error.message).toContain('nodes may not connect to 127.0.0.1')
  expect([asked, there.connections]).toEqual([0, 0])
})

test('a peer cannot show another certificate on a connection that is open', async () => {
  const renegotiated = Promise.withResolvers<string>()
  const server = createTlsServer({ ...made(), maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', (error) => renegotiated.resolve(error.message))
    socket.renegotiate({}, (error) => renegotiated.resolve(error?.message ?? 'renegotiated'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const socket = dial({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: true, pin: () => {} })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  expect(await renegotiated.promise).toContain('no renegotiation')
})

test('libraries get the pin by an agent of Node.js [R390]', async () => {
  const [before, after] = [made(), made()]
  const there = await device(before)
  const agent = pinnedAgent({ connect: dial }, await pinnedTls(memoryStore(), there.address))
  onTestFinished(() => agent.destroy())
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      get(there.url, { agent, ...secret }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        // the connection is free a tick after the end
        response.once('end', () => setImmediate(resolve, text))
      }).once('error', reject)
    })
  expect([await ask(), await ask(), there.connections]).toEqual(['ready', 'ready', 1])
  there.certify(after)
  await expect.poll(() => ask().catch((error: Error) => error.name)).toBe('PinError')
  expect(there.heard).toBe('')
})

test('the fingerprint is the one that OpenSSL and browsers show', async () => {
  const own = made()
  const store = memoryStore()
  const pin = await pinnedTls(store, 'meter')
  const der = new X509Certificate(own.cert).raw
  await pin(der)
  const hex = createHash('sha256').update(der).digest('hex')
  expect(store.items.get('cert:meter')?.replaceAll(':', '').toLowerCase()).toBe(hex)
  expect(store.items.get('cert:meter')).toBe(fingerprintOf(own))
})
