/**
 * A device of devices.bench.ts that has gone wild, in a process of its own: sends frames of one kind as fast as its connection
 * takes them, until it is told to `stop`.
 */
import { once } from 'node:events'

import { encodeFrame } from '@flow-service/protocol'
import { WebSocket } from 'ws'

const MEGABYTE = 1024 * 1024
const MAX_BUFFERED = 4 * MEGABYTE
const picture = { type: 'frame', name: 'flood.camera', media_type: 'image/jpeg', ts: 1 } as const

/** Frames by the kind of flood. */
const floods: Record<string, () => string | Uint8Array> = {
  texts: () => '{"type":"publish","port":"said","value":31.5,"id":"x"}',
  'long texts': () => JSON.stringify({ type: 'publish', port: 'said', value: 'x'.repeat(250_000) }),
  'nested texts': () => `{"type":"publish","port":"said","value":[${'[1.25,"ä"],'.repeat(20_000)}0]}`,
  pictures: () => encodeFrame(picture, new Uint8Array(64 * 1024)),
  'large pictures': () => encodeFrame(picture, new Uint8Array(6 * MEGABYTE)),
  'broken texts': () => '{"type":"publish","port":"said","value":',
  'broken frames': () => Uint8Array.of(255, 255, 255, 255, 1, 2, 3),
  'oversized frames': () => new Uint8Array(30 * MEGABYTE),
}

let stop = (): void => {}

async function flood(url: string, credential: string, kind: string): Promise<void> {
  const frame = floods[kind]?.() ?? ''
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${credential}` } })
  await once(socket, 'message')
  process.send?.('flooding')
  let sent = 0
  const isOpen = (): boolean => socket.readyState === socket.OPEN
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  let isOn = true
  void stopped.then(() => (isOn = false))
  while (isOn && isOpen()) {
    sent += 1
    const written = new Promise((resolve) => socket.send(frame, resolve))
    if (socket.bufferedAmount >= MAX_BUFFERED) await Promise.race([written, stopped])
  }
  await stopped
  if (!isOpen()) throw new Error('the socket of a flood was closed')
  socket.terminate()
  process.send?.({ sent })
}

process.on('message', (order: 'stop' | { url: string; credential: string; kind: string }) => {
  if (order === 'stop') stop()
  else void flood(order.url, order.credential, order.kind)
})
process.once('SIGTERM', () => process.exit())
process.send?.(Object.keys(floods))
