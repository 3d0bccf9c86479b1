import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { encodeFrame } from '@flow-service/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'

import type { DevicePublishing } from '../../src/devices/device-publishing.ts'
import { DeviceSocket } from '../../src/devices/sockets/device-socket.ts'
import { ProblemError } from '../../src/http/errors.ts'
import { camera } from './sockets.ts'

/** Frames of each kind. */
const RUNS = 100_000

const header = { type: 'frame', name: 'f.camera', media_type: 'image/png', ts: 1 } as const
const whole = encodeFrame(header, new Uint8Array(32))

/** A frame with a length that it claims, a header that is something else, or bytes that have changed on the way. */
const binary = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.tuple(fc.nat(0xffff_ffff), fc.uint8Array({ maxLength: 64 })).map(([claimed, rest]) => {
    const frame = Buffer.alloc(4 + rest.length)
    frame.writeUInt32BE(claimed)
    frame.set(rest, 4)
    return frame
  }),
  fc.nat(whole.length).map((length) => whole.slice(0, length)),
  fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, byte]) => whole.with(at, byte)),
  fc
    .record({
      type: fc.constant('frame'),
      name: fc.constantFrom('__proto__', 'f.camera', 'g.x'),
      media_type: fc.jsonValue(),
      ts: fc.jsonValue(),
    })
    .map((odd) => framed(odd)),
  fc.jsonValue({ maxDepth: 20 }).map((odd) => framed(odd)),
)

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.json({ maxDepth: 80 }),
  fc
    .record(
      {
        type: fc.constantFrom('publish', 'media', '__proto__'),
        port: fc.jsonValue(),
        message: fc.jsonValue(),
        value: fc.jsonValue(),
        id: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    )
    .map((frame) => JSON.stringify(frame)),
  fc.nat(70).map((depth) => `{"type":"publish","port":"a","value":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  fc.constantFrom(
    '{"__proto__":{"type":"publish"}}',
    '{"type":"publish","port":"__proto__","value":1}',
    '\ud800',
    '{"type":"pu',
  ),
)

function framed(value: unknown): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(value) ?? 'null')
  const frame = Buffer.alloc(4 + json.length)
  frame.writeUInt32BE(json.length)
  frame.set(json, 4)
  return frame
}

/** A socket of a device without a connection below it, whose limits fill again with every frame. */
function openSocket() {
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    sent: 0,
    closed: 0,
    send(frame: string) {
      JSON.parse(frame)
      this.sent++
    },
    close() {
      this.closed++
    },
    pause() {},
    resume() {},
  })
  let now = 0
  const published: unknown[] = []
  const publishing: Pick<DevicePublishing, 'publish' | 'targets'> = {
    targets: (_device, target) => {
      if ('message' in target && target.message === 'f.camera') return [camera()]
      throw new ProblemError('forbidden', 'not yours')
    },
    async publish(device, target, value) {
      publishing.targets(device, target)
      published[0] = value
      return [{ name: 'f.camera', value: null, ts: null, cascade: null }]
    },
  }
  const device = new DeviceSocket(
    'panel',
    { socket: socket as unknown as WebSocket, wire: new EventEmitter() as never },
    'binary',
    {
      publishing: publishing as DevicePublishing,
      artifacts: {
        put: async () => ({ ref: { digest: '', name: '', media_type: '', size: 0, volatile: true }, created: true }),
      },
      eventLog: { report: () => {} },
      log: { error: (fields) => expect.fail(JSON.stringify(fields)), warn: () => {} },
      clock: { now: () => (now += 1_000), setTimer: () => () => {} },
      stopwatch: () => 0,
    },
  )
  return { device, socket }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const memory = (): number => {
  collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

describe(`${RUNS} frames end neither the engine nor the socket, and leave no memory behind [R662, T51]`, () => {
  test.each([
    ['binary', binary, true],
    ['text', text, false],
  ] as const)('%s', async (_kind, frames, isBinary) => {
    const { socket } = openSocket()
    const say = (frame: Uint8Array | string): void =>
      void socket.emit('message', Buffer.from(frame as string), isBinary)
    const half = { numRuns: RUNS / 2 }
    fc.assert(fc.property(frames as fc.Arbitrary<Uint8Array | string>, say), half)
    await new Promise(setImmediate)
    const before = memory()
    fc.assert(fc.property(frames as fc.Arbitrary<Uint8Array | string>, say), half)
    await new Promise(setImmediate)
    expect(memory() - before).toBeLessThan(16 * 1024 * 1024)
    expect(socket.closed).toBe(0)
    expect(socket.sent > 0).toBe(!isBinary)
  })
})
