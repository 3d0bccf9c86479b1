/**
 * One camera and ten viewers: frames of 100 kB through the engine, which keeps, hashes and publishes each, against a bare
 * `ws` server that sends on what it hears, each in a process of its own, in alternating rounds. First a device sends 30
 * frames a second, also beside a viewer that has stopped reading. Then a node takes as many as get through, with a fixed
 * number of them always on their way to all viewers. Only ratios are judged.
 */
import { once } from 'node:events'

import { encodeFrame } from '@flow-service/protocol'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { useServers } from './child-servers.ts'

const ROUNDS = 5
const SECONDS = 2
const VIEWERS = 10
const FRAME_BYTES = 100_000
/** Frames on their way: fewer bytes than those from which on the engine leaves frames out. */
const WINDOW = 4
/** Frames a second of a camera. */
const PACE = 30
const { startAt } = useServers()

interface Relay {
  readonly camera: string
  readonly viewer: string
  /** None for the bare server, which sends all frames to all. */
  readonly token: string
  /** Of the device that is a camera; none for the bare server. */
  readonly credential: string
}

/** The messages of the node and of the device. */
const NODE = 'yard.frame'
const DEVICE = 'gate.frame'

/** A viewer that is being sent frames from now on. */
async function openViewer({ viewer, token }: Relay, message: string): Promise<WebSocket> {
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
  socket.send(JSON.stringify({ type: 'media', names: [message] }))
  socket.send('{}')
  await heard
  socket.removeAllListeners('message')
  return socket
}

/** A camera that sends on its own, or as the device of the engine. */
async function openCamera({ camera, viewer, credential }: Relay, isDevice: boolean): Promise<WebSocket> {
  if (!isDevice || credential === '') {
    const socket = new WebSocket(camera)
    await once(socket, 'open')
    return socket
  }
  const socket = new WebSocket(viewer, { headers: { authorization: `Bearer ${credential}` } })
  await once(socket, 'message')
  return socket
}

interface Load {
  /** At {@link PACE} by the device; else as many as get through, by the node. */
  readonly isPaced: boolean
  /** Viewers beside the ten that have stopped reading. */
  readonly stalled: number
}

/** Frames a second that reach all viewers. */
async function rate(relay: Relay, { isPaced, stalled }: Load, seconds = SECONDS): Promise<number> {
  const message = isPaced ? DEVICE : NODE
  const camera = await openCamera(relay, isPaced)
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => openViewer(relay, message)))
  const others = await Promise.all(Array.from({ length: stalled }, () => openViewer(relay, message)))
  for (const other of others) other.pause()
  const picture = Buffer.alloc(FRAME_BYTES, 'jpeg')
  const isUplink = isPaced && relay.credential !== ''
  let sent = 0
  let through = 0
  let arrived = 0
  let isOn = true
  const send = (): void => {
    const frame = Buffer.from(picture)
    frame.writeDoubleLE(performance.now())
    frame.writeUInt32LE(++sent, 8)
    camera.send(
      isUplink ? encodeFrame({ type: 'frame', name: DEVICE, media_type: 'image/jpeg', ts: sent }, frame) : frame,
    )
  }
  for (const viewer of viewers) {
    viewer.on('message', (_, isBinary) => {
      if (!isBinary || ++arrived % VIEWERS > 0) return
      through++
      if (isOn && !isPaced) send()
    })
  }
  const timer = isPaced ? setInterval(send, 1000 / PACE) : undefined
  if (!isPaced) for (let on = 0; on < WINDOW; on++) send()
  const beginMs = performance.now()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const perSecond = (through / (performance.now() - beginMs)) * 1000
  isOn = false
  clearInterval(timer)
  for (const socket of [camera, ...viewers, ...others]) socket.terminate()
  return perSecond
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('ten viewers get at least 0.8 of the frames that a bare relay sends them of a camera, also beside one that stalls', async () => {
  const bare = (await startAt<Relay>('bare-media.ts')).at
  const service = (await startAt<Relay>('service-media.ts')).at
  const [paced, full] = [
    { isPaced: true, stalled: 0 },
    { isPaced: false, stalled: 0 },
  ]
  for (const relay of [bare, service]) await rate(relay, full, 1)
  const rounds: Record<'bare' | 'service' | 'stalled' | 'fullBare' | 'fullService' | 'fullStalled', number>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      bare: await rate(bare, paced),
      service: await rate(service, paced),
      stalled: await rate(service, { ...paced, stalled: 1 }),
      fullBare: await rate(bare, full),
      fullService: await rate(service, full),
      fullStalled: await rate(service, { ...full, stalled: 1 }),
    })
  }
  const of = (name: keyof (typeof rounds)[number]): number => median(rounds.map((round) => round[name]))
  const over = (a: keyof (typeof rounds)[number], b: keyof (typeof rounds)[number]): number =>
    median(rounds.map((round) => round[a] / round[b]))
  const [ratio, beside] = [over('service', 'bare'), over('stalled', 'service')]
  console.log(
    `${VIEWERS} viewers of a device with ${PACE} frames of 100 kB a second: ${of('service').toFixed(1)}/s, ` +
      `bare ${of('bare').toFixed(1)}/s, ratio ${ratio.toFixed(2)}, beside a stalled viewer ${beside.toFixed(2)} of that\n` +
      `as many as get through: ${Math.round(of('fullService'))}/s, bare ${Math.round(of('fullBare'))}/s, ` +
      `ratio ${over('fullService', 'fullBare').toFixed(2)}, beside a stalled viewer ${over('fullStalled', 'fullService').toFixed(2)}`,
  )
  expect(ratio).toBeGreaterThan(0.8)
  expect(beside).toBeGreaterThan(0.9)
  expect(over('fullService', 'fullBare')).toBeGreaterThan(0.4)
  expect(over('fullStalled', 'fullService')).toBeGreaterThan(0.9)
}, 300_000)
