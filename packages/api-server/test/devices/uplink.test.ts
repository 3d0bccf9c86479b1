import { encodeFrame } from '@flow-service/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { camera, follows, startDeviceSockets, type TestSockets, wire } from './sockets.ts'

let at: TestSockets
beforeEach(async () => {
  at = await startDeviceSockets()
})
afterEach(() => at[Symbol.asyncDispose]())

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

test('a picture is kept in memory and published in one step, credited to its node [R659, R661]', async () => {
  const device = await at.connect('panel', [camera()])
  device.picture('f.camera', text('a picture'), { media_type: 'image/png', ts: 1_790_000_000_000 })
  await expect.poll(() => at.published).toHaveLength(1)
  const [{ value, ...source }] = at.published as [(typeof at.published)[0]]
  expect(source).toEqual({ message: 'f.camera', node: 'panel', port: 'camera' })
  expect(value).toMatchObject({ name: 'f.camera', media_type: 'image/png', size: 9, volatile: true })
  expect([...at.pictures.values()].map((bytes) => Buffer.from(bytes).toString())).toEqual(['a picture'])
  expect(at.dropped).toEqual([])
  expect(await device.settled()).toHaveLength(1)
})

test('pictures are published in the order in which they came', async () => {
  const device = await at.connect('panel', [camera()])
  for (let n = 0; n < 8; n++) device.picture('f.camera', new Uint8Array(n + 1))
  await expect.poll(() => at.published).toHaveLength(8)
  expect(at.published.map(({ value }) => (value as { size: number }).size)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

const header = (value: unknown, claimed?: number): Uint8Array => {
  const json = text(typeof value === 'string' ? value : JSON.stringify(value))
  const frame = Buffer.alloc(4 + json.length)
  frame.writeUInt32BE(claimed ?? json.length)
  frame.set(json, 4)
  return frame
}
const fine = { type: 'frame', name: 'f.camera', media_type: 'image/jpeg', ts: 1 } as const

describe('a frame is dropped with a line in the log, and the socket goes on [R660, R662, T50, T51]', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['for a message of another device', encodeFrame({ ...fine, name: 'f.theirs' }, text('x')), /"f.theirs"/],
    ['for a message that begins alike', encodeFrame({ ...fine, name: 'f.camera_' }, text('x')), /"f.camera_"/],
    ['for a message without its flow', encodeFrame({ ...fine, name: 'camera' }, text('x')), /"camera"/],
    ['for a port that takes no pictures', encodeFrame({ ...fine, name: 'f.lux' }, text('x')), /f.lux is float/],
    ['for a port that takes anything', encodeFrame({ ...fine, name: 'f.any' }, text('x')), /f.any is any/],
    ['for a port that the device follows', encodeFrame({ ...fine, name: 'f.shown' }, text('x')), /"f.shown"/],
    ['of another type', encodeFrame({ ...fine, type: 'media', digest: 'x', ts: 'x' } as never, text('x')), /header/],
    ['that is no picture', encodeFrame({ ...fine, media_type: 'text/html' }, text('x')), /image\/jpeg/],
    ['with a time that is none', header({ ...fine, ts: 'now' }), /header/],
    [
      'named after the prototype',
      header('{"type":"frame","__proto__":{"name":"f.camera"},"media_type":"image/png","ts":1}'),
      /header/,
    ],
    ['that claims more than it has', header(fine, 0xffff_ffff), /claims a header of 4294967295 bytes/],
    ['that claims nothing', header(fine, 0), /no JSON object/],
    ['that is cut off', text('ab'), /2 bytes/],
    ['whose header is no JSON', header('nothing'), /no JSON object/],
    ['whose header is a list', header([fine]), /no JSON object/],
    ['above 8 MiB', Buffer.concat([header(fine), new Uint8Array(8 * 1024 * 1024)]), /at most 8388608/],
  ])('%s', async (_what, frame, reason) => {
    await at.connect('other', [camera('theirs')])
    const device = await at.connect('panel', [
      camera(),
      wire('lux', { dtype: 'float' }),
      wire('any'),
      follows('shown', { dtype: 'image' }),
    ])
    device.say(frame)
    await expect.poll(() => at.dropped).toHaveLength(1)
    expect(at.dropped).toEqual([{ device: 'panel', reason: expect.stringMatching(reason) }])
    device.picture('f.camera', text('after'))
    await expect.poll(() => at.published).toHaveLength(1)
    expect(await device.settled()).toHaveLength(1)
  })
})

test('beyond 60 pictures a second they are dropped and told [T52]', async () => {
  const device = await at.connect('panel', [camera()])
  for (let n = 0; n < 150; n++) device.picture('f.missing', text('x'))
  await device.settled()
  expect(at.dropped).toHaveLength(120)
  expect(at.news).toMatchObject([{ action: 'device.flood', detail: { device: 'panel' } }])
})
