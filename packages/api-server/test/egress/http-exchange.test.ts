import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createHttpExchange } from '../../src/egress/http-exchange.ts'

const coded = (coding: string, body: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ])
const endless = (status: string): string => `HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`
const answers: Readonly<Record<string, string | Buffer>> = {
  '/endless': endless('200 OK'),
  '/odd': endless('999 Odd'),
  '/empty': coded('gzip', Buffer.alloc(0)),
  '/twice': coded('br, gzip', gzipSync(brotliCompressSync('text'))),
  '/unknown': coded('gzip, own', Buffer.from('text')),
}
const connections: Socket[] = []
const server = createServer((socket) => {
  connections.push(socket)
  socket.on('error', () => {})
  socket.on('data', (request) => {
    const [, path = ''] = request.toString().split(' ')
    socket.write(answers[path] ?? '')
  })
})
const { send, close } = createHttpExchange(({ host, port }) => connect({ host, port }))
const ask = (path: string): Promise<Response> =>
  send(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {})

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
