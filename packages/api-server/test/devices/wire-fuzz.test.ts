import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { encodeFrame } from '@flow-service/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { camera, startDeviceSockets, type TestDevice, type TestSockets, wire } from './sockets.ts'

/** Messages of each half. */
const MESSAGES = 5_000
/** Messages of a second, less than the limits take. */
const BATCH = 100
const MEBIBYTE = 1024 * 1024

let at: TestSockets
beforeEach(async () => {
  at = await startDeviceSockets()
})
afterEach(() => at[Symbol.asyncDispose]())

const whole = encodeFrame({ type: 'frame', name: 'f.camera', media_type: 'image/png', ts: 1 }, new Uint8Array(32))
const text = '{"type":"publish","message":"f.said","value":{"deep":[1,2,3]},"id":"x"}'

/** Bytes that are no frame, and texts that are no publication. */
const broken: fc.Arbitrary<Uint8Array | string> = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 255 })).map(([place, byte]) => whole.with(place, byte)),
  fc.nat(whole.length - 33).map((length) => whole.slice(0, length)),
  fc.nat(text.length - 1).map((length) => text.slice(0, length)),
  fc.nat(200).map((depth) => '['.repeat(depth)),
  fc.constantFrom('{"__proto__":{"type":"publish"}}', '{"type":"publish","message":"__proto__","value":1}'),
)
/** A message and where it is cut into pieces, the last of which may be empty. */
const message = fc.tuple(broken, fc.array(fc.nat(64), { maxLength: 3 }))

function send({ socket }: TestDevice, said: Uint8Array | string, cuts: readonly number[]): void {
  const bytes = Buffer.from(said as string)
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length]
  for (let piece = 1; piece < places.length; piece++) {
    const options = { binary: typeof said !== 'string', fin: piece === places.length - 1 }
    socket.send(bytes.subarray(places[piece - 1], places[piece]), options)
  }
}

/** Sends bytes as one message in pieces of a mebibyte. */
function sendLarge({ socket }: TestDevice, mebibytes: number): void {
  const piece = new Uint8Array(MEBIBYTE)
  for (let sent = 1; sent <= mebibytes; sent++) socket.send(piece, { binary: true, fin: sent === mebibytes })
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test(`${MESSAGES * 2} broken messages on the wire, whole and in pieces, end no socket and leave no memory behind, and another device is served meanwhile [R662, T51, T52]`, async () => {
  const wild = await at.connect('wild', [wire('said'), camera()])
  const calm = await at.connect('calm', [wire('calm')])
  const messages = fc.sample(message, MESSAGES)
  const half = async (): Promise<number> => {
    for (let from = 0; from < MESSAGES; from += BATCH) {
      for (const [said, cuts] of messages.slice(from, from + BATCH)) send(wild, said, cuts)
      calm.say({ type: 'publish', port: 'calm', value: from, id: 'calm' })
      expect((await calm.settled()).at(-1)).toMatchObject({ type: 'published', id: 'calm' })
      await wild.settled()
      for (const { frames } of [wild, calm]) frames.length = 1
      at.dropped.length = 0
      at.published.length = 0
      await at.clock.advance(1_000)
    }
    collectGarbage()
    return process.memoryUsage.rss()
  }
  const before = await half()
  expect((await half()) - before).toBeLessThan(64 * MEBIBYTE)
  expect(at.news).toEqual([])
  expect(wild.socket.readyState).toBe(wild.socket.OPEN)
})

test('a message in pieces of more than 8 MiB is dropped and told, one of more than 32 MiB closes its socket alone [R662, T51]', async () => {
  const wild = await at.connect('wild', [camera()])
  const calm = await at.connect('calm', [wire('calm')])
  sendLarge(wild, 9)
  await wild.settled()
  expect(at.dropped).toEqual([{ device: 'wild', reason: expect.stringMatching(/bytes/) }])
  sendLarge(wild, 33)
  expect((await wild.closed).code).toBe(1009)
  calm.say({ type: 'publish', port: 'calm', value: 1, id: 'calm' })
  expect((await calm.next(2))[1]).toMatchObject({ type: 'published', id: 'calm' })
  expect(at.pictures.size).toBe(0)
})
