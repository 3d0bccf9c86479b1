import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { ProblemError } from '../../src/http/errors.ts'
import { createUpgradeRouter, type UpgradeHandler, type UpgradeRouter } from '../../src/http/upgrade.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function start(routes: Record<`/${string}`, UpgradeHandler>, mount = '', pingMs = 30_000) {
  const logged: object[] = []
  const router = createUpgradeRouter({ log: { error: (fields) => logged.push(fields) }, pingMs })
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
    const { server, url } = await start({ '/api/v1/flows/ws': echo }, '/engine')
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

  test('is cut when a ping stays unanswered, and kept while pings are answered', async () => {
    const pongs = Promise.withResolvers<void>()
    let count = 0
    const { url } = await start(
      {
        '/a': async (upgrade) => {
          const socket = await upgrade.accept({ maxPayloadBytes: 10 })
          socket.on('pong', () => {
            count += 1
            if (count === 3) pongs.resolve()
          })
        },
      },
      '',
      20,
    )
    const alive = await open(`${url}/a`)
    await pongs.promise
    expect(alive.readyState).toBe(WebSocket.OPEN)
    alive.terminate()
    const silent = new WebSocket(`${url}/a`, { autoPong: false })
    expect((await once(silent, 'close'))[0]).toBe(1006)
  })

  test('is closed with 1012 when the router closes', async () => {
    const { url, router } = await start({ '/a': echo })
    const socket = await open(`${url}/a`)
    const closed = once(socket, 'close')
    await (router satisfies UpgradeRouter).close()
    expect((await closed)[0]).toBe(1012)
  })
})
