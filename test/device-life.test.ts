/** The life of a device, from its pairing to its end, as its twin sees it and as the API tells of it. */
import { createTwin, testPicture, type TwinIo } from '@flow-service/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { deviceFlow, input, output } from './device-flows.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService({ trustProxy: 1 })
})
afterAll(() => at[Symbol.asyncDispose]())

let boards = 0

/** A twin at the service, from an address of its own. */
const twinOf = <const Io extends TwinIo>(id: string, io: Io) =>
  createTwin({
    url: at.baseUrl,
    token: at.token,
    id,
    io,
    board: 'esp32',
    patience: '50s',
    headers: { 'x-forwarded-for': `10.4.0.${++boards}` },
  })

async function start(name: string, document: object): Promise<void> {
  await publish(at, name, document)
  await at.client.http.flows.start({ name })
}

const io = { in: { lux: 'float', camera: 'image' }, out: { relay1: 'bool' } } as const

test('it is paired, has reported, and values go both ways [R118, R119, R120, R129, R130]', async () => {
  await using twin = await twinOf('hall', io)
  await start('hall', deviceFlow('hall', [output('lux', 'float'), input('relay1', 'bool')]))
  const device = await at.client.http.devices.get({ id: 'hall' })
  const isTime = (text: string | null): boolean => text !== null && Math.abs(Date.now() - Date.parse(text)) < 3_600_000
  expect([device.online, isTime(device.last_seen), isTime(device.reported_at)]).toEqual([true, true, true])
  expect(device.report).toMatchObject({ io: [{ name: 'lux', direction: 'in', dtype: 'float' }, {}, {}] })
  await twin.say({ lux: 12 })
  const [said] = await at.client.http.messages.history({ message: 'hall.lux' })
  expect(said).toMatchObject({ value: 12, source: { flow: 'hall', node: 'panel', port: 'lux' } })
  await at.client.http.messages.publish({ message: 'hall.relay1', value: true })
  await twin.told('relay1', true)
})

test('what its node has for a port is handed over unread [R338]', async () => {
  const config = { lux: { gain: 2, '': null, pins: [{ '__proto__!': 'é' }, []] }, relay1: {} }
  await using twin = await twinOf('configured', io)
  const ports = [output('lux', 'float'), input('relay1', 'bool')]
  await publish(at, 'configured', deviceFlow('configured', ports, { config }))
  await twin.wired('lux', 'configured.lux')
  expect([twin.device.config('lux'), twin.device.config('relay1')]).toEqual([config.lux, config.relay1])
})

test('it sends pictures while a viewer asks for them, or a node of a running flow reads them [R656, R657, R658, R659, R661]', async () => {
  await using twin = await twinOf('watched', io)
  await start('watched', deviceFlow('watched', [output('camera', 'image', { on_demand: true })]))
  await twin.wired('camera', 'watched.camera')
  expect([twin.wanted('camera'), twin.show('camera', testPicture(1))]).toEqual([false, false])

  const viewer = at.client.media(['watched.camera'])
  const seen = viewer.next()
  await twin.wants('camera')
  expect(twin.show('camera', testPicture(2))).toBe(true)
  const { value: picture } = await seen
  expect(picture).toMatchObject({ message: 'watched.camera', mediaType: 'image/png' })
  expect(Buffer.from(picture?.bytes ?? []).equals(testPicture(2).bytes)).toBe(true)
  const [shown] = await at.client.http.messages.history({ message: 'watched.camera' })
  expect(shown).toMatchObject({ value: { digest: picture?.digest }, source: { node: 'panel', port: 'camera' } })
  await viewer.return()
  await twin.wants('camera', false)

  const reader = { id: 'keep', type: 'rbe', ports: [input('watched.camera', 'image'), output('kept', 'image')] }
  await start('reader', { mode: 'live', nodes: [reader] })
  await twin.wants('camera')
  await at.client.http.flows.stop({ name: 'reader' })
  await twin.wants('camera', false)
  expect(twin.show('camera', testPicture(3))).toBe(false)
})

test('while it is gone its node is degraded and the flow goes on, until it is back [R339, R118]', async () => {
  await using twin = await twinOf('gone', io)
  await start('gone', deviceFlow('gone', [output('lux', 'float')]))
  const frames = at.client.events({ flows: ['gone'], kinds: ['health'] })
  expect((await frames.next()).value).toMatchObject({ type: 'snapshot' })
  twin.drop()
  expect((await frames.next()).value).toMatchObject({ type: 'health', status: 'degraded', message: 'offline' })
  const { status, node_states: states } = await at.client.http.flows.get({ name: 'gone' })
  expect([status, states]).toMatchObject(['active', [{ health: 'degraded', message: 'offline', error: null }]])
  await twin.back()
  expect((await frames.next()).value).toMatchObject({ type: 'health', status: 'ok' })
  await frames.return()
})

test('a flow that starts or stops wires it as before, and sends no other snapshot', async () => {
  await using twin = await twinOf('still', io)
  await publish(at, 'still', deviceFlow('still', [input('relay1', 'bool')]))
  await twin.wired('relay1', 'still.relay1')
  const before = twin.snapshots.length
  await at.client.http.flows.start({ name: 'still' })
  await at.client.http.flows.stop({ name: 'still' })
  await at.client.http.messages.publish({ message: 'still.relay1', value: true })
  await twin.told('relay1', true)
  expect(twin.snapshots.length).toBe(before)
})

test('a flow that is renamed wires it anew, with one snapshot [R122]', async () => {
  await using twin = await twinOf('moved', io)
  await start('before', deviceFlow('moved', [output('lux', 'float'), input('relay1', 'bool')]))
  await twin.wired('lux', 'before.lux')
  const before = twin.snapshots.length
  await at.client.http.flows.rename({ path_name: 'before', body_name: 'after' })
  await twin.wired('lux', 'after.lux')
  await twin.say({ lux: 1 })
  await at.client.http.messages.publish({ message: 'after.relay1', value: true })
  await twin.told('relay1', true)
  expect(twin.snapshots.length - before).toBe(1)
  expect(twin.device.bindings.map(({ message }) => message)).toEqual(['after.lux', 'after.relay1'])
})

test.each([
  ['unpaired', (id: string) => at.client.http.devices.unpair({ id })],
  ['deleted', (id: string) => at.client.http.devices.delete({ id })],
])(
  'when it is %s its socket ends with 1008, and its credential is refused [R435, R436, R437, R627]',
  async (id, end) => {
    const twin = await twinOf(id, io)
    await end(id)
    await twin.ended('unpaired')
    expect(twin.status).toMatchObject({ detail: expect.stringContaining('1008') })
    await expect(twin.back()).rejects.toThrow('401')
    const report = await at.send('PUT', `/devices/${id}/report`, {}, { authorization: `Bearer ${twin.credential}` })
    expect(report.status).toBe(401)
  },
)
