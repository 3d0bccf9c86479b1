/** What a program sees of its device, beside the sessions. */
import { expect, test, vi } from 'vitest'

import { connect, type DeviceStatus } from '../src/index.ts'
import { bound, FakeSocket, Rig, snapshot } from './fake-socket.ts'

const light = (value: unknown) => ({
  type: 'value',
  port: 'lamp',
  message: 'f.lamp',
  value,
  ts: '2026-01-01T00:00:00Z',
})

test('a listener of a port is told the last known value at once, and nothing once it has ended [R130]', () => {
  const rig = new Rig().online()
  rig.socket.say(light(1))
  const told: unknown[] = []
  const end = rig.device.on('lamp', (value, source) => told.push([value, source.message, source.ts]))
  expect(told).toEqual([[1, 'f.lamp', '2026-01-01T00:00:00Z']])
  end()
  rig.socket.say(light(2))
  expect(told).toHaveLength(1)
})

test('a listener that throws is told of, and keeps no other from being told', () => {
  const rig = new Rig().online()
  const told: unknown[] = []
  rig.device.on('lamp', () => {
    throw new Error('no such pin')
  })
  rig.device.on('lamp', (value) => told.push(value))
  rig.socket.say(light(true))
  expect(told).toEqual([true])
  expect(rig.errors).toEqual([new Error('no such pin')])
})

test('a message that is wired to a port again brings its value again', () => {
  const rig = new Rig().online({ values: [light(1)] })
  const told: unknown[] = []
  rig.device.on('lamp', (value) => told.push(value))
  rig.socket.say(snapshot({ bindings: [] }))
  rig.socket.say(snapshot({ values: [light(1)] }))
  expect(told).toEqual([1, 1])
})

test('wiring is told when it is known, and when it changes', () => {
  const rig = new Rig()
  const told: number[] = []
  rig.device.onBindings((bindings) => told.push(bindings.length))
  expect([rig.device.id, rig.device.bindings, told]).toEqual([null, [], []])
  rig
    .online()
    .online()
    .online({ bindings: [bound('lamp', 'out', { config: { pin: 4 } })] })
  expect([rig.device.id, told, rig.device.config('lamp')]).toEqual(['board', [3, 1], { pin: 4 }])
})

test.each([
  ['undefined', undefined, 'is undefined'],
  ['a number that JSON has no word for', { list: [Number.NaN] }, 'is NaN'],
  ['an infinite number', Number.POSITIVE_INFINITY, 'is Infinity'],
  ['a bigint', 1n, 'no JSON'],
  ['text of more than 256 KiB', '🌙'.repeat(65_536), 'at most 262144 are taken'],
])('%s is refused before it is sent', async (_what, value, why) => {
  const rig = new Rig().online()
  await expect(rig.device.publish('temp', value)).rejects.toThrow(why)
  expect(rig.socket.sent).toEqual([])
})

test('nobody has to wait for what is refused, dropped or given up', async () => {
  const unhandled = vi.fn<() => void>()
  process.on('unhandledRejection', unhandled)
  const rig = new Rig()
  for (let at = 0; at < 1002; at++) void rig.device.publish('temp', at)
  void rig.device.publish('temp', undefined)
  void rig.device.report({})
  rig.device.close()
  void rig.device.publish('temp', 1)
  void rig.device.report({})
  await new Promise(setImmediate)
  expect([unhandled.mock.calls.length, rig.device.dropped]).toEqual([0, 2])
  process.off('unhandledRejection', unhandled)
})

test('no more than 200 publications leave in a second [R129]', async () => {
  const rig = new Rig().online()
  for (let at = 0; at < 900; at++) void rig.device.publish('temp', at)
  const counts = [rig.socket.sent.length]
  for (let second = 0; second < 4; second++) {
    await rig.clock.advance(1000)
    counts.push(rig.socket.sent.length)
  }
  expect(counts).toEqual([200, 400, 600, 800, 900])
  expect(rig.socket.texts.map(({ value }) => value)).toEqual(Array.from({ length: 900 }, (_, at) => at))
})

test('while the link is slow publications wait, and pictures are not sent', async () => {
  const rig = new Rig().online()
  rig.socket.bufferedAmount = 2 ** 20 + 1
  void rig.device.publish('temp', 1)
  expect(rig.device.frame('camera', new Uint8Array(3), 'image/png')).toBe(false)
  await rig.clock.advance(1000)
  expect(rig.socket.sent).toEqual([])
  rig.socket.bufferedAmount = 0
  await rig.clock.advance(100)
  expect(rig.socket.texts).toMatchObject([{ value: 1 }])
  expect(rig.device.frame('camera', new Uint8Array(3), 'image/png')).toBe(true)
})

test('a picture above 8 MiB is refused', () => {
  const rig = new Rig().online()
  expect(() => rig.device.frame('camera', new Uint8Array(8 * 2 ** 20), 'image/png')).toThrow(RangeError)
})

test.each(['text/html', 'jpeg', 'image/', 'image/png; q=1', ''])('the media type "%s" is refused', (mediaType) => {
  const rig = new Rig().online()
  expect(() => rig.device.frame('camera', new Uint8Array(1), mediaType)).toThrow(
    `mediaType is "${mediaType}"; give that`,
  )
})

test('whether a value is wanted [R076]', () => {
  const rig = new Rig()
  const bindings = [bound('camera', 'in', { on_demand: true }), bound('temp', 'in'), bound('lamp', 'out')]
  const wanted = () => ['camera', 'temp', 'lamp', 'nothing'].map((port) => rig.device.wanted(port))
  expect(wanted()).toEqual([false, false, false, false])
  rig.online({ bindings })
  expect(wanted()).toEqual([false, true, false, false])
  rig.socket.say({ type: 'demand', ports: ['camera'] })
  expect(wanted()).toEqual([true, true, false, false])
  rig.socket.end(1006)
  expect(wanted()).toEqual([false, false, false, false])
})

test('a device that is closed while it is told of its state stays closed', async () => {
  const rig = new Rig()
  rig.device.onStatus(({ state }) => state === 'offline' && rig.device.close())
  rig.socket.end(1006)
  await rig.clock.advance(60_000)
  expect([rig.device.status.state, rig.sockets.length, rig.clock.pending]).toEqual(['ended', 1, 0])
})

test('pauses between attempts grow up to 30 s, and are short again after a snapshot [R118]', async () => {
  const rig = new Rig({ random: () => 1 })
  const pauses: number[] = []
  rig.device.onStatus((status) => status.state === 'offline' && pauses.push(status.retryInMs))
  for (let attempt = 0; attempt < 6; attempt++) {
    rig.socket.end(1006)
    await rig.clock.advance(30_000)
  }
  rig.online().socket.end(1012)
  expect(pauses).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 2000])
})

test('a closed device closes its socket, and gives up one that does not answer', async () => {
  const rig = new Rig().online()
  using device = rig.device
  device.close()
  device.close()
  expect(rig.socket.isClosed).toBe(true)
  await rig.clock.advance(2000)
  expect(rig.clock.pending).toBe(0)
})

test('an opener that throws throws at first, and later is an attempt that has failed', async () => {
  const refuse = (): never => {
    throw new Error('no proxy')
  }
  expect(() => new Rig({ webSocket: refuse })).toThrow('no proxy')
  const sockets: FakeSocket[] = []
  const statuses: DeviceStatus[] = []
  const open = () => {
    const socket = new FakeSocket()
    return sockets.push(socket) === 2 ? refuse() : socket
  }
  const rig = new Rig({ webSocket: open })
  rig.device.onStatus((status) => statuses.push(status))
  sockets[0]?.end(1006)
  await rig.clock.advance(30_000)
  expect(statuses.slice(0, 2)).toMatchObject([{ state: 'offline' }, { state: 'offline', detail: 'no proxy' }])
  expect(sockets).toHaveLength(3)
})

test('a socket of the user that knows why its upgrade was refused ends the device', () => {
  const rig = new Rig()
  rig.socket.end(1006, 401)
  const detail = 'the engine answers with HTTP status 401'
  expect(rig.device.status).toEqual({ state: 'ended', reason: 'refused', detail })
})

test.each([
  ['http://hub:8000', 'ws://hub:8000/api/v1/flows/ws'],
  ['https://hub/', 'wss://hub/api/v1/flows/ws'],
  ['https://home.example/house/api/v1/', 'wss://home.example/house/api/v1/flows/ws'],
])('the socket of %s', (url, expected) => {
  const opened: unknown[] = []
  connect({
    url,
    credential: 'secret',
    webSocket: (...given) => {
      opened.push(given)
      return new FakeSocket()
    },
  }).close()
  expect(opened).toEqual([[expected, { authorization: 'Bearer secret' }]])
})

test.each(['hub:8000', 'ws://hub', 'hub', ''])('an address that is none: "%s"', (url) => {
  expect(() => connect({ url, credential: 'c' })).toThrow(`url is "${url}"; give that of the engine`)
})

test('a page is told that it needs a socket of its own', () => {
  vi.stubGlobal('document', {})
  expect(() => connect({ url: 'http://hub', credential: 'c' })).toThrow('webSocket is not given')
  vi.unstubAllGlobals()
})
