/** What the credential of a device is good for over HTTP, beside its own record and report. */
import type { ArtifactRef, DeviceDetail, FlowDocumentInput, Message, PublishedMessage } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DeviceService, deviceService } from './device-service.ts'

const port = (direction: 'input' | 'output', name: string, dtype: 'float' | 'image' | 'bool') =>
  ({ direction, name, dtype }) as const
const hall: FlowDocumentInput = {
  mode: 'live',
  inputs: [{ name: 'shown', dtype: 'image' }],
  nodes: [
    {
      id: 'panel',
      type: 'device',
      settings: { device: 'panel' },
      ports: [port('output', 'lux', 'float'), port('output', 'camera', 'image'), port('input', 'shown', 'image')],
    },
    { id: 'seen', type: 'rbe', ports: [port('input', 'camera', 'image'), port('output', 'seen', 'image')] },
    {
      id: 'other',
      type: 'device',
      settings: { device: 'other' },
      ports: [port('output', 'lux2', 'float'), port('output', 'camera2', 'image')],
    },
  ],
}

let at: DeviceService
let panel: { readonly credential: string }
beforeAll(async () => {
  at = await deviceService()
  panel = { credential: await at.paired('panel') }
  await at.create('other')
  await at.publish('hall', hall)
})
afterAll(() => at[Symbol.asyncDispose]())

const refused = async (answer: Promise<{ status: number; problem: { code: string } }>) => {
  const { status, problem } = await answer
  return [status, problem.code]
}
const forbidden = [403, 'forbidden']

test('a device reads itself alone, and so under the words of older firmware [R627, T23]', async () => {
  const { value } = await at.ask<DeviceDetail>(panel, 'GET', '/devices/panel')
  expect([value.id, value.bindings.map(({ message }) => message)]).toEqual([
    'panel',
    ['hall.lux', 'hall.camera', 'hall.shown'],
  ])
  expect((await at.ask(panel, 'GET', '/panels/panel')).status).toBe(200)
  for (const path of ['/devices/other', '/panels/other', '/devices/nobody', '/devices/pane', '/devices/'])
    expect([path, await refused(at.ask(panel, 'GET', path))]).toEqual([path, forbidden])
})

describe('a device publishes', () => {
  const publish = (message: string, value: unknown) =>
    at.ask<PublishedMessage>(panel, 'POST', `/messages/${message}`, { body: { value } })

  test('what its ports send', async () => {
    const { status, value } = await publish('hall.lux', 12.5)
    expect([status, value.name, value.value]).toEqual([200, 'hall.lux', 12.5])
  })

  test.each(['hall.lux2', 'hall.shown', 'hall.lu', 'hall.luxx', 'lux', 'lab.x', 'nobody.knows'])(
    'and not %s [T50]',
    async (message) => expect(await refused(publish(message, 1))).toEqual(forbidden),
  )

  test('what its port takes', async () => {
    expect((await publish('hall.lux', 'bright')).problem).toMatchObject({ status: 422, code: 'validation_failed' })
  })
})

describe('pictures of a device', () => {
  const put = (query: string, body = query) =>
    at.ask<ArtifactRef>(panel, 'PUT', `/artifacts?${query}`, { body, headers: { 'content-type': 'image/jpeg' } })

  test('pass by under the name of a message that it sends, and are published by reference [R663]', async () => {
    const { status, value: ref } = await put('volatile=true&name=hall.camera')
    expect([status, ref.volatile]).toEqual([201, true])
    const body = { value: ref }
    expect((await at.ask(panel, 'POST', '/messages/hall.camera', { body })).status).toBe(200)
    const seen = async () =>
      (await at.ask<Message[]>('ann', 'GET', '/messages/')).value.find(({ name }) => name === 'hall.seen')?.value
    await expect.poll(seen).toEqual(ref)
  })

  test.each([
    'name=hall.camera',
    'volatile=false&name=hall.camera',
    'volatile=true',
    'volatile=true&name=hall.camera2',
    'volatile=true&name=hall.shown',
    'volatile=true&name=hall.camer',
  ])('are not stored as %s', async (query) => expect(await refused(put(query))).toEqual(forbidden))

  test('are read as long as a port that it follows has them as its value, and no others are', async () => {
    const shown = await at.ask<ArtifactRef>('ann', 'PUT', '/artifacts', {
      body: 'a picture',
      headers: { 'content-type': 'image/png' },
    })
    const read = () => at.ask(panel, 'GET', `/artifacts/${shown.value.digest}`)
    expect(await refused(read())).toEqual(forbidden)
    await at.ask('ann', 'POST', '/messages/hall.shown', { body: { value: shown.value } })
    expect(await read()).toMatchObject({ status: 200, text: 'a picture' })
    const next = { ...shown.value, digest: `sha256:${'0'.repeat(64)}` }
    await at.ask('ann', 'POST', '/messages/hall.shown', { body: { value: next } })
    expect(await refused(read())).toEqual(forbidden)
    expect((await at.ask(panel, 'GET', `/artifacts/${next.digest}`)).status).toBe(404)
  })
})

test('rights end with the wiring: a flow that is not published any more lends none', async () => {
  const wired = {
    ...hall,
    inputs: [],
    nodes: [{ id: 'p', type: 'device', settings: { device: 'panel' }, ports: [port('output', 'heat', 'float')] }],
  }
  await at.publish('short', wired as FlowDocumentInput)
  const publish = () => at.ask(panel, 'POST', '/messages/short.heat', { body: { value: 1 } })
  expect((await publish()).status).toBe(200)
  await at.root('POST', '/flows/short/stop')
  expect((await publish()).status).toBe(200)
  await at.root('DELETE', '/flows/short')
  expect(await refused(publish())).toEqual(forbidden)
})
