/** How boards become devices. */
import type { ObservabilityEvent, PairingPreview } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { besides, type DeviceService, deviceService, newPlace } from './device-service.ts'

let at: DeviceService
beforeAll(async () => {
  at = await deviceService()
})
afterAll(() => at[Symbol.asyncDispose]())

/** Events of a device, the oldest first. */
const events = async (device: string) => {
  const { value } = await at.root<ObservabilityEvent[]>('GET', '/observability/events?limit=500')
  return value
    .filter(({ kind, detail }) => (kind === 'device' || kind === 'audit') && detail?.['device'] === device)
    .map(({ action }) => action)
    .toReversed()
}
const preview = (code: string) => at.ask<PairingPreview>('ann', 'GET', `/devices/pair/${code}/device`)
const readItself = (id: string, credential: string) => at.ask({ credential }, 'GET', `/devices/${id}`)

describe('a board that asks to be paired', () => {
  test('shows a code and a check, is adopted by its code, and polls its credential [R124, R125, R126, R127, R433, R434, R545, R546]', async () => {
    await at.create('lamp')
    const { status, value: request } = await at.start({ board: 'esp32' })
    expect([status, request]).toEqual([
      201,
      {
        code: expect.stringMatching(/^[A-HJKMNP-Z2-9]{8}$/),
        secret: expect.stringMatching(/^[\w-]{43}$/),
        check: expect.stringMatching(/^[A-HJKMNP-Z2-9]{2}$/),
        expires_at: expect.any(String),
      },
    ])
    const minutes = (Date.parse(request.expires_at) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(8)
    expect(minutes).toBeLessThan(11)
    expect((await at.poll(request)).value).toEqual({ status: 'waiting', device: null, panel: null })
    const adopted = await at.adopt('lamp', { code: request.code.toLowerCase() })
    expect(adopted).toMatchObject({ status: 200, value: { id: 'lamp', paired: true, version: 1, board: 'esp32' } })
    const { value: told } = await at.poll(request)
    const device = { id: 'lamp', name: 'lamp', credential: expect.stringMatching(/^[\w-]{43}$/), ws_path: '/flows/ws' }
    expect(told).toEqual({ status: 'adopted', device, panel: device })
    expect((await readItself('lamp', told.device?.credential ?? '')).status).toBe(200)
  })

  test('waits without its code in the list of those that wait [R128, R547]', async () => {
    const { value: request } = await at.start({ name: 'Board', board: 'pico', firmware: '1.2' })
    const [first] = await at.pending()
    expect(first).toEqual({
      id: expect.any(String),
      check: request.check,
      name: 'Board',
      board: 'pico',
      firmware: '1.2',
      same_network: false,
      created_at: expect.any(String),
      expires_at: request.expires_at,
    })
    expect(JSON.stringify(await at.pending())).not.toContain(request.code)
  })

  test('is shown by its code before it is adopted [R548]', async () => {
    const { value: request } = await at.start({ name: 'Shown', firmware: '2' })
    expect((await preview(request.code.toLowerCase())).value).toEqual({
      name: 'Shown',
      board: null,
      firmware: '2',
      check: request.check,
      created_at: expect.any(String),
    })
  })

  test('is adopted by its request from its own network alone [R433, R549, T40]', async () => {
    await at.create('near')
    const place = newPlace()
    await at.start({ name: 'near board' }, place)
    const [request] = await at.pending(besides(place))
    expect(request).toMatchObject({ name: 'near board', same_network: true })
    const far = await at.adopt('near', { request: request?.id }, newPlace())
    expect([far.status, far.problem.code, far.problem.detail]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('code'),
    ])
    expect(await at.adopt('near', { request: request?.id }, besides(place))).toMatchObject({
      status: 200,
      value: { name: 'near board', paired: true },
    })
    for (const unknown of ['not an id', '01900000-0000-7000-8000-000000000000'])
      expect((await at.adopt('near', { request: unknown })).status).toBe(404)
  })

  test('loses its credential when the device is unpaired, and when another takes its place [R435, R627]', async () => {
    const first = await at.paired('door')
    expect((await readItself('door', first)).status).toBe(200)
    const { value: request } = await at.start()
    await at.adopt('door', { code: request.code })
    expect((await readItself('door', first)).status).toBe(401)
    const second = (await at.poll(request)).value.device?.credential ?? ''
    expect((await readItself('door', second)).status).toBe(200)
    const unpaired = await at.ask('ann', 'POST', '/devices/door/unpair')
    expect(unpaired).toMatchObject({ status: 200, value: { id: 'door', paired: false } })
    expect((await readItself('door', second)).status).toBe(401)
    expect((await at.ask('ann', 'POST', '/devices/door/unpair')).status).toBe(200)
    expect(await events('door')).toEqual([
      'device.create',
      'device.pair',
      'device.paired',
      'device.pair',
      'device.paired',
      'device.unpair',
      'device.unpaired',
    ])
  })

  test('answers under the words of older firmware too [R554]', async () => {
    await at.create('panel')
    const { value: request } = await at.ask<{ code: string; secret: string; check: string }>(
      'nobody',
      'POST',
      '/panels/pair',
      { headers: newPlace() },
    )
    const poll = () => at.ask({ credential: request.secret }, 'GET', `/panels/pair/${request.code}`)
    expect((await poll()).value).toEqual({ status: 'waiting', device: null, panel: null })
    await at.adopt('panel', { code: request.code })
    expect((await poll()).value).toEqual((await at.poll(request)).value)
    expect((await at.ask('ann', 'GET', '/panels/panel')).value).toEqual(await at.get('panel'))
  })
})

test.each([
  ['unpaired', () => at.ask('ann', 'POST', '/devices/cut/unpair')],
  ['deleted', () => at.ask('ann', 'DELETE', '/devices/cut')],
  ['paired anew', () => at.paired('cut')],
])('a device that is %s is cut off at once [R627, T43]', async (_how, end) => {
  const token = await at.paired('cut')
  const [row] = await at.engine.database.sql<{ id: string }[]>`select id from device_credential where device = 'cut'`
  const closed = at.socketOf(String(row?.id))
  await end()
  expect(await closed).toEqual([1008, expect.stringContaining('unpaired')])
  expect((await readItself('cut', token)).status).toBe(401)
})
