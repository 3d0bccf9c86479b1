/**
 * The devices of devices.bench.ts, in a process of their own: `connect` opens a socket for each credential and waits for the
 * snapshots, `measure` has each of them send a value a second for some seconds, and answers how old the values were when they
 * arrived beside it.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { WebSocket } from 'ws'

type Order =
  | { readonly order: 'connect'; readonly side: string; readonly url: string; readonly credentials: readonly string[] }
  | { readonly order: 'measure'; readonly side: string; readonly seconds: number }

/** Handshakes at a time. */
const PARALLEL = 50
/** How often some of the devices send, in milliseconds: all of them do so in a second. */
const TICK_MS = 10
/** How long to wait for values: one that has not come by then never does. */
const PATIENCE_MS = 10_000
const sides = new Map<string, WebSocket[]>()
/** In milliseconds. */
let ages: number[] = []

const now = (): number => performance.timeOrigin + performance.now()

function hear(data: WebSocket.RawData): void {
  const frame = JSON.parse((data as Buffer).toString()) as { type: string; value: number }
  if (frame.type === 'value') ages.push(now() - frame.value)
}

async function connect({ side, url, credentials }: Extract<Order, { order: 'connect' }>): Promise<void> {
  const sockets: WebSocket[] = []
  sides.set(side, sockets)
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < credentials.length; at = next++) {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${credentials[at]}` } })
      await once(socket, 'message')
      socket.on('message', hear)
      sockets[at] = socket
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}

const quantile = (sorted: Float64Array, q: number): number => sorted[Math.floor(sorted.length * q)] ?? Number.NaN

async function measure({ side, seconds }: Extract<Order, { order: 'measure' }>): Promise<void> {
  const sockets = sides.get(side) ?? []
  ages = []
  const beginMs = now()
  const total = sockets.length * seconds
  let sent = 0
  while (sent < total) {
    const due = Math.min(total, Math.floor(((now() - beginMs) / 1000) * sockets.length))
    for (; sent < due; sent++)
      sockets[sent % sockets.length]?.send(JSON.stringify({ type: 'publish', port: 'level', value: now() }))
    await pause(TICK_MS)
  }
  const giveUpMs = now() + PATIENCE_MS
  while (ages.length < total * 2 && now() < giveUpMs) await pause(TICK_MS)
  const missing = Array.from({ length: total * 2 - ages.length }, () => Infinity)
  const sorted = Float64Array.from([...ages, ...missing]).toSorted()
  process.send?.({ p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) })
}

process.on('message', (order: Order) => {
  if (order.order === 'connect') void connect(order).then(() => process.send?.('connected'))
  else void measure(order)
})
process.once('SIGTERM', () => process.exit())
process.send?.('ready')
