/**
 * The clients of the flood of event-socket.bench.ts: sockets that only count what comes, since to read a million frames a second
 * would take more than the processor that is left beside the server. One of them reads its frames, and counts values.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

import { WebSocket } from 'ws'

interface Order {
  readonly order: 'connect' | 'measure' | 'report'
  readonly url: string
  readonly token: string
  readonly count: number
}

const sockets: (Socket | WebSocket)[] = []
let bytes = 0
let values = 0
let sizes = 0

/** A socket whose frames nobody looks at. */
async function counting({ url, token }: Order): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n` +
      `${token === '' ? '' : `authorization: Bearer ${token}\r\n`}\r\n`,
  )
  const [first] = (await once(socket, 'data')) as [Buffer]
  if (!first.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(first.toString('latin1'))
  socket.on('data', ({ length }) => {
    bytes += length
  })
  return socket
}

async function reading({ url, token }: Order): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: token === '' ? {} : { authorization: `Bearer ${token}` } })
  await once(socket, 'open')
  socket.on('message', (data) => {
    const text = (data as Buffer).toString()
    if (!text.startsWith('{"type":"value"')) return
    values += 1
    sizes += text.length
  })
  return socket
}

async function open(order: Order): Promise<void> {
  sockets.push(await reading(order))
  for (let at = 1; at < order.count; at++) sockets.push(await counting(order))
}

process.on('message', (order: Order) => {
  if (order.order === 'connect') void open(order).then(() => process.send?.('connected'))
  else if (order.order === 'measure') {
    bytes = values = sizes = 0
    process.send?.('measuring')
  } else process.send?.({ bytes, values, size: sizes / values })
})
process.once('SIGTERM', () => process.exit())
process.send?.('ready')
