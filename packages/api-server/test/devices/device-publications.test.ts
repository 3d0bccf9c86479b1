import { timestampOfMs } from '@flow-service/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { DeviceLimits } from '../../src/devices/sockets/device-limits.ts'
import { ProblemError } from '../../src/http/errors.ts'
import { follows, startDeviceSockets, type TestDevice, type TestSockets, wire } from './sockets.ts'

let at: TestSockets
beforeEach(async () => {
  at = await startDeviceSockets()
})
afterEach(() => at[Symbol.asyncDispose]())

const refused = async (device: TestDevice, frame: unknown): Promise<object> => {
  const before = (await device.settled()).length
  device.say(frame)
  const [answer] = (await device.settled()).slice(before)
  return answer ?? {}
}

test('a publication by port goes to every message that the port is wired to, credited to its nodes [R129, R132]', async () => {
  const device = await at.connect('panel', [
    wire('a pin/1', { message: 'f.pin' }),
    wire('a pin/1', { message: 'g.pin', flow: 'g', node: 'n' }),
    wire('other'),
  ])
  device.say({ type: 'publish', port: 'a pin/1', value: 3, id: 'x' })
  expect((await device.next(2))[1]).toEqual({ type: 'published', id: 'x', ts: timestampOfMs(at.clock.now()) })
  expect(at.published).toEqual([
    { message: 'f.pin', value: 3, node: 'panel', port: 'a pin/1' },
    { message: 'g.pin', value: 3, node: 'n', port: 'a pin/1' },
  ])
})

test('a publication by message goes to that one, and without an id nothing is answered', async () => {
  const device = await at.connect('panel', [wire('a', { message: 'f.a' }), wire('a', { message: 'g.a' })])
  device.say({ type: 'publish', message: 'g.a', value: null })
  expect(await device.settled()).toHaveLength(1)
  expect(at.published).toMatchObject([{ message: 'g.a', value: null }])
})

test('a publication is acknowledged once it is committed, and not before', async () => {
  const device = await at.connect('panel', [wire('a')])
  const commit = Promise.withResolvers<void>()
  at.committed = () => commit.promise
  device.say({ type: 'publish', port: 'a', value: 1, id: '1' })
  expect(await device.settled()).toHaveLength(1)
  expect(at.published).toHaveLength(1)
  commit.resolve()
  expect((await device.next(3)).at(-1)).toMatchObject({ type: 'published', id: '1' })
})

test('what the node of an active flow holds back for its interval is acknowledged without a time [R661]', async () => {
  const device = await at.connect('panel', [wire('lux', { dtype: 'float' })])
  const emitted: unknown[] = []
  const health: boolean[] = []
  const leave = at.seats.seat('panel', {
    flow: 'f',
    node: 'panel',
    emit(values) {
      emitted.push(values)
      if (emitted.length === 1) at.tell('f.lux', values['lux'])
    },
    presence: (online) => health.push(online),
  })
  device.say({ type: 'publish', port: 'lux', value: 1, id: 'first' })
  device.say({ type: 'publish', port: 'lux', value: 2, id: 'second' })
  expect((await device.settled()).slice(1)).toEqual([
    { type: 'published', id: 'second', ts: null },
    { type: 'published', id: 'first', ts: timestampOfMs(at.clock.now()) },
  ])
  expect(emitted).toEqual([{ lux: 1 }, { lux: 2 }])
  expect(at.published).toEqual([])
  leave()
  device.say({ type: 'publish', port: 'lux', value: 3, id: 'third' })
  await device.settled()
  expect(at.published).toMatchObject([{ value: 3 }])
  expect(health).toEqual([true])
})

describe('is refused, and the socket goes on', () => {
  const long = { type: 'publish', port: 'a', value: 'x'.repeat(262_144), id: 'x' }
  test.each<[string, unknown, object]>([
    ['what is no JSON', new TextEncoder().encode('{'), {}],
    ['an array', [], { code: 'malformed_frame', detail: expect.stringContaining('a JSON object with a "type"') }],
    ['a frame without a type', {}, { code: 'malformed_frame' }],
    [
      'an unknown type',
      { type: 'media', names: [], id: 'x' },
      { code: 'unknown_frame', id: 'x', detail: expect.stringContaining('"media"') },
    ],
    ['a publication without a value', { type: 'publish', port: 'a', id: 'x' }, { code: 'malformed_frame', id: 'x' }],
    ['one without a target', { type: 'publish', value: 1, id: 'x' }, { code: 'malformed_frame', id: 'x' }],
    [
      'an id that is too long',
      { type: 'publish', port: 'a', value: 1, id: 'x'.repeat(65) },
      { code: 'malformed_frame' },
    ],
    ['an id that is no text', { type: 'publish', port: 'a', value: 1, id: 7 }, { code: 'malformed_frame' }],
    ['a text that is too long', long, { code: 'payload_too_large', detail: expect.stringContaining('262144') }],
    [
      'a port that nobody wires',
      { type: 'publish', port: 'b', value: 1, id: 'x' },
      { code: 'message_not_declared', id: 'x', detail: expect.stringContaining('use a') },
    ],
    ['a port that the device follows', { type: 'publish', port: 'relay', value: 1 }, { code: 'message_not_declared' }],
    ['a message that the device follows', { type: 'publish', message: 'f.relay', value: 1 }, { code: 'forbidden' }],
    ['a message of another device', { type: 'publish', message: 'f.theirs', value: 1 }, { code: 'forbidden' }],
    ['a message that nobody has', { type: 'publish', message: 'f.nobody', value: 1 }, { code: 'forbidden' }],
    ['a message that begins alike', { type: 'publish', message: 'f.a_', value: 1 }, { code: 'forbidden' }],
    ['a bare message', { type: 'publish', message: 'a', value: 1 }, { code: 'forbidden' }],
    [
      'a value of another type',
      { type: 'publish', port: 'a', value: 'x', id: 'x' },
      { code: 'validation_failed', id: 'x', detail: expect.stringContaining('f.a takes float') },
    ],
    ['a name of the prototype', { type: 'publish', message: '__proto__', value: 1 }, { code: 'forbidden' }],
  ])('%s [R660, T50, T51]', async (_what, frame, answer) => {
    await at.connect('other', [wire('theirs')])
    const device = await at.connect('panel', [wire('a', { dtype: 'float' }), follows('relay')])
    expect(await refused(device, frame)).toMatchObject(frame instanceof Uint8Array ? {} : { type: 'error', ...answer })
    device.say({ type: 'publish', port: 'a', value: 1, id: 'after' })
    expect((await device.settled()).at(-1)).toMatchObject({ type: 'published', id: 'after' })
  })

  test('JSON that is too deep, has a key twice or is cut off', async () => {
    const device = await at.connect('panel', [wire('a')])
    const texts = [
      `{"type":"publish","port":"a","value":${'['.repeat(65)}${']'.repeat(65)}}`,
      '{"type":"publish","port":"a","port":"b","value":1}',
      '{"type":"publish","port":"a"',
      `${'['.repeat(100_000)}`,
      '',
    ]
    for (const text of texts) device.socket.send(text)
    expect((await device.settled()).slice(1).map((frame) => 'code' in frame && frame.code)).toEqual(
      texts.map(() => 'malformed_frame'),
    )
  })

  test('what another engine runs, or the engine cannot do now', async () => {
    const device = await at.connect('panel', [wire('a')])
    at.refusal = new ProblemError('in_use', 'another engine runs the flow "f"')
    expect(await refused(device, { type: 'publish', port: 'a', value: 1, id: 'x' })).toEqual({
      type: 'error',
      id: 'x',
      code: 'unavailable',
      detail: 'another engine runs the flow "f"',
    })
    at.refusal = new Error('a secret of the engine')
    const answer = await refused(device, { type: 'publish', port: 'a', value: 1 })
    expect(answer).toMatchObject({ code: 'unavailable' })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })
})

test('beyond 200 publications a second they are refused, one event a minute tells it, and the pace comes back [T52]', async () => {
  const device = await at.connect('panel', [wire('a')])
  for (let n = 0; n < 430; n++) device.say({ type: 'publish', port: 'a', value: n, id: String(n) })
  await device.next(431)
  const answers = device.frames.slice(1)
  expect(answers.filter(({ type }) => type === 'published')).toHaveLength(400)
  expect(answers.filter((frame) => frame.type === 'error' && frame.code === 'rate_limited')).toHaveLength(30)
  expect(at.published).toHaveLength(400)
  expect(at.news).toEqual([
    { kind: 'device', level: 'warning', action: 'device.flood', detail: { device: 'panel', refused: 1 } },
  ])
  await at.clock.advance(1_000)
  device.say({ type: 'publish', port: 'a', value: 'again', id: 'again' })
  expect((await device.next(432)).at(-1)).toMatchObject({ type: 'published', id: 'again' })
  await at.clock.advance(60_000)
  for (let n = 0; n < 401; n++) device.say({ type: 'publish', port: 'a', value: n, id: String(n) })
  await device.next(833)
  expect(at.news.map(({ detail }) => detail)).toEqual([
    { device: 'panel', refused: 1 },
    { device: 'panel', refused: 30 },
  ])
})

test('a device that goes on flooding is not read for a second, while others are [T52]', async () => {
  const [flooder, calm] = [await at.connect('one', [wire('a')]), await at.connect('two', [wire('b')])]
  for (let n = 0; n < 20_000; n++) flooder.say({ type: 'publish', port: 'a', value: n, id: String(n) })
  await expect.poll(() => at.clock.pending).toBe(1)
  calm.say({ type: 'publish', port: 'b', value: 1, id: 'calm' })
  expect((await calm.next(2))[1]).toMatchObject({ type: 'published', id: 'calm' })
  let rests = 0
  while (flooder.frames.length < 20_001) {
    // oxlint-disable-next-line no-await-in-loop -- each rest lasts until time has passed
    await at.clock.advance(1_000)
    rests++
    // oxlint-disable-next-line no-await-in-loop -- what is read meanwhile is answered
    await expect.poll(() => at.clock.pending === 1 || flooder.frames.length === 20_001).toBe(true)
  }
  expect(rests).toBeGreaterThan(1)
})

describe('a device that takes more than its share of the time is not read for a while, and nothing of it is refused [T52]', () => {
  test.each([
    ['by frames that are long', 0, 2, 8 * 1024 * 1024],
    ['by frames that take long', 60, 1, 1],
  ])('%s', async (_how, frameMs, count, bytes) => {
    const [busy, calm] = [await at.connect('one', [wire('a')]), await at.connect('two', [wire('b')])]
    at.frameMs = frameMs
    for (let n = 0; n < count; n++) busy.say(new Uint8Array(bytes))
    await expect.poll(() => at.clock.pending).toBe(1)
    at.frameMs = 0
    calm.say({ type: 'publish', port: 'b', value: 1, id: 'calm' })
    expect((await calm.next(2))[1]).toMatchObject({ type: 'published', id: 'calm' })
    busy.say({ type: 'publish', port: 'a', value: 1, id: 'busy' })
    await at.clock.advance(1_000)
    expect((await busy.next(2))[1]).toMatchObject({ type: 'published', id: 'busy' })
    expect(at.news).toEqual([])
  })
})

test('a device that goes on sending what is larger than any frame is not read for ten seconds [T52]', async () => {
  const device = await at.connect('panel', [wire('a')])
  for (const count of [1, 2, 3]) {
    // the first two have a rest of a second
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await at.clock.advance(1_000)
    device.say(new Uint8Array(8 * 1024 * 1024 + 1))
    // oxlint-disable-next-line no-await-in-loop -- as above
    await expect.poll(() => at.dropped).toHaveLength(count)
  }
  device.say({ type: 'publish', port: 'a', value: 1, id: 'after' })
  await at.clock.advance(9_999)
  expect([at.clock.pending, device.frames.length]).toEqual([1, 1])
  await at.clock.advance(1)
  expect((await device.next(2))[1]).toMatchObject({ type: 'published', id: 'after' })
})

test('a tenth of the time is the share of a device, as much of a second at once, and no rest is longer than a second [T52]', () => {
  let now = 0
  const limits = new DeviceLimits(() => now)
  expect(limits.spend(30, 0)).toBe(0)
  expect(limits.spend(15, 1024 * 1024)).toBe(0)
  expect(limits.spend(5, 0)).toBe(100)
  now += 100
  expect(limits.spend(0, 0)).toBe(0)
  expect(limits.spend(3, 1024 * 1024)).toBe(160)
  expect(limits.spend(60_000, 0)).toBe(1_000)
  now += 1_000 + 500
  expect(limits.spend(25, 0)).toBe(0)
  expect(limits.spend(1, 0)).toBe(20)
})
