/** Devices of a whole service: paired by the API, at its socket, with real flows behind it. */
import { encodeFrame } from '@flow-service/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { DeviceClient, pairDevice } from './device-client.ts'
import { publish, startService, type TestService } from './service.ts'

const PORTAL = 'the token of the portal'
let at: TestService
const open: DeviceClient[] = []
beforeAll(async () => {
  at = await startService({ portalToken: PORTAL, trustProxy: 1 })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()))
})
afterAll(() => at[Symbol.asyncDispose]())

const output = (port: string, more: object = {}) => ({ direction: 'output', name: port, port, dtype: 'any', ...more })
const input = (port: string, more: object = {}) => ({ direction: 'input', name: port, port, dtype: 'any', ...more })

/** A live flow with a node that stands for a device. */
const flowOf = (device: string, ports: object[], more: { nodes?: object[]; config?: object } = {}) => ({
  mode: 'live',
  nodes: [
    { id: 'panel', type: 'device', settings: { device, config: more.config ?? {} }, ports },
    ...(more.nodes ?? []),
  ],
})

async function connect(credential: string, headers: Record<string, string> = {}): Promise<DeviceClient> {
  const client = await DeviceClient.connect(at, credential, { headers })
  open.push(client)
  return client
}

async function start(name: string, document: object): Promise<void> {
  await publish(at, name, document)
  await at.send('POST', `/flows/${name}/start`)
}

const nodeOf = async (flow: string): Promise<object | undefined> => {
  const { node_states: states } = (await at.send('GET', `/flows/${flow}`)).body as {
    node_states: { node: string }[]
  }
  return states.find(({ node }) => node === 'panel')
}

test('a value of a device reaches the flow, credited to its node, and what the flow says reaches the device [R129, R130, R335]', async () => {
  const credential = await pairDevice(at, 'hall')
  await start(
    'hall',
    flowOf('hall', [output('lux', { dtype: 'float' }), input('doubled', { dtype: 'float' })], {
      nodes: [
        {
          id: 'double',
          type: 'change',
          settings: { scale: 2 },
          ports: [input('lux', { dtype: 'float' }), output('doubled', { dtype: 'float' })],
        },
      ],
    }),
  )
  const device = await connect(credential)
  expect(device.frames[0]).toMatchObject({
    type: 'snapshot',
    device: 'hall',
    bindings: [
      { port: 'lux', direction: 'in', message: 'hall.lux' },
      { port: 'doubled', direction: 'out', message: 'hall.doubled' },
    ],
  })
  expect(await device.publish({ port: 'lux' }, 4)).toMatchObject({ type: 'published', ts: expect.any(String) })
  expect(await device.find(({ type }) => type === 'value')).toMatchObject({ message: 'hall.doubled', value: 8 })
  const [entry] = (await at.send('GET', '/messages/hall.lux/history')).body as unknown as object[]
  expect(entry).toMatchObject({ value: 4, source: { flow: 'hall', node: 'panel', port: 'lux' } })
  expect(await nodeOf('hall')).toMatchObject({ status: 'idle', health: 'ok' })
})

test('a device that is away degrades its node as offline, and the flow goes on [R118, R119, R339]', async () => {
  const credential = await pairDevice(at, 'attic')
  await start('attic', flowOf('attic', [output('lux')]))
  expect(await nodeOf('attic')).toMatchObject({ status: 'idle', health: 'degraded', message: 'offline', error: null })
  const device = await connect(credential)
  expect(await nodeOf('attic')).toMatchObject({ health: 'ok' })
  expect((await at.send('GET', '/devices/attic')).body).toMatchObject({ online: true, last_seen: expect.any(String) })
  await device.close()
  await expect.poll(() => nodeOf('attic')).toMatchObject({ health: 'degraded', message: 'offline' })
  expect((await at.send('GET', '/devices/attic')).body).toMatchObject({ online: false })
  expect((await at.send('GET', '/flows/attic')).body).toMatchObject({ status: 'active' })
})

test('while its flow is stopped a device publishes all the same, credited to its node', async () => {
  const credential = await pairDevice(at, 'stopped')
  await publish(at, 'stopped', flowOf('stopped', [output('lux', { dtype: 'float' })]))
  const device = await connect(credential)
  expect(await device.publish({ message: 'stopped.lux' }, 5)).toMatchObject({ type: 'published' })
  const [entry] = (await at.send('GET', '/messages/stopped.lux/history')).body as unknown as object[]
  expect(entry).toMatchObject({ value: 5, source: { node: 'panel', port: 'lux' } })
})

test('an interval of a port holds values back, and the latest follows [G80]', async () => {
  const credential = await pairDevice(at, 'thin')
  await start('thin', flowOf('thin', [output('lux', { interval: 3600 })]))
  const device = await connect(credential)
  expect(await device.publish({ port: 'lux' }, 1)).toMatchObject({ type: 'published', ts: expect.any(String) })
  expect(await device.publish({ port: 'lux' }, 2)).toMatchObject({ type: 'published', ts: null })
  await at.send('POST', '/flows/thin/stop')
  const history = (await at.send('GET', '/messages/thin.lux/history')).body as unknown as { value: number }[]
  expect(history.map(({ value }) => value)).toEqual([2, 1])
})

test('a renamed flow wires the device under its new name, with one new snapshot [R122]', async () => {
  const credential = await pairDevice(at, 'moved')
  await start('before', flowOf('moved', [output('lux')], { config: { lux: { gain: 2 } } }))
  const device = await connect(credential)
  expect((await at.send('POST', '/flows/before/rename', { name: 'after' })).status).toBe(200)
  await device.find((frame) => frame.type === 'snapshot' && frame.bindings.some(({ flow }) => flow === 'after'))
  expect(device.frames.filter(({ type }) => type === 'snapshot')).toHaveLength(2)
  expect((await at.send('GET', '/devices/moved')).body).toMatchObject({
    bindings: [{ message: 'after.lux', config: { gain: 2 } }],
  })
  expect(await device.publish({ message: 'after.lux' }, 1)).toMatchObject({ type: 'published' })
  expect(await device.publish({ message: 'before.lux' }, 1)).toMatchObject({ type: 'error', code: 'forbidden' })
})

describe('a socket ends with 1008, and the credential is void [R435, R436, R437, R627, T43]', () => {
  test.each([
    ['unpaired', 'POST', '/unpair'],
    ['deleted', 'DELETE', ''],
  ])('when its device is %s', async (id, method, path) => {
    const credential = await pairDevice(at, id)
    const device = await connect(credential)
    await at.send(method, `/devices/${id}${path}`)
    expect(await device.closed).toBe(1008)
    await expect(DeviceClient.connect(at, credential)).rejects.toThrow('401')
    const answer = await at.send('PUT', `/devices/${id}/report`, {}, { authorization: `Bearer ${credential}` })
    expect(answer.status).toBe(401)
  })

  test('when its device is paired anew', async () => {
    const device = await connect(await pairDevice(at, 'again'))
    const newer = await pairDevice(at, 'again')
    expect(await device.closed).toBe(1008)
    await connect(newer)
  })
})

test('a picture goes from a device to the flow by its socket [R659, R661]', async () => {
  const credential = await pairDevice(at, 'door')
  await start('door', flowOf('door', [output('camera', { dtype: 'image' })]))
  const device = await connect(credential)
  const bytes = new TextEncoder().encode('a picture')
  device.say(encodeFrame({ type: 'frame', name: 'door.camera', media_type: 'image/png', ts: 1 }, bytes))
  const last = async () =>
    ((await at.send('GET', '/messages/')).body as unknown as { name: string; value: { digest: string } | null }[]).find(
      ({ name }) => name === 'door.camera',
    )?.value
  await expect.poll(last).toMatchObject({ media_type: 'image/png', size: 9, volatile: true })
  const { digest } = (await last()) as { digest: string }
  const stored = await fetch(`${at.baseUrl}/artifacts/${digest}`, { headers: { authorization: `Bearer ${at.token}` } })
  expect([stored.headers.get('content-type'), await stored.text()]).toEqual(['image/png', 'a picture'])
})
test('through the portal pictures come by two requests [R655, R663, T59]', async () => {
  const credential = await pairDevice(at, 'far')
  await start('far', flowOf('far', [output('camera', { dtype: 'image' })]))
  const device = await connect(credential, { 'x-service-portal': PORTAL })
  expect(device.frames[0]).toMatchObject({ uplink: 'http' })
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'image/jpeg' }
  const put = await fetch(`${at.baseUrl}/artifacts?volatile=true&name=far.camera`, {
    method: 'PUT',
    headers,
    body: 'far',
  })
  expect(put.status).toBe(201)
  const value = (await put.json()) as object
  const sent = await at.send('POST', '/messages/far.camera', { value }, { authorization: `Bearer ${credential}` })
  expect(sent.status).toBe(200)
  const [entry] = (await at.send('GET', '/messages/far.camera/history')).body as unknown as object[]
  expect(entry).toMatchObject({ value: { media_type: 'image/jpeg' }, source: { node: 'panel', port: 'camera' } })
})
