import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createHttpExchange } from '../../src/egress/http-exchange.ts'

const coded = (coding: string, body: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ])
const large = Buffer.from(Array.from({ length: 500_000 }, (_, at) => `${at} `).join(''))
const noise = randomBytes(200_000)
const endless = (status: string): string => `HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`
const answers: Readonly<Record<string, string | Buffer>> = {
  '/endless': endless('200 OK'),
  '/odd': endless('999 Odd'),
  '/empty': coded('gzip', Buffer.alloc(0)),
  '/twice': coded('br, gzip', gzipSync(brotliCompressSync('text'))),
  '/none': coded('deflate', Buffer.alloc(0)),
  // a first byte that could begin the zlib format, with a second that could not
  '/padded': coded('deflate', Buffer.from([8, 4, 0, 251, 255, ...Buffer.from('text'), 3, 0])),
  '/cut': coded('deflate', deflateRawSync('text, and more').subarray(0, 6)),
  '/endless-deflate': Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\ncontent-encoding: deflate\r\ncontent-length: 1000000\r\n\r\n'),
    deflateRawSync(noise),
  ]),
  '/unknown': coded('gzip, own', Buffer.from('text')),
}
const deflated: Readonly<Record<string, Buffer>> = {
  ...Object.fromEntries(
    [1, 6, 9].flatMap((level) => [
      [`/zlib${level}`, deflateSync(large, { level })],
      [`/raw${level}`, deflateRawSync(large, { level })],
    ]),
  ),
  '/gzip': gzipSync(large),
}
const noisy: Readonly<Record<string, Buffer>> = {
  '/stored': deflateRawSync(noise, { level: 0 }),
  '/fixed': deflateRawSync(noise, { strategy: constants.Z_FIXED }),
}
const connections: Socket[] = []
const server = createServer((socket) => {
  connections.push(socket)
  socket.on('error', () => {})
  socket.on('data', (request) => {
    const [, path = ''] = request.toString().split(' ')
    const answer = deflated[path] ?? noisy[path]
    if (!answer) return socket.write(answers[path] ?? '')
    const all = coded('deflate', answer)
    const begin = all.length - answer.length + 1
    // the header of the body comes in two pieces
    socket.write(all.subarray(0, begin))
    setImmediate(() => socket.write(all.subarray(begin)))
  })
})
const dial: Parameters<typeof createHttpExchange>[0] = ({ host, port }) => connect({ host, port })
const { send, close } = createHttpExchange(dial)
const ask = (path: string, by = send): Promise<Response> =>
  by(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {})

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  await close()
  server.close()
})

test('an answer that nobody reads holds no connection once it is cancelled, or is none', async () => {
  const { body } = await ask('/endless')
  const [first] = connections.splice(0)
  const closed = once(first!, 'close')
  await body?.cancel()
  await closed
  await expect(ask('/odd')).rejects.toThrow('fetch failed')
  const [second] = connections.splice(0)
  if (!second?.destroyed) await once(second!, 'close')
})

test('a coded body may be empty, or coded twice; one that is coded in another way is given as it is', async () => {
  const texts = await Promise.all(['/empty', '/twice', '/unknown'].map(async (path) => (await ask(path)).text()))
  expect(texts).toEqual(['', 'text', 'text'])
})

test('a body that is deflated may be in the zlib format, or bare, as some servers send it', async () => {
  for (const path of Object.keys(deflated)) {
    // oxlint-disable-next-line no-await-in-loop -- large bodies
    const body = Buffer.from(await (await ask(path)).arrayBuffer())
    expect([path, body.equals(large)]).toEqual([path, true])
  }
  for (const path of Object.keys(noisy)) {
    // oxlint-disable-next-line no-await-in-loop
    const body = Buffer.from(await (await ask(path)).arrayBuffer())
    expect([path, body.equals(noise)]).toEqual([path, true])
  }
  expect(await (await ask('/none')).text()).toBe('')
  expect(await (await ask('/padded')).text()).toBe('text')
  expect('text, and more'.startsWith(await (await ask('/cut')).text())).toBe(true)
})

test('a deflated body that nobody reads to its end holds no connection', async () => {
  for (const reads of [0, 1]) {
    connections.length = 0
    const own = createHttpExchange(dial)
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    const { body } = await ask('/endless-deflate', own.send)
    const closed = connections.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    expect(closed).toHaveLength(1)
    const reader = body!.getReader()
    // oxlint-disable-next-line no-await-in-loop
    if (reads > 0) expect((await reader.read()).value?.length).toBeGreaterThan(0)
    // oxlint-disable-next-line no-await-in-loop
    await reader.cancel()
    // oxlint-disable-next-line no-await-in-loop
    await Promise.all([...closed, own.close()])
  }
})
