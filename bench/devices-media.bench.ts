/**
 * One camera and ten viewers: frames of 100 kB through the engine, which keeps, hashes and publishes each, against a bare
 * `ws` server that sends on what it hears, each in a process of its own, in alternating rounds. A fixed number of frames
 * is always on its way to all viewers. Then the same beside a viewer that has stopped reading. Only ratios are judged.
 */
import { once } from 'node:events'

import { expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { useServers } from './child-servers.ts'

const ROUNDS = 5
const SECONDS = 2
const VIEWERS = 10
const FRAME_BYTES = 100_000
/** Frames on their way: fewer bytes than those from which on the engine leaves frames out. */
const WINDOW = 4
const { startAt } = useServers()

interface Relay {
  readonly camera: string
  readonly viewer: string
  /** None for the bare server, which sends all frames to all. */
  readonly token: string
}

/** A viewer that is being sent frames from now on. */
async function openViewer({ viewer, token }: Relay): Promise<WebSocket> {
  if (token === '') {
    const socket = new WebSocket(viewer)
    await once(socket, 'open')
    return socket
  }
  const socket = new WebSocket(`${viewer}?flows=`, { headers: { authorization: `Bearer ${token}` } })
  await once(socket, 'message')
  // the answer to what is no request tells that the request before it was heard
  const heard = new Promise<void>((resolve) =>
    socket.on('message', (data, isBinary) => {
      if (!isBinary && (data as Buffer).includes('malformed_frame')) resolve()
    }),
  )
  socket.send(JSON.stringify({ type: 'media', names: ['yard.frame'] }))
  socket.send('{}')
  await heard
  socket.removeAllListeners('message')
  return socket
}

/** Frames a second that reach all viewers. */
async function rate(relay: Relay, seconds: number, stalled = 0): Promise<number> {
  const camera = new WebSocket(relay.camera)
  await once(camera, 'open')
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => openViewer(relay)))
  const others = await Promise.all(Array.from({ length: stalled }, () => openViewer(relay)))
  for (const other of others) other.pause()
  const picture = Buffer.alloc(FRAME_BYTES, 'jpeg')
  let sent = 0
  let through = 0
  let arrived = 0
  let isOn = true
  const send = (): void => {
    const frame = Buffer.from(picture)
    frame.writeDoubleLE(performance.now())
    frame.writeUInt32LE(++sent, 8)
    camera.send(frame)
  }
  for (const viewer of viewers) {
    viewer.on('message', (_, isBinary) => {
      if (!isBinary || ++arrived % VIEWERS > 0) return
      through++
      if (isOn) send()
    })
  }
  for (let on = 0; on < WINDOW; on++) send()
  const beginMs = performance.now()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const perSecond = (through / (performance.now() - beginMs)) * 1000
  isOn = false
  for (const socket of [camera, ...viewers, ...others]) socket.terminate()
  return perSecond
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('ten viewers get at least 0.8 of the frames that a bare relay sends, also beside one that stalls', async () => {
  const bare = (await startAt<Relay>('bare-media.ts')).at
  const service = (await startAt<Relay>('service-media.ts')).at
  await rate(bare, 1)
  await rate(service, 1)
  const rounds: { bare: number; service: number; beside: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      bare: await rate(bare, SECONDS),
      service: await rate(service, SECONDS),
      beside: await rate(service, SECONDS, 1),
    })
  }
  const ratio = median(rounds.map((round) => round.service / round.bare))
  const beside = median(rounds.map((round) => round.beside / round.service))
  const [flow, alone] = [median(rounds.map((r) => r.service)), median(rounds.map((r) => r.bare))]
  console.log(
    `${VIEWERS} viewers of frames of 100 kB: ${Math.round(flow)}/s; bare ${Math.round(alone)}/s; ratio ${ratio.toFixed(2)}; ` +
      `beside a stalled viewer ${beside.toFixed(2)} of that`,
  )
  expect(flow).toBeGreaterThan(30)
  expect(ratio).toBeGreaterThan(0.8)
  expect(beside).toBeGreaterThan(0.9)
}, 300_000)
