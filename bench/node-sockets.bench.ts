/**
 * Nodes with connections against the bare libraries, each in a process of its own, in alternating rounds: values through
 * mqtt in, switch and mqtt out, frames that a served socket sends back, and frames for whose answer an HTTP server is
 * asked. A fixed number is always on its way. Only ratios are judged.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import mqtt from 'mqtt'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { hasMosquitto, type MosquittoServer, startMosquitto } from '../test/components/mosquitto.ts'
import { useServers } from './child-servers.ts'

const ROUNDS = 5
const SECONDS = 3
const WINDOW = 100
const { startAt } = useServers()

/** Starts both sides of a comparison. They end with it: what still runs would answer the messages of the next one too. */
async function startBoth(...args: readonly string[]): Promise<[bare: string, flow: string]> {
  const started = await Promise.all(['bare-sockets.ts', 'service-sockets.ts'].map((file) => startAt(file, ...args)))
  for (const { child } of started) running.push(child)
  return [started[0]!.at, started[1]!.at]
}
const running: ChildProcess[] = []
afterEach(async () => {
  const ended = running.splice(0).map((child) => {
    child.kill('SIGTERM')
    return once(child, 'exit')
  })
  await Promise.all(ended)
})

/** Values a second that come back, while `WINDOW` of them are on their way. */
type Measure = (seconds: number) => Promise<number>

async function rate(send: () => void, back: { count: number }, seconds: number, window = WINDOW): Promise<number> {
  for (let sent = 0; sent < window; sent++) send()
  const from = back.count
  const beginMs = performance.now()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  return ((back.count - from) / (performance.now() - beginMs)) * 1000
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** What `measured` is to `baseline`. */
async function compare(name: string, measured: Measure, baseline: Measure): Promise<number> {
  for (const each of [baseline, measured]) await each(1)
  const rounds: { measured: number; baseline: number }[] = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ baseline: await baseline(SECONDS), measured: await measured(SECONDS) })
  const ratio = median(rounds.map((round) => round.measured / round.baseline))
  const [flow, bare] = [median(rounds.map((r) => r.measured)), median(rounds.map((r) => r.baseline))]
  console.log(`${name} ${Math.round(flow)}/s; bare ${Math.round(bare)}/s; ratio ${ratio.toFixed(2)}`)
  return ratio
}

describe.skipIf(!hasMosquitto())('mqtt in, switch, mqtt out', () => {
  let broker: MosquittoServer
  beforeAll(async () => (broker = await startMosquitto(['max_inflight_messages 0', 'max_queued_messages 0'])))
  afterAll(() => broker.stop())

  const through =
    (url: string, name: string, qos: 0 | 1): Measure =>
    async (seconds) => {
      const login = { username: broker.username, password: broker.password }
      const client = await mqtt.connectAsync(url, { protocolVersion: 4, ...login })
      ;(client.stream as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true)
      const back = { count: 0 }
      let isOn = true
      const send = (): void => void client.publish(`${name}/in`, '31.5', { qos })
      client.on('message', () => {
        back.count++
        if (isOn) send()
      })
      await client.subscribeAsync(`${name}/out`, { qos })
      const perSecond = await rate(send, back, seconds)
      isOn = false
      await client.endAsync(true)
      return perSecond
    }

  test.each([
    [0, 0.92],
    [1, 0.9],
  ] as const)('with QoS %i reach at least %d of a bare client', async (qos, goal) => {
    const url = `mqtt://127.0.0.1:${broker.port}`
    const [bare, flow] = await startBoth('mqtt', url, String(qos))
    const ratio = await compare(`mqtt QoS ${qos}`, through(url, flow, qos), through(url, bare, qos))
    expect(ratio).toBeGreaterThan(goal)
  })
})

/** Frames of `clients` open sockets, of which one sends and counts; `window` of them are on their way. */
const framesTo =
  (url: string, clients: number, window = WINDOW): Measure =>
  async (seconds) => {
    const back = { count: 0 }
    const open = await Promise.all(
      Array.from({ length: clients }, async () => {
        const socket = new WebSocket(url)
        await once(socket, 'open')
        return socket
      }),
    )
    let isOn = true
    // a flow sends to all its clients: the one that sent counts it
    const first = open[0]!
    const send = (): void => first.send('31.5')
    first.on('message', () => {
      back.count++
      if (isOn) send()
    })
    const perSecond = await rate(send, back, seconds, window)
    isOn = false
    for (const socket of open) socket.terminate()
    return perSecond
  }

test.each([1, 50])(
  'a served socket sends back at least 0.9 of what a bare ws does, with %i clients',
  async (clients) => {
    const [bare, flow] = await startBoth('ws')
    const ratio = await compare(`websocket, ${clients} clients`, framesTo(flow, clients), framesTo(bare, clients))
    expect(ratio).toBeGreaterThan(0.9)
  },
)

test('an http sender makes at least 0.9 of the requests of a bare undici loop', async () => {
  const peer = createServer((request, response) => {
    request.resume().on('end', () => {
      const body = '{"said":31.5}'
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    })
  })
  await once(peer.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`
  const [bare, flow] = await startBoth('http', url)
  // one after the other, as a node asks
  const ratio = await compare('http sender', framesTo(flow, 1, 1), framesTo(bare, 1, 1))
  peer.closeAllConnections()
  peer.close()
  expect(ratio).toBeGreaterThan(0.9)
})
