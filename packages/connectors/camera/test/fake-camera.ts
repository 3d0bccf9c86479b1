/** A camera of the test: a server that behaves as it is told, and tells what it was asked. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

export type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** Bytes that begin and end as those of a JPEG, and are different for each name. */
export function jpeg(name: string, size = 3000): Buffer {
  const body = Buffer.alloc(size, `${name}\r\n--no`)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), body, Buffer.from([0xff, 0xd9])])
}

/** Answers with a picture. */
export const picture =
  (bytes: Uint8Array): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes)

/** Begins a stream, and goes on with what `send` does. */
export const stream =
  (send: (response: ServerResponse) => void): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace;boundary="frame"' }).flushHeaders()
    send(response)
  }

export const part = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`--frame\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes, Buffer.from('\r\n')])

/** A camera whose answer can be another one at any time; it is gone when the test has ended. */
export async function fakeCamera(answer: Answer) {
  const requests: IncomingMessage[] = []
  const camera = { answer, requests, open: 0, url: '' }
  const server = createServer((request, response) => {
    requests.push(request)
    camera.answer(response, request)
  })
  server.on('connection', (socket) => {
    camera.open++
    socket.on('close', () => camera.open--)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  camera.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cgi-bin/snap.cgi?channel=1`
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return camera
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** Asks for a sign-in by Digest as `plant` with `pa"ss`, with a nonce that it takes `uses` times. */
export function guarded(answer: Answer, uses = Infinity): Answer {
  let [nonces, used] = [0, 0]
  return (response, request) => {
    const { authorization = '' } = request.headers
    const field = (name: string): string => new RegExp(`\\b${name}="?([^",]*)`).exec(authorization)?.[1] ?? ''
    const a1 = md5('plant:the yard:pa"ss')
    const a2 = md5(`GET:${request.url}`)
    const expected = md5(`${a1}:${field('nonce')}:${field('nc')}:${field('cnonce')}:auth:${a2}`)
    const isRight = field('response') === expected && field('username') === 'plant' && field('uri') === request.url
    const isFresh = field('nonce') === `n${nonces}` && Number.parseInt(field('nc'), 16) === used + 1 && used < uses
    if (isRight && isFresh) {
      used++
      return answer(response, request)
    }
    used = 0
    const stale = isRight ? ', stale=true' : ''
    const challenge = `Digest realm="the yard", nonce="n${++nonces}", qop="auth", algorithm=MD5${stale}`
    response.writeHead(401, { 'www-authenticate': challenge }).end('<html>no</html>')
  }
}
