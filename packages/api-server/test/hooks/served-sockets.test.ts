import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'

import type { SocketPeer, SocketRoute } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { ServedSockets } from '../../src/hooks/served-sockets.ts'

class FakeSocket extends EventEmitter {
  readonly bufferedAmount = 0
  leave(): void {
    this.emit('close')
  }
}

/** A mounted socket, and what its node is told. */
function serve(route: SocketRoute, baseUrl: string | null = null) {
  const served = new ServedSockets()
  const told: number[] = []
  let clients = 0
  const listener = { heard() {}, closed: () => void clients-- }
  const mounted = () => {
    clients++
    return listener
  }
  served.register('plant', route, mounted, (most) => void told.push(most)).open()
  const upgrade = served.upgrade({ isPortal: () => false, home: { baseUrl, origins: ['https://console.example'] } })
  return {
    told,
    clients: () => clients,
    /** Answers the code of the refusal, or the accepted socket. */
    async open(rest: string, headers: Record<string, string> = {}): Promise<FakeSocket | string> {
      const socket = new FakeSocket()
      try {
        await upgrade({
          request: { headers: { host: 'flows.local:8000', ...headers } } as never,
          rest,
          query: new URLSearchParams(),
          ...nothing,
          accept: async () => socket as unknown as WebSocket,
        })
        return socket
      } catch (error) {
        return (error as { code: string }).code
      }
    },
  }
}

test('a socket takes 1,000 clients, also of those that come at once, and tells its node of each more [T102]', async () => {
  const at = serve({ path: 'ticker', secret: null })
  const opened = await Promise.all(Array.from({ length: 1003 }, () => at.open('plant/ticker')))
  expect(opened.filter((each) => each === 'unavailable')).toHaveLength(3)
  expect([at.clients(), at.told]).toEqual([1000, [1000, 1000, 1000]])
  const [first] = opened
  if (first instanceof FakeSocket) first.leave()
  expect(await at.open('plant/ticker')).toBeInstanceOf(FakeSocket)
  expect(await at.open('plant/ticker')).toBe('unavailable')
})

test.each([
  [null, 'https://flows.local:8000', true],
  [null, 'http://flows.local:8000', true],
  [null, 'https://console.example', true],
  [null, 'https://console.example:8443', false],
  [null, 'http://console.example', false],
  [null, 'http://flows.local', false],
  [null, 'http://flows.local:8000.evil.example', false],
  [null, 'null', false],
  [null, '', false],
  ['https://public.example/x/api/v1', 'https://public.example', true],
  ['https://public.example/x/api/v1', 'http://public.example', false],
])('without a secret, reached at %s, a page of %j may open it: %s', async (baseUrl, origin, isTaken) => {
  const at = serve({ path: 'ticker', secret: null }, baseUrl)
  expect(await at.open('plant/ticker', { origin })).toEqual(isTaken ? expect.any(FakeSocket) : 'forbidden')
})

test('with its secret a page of any origin opens it, and without it none does', async () => {
  const at = serve({ path: 'ticker', secret: 's3' })
  const origin = 'https://evil.example'
  expect(await at.open('plant/ticker/s3', { origin })).toBeInstanceOf(FakeSocket)
  expect(await at.open('plant/ticker', { origin: 'http://flows.local:8000' })).toBe('not_found')
  expect(await at.open('plant/ticker/wrong', { origin })).toBe('not_found')
})

/** A socket of a node that notes what it hears. */
function heardBy(name: string, told: string[]) {
  return () => ({
    heard: (frame: string) => void told.push(`${name} ${frame}`),
    closed: () => void told.push(`${name} closed`),
  })
}

class OpenSocket extends FakeSocket {
  isPaused = false
  readonly closes: number[] = []
  pause = (): void => void (this.isPaused = true)
  resume = (): void => void (this.isPaused = false)
  close = (code: number): void => void this.closes.push(code)
  say = (frame: string): void => void this.emit('message', Buffer.from(frame), false)
}

/** A served socket with one client, in the hands of its first node. */
/** What is not looked at of an upgrade that is answered here. */
const nothing = { socket: new PassThrough(), head: Buffer.alloc(0) }

async function connected() {
  const served = new ServedSockets()
  const told: string[] = []
  const register = (name: string, secret: string | null = null) =>
    served.register('plant', { path: 'ticker', secret }, heardBy(name, told), () => {})
  const socket = new OpenSocket()
  const upgrade = served.upgrade({ isPortal: () => false, home: { baseUrl: null, origins: [] } })
  const connect = () =>
    upgrade({
      request: { headers: { host: 'flows.local:8000' } } as never,
      rest: 'plant/ticker',
      query: new URLSearchParams(),
      ...nothing,
      accept: async () => socket as unknown as WebSocket,
    })
  const first = register('first')
  first.open()
  await connect()
  return { told, socket, first, register, connect }
}

test('clients stay when another node takes the place; what they say meanwhile is heard by that one, once', async () => {
  const { told, socket, first, register } = await connected()
  socket.say('1')
  first.hold()
  socket.say('2')
  const failed = register('failed')
  failed.hold()
  const second = register('second')
  first.unmount()
  failed.unmount()
  socket.say('3')
  expect(told).toEqual(['first 1'])
  second.open()
  socket.say('4')
  expect(told).toEqual(['first 1', 'second 2', 'second 3', 'second 4'])
  socket.leave()
  expect([told.at(-1), socket.closes]).toEqual(['second closed', []])
})

test('a client that says more than 1 MiB meanwhile is not read until it is served again', async () => {
  const { socket, first, register } = await connected()
  first.hold()
  const frame = 'x'.repeat(400_000)
  for (let count = 0; count < 3; count++) socket.say(frame)
  expect(socket.isPaused).toBe(true)
  register('second').open()
  expect(socket.isPaused).toBe(false)
})

test.each([
  ['no other node', () => {}],
  [
    'one with another secret',
    (register: (name: string, secret: string) => { open(): void }) => register('b', 's').open(),
  ],
])('with %s in its place a socket closes its clients', async (_, replace) => {
  const { socket, first, register } = await connected()
  first.hold()
  replace(register)
  first.unmount()
  expect(socket.closes).toEqual([1001])
  socket.leave()
})

test('a client that connects while the place changes hands is served by the next node', async () => {
  const { told, first, register, connect } = await connected()
  first.hold()
  const joined = connect()
  const second = register('second')
  first.unmount()
  second.open()
  await joined
  expect(told).toEqual([])
})

test('bytes for many clients come whole, whatever their length, and as they were when they were sent', async () => {
  const served = new ServedSockets()
  const peers: SocketPeer[] = []
  const serving = (peer: SocketPeer) => {
    peers.push(peer)
    return { heard() {}, closed() {} }
  }
  served.register('plant', { path: 'ticker', secret: null }, serving, () => {}).open()
  const upgrade = served.upgrade({ isPortal: () => false, home: { baseUrl: null, origins: [] } })
  const handshake = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const server = createServer().listen(0, '127.0.0.1')
  server.on('upgrade', (request, wire, head) => {
    const accept = () =>
      new Promise<WebSocket>((resolve) => handshake.handleUpgrade(request, wire, head, (socket) => resolve(socket)))
    void upgrade({ request, socket: wire, head, rest: 'plant/ticker', query: new URLSearchParams(), accept })
  })
  await once(server, 'listening')
  const heard: string[][] = [[], []]
  const clients = heard.map((texts) => {
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    client.on('message', (data, isBinary) => texts.push(isBinary ? 'binary' : (data as Buffer).toString()))
    return client
  })
  await expect.poll(() => peers.length).toBe(2)
  const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].map((size) =>
    size < 2 ? 'x'.repeat(size) : `ü${'x'.repeat(size - 2)}`,
  )
  const sent: Promise<void>[] = []
  for (const bytes of texts.map((text) => new TextEncoder().encode(text)))
    for (const peer of peers) sent.push(new Promise((resolve) => peer.send(bytes, resolve)))
  await Promise.all(sent)
  const bytes = new TextEncoder().encode('first')
  for (const text of ['first', 'again']) {
    new TextEncoder().encodeInto(text, bytes)
    // oxlint-disable-next-line no-await-in-loop -- the bytes are another text's when these have gone
    await Promise.all(peers.map((peer) => new Promise<void>((resolve) => peer.send(bytes, resolve))))
  }
  for (const peer of peers) peer.send('end')
  await expect.poll(() => heard.map((all) => all.at(-1))).toEqual(['end', 'end'])
  expect(heard).toEqual([
    [...texts, 'first', 'again', 'end'],
    [...texts, 'first', 'again', 'end'],
  ])
  // what is sent to one that has left is told to have gone
  for (const client of clients) client.terminate()
  await expect
    .poll(() => Promise.race(peers.map((peer) => new Promise((resolve) => peer.send(bytes, () => resolve('gone'))))))
    .toBe('gone')
  server.close()
})
