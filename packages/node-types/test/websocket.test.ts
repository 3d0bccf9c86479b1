import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import { websocketNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'

import { passing, Rigs } from './rigs.ts'
import { silentServer } from './silent-server.ts'
import type { Rig, Setup } from './test-kit.ts'

/** A server that keeps what its clients send. */
interface Peer {
  readonly url: string
  readonly port: number
  readonly frames: { readonly text: string; readonly isBinary: boolean }[]
  readonly handshakes: IncomingMessage[]
  readonly clients: WebSocket[]
  close(): Promise<void>
}

const rigs = new Rigs()
afterEach(() => rigs.close())

async function serve(port = 0): Promise<Peer> {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  const peer: Peer = {
    url: '',
    port: 0,
    frames: [],
    handshakes: [],
    clients: [],
    async close() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
  sockets.on('connection', (socket, request) => {
    peer.handshakes.push(request)
    peer.clients.push(socket)
    socket.on('message', (data, isBinary) => peer.frames.push({ text: textOf(data), isBinary }))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const at = (server.address() as AddressInfo).port
  rigs.atEnd(() => peer.close())
  return Object.assign(peer, { url: `ws://127.0.0.1:${at}/feed?key=k`, port: at })
}

const start = (setup: Setup): Promise<Rig> => rigs.run(websocketNode, setup)
const listen = (url: string, outputs: Setup['outputs'], settings = {}) =>
  start({ settings: { url, ...settings }, outputs: outputs ?? {} })
const send = (url: string, inputs: Setup['inputs'], settings = {}) =>
  start({ settings: { url, ...settings }, inputs: inputs ?? {} })
const textOf = (data: RawData): string => (data as Buffer).toString()
const texts = (peer: Peer): string[] => peer.frames.map(({ text }) => text)

describe('a client', () => {
  test('sends one input as it is, several as one object, in frames of text [R216] [R219] [R220]', async () => {
    const peer = await serve()
    const one = await send(peer.url, { a: 'any' })
    for (const a of ['x', 5, { k: 1 }, null, '"q"']) await one.arrive({ a })
    await expect.poll(() => texts(peer)).toEqual(['x', '5', '{"k":1}', 'null', '"q"'])
    const two = await send(peer.url, { a: 'any', b: 'any' })
    await two.arrive({ a: 1 })
    await two.arrive({ b: 'x' })
    await expect.poll(() => texts(peer).slice(5)).toEqual(['{"a":1,"b":"x"}'])
    expect(peer.frames.some(({ isBinary }) => isBinary)).toBe(false)
  })

  test('emits the ports that an object names, and anything else whole from its only output [R217] [R218]', async () => {
    const peer = await serve()
    const [two, one, text] = [
      await listen(peer.url, { a: 'int', b: 'str' }),
      await listen(peer.url, { out: 'any' }),
      await listen(peer.url, { out: 'str' }),
    ]
    await expect.poll(() => peer.clients.length).toBe(3)
    const frames = ['{"a":1,"b":"x","__proto__":{"a":2},"c":3}', '5', 'hello', '"q"', '{"out":7}', '{"c":1}', '[1]']
    for (const client of peer.clients) {
      client.send(Buffer.from('{"a":9,"out":9}'), { binary: true })
      for (const frame of frames) client.send(frame)
    }
    await expect.poll(() => one.emitted.length).toBe(7)
    expect(one.emitted.map(({ out }) => out)).toEqual([
      { a: 1, b: 'x', ['__proto__']: { a: 2 }, c: 3 },
      5,
      'hello',
      'q',
      7,
      { c: 1 },
      [1],
    ])
    await expect.poll(() => two.logged.length).toBe(6)
    expect(two.emitted).toEqual([{ a: 1, b: 'x' }])
    // {"out":7} names the port, and holds no text for it
    expect(text.emitted.map(({ out }) => out)).toEqual([frames[0], '5', 'hello', 'q', '{"c":1}', '[1]'])
  })

  test('takes a key out of objects, one for all ports or one by port [R215]', async () => {
    const peer = await serve()
    const all = await listen(peer.url, { out: 'any' }, { json_key: 'v' })
    const each = await listen(peer.url, { a: 'any', b: 'any' }, { json_key: { a: 'temp' } })
    await expect.poll(() => peer.clients.length).toBe(2)
    for (const client of peer.clients)
      for (const frame of ['{"v":1}', '{"x":1}', '2', '{"temp":3,"b":4}', '{"out":{"v":5}}']) client.send(frame)
    await expect.poll(() => all.emitted).toEqual([{ out: 1 }, { out: 2 }, { out: 5 }])
    expect(each.emitted).toEqual([{ a: 3, b: 4 }])
  })

  test('drops what no port takes, is degraded until something fits, and survives deep JSON [R217] [F61]', async () => {
    const peer = await serve()
    const rig = await listen(peer.url, { out: 'float' })
    await expect.poll(() => peer.clients.length).toBe(1)
    for (const frame of ['"warm"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, '1.5']) peer.clients[0]?.send(frame)
    await expect.poll(() => rig.emitted).toEqual([{ out: 1.5 }])
    expect(rig.health).toEqual([
      { status: 'degraded', message: 'what came for the output "out" is no float; it was dropped' },
      { status: 'ok', message: null },
    ])
  })

  test('sends its headers, and its first frames after each connect [R208] [R209] [R210]', async () => {
    const peer = await serve()
    const rig = await listen(
      peer.url,
      { out: 'any' },
      { headers: { authorization: 'Bearer s3' }, on_connect: ['hello', '{"subscribe":1}'] },
    )
    await expect.poll(() => texts(peer)).toEqual(['hello', '{"subscribe":1}'])
    peer.clients[0]?.close()
    await expect.poll(() => rig.health.length).toBe(1)
    await rig.advance(1)
    await expect.poll(() => texts(peer)).toEqual(['hello', '{"subscribe":1}', 'hello', '{"subscribe":1}'])
    expect(peer.handshakes.map(({ headers }) => headers.authorization)).toEqual(['Bearer s3', 'Bearer s3'])
    expect(rig.health.map(({ status }) => status)).toEqual(['degraded', 'ok'])
  })

  test('connects again with longer and longer waits, and tells its health once per change [R204]', async () => {
    const peer = await serve()
    const rig = await listen(peer.url, { out: 'any' })
    await expect.poll(() => peer.clients.length).toBe(1)
    await peer.close()
    await expect.poll(() => rig.health.length).toBe(1)
    for (let second = 0; second < 70; second++) {
      await rig.advance(1)
      // a refused connection takes a turn of the event loop
      await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => rig.health.map(({ status }) => status)).toEqual(['degraded', 'down'])
    expect(JSON.stringify(rig.health)).not.toContain('key=k')
    const again = await serve(peer.port)
    await passing(rig, () => again.clients.length, 1)
    await expect.poll(() => rig.health.map(({ status }) => status)).toEqual(['degraded', 'down', 'ok'])
    again.clients[0]?.send('1')
    await expect.poll(() => rig.emitted).toEqual([{ out: 1 }])
  })

  test('gives a handshake up that is not answered in time [R212]', async () => {
    const { port, sockets } = await silentServer(rigs)
    const url = `ws://127.0.0.1:${port}/`
    const rig = await listen(url, { out: 'any' }, { timeout: 3 })
    await expect.poll(() => sockets.length).toBe(1)
    await rig.advance(2.9)
    expect(rig.health).toEqual([])
    await rig.advance(0.2)
    expect(rig.health).toEqual([{ status: 'degraded', message: `${url}: gave no answer within 3 s` }])
    await expect.poll(() => rig.connections).toBe(0)
  })

  test('leaves a peer that answers no ping', async () => {
    const peer = await serve()
    const rig = await listen(peer.url, { out: 'any' }, { on_connect: ['here'] })
    await expect.poll(() => texts(peer)).toEqual(['here'])
    peer.clients[0]?.pause()
    await rig.advance(61)
    expect(rig.health[0]).toMatchObject({ status: 'degraded', message: expect.stringContaining('no ping') })
  })

  test('keeps the newest frames while nobody is there, and is degraded until they are gone [R214] [F48]', async () => {
    const peer = await serve()
    const { port } = peer
    await peer.close()
    const rig = await send(`ws://127.0.0.1:${port}`, { n: 'int' })
    await expect.poll(() => rig.health.length).toBe(1)
    for (let n = 0; n < 300; n++) await rig.arrive({ n })
    const again = await serve(port)
    await rig.advance(1)
    await expect.poll(() => again.frames.length).toBe(256)
    expect(texts(again)[0]).toBe('44')
    expect(texts(again).at(-1)).toBe('299')
    expect(rig.logged).toEqual(['44 payloads were dropped'])
    expect(rig.health.map(({ status, message }) => [status, message?.includes('256') ?? false])).toEqual([
      ['degraded', false],
      ['degraded', true],
      ['ok', false],
    ])
  })

  test('leaves a server that takes nothing, with a bounded queue [R214] [F48]', async () => {
    const peer = await serve()
    const rig = await send(peer.url, { text: 'str' }, { send_queue_size: 4, timeout: 5 })
    await expect.poll(() => peer.clients.length).toBe(1)
    await expect.poll(() => rig.timers).toBe(1)
    peer.clients[0]?.pause()
    const text = 'x'.repeat(1_000_000)
    for (let n = 0; n < 40; n++) {
      await rig.arrive({ text })
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(rig.health).toMatchObject([
      { status: 'degraded', message: 'more than 4 messages wait; the oldest are dropped' },
    ])
    await rig.advance(5)
    expect(rig.health.at(-1)).toMatchObject({ message: expect.stringContaining('took nothing for 5 s') })
  })

  test('in a run waits until its frame is gone, and fails when that takes too long', async () => {
    const peer = await serve()
    const rig = await start({ settings: { url: peer.url }, inputs: { a: 'any' }, mode: 'batch' })
    await rig.arrive({ a: 1 })
    await expect.poll(() => texts(peer)).toEqual(['1'])
    await peer.close()
    await expect.poll(() => rig.connections).toBe(0)
    const late = rig.arrive({ a: 2 }).catch((error: unknown) => String(error))
    await rig.advance(10)
    expect(await late).toContain('not sent within 10 s')
  })

  test('opens nothing in a run of a draft when it only listens', async () => {
    const peer = await serve()
    const rig = await start({ settings: { url: peer.url }, outputs: { a: 'any' }, listens: false })
    expect([rig.connections, rig.timers]).toEqual([0, 0])
  })

  test('leaves nothing when it stops: open, opening, or waiting to connect again', async () => {
    const peer = await serve()
    const { port } = await silentServer(rigs)
    const [connected, opening, waiting] = [
      await listen(peer.url, { out: 'any' }),
      await listen(`ws://127.0.0.1:${port}/`, { out: 'any' }),
      await listen('ws://127.0.0.1:1/', { out: 'any' }),
    ]
    await expect.poll(() => peer.clients.length).toBe(1)
    await expect.poll(() => waiting.health.length).toBe(1)
    const closed = once(peer.clients[0]!, 'close')
    for (const rig of [connected, opening, waiting]) {
      await rig.stop()
      expect([rig.connections, rig.timers, rig.emitted]).toEqual([0, 0, []])
      await rig.advance(100)
      expect(rig.connections).toBe(0)
    }
    expect((await closed)[0]).toBe(1000)
    expect([connected.health, opening.health, waiting.health.length]).toEqual([[], [], 1])
  })

  test('says at once that it may not connect', async () => {
    const connect = (): never => {
      throw new Error('nodes may not connect there')
    }
    const rig = await start({ settings: { url: 'ws://127.0.0.1:1/' }, outputs: { a: 'any' }, connect })
    await expect
      .poll(() => rig.health)
      .toEqual([{ status: 'degraded', message: 'ws://127.0.0.1:1/: nodes may not connect there' }])
  })
})
