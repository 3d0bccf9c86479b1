import { once } from 'node:events'
import { connect } from 'node:net'

import { expect, test } from 'vitest'

import { DataDirectory } from './engine-process.ts'

/** The status line of a handshake at a path. */
async function knock(origin: string, path: string, headers: readonly string[]): Promise<string> {
  const { hostname, port, host } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const lines = [
    `GET ${path} HTTP/1.1`,
    `host: ${host}`,
    'upgrade: websocket',
    'connection: upgrade',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return answer.toString().split(' ')[1] ?? ''
}

test('no ticket and no token is ever written to the log, used, refused or sent to the wrong place [T47]', async () => {
  using directory = new DataDirectory()
  const engine = await directory.start({ SERVICE_LOG_LEVEL: 'trace' })
  let output = ''
  for (const stream of [engine.child.stdout, engine.child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const tickets: string[] = []
  const next = async (): Promise<string> => {
    const { ticket } = await engine.client.flows.wsTicket()
    tickets.push(ticket)
    return ticket
  }
  const path = (ticket: string) => `/api/v1/flows/ws?ticket=${ticket}`
  const first = await next()
  const bearer = `authorization: Bearer ${engine.token}`
  const answers = [
    await knock(engine.origin, path(first), []),
    await knock(engine.origin, path(first), []),
    await knock(engine.origin, path(await next()), ['origin: https://evil.example']),
    await knock(engine.origin, path(await next()).replace('/ws', '/elsewhere'), [bearer]),
    await knock(engine.origin, path(await next()), ['sec-websocket-version: 7']),
    await knock(engine.origin, `${path(await next())}&flows=a;b`, []),
    await knock(engine.origin, '/api/v1/flows/ws', [bearer]),
    await knock(engine.origin, '/api/v1/flows/ws', [`${bearer}x`]),
  ]
  const plain = await fetch(`${engine.origin}${path(await next())}`)
  expect([...answers, plain.status]).toEqual(['101', '401', '403', '404', '400', '422', '101', '401', 401])
  expect(await engine.end('SIGTERM')).toBe(0)
  for (const secret of [...tickets, engine.token]) expect(output).not.toContain(secret)
})
