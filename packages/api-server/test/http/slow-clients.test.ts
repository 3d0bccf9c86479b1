import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { readBytes } from '../../src/http/body.ts'
import { openServer } from '../../src/http/open-server.ts'

const TIMES = { headMs: 100, requestMs: 300, checkMs: 20 }
let server: ReturnType<typeof openServer>
let port: number
beforeEach(async () => {
  server = openServer((request, response) => {
    void readBytes(request, 1000).then(
      (body) => response.end(`${body.length}`),
      // it never came
      () => undefined,
    )
  }, TIMES).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** What a client is told that sends this and then nothing more. */
async function silent(begun: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(begun)
  let told = ''
  for await (const data of socket) told += String(data)
  return told.split('\r\n')[0] ?? ''
}

test.each([
  ['in the middle of its head', 'POST / HTTP/1.1\r\nhost: x\r\nx-slow: '],
  ['before the end of its head', 'GET / HTTP/1.1\r\nhost: x\r\n'],
  ['in the middle of its body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{'],
  ['in the middle of a chunk', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{'],
])(
  'a client that stops %s is answered 408 and cut off, and others are served meanwhile [T55]',
  async (_where, begun) => {
    const slow = Promise.all(Array.from({ length: 50 }, () => silent(begun)))
    let isOver = false
    void slow.then(() => (isOver = true))
    while (!isOver) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'quick' })
      // oxlint-disable-next-line no-await-in-loop -- see above
      expect([answer.status, await answer.text()]).toEqual([200, '5'])
    }
    expect(new Set(await slow)).toEqual(new Set(['HTTP/1.1 408 Request Timeout']))
  },
)

test('a connection between two requests is kept for more than the minute after which load balancers end it', async () => {
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  expect(headers.get('keep-alive')).toBe('timeout=65')
})
