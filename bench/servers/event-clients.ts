/**
 * The clients of event-socket.bench.ts, in a process of their own: `connect` opens sockets to a server, `stall` opens
 * some that stop reading, `measure` clears and `report` answers how old the value frames were when they arrived, once `count` are here.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { WebSocket } from 'ws'

interface Order {
  readonly order: 'connect' | 'stall' | 'measure' | 'report'
  readonly url: string
  readonly token: string
  readonly count: number
}

/** Handshakes at a time. */
const PARALLEL = 50
const sockets: WebSocket[] = []
const stalled: WebSocket[] = []
/** Ages in milliseconds. */
let ages: number[] = []

function hear(data: WebSocket.RawData): void {
  const frame = JSON.parse((data as Buffer).toString()) as { type: string; ts: string }
  if (frame.type === 'value') ages.push(performance.timeOrigin + performance.now() - Date.parse(frame.ts))
}

async function open({ url, token }: Order): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: token === '' ? {} : { authorization: `Bearer ${token}` } })
  await once(socket, 'open')
  return socket
}

async function connect(order: Order): Promise<void> {
  let left = order.count
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const socket = await open(order)
      socket.on('message', hear)
      sockets.push(socket)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}

async function stall(order: Order): Promise<void> {
  for (let at = 0; at < order.count; at++) {
    const socket = await open(order)
    socket.pause()
    stalled.push(socket)
  }
}

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(sorted.length * q)] ?? Number.NaN

async function report(count: number): Promise<void> {
  while (ages.length < count) await pause(50)
  const sorted = [...Float64Array.from(ages).toSorted()]
  process.send?.({ frames: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) })
}

process.on('message', (order: Order) => {
  if (order.order === 'connect') void connect(order).then(() => process.send?.('connected'))
  else if (order.order === 'stall') void stall(order).then(() => process.send?.('stalled'))
  else if (order.order === 'measure') {
    ages = []
    process.send?.('measuring')
  } else void report(order.count)
})
process.once('SIGTERM', () => process.exit())
process.send?.('ready')
