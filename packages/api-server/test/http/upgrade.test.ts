import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { VirtualClock } from '@flow-service/core/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { ProblemError } from '../../src/http/errors.ts'
import { createUpgradeRouter, type UpgradeHandler, type UpgradeOptions } from '../../src/http/upgrade.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function start(
  routes: Record<`/${string}`, UpgradeHandler>,
  { mount = '', ...options }: { mount?: string } & Partial<UpgradeOptions> = {},
) {
  const logged: object[] = []
  const router = createUpgradeRouter({ log: { error: (fields) => logged.push(fields) }, ...options })
  for (const [path, handler] of Object.entries(routes)) router.route(path as `/${string}`, handler)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const detach = router.attach(server, mount)
  const { port } = server.address() as AddressInfo
  cleanups.push(async () => {
    await router.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { router, server, port, detach, logged, url: `ws://127.0.0.1:${port}` }
}

const echo: UpgradeHandler = async (upgrade) => {
  const socket = await upgrade.accept({ maxPayloadBytes: 100 })
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
}

/** Resolves with 'echo' when a message has come back. */
async function echoed(socket: WebSocket): Promise<string> {
  socket.send('are you there?')
  await once(socket, 'message')
  return 'echo'
}

const timersOf = (clock: VirtualClock) => ({
  setTimer: (delayMs: number, run: () => void) => clock.setTimer(delayMs, run),
})

/** Status and body of a refused upgrade. */
async function refusal(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers })
  socket.on('error', () => undefined)
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  let body = ''
  for await (const chunk of answer) body += String(chunk)
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(body) as Record<string, unknown> }
}

async function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  return socket
}

describe('routes', () => {
  test('an exact path is accepted and carries messages both ways', async () => {
    const { url } = await start({ '/api/v1/flows/ws': echo })
    const socket = await open(`${url}/api/v1/flows/ws?ticket=1`)
    socket.send('hello')
    expect(String((await once(socket, 'message'))[0])).toBe('hello')
    expect(socket.extensions).toBe('')
    socket.close()
  })

  test('a prefix route gets the rest of the path as it was sent, and the query', async () => {
    const seen: unknown[] = []
    const { url } = await start({
      '/hooks/*': async ({ rest, query }) => {
        seen.push(rest, query.get('q'))
        throw new ProblemError('not_found', 'no hook')
      },
    })
    await refusal(`${url}/hooks/flow/a%2Fb/secret?q=1&r=2`)
    expect(seen).toEqual(['flow/a%2Fb/secret', '1'])
  })

  test('a path without a route is 404', async () => {
    const { url } = await start({ '/api/v1/flows/ws': echo })
    for (const path of ['/api/v1/flows/wsx', '/api/v1/flows', '/elsewhere', '/api/v1/Flows/ws'])
      expect(await refusal(url + path)).toMatchObject({ status: 404, body: { code: 'not_found', status: 404 } })
  })

  test('what is not below the mount belongs to the listeners of the host', async () => {
    const { server, url } = await start({ '/api/v1/flows/ws': echo }, { mount: '/engine' })
    const host = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/chat') host.handleUpgrade(request, socket, head, (accepted) => accepted.send('host'))
    })
    const chat = new WebSocket(`${url}/chat`)
    expect(String((await once(chat, 'message'))[0])).toBe('host')
    chat.close()
    const ours = await open(`${url}/engine/api/v1/flows/ws`)
    ours.close()
    expect(await refusal(`${url}/engine/unknown`)).toMatchObject({ status: 404 })
  })

  test('at the root, beside a listener of the host, only routes are ours', async () => {
    const { server, url } = await start({ '/api/v1/flows/ws': echo })
    server.on('upgrade', (request, socket) => {
      if (request.url === '/api/other') socket.end('HTTP/1.1 418 Teapot\r\ncontent-length: 2\r\n\r\n{}')
    })
    expect(await refusal(`${url}/api/other`)).toMatchObject({ status: 418 })
  })

  test('a detached router leaves the server alone', async () => {
    const { detach, server } = await start({ '/a': echo })
    detach()
    expect(server.listenerCount('upgrade')).toBe(0)
  })

  test('a route cannot be taken twice', async () => {
    const { router } = await start({ '/a': echo })
    expect(() => router.route('/a', echo)).toThrow('the socket route /a exists already')
  })
})

describe('refusals', () => {
  test('come before the upgrade, as a problem with its headers', async () => {
    const { url } = await start({
      '/private': async () => {
        throw new ProblemError('unauthenticated', 'send a ticket')
      },
    })
    const { status, headers, body } = await refusal(`${url}/private`)
    expect(status).toBe(401)
    expect(headers).toMatchObject({
      'www-authenticate': 'Bearer',
      'content-type': 'application/problem+json',
      connection: 'close',
    })
    expect(body).toMatchObject({ code: 'unauthenticated', detail: 'send a ticket' })
  })

  test('of an unexpected kind are 500, and logged', async () => {
    const { url, logged } = await start({
      '/broken': async () => {
        throw new Error('secret detail')
      },
    })
    const { status, body } = await refusal(`${url}/broken`)
    expect([status, body.code]).toEqual([500, 'internal'])
    expect(JSON.stringify(body)).not.toContain('secret detail')
    expect(logged).toHaveLength(1)
  })

  test('after the upgrade are a close with 1011', async () => {
    const { url } = await start({
      '/late': async (upgrade) => {
        await upgrade.accept({ maxPayloadBytes: 10 })
        throw new Error('too late')
      },
    })
    const socket = new WebSocket(`${url}/late`)
    expect((await once(socket, 'close'))[0]).toBe(1011)
  })

  test('of a broken handshake are 400', async () => {
    const { port } = await start({ '/a': echo })
    const raw = connect(port, '127.0.0.1')
    raw.write(handshake('/a').replace('Version: 13', 'Version: 7'))
    let answer = ''
    for await (const data of raw) answer += String(data)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad request\r\n/)
    expect(answer).toContain('"code":"bad_request"')
  })

  test('a client that hangs up while it is being authenticated harms nobody', async () => {
    const entered = Promise.withResolvers<void>()
    const proceed = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const { port, url } = await start({
      '/slow': async (upgrade) => {
        entered.resolve()
        await proceed.promise
        // whether the reset is known by now or only after the first write is up to the kernel
        const socket = await upgrade.accept({ maxPayloadBytes: 10 }).catch(() => null)
        if (socket) await once(socket, 'close')
        ended.resolve()
      },
      '/a': echo,
    })
    const raw = connect(port, '127.0.0.1')
    raw.on('error', () => undefined)
    raw.write(handshake('/slow'))
    await entered.promise
    raw.resetAndDestroy()
    await once(raw, 'close')
    proceed.resolve()
    await ended.promise
    const next = await open(`${url}/a`)
    expect(next.readyState).toBe(WebSocket.OPEN)
    next.close()
  })
})

const handshake = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n')

describe('an accepted socket', () => {
  test('survives an invalid frame: the peer is closed, the engine goes on', async () => {
    const { port, url } = await start({ '/a': echo })
    const raw = connect(port, '127.0.0.1')
    raw.write(handshake('/a'))
    await once(raw, 'data')
    // reserved bits set, and an unmasked frame
    raw.write(Buffer.from([0xf1, 0x05, 1, 2, 3, 4, 5]))
    raw.resume()
    await once(raw, 'close')
    const socket = await open(`${url}/a`)
    socket.send('still here')
    expect(String((await once(socket, 'message'))[0])).toBe('still here')
    socket.close()
  })

  test('is closed with 1009 by a message over its limit', async () => {
    const { url } = await start({ '/a': echo })
    const socket = await open(`${url}/a`)
    socket.send('x'.repeat(101))
    expect((await once(socket, 'close'))[0]).toBe(1009)
  })

  test('is cut when a ping stays unanswered for 30 seconds, and kept while pings are answered', async () => {
    const clock = new VirtualClock(0)
    const { url } = await start({ '/a': echo }, timersOf(clock))
    const alive = await open(`${url}/a`)
    const silent = new WebSocket(`${url}/a`, { autoPong: false })
    await once(silent, 'open')
    const closed = once(silent, 'close')
    const pinged = () => Promise.all([once(alive, 'ping'), once(silent, 'ping')])

    let pings = pinged()
    await clock.advance(29_999)
    expect(await Promise.race([pings, echoed(alive)])).toBe('echo')
    await clock.advance(1)
    await pings
    // the pong was sent before this, so that it has arrived
    await echoed(alive)
    pings = Promise.all([once(alive, 'ping'), closed])
    await clock.advance(30_000)
    await pings
    expect((await closed)[0]).toBe(1006)
    expect(alive.readyState).toBe(WebSocket.OPEN)
  })

  test('is kept while it says anything at all', async () => {
    const clock = new VirtualClock(0)
    const { url } = await start({ '/a': echo }, timersOf(clock))
    const socket = new WebSocket(`${url}/a`, { autoPong: false })
    await once(socket, 'open')
    for (let minute = 0; minute < 5; minute++) {
      // oxlint-disable-next-line no-await-in-loop -- minute by minute
      await clock.advance(30_000)
      // oxlint-disable-next-line no-await-in-loop -- minute by minute
      await echoed(socket)
    }
    expect(socket.readyState).toBe(WebSocket.OPEN)
  })

  test('is kept while a message arrives piece by piece', async () => {
    const clock = new VirtualClock(0)
    const accepted = Promise.withResolvers<IncomingMessage['socket']>()
    const taking: UpgradeHandler = async (upgrade) => {
      await upgrade.accept({ maxPayloadBytes: 1024 })
      accepted.resolve(upgrade.request.socket)
    }
    const { url } = await start({ '/a': taking }, timersOf(clock))
    const socket = new WebSocket(`${url}/a`, { autoPong: false })
    const [[{ socket: wire }], served] = await Promise.all([
      once(socket, 'upgrade') as Promise<[IncomingMessage]>,
      accepted.promise,
    ])
    // the head of a text of 120 bytes, masked with zeros
    let piece = Buffer.from([0x81, 0x80 + 120, 0, 0, 0, 0])
    for (let at = 0; at < 5; at++) {
      const before = served.bytesRead
      wire.write(piece)
      // oxlint-disable-next-line no-await-in-loop -- piece by piece
      await vi.waitUntil(() => served.bytesRead > before, 60_000)
      // oxlint-disable-next-line no-await-in-loop -- piece by piece
      await clock.advance(30_000)
      piece = Buffer.alloc(8)
    }
    expect(served.destroyed).toBe(false)
    const closed = once(socket, 'close')
    await clock.advance(60_000)
    expect((await closed)[0]).toBe(1006)
  })

  test('is kept while the engine reads nothing of it, and asked again when it does', async () => {
    const clock = new VirtualClock(0)
    const accepted = Promise.withResolvers<WebSocket>()
    const pausing: UpgradeHandler = async (upgrade) => {
      const socket = await upgrade.accept({ maxPayloadBytes: 1024 })
      socket.pause()
      accepted.resolve(socket)
    }
    const { url } = await start({ '/a': pausing }, timersOf(clock))
    const silent = new WebSocket(`${url}/a`, { autoPong: false })
    const [served] = await Promise.all([accepted.promise, once(silent, 'open')])
    await clock.advance(150_000)
    expect(served.readyState).toBe(WebSocket.OPEN)
    served.resume()
    const closed = once(silent, 'close')
    await clock.advance(30_000)
    expect((await closed)[0]).toBe(1006)
  })

  test('leaves no timer behind', async () => {
    const clock = new VirtualClock(0)
    const { url } = await start({ '/a': echo }, timersOf(clock))
    const socket = await open(`${url}/a`)
    expect(clock.pending).toBe(1)
    socket.terminate()
    await vi.waitFor(() => expect(clock.pending).toBe(0), 60_000)
  })

  test('is closed when the router closes: with 1012, or the code that its route asks for', async () => {
    const goodbye: UpgradeHandler = async (upgrade) =>
      void (await upgrade.accept({ maxPayloadBytes: 1, stopCode: 1001 }))
    const { url, router } = await start({ '/a': echo, '/b': goodbye })
    const sockets = await Promise.all([open(`${url}/a`), open(`${url}/b`)])
    const closed = sockets.map((socket) => once(socket, 'close'))
    await router.close()
    const codes = (await Promise.all(closed)).map(([code]) => code as number)
    expect(codes).toEqual([1012, 1001])
  })

  test('is refused when the router closes while it is looked at, and so are those that come later', async () => {
    const looking = Promise.withResolvers<void>()
    const known = Promise.withResolvers<void>()
    const { url, router } = await start({
      '/slow': async (upgrade) => {
        looking.resolve()
        await known.promise
        await upgrade.accept({ maxPayloadBytes: 1, stopCode: 1001 })
      },
      '/a': echo,
      '/worker': async (upgrade) => void (await upgrade.accept({ maxPayloadBytes: 1, stopCode: null })),
    })
    const refused = refusal(`${url}/slow`)
    await looking.promise
    await router.close()
    known.resolve()
    const stopping = { status: 503, headers: { 'retry-after': '1' }, body: { code: 'unavailable' } }
    expect(await refused).toMatchObject(stopping)
    expect(await refusal(`${url}/a`)).toMatchObject(stopping)
    // whose sockets others close, as those of workers whose calls are still under way
    const own = await open(`${url}/worker`)
    own.terminate()
  })
})
