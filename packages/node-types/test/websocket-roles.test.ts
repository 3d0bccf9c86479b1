import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Duplex } from 'node:stream'

import { websocketNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'

import { Rigs } from './rigs.ts'

const rigs = new Rigs()
afterEach(() => rigs.close())

describe('a websocket', () => {
  const frames: string[] = []
  async function serve(): Promise<number> {
    frames.length = 0
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    rigs.atEnd(() => {
      for (const client of server.clients) client.terminate()
      server.close()
    })
    server.on('connection', (socket) => socket.on('message', (data) => frames.push((data as Buffer).toString())))
    return (server.address() as AddressInfo).port
  }

  test('whose url begins with ws:// connects to that server, and mounts nothing [R203]', async () => {
    const rig = await rigs.run(websocketNode, {
      settings: { url: `ws://127.0.0.1:${await serve()}/feed` },
      inputs: { x: 'any' },
    })
    await rig.arrive({ x: 'hello' })
    await expect.poll(() => frames).toEqual(['hello'])
    expect([rig.sockets, rig.connections]).toEqual([[], 1])
  })

  test.each([
    ['ws://127.0.0.1/feed', { host: '127.0.0.1', port: 80, tls: false }],
    ['wss://127.0.0.1/feed', { host: '127.0.0.1', port: 443, tls: true }],
    ['WSS://127.0.0.1:8443', { host: '127.0.0.1', port: 8443, tls: true }],
  ])('with the url %s is a client of %j [R203]', async (url, target) => {
    const targets: unknown[] = []
    const setup = {
      settings: { url },
      outputs: { y: 'any' } as const,
      connect: (asked: unknown) => {
        targets.push(asked)
        return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
      },
    }
    const rig = await rigs.run(websocketNode, setup)
    await expect.poll(() => targets).toEqual([target])
    expect(rig.sockets).toEqual([])
  })

  test('with a path for a url serves it, and connects to nobody [R203] [R205]', async () => {
    const rig = await rigs.run(websocketNode, { settings: { url: '/ticker' }, inputs: { x: 'any' } })
    expect([rig.sockets.map(({ route }) => route.path), rig.connections, rig.timers]).toEqual([['ticker'], 0, 0])
  })
})
