/** Twins of devices, by which others test their flows: at a whole service. */
import type { AssertionError } from 'node:assert'

import { VirtualClock } from '@flow-service/core/testing'
import { createTwin, testPicture, type TwinIo, type TwinOptions } from '@flow-service/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { deviceFlow, input, output } from './device-flows.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService({ trustProxy: 1 })
})
afterAll(() => at[Symbol.asyncDispose]())

let boards = 0

/** A twin at the service, from an address of its own. */
const twinOf = <const Io extends TwinIo>(id: string, io: Io, more: Partial<TwinOptions<Io>> = {}) =>
  createTwin({
    url: at.origin,
    token: at.token,
    id,
    io,
    patience: '50s',
    headers: { 'x-forwarded-for': `10.2.0.${++boards}` },
    ...more,
  })

/** Starts a flow that doubles the lux of a device. */
async function startDoubling(name: string): Promise<void> {
  const doubled = { direction: 'input', name: 'doubled', port: 'doubled', dtype: 'float' }
  const ports = [output('lux', 'float'), output('camera', 'image', { on_demand: true }), doubled]
  const double = { id: 'double', type: 'change', settings: { scale: 2 } }
  await publish(
    at,
    name,
    deviceFlow(name, ports, { nodes: [{ ...double, ports: [input('lux', 'float'), output('doubled', 'float')] }] }),
  )
  await at.client.http.flows.start({ name })
}

const io = { in: { lux: 'float', camera: 'image' }, out: { doubled: 'float' } } as const
/** The message of a failed assertion. */
const failureOf = (awaited: Promise<void>): Promise<AssertionError> =>
  awaited.then(
    () => expect.fail('it came'),
    (error: AssertionError) => error,
  )

test('a twin is a paired device that has reported its ports, and is told what flows say', async () => {
  await using twin = await twinOf('panel', io, { name: 'Panel', board: 'esp32', report: { uptime: 4 } })
  const { name, board, online, report, io: ports } = await at.client.http.devices.get({ id: 'panel' })
  expect({ name, board, online, report }).toMatchObject({ board: 'esp32', online: true, report: { uptime: 4 } })
  expect(ports.map((port) => `${port.direction} ${port.name} ${port.dtype}`)).toEqual([
    'in lux float',
    'in camera image',
    'out doubled float',
  ])
  await startDoubling('panel')
  await twin.wired('doubled', 'panel.doubled')
  await twin.say({ lux: 4 })
  await twin.told('doubled', 8)
  await twin.say({ lux: 5 })
  await twin.told('doubled', (value: unknown) => typeof value === 'number' && value > 8)
  expect(twin.values('doubled')).toEqual([8, 10])
})

test('a schedule is played on its clock, and leaves out pictures that nobody wants', async () => {
  const clock = new VirtualClock(0)
  await using twin = await twinOf('played', io, { clock })
  await startDoubling('played')
  const steps = [
    { at: '2s', port: 'lux', value: 2 },
    { at: 0, port: 'lux', value: 1 },
    { at: 1, port: 'camera', picture: testPicture(1) },
    { at: '1m', port: 'camera', picture: testPicture(2) },
  ] as const
  const playing = twin.play(steps)
  await clock.advance(30_000)
  await twin.told('doubled', 4)
  expect(twin.values('doubled')).toEqual([2, 4])
  expect(twin.wanted('camera')).toBe(false)
  const viewer = at.client.media(['played.camera'])
  const shown = viewer.next()
  await twin.wants('camera')
  await clock.advance(30_000)
  expect(await playing).toEqual([steps[0], steps[1], steps[3]])
  expect((await shown).value?.bytes).toEqual(new Uint8Array(testPicture(2).bytes))
  await viewer.return()
})

test('a step that the engine refuses is named, and those after it are not done', async () => {
  const clock = new VirtualClock(0)
  await using twin = await twinOf('refused', io, { clock })
  await startDoubling('refused')
  const playing = twin.play([
    { at: 5, port: 'lux', value: 1 },
    { at: '500ms', port: 'lux', value: 'bright' },
  ])
  const failure = playing.then(
    () => 'none',
    (error: Error) => error.message,
  )
  await clock.advance(1000)
  expect(await failure).toMatch(/^step 2, "lux" at 500 ms, was refused: .*float.*\(validation_failed\)$/)
  await clock.advance(10_000)
  expect(twin.values('doubled')).toEqual([])
  await expect(twin.play([{ at: -1, port: 'lux', value: 1 }])).rejects.toThrow('-1 s lies in the past')
})

test('a twin that drops off is offline until it is back, and what it said meanwhile arrives then', async () => {
  await using twin = await twinOf('lost', io)
  await startDoubling('lost')
  const isOnline = async () => (await at.client.http.devices.get({ id: 'lost' })).online
  twin.drop()
  await expect.poll(isOnline).toBe(false)
  const said = [1, 2, 3].map((lux) => twin.say({ lux }))
  await twin.back()
  await Promise.all(said)
  await twin.told('doubled', 6)
  expect([twin.values('doubled'), await isOnline()]).toEqual([[2, 4, 6], true])
})

test('a twin that leaves is told everything anew when it is back, as a board that was switched off', async () => {
  await using twin = await twinOf('off', io)
  await startDoubling('off')
  await twin.say({ lux: 1 })
  await twin.told('doubled', 2)
  await twin.leave()
  expect(twin.status).toMatchObject({ state: 'ended', reason: 'closed' })
  await expect(twin.say({ lux: 2 })).rejects.toThrow('the device has ended')
  await twin.back()
  await twin.told('doubled', 2)
  expect(twin.values('doubled')).toEqual([2, 2])
})

test('what was unpaired ends, and its credential brings it back no more', async () => {
  const twin = await twinOf('gone', io)
  await at.client.http.devices.unpair({ id: 'gone' })
  await twin.ended('unpaired')
  await expect(twin.back()).rejects.toThrow(
    'the twin "gone" is not online; it is over (refused): the engine answers with HTTP status 401',
  )
})

describe('what a twin was not told', () => {
  test('is told with all that it was told instead, and the line of the test', async () => {
    await using twin = await twinOf('instead', io)
    await startDoubling('instead')
    await twin.say({ lux: 1 })
    await twin.told('doubled', 2)
    await twin.say({ lux: 2 })
    await expect.poll(() => twin.values('doubled')).toHaveLength(2)
    const { message, actual, expected, stack } = await failureOf(twin.told('doubled', 6, 0))
    expect(message).toBe('the twin "instead" was not told doubled: 6; it was told 4')
    expect([actual, expected]).toEqual([[4], [6]])
    expect(stack).toContain('device-twin.test.ts')
    expect((await failureOf(twin.wants('camera', true, 0))).message).toBe(
      'the twin "instead" is not asked for camera; wanted: lux',
    )
    expect((await failureOf(twin.wants('lux', false, 0))).message).toBe(
      'the twin "instead" is still asked for lux; wanted: lux',
    )
    expect((await failureOf(twin.wired('lux', 'other.lux', 0))).message).toBe(
      'the twin "instead" is not wired, lux to other.lux; wired: lux to instead.lux, camera to instead.camera, doubled to instead.doubled',
    )
    expect((await failureOf(twin.ended('unpaired', 0))).message).toBe('the twin "instead" has not ended: unpaired')
    twin.drop()
    await expect.poll(() => twin.status.state).toBe('offline')
    expect((await failureOf(twin.told('doubled', 2, 0))).message).toBe(
      'the twin "instead" was not told doubled: 2; it was told 4; it is offline: the connection broke',
    )
  })

  test('is told with the reason when no flow wires the port', async () => {
    await using twin = await twinOf('loose', io)
    expect((await failureOf(twin.told('doubled', 6, 0))).message).toBe(
      'the twin "loose" was not told doubled: 6; it was told nothing; no flow wires doubled',
    )
    expect((await failureOf(twin.wants('camera', true, 0))).message).toBe(
      'the twin "loose" is not asked for camera; wanted: nothing; no flow wires camera',
    )
    await expect(twin.say({ dim: true } as object)).rejects.toThrow(
      new RangeError('the twin "loose" has no port "dim" that is in; it has lux, camera'),
    )
    expect(() => twin.values('lux' as 'doubled')).toThrow('has no port "lux" that is out; it has doubled')
  })
})

test('a pairing that is refused has the request and why', async () => {
  await expect(twinOf('nobody', io, { token: 'of nobody' })).rejects.toThrow(
    /^device "nobody" is not paired: POST \/devices\/nobody answers 401: ./,
  )
  const headers = { 'x-forwarded-for': '10.3.0.1' }
  for (let start = 1; start <= 5; start++) await (await twinOf('often', io, { headers })).leave()
  await expect(twinOf('often', io, { headers })).rejects.toThrow(
    /^device "often" is not paired: POST \/devices\/pair answers 429: ./,
  )
  await expect(twinOf('nowhere', io, { url: 'http://127.0.0.1:9' })).rejects.toThrow(
    'device "nowhere" is not paired: nobody answers at http://127.0.0.1:9/api/v1',
  )
  await expect(twinOf('nowhere', io, { url: 'nowhere' })).rejects.toThrow('url is "nowhere"; give that of the engine')
})

test('a twin that is not connected in time leaves nothing behind', async () => {
  await expect(twinOf('late', io, { patience: 0 })).rejects.toThrow('the twin "late" is not online; it is connecting')
  expect(await at.client.http.devices.get({ id: 'late' })).toMatchObject({ paired: true, online: false, report: null })
})
