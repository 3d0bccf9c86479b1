/** The SDK of devices against a whole service: a board from its first start to its end. */
import { VirtualClock } from '@flow-service/core/testing'
import { connect, type ConnectOptions, type Device, type DeviceStatus, pair } from '@flow-service/device-sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { pairDevice } from './device-client.ts'
import { publishFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const PORTAL = 'the token of the portal'
let at: TestService
const open: Device[] = []
beforeAll(async () => {
  at = await startService({ portalToken: PORTAL, trustProxy: 1 })
})
afterEach(() => {
  for (const device of open.splice(0)) device.close()
})
afterAll(() => at[Symbol.asyncDispose]())

const port = (direction: 'input' | 'output', name: string, more: object = {}) => ({
  direction,
  name,
  port: name,
  dtype: 'float',
  ...more,
})

/** A live flow: what the device says is doubled, and told to it; nobody reads its pictures. */
async function startFlow(name: string, device: string): Promise<void> {
  const camera = port('output', 'camera', { dtype: 'image', on_demand: true })
  const config = { doubled: { pin: 4 } }
  await publishFlow(at.client, name, {
    mode: 'live',
    nodes: [
      {
        id: 'board',
        type: 'device',
        settings: { device, config },
        ports: [port('output', 'lux'), camera, port('input', 'doubled')],
      },
      {
        id: 'double',
        type: 'change',
        settings: { scale: 2 },
        ports: [port('input', 'lux'), port('output', 'doubled')],
      },
    ],
  })
  await at.client.http.flows.start({ name })
}

/** A device on the service, once it is online. */
async function online(options: Omit<ConnectOptions, 'url'>): Promise<Device> {
  const device = connect({ url: at.origin, ...options })
  open.push(device)
  await status(device, 'online')
  return device
}

/** The status of that state, as soon as the device has it. */
function status(device: Device, state: DeviceStatus['state']): Promise<DeviceStatus> {
  return new Promise((resolve) => {
    const take = (now: DeviceStatus) => now.state === state && resolve(now)
    take(device.status)
    device.onStatus(take)
  })
}

test('a board is paired, reports what it has, publishes, follows, and ends when it is unpaired [R124, R129, R130, R434, R436, T43]', async () => {
  const clock = new VirtualClock(0)
  const shown = Promise.withResolvers<{ code: string; check: string }>()
  const onCode = (code: string, check: string) => shown.resolve({ code, check })
  const pairing = pair({ url: at.origin, name: 'Porch', board: 'esp32', clock, onCode })
  const { code, check } = await shown.promise
  expect(await at.client.pairing.pending()).toMatchObject([{ name: 'Porch', board: 'esp32', check }])
  await at.client.http.devices.create({ id: 'porch' })
  await at.client.http.devices.pair({ id: 'porch', body: { code } })
  await clock.advance(2000)
  const { credential, id } = await pairing
  expect(id).toBe('porch')

  await startFlow('porch', 'porch')
  const device = await online({ credential })
  await device.report({ io: [{ name: 'lux', direction: 'in', dtype: 'float' }] })
  expect(await at.client.http.devices.get({ id: 'porch' })).toMatchObject({ online: true, io: [{ name: 'lux' }] })

  const doubled = Promise.withResolvers<unknown>()
  device.on('doubled', doubled.resolve)
  expect(await device.publish('lux', 4)).toEqual({ ts: expect.any(String) })
  expect([await doubled.promise, device.config('doubled')]).toEqual([8, { pin: 4 }])
  await expect(device.publish('lux', 'bright')).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(device.publish('nothing', 1)).rejects.toMatchObject({ code: 'message_not_declared' })

  await at.client.http.devices.unpair({ id: 'porch' })
  expect(await status(device, 'ended')).toMatchObject({ reason: 'unpaired' })
  const again = connect({ url: at.origin, credential })
  expect(await status(again, 'ended')).toMatchObject({ reason: 'refused' })
})

test('pictures are sent while a viewer wants them, and reach the viewer [R076, R656, R657, R659]', async () => {
  const credential = await pairDevice(at, 'yard')
  await startFlow('yard', 'yard')
  const device = await online({ credential })
  expect([device.wanted('camera'), device.frame('camera', Uint8Array.of(1), 'image/png')]).toEqual([false, false])
  const viewer = at.client.media(['yard.camera'])
  const first = viewer.next()
  const demand = Promise.withResolvers<readonly string[]>()
  device.onDemand((ports) => ports.length > 0 && demand.resolve(ports))
  expect([await demand.promise, device.wanted('camera')]).toEqual([['camera'], true])
  expect(device.frame('camera', Uint8Array.of(1, 2, 3), 'image/png')).toBe(true)
  const { value } = await first
  expect(value).toMatchObject({ message: 'yard.camera', mediaType: 'image/png' })
  expect(Buffer.from((value as { bytes: Uint8Array }).bytes)).toEqual(Buffer.of(1, 2, 3))
  await viewer.return()
})

test('through the portal a picture goes over HTTP [R655, R663]', async () => {
  const credential = await pairDevice(at, 'away')
  await startFlow('away', 'away')
  const portal = { 'x-service-portal': PORTAL }
  const errors: unknown[] = []
  const device = await online({
    credential,
    webSocket: (url, headers) => new WebSocket(url, { headers: { ...headers, ...portal } }),
    fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...portal } }),
    onError: (error) => errors.push(error),
  })
  const viewer = at.client.media(['away.camera'])
  const first = viewer.next()
  await expect.poll(() => device.wanted('camera')).toBe(true)
  expect(device.frame('camera', Uint8Array.of(7), 'image/jpeg')).toBe(true)
  expect([(await first).value, errors]).toMatchObject([{ message: 'away.camera', mediaType: 'image/jpeg' }, []])
  await viewer.return()
})

test('another program with the same credential takes over', async () => {
  const credential = await pairDevice(at, 'twice')
  const device = await online({ credential })
  await online({ credential })
  expect(await status(device, 'ended')).toMatchObject({ reason: 'replaced' })
})
