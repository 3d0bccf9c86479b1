/** `service devices` against a service, with boards that pair by its API. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DeviceDetail, PairingStarted } from '@flow-service/protocol'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'

import { begin, type Ended, ended, runService } from './cli-process.ts'
import { DeviceClient, pairDevice, poll, startPairing } from './device-client.ts'
import { publish, startService, type TestService } from './service.ts'

vi.setConfig({ testTimeout: 300_000 })

const folder = mkdtempSync(join(tmpdir(), 'cli-devices-'))
const open: DeviceClient[] = []
let at: TestService
beforeAll(async () => {
  at = await startService({ trustProxy: 1 })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()))
  await Promise.all((await at.client.devices.list()).map(({ id }) => at.client.http.devices.delete({ id })))
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const place = () => ({ cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
const service = (...args: string[]): Promise<Ended> => runService(['devices', ...args], place())

const io = [
  { name: 'lux', direction: 'in', dtype: 'float' },
  { name: 'relay1', direction: 'out', dtype: 'bool' },
]

async function report(id: string, credential: string): Promise<void> {
  const answer = await at.send('PUT', `/devices/${id}/report`, { io }, { authorization: `Bearer ${credential}` })
  expect(answer.status).toBe(204)
}

/** What a board does once it is adopted: it fetches its credential, connects, and tells its ports. */
async function board({ code, secret }: PairingStarted): Promise<void> {
  let adopted: { readonly id: string; readonly credential: string } | null = null
  const ask = async () => (adopted = (await poll(at, code, secret)).device)
  await expect.poll(ask).not.toBeNull()
  const { id, credential } = adopted as unknown as { id: string; credential: string }
  open.push(await DeviceClient.connect(at, credential))
  await report(id, credential)
}

test('a device is paired by its code, and waited for until it is online with its ports [R433, R434, R548]', async () => {
  await at.send('POST', '/devices/hall-panel')
  const pairing = await startPairing(at, { name: 'Hall panel', board: 'esp32', firmware: '1.4' })
  const { code, out, err } = await ended(
    begin(['devices', 'pair', pairing.code, '--yes', '--wait', '200'], place()),
    () => board(pairing),
  )
  expect([code, err]).toEqual([
    0,
    [
      'Hall panel (esp32, firmware 1.4) becomes hall-panel-2.',
      `check ${pairing.check}`,
      'Paired. Waiting until hall-panel-2 is online …\n',
    ].join('\n'),
  ])
  expect(out).toBe(
    [
      'hall-panel-2 is online. Place it in a flow:',
      "  const { lux } = use(device('hall-panel-2', { out: { lux: t.float }, in: { relay1: t.bool } }), { relay1: m.relay1 })",
      'The compiler knows the ports of your devices after: service devices types\n',
    ].join('\n'),
  )
  expect(await at.client.http.devices.get({ id: 'hall-panel-2' })).toMatchObject({ name: 'Hall panel', online: true })
})

test('nothing is paired unseen: without a terminal the check has to be compared beforehand [T42]', async () => {
  const pairing = await startPairing(at, { name: 'Door' })
  const { code, err } = await service('pair', pairing.code)
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(`compare the check ${pairing.check} with the device, and give --yes`),
  ])
  expect(await at.client.devices.list()).toEqual([])
})

test('a board takes the place of another one on request, with a name of its own [R433]', async () => {
  await pairDevice(at, 'hall')
  const pairing = await startPairing(at, { name: 'Spare part' })
  const args = ['pair', pairing.code, '--as', 'hall', '--name', 'Panel in the hall', '--yes', '--wait', '0']
  const { code, out, err } = await service(...args)
  expect([code, out]).toEqual([0, expect.stringContaining('hall is paired, and not online yet')])
  expect(err).toContain('hall is paired already: the board that it has now loses its credential.')
  expect(await at.client.http.devices.get({ id: 'hall' })).toMatchObject({ name: 'Panel in the hall', version: 2 })
})

test('a wrong code and a request of another network are told, and leave no device behind [R549, T40]', async () => {
  const { code, err } = await service('pair', 'AAAABBBB', '--yes')
  expect([code, err]).toEqual([1, expect.stringContaining('error: no device waits on this code')])
  const { id, check } = await waiting({ 'x-forwarded-for': '10.9.0.1' })
  const far = await service('approve', id, '--as', 'far', '--yes')
  expect([far.code, far.err]).toEqual([3, expect.stringContaining('adopt it by the code that it shows')])
  expect(await at.client.devices.list()).toEqual([])
  const gone = await service('approve', 'nobody')
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('see what there is: service devices pending')])
  const { out } = await service('pending')
  expect(out).toMatch(new RegExp(`^${id} +${check} +a board +- +another one, by its code alone `, 'm'))
})

/** What is pending of a board that has just asked. */
async function waiting(headers: Record<string, string> = {}): Promise<{ id: string; check: string }> {
  const { body } = await at.send('POST', '/devices/pair', { name: 'a board' }, headers)
  const pending = (await at.client.pairing.pending()).find(({ check }) => check === body?.['check'])
  if (!pending) throw new Error('the request is not pending')
  return pending
}

test('a device of the same network is adopted by its request [R433, R549]', async () => {
  const { id, check } = await waiting()
  const { code, out, err } = await service('approve', id, '--yes', '--wait', '0', '--json')
  expect([code, err]).toEqual([0, `a board becomes a-board.\ncheck ${check}\n`])
  expect(JSON.parse(out)).toMatchObject({ id: 'a-board', paired: true, online: false })
})

test('devices are listed and shown with how they are, their ports, wiring and last values [R121, R122, R541]', async () => {
  expect((await service()).out).toMatch(/^No devices\. Adopt one by the code that it shows: /)
  const credential = await pairDevice(at, 'hall')
  await at.send('POST', '/devices/attic', { name: 'Attic' })
  await report('hall', credential)
  await publish(at, 'house', {
    mode: 'live',
    nodes: [
      {
        id: 'panel',
        type: 'device',
        settings: { device: 'hall' },
        ports: [{ direction: 'output', name: 'lux', port: 'lux', dtype: 'float' }],
      },
    ],
  })
  open.push(await DeviceClient.connect(at, credential))
  await open[0]?.publish({ port: 'lux' }, 412.5)
  const { out } = await service('list')
  expect(out).toMatch(/^attic +Attic +not paired +- +- +0$/m)
  expect(out).toMatch(/^hall +hall +online +- +- +1$/m)
  expect(JSON.parse((await service('list', '--json')).out)).toMatchObject([{ id: 'attic' }, { id: 'hall' }])
  const shown = (await service('show', 'hall')).out
  expect(shown).toMatch(/^ {2}lux +in +float +house\.lux +412\.5 +\d\d:\d\d:\d\d$/m)
  expect(shown).toMatch(/^ {2}relay1 +out +bool +- +- +-$/m)
  const unknown = await service('show', 'cellar')
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('  see what there is: service devices list')])
})

test('a device is created, renamed, unpaired and deleted [R542, R543, R544]', async () => {
  const created = await service('add', 'hall', '--name', 'Hall')
  expect(created.out).toBe('Created hall. Pair a board with it: service devices pair <code> --as hall\n')
  await pairDevice(at, 'hall')
  expect((await service('rename', 'hall', 'Upstairs')).out).toBe('hall is called "Upstairs".\n')
  const unpaired = JSON.parse((await service('unpair', 'hall', '--json')).out) as DeviceDetail
  expect(unpaired).toMatchObject({ name: 'Upstairs', paired: false, version: 2 })
  expect((await service('delete', 'hall')).out).toMatch(/^Deleted hall\. /)
  expect((await service('delete', 'hall')).code).toBe(1)
})

test.each(['pair', 'pending', 'a.b'])(
  '"%s" is refused as the id of a device, before anything is asked for',
  async (id) => {
    for (const args of [
      ['add', id],
      ['show', id],
      ['pair', 'AAAABBBB', '--as', id],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- each is a process
      const { code, err } = await service(...args)
      expect([code, err]).toEqual([2, expect.stringMatching(/^error: .*(no id of a device|no device can have the id)/)])
    }
  },
)

test('types of reported ports are written once, and checked afterwards', async () => {
  await report('hall', await pairDevice(at, 'hall'))
  const file = join(folder, 'flow-devices.d.ts')
  const missing = await service('types', '--check')
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('"flow-devices.d.ts" does not exist')])
  expect((await service('types')).out).toBe('Wrote flow-devices.d.ts: hall (2 ports).\n')
  const text = readFileSync(file, 'utf8')
  expect(text).toContain("    hall: {\n      in: { lux: 'float' }\n      out: { relay1: 'bool' }\n    }\n")
  expect((await service('types', '--check')).out).toBe('Unchanged: flow-devices.d.ts: hall (2 ports).\n')
  await report('attic', await pairDevice(at, 'attic'))
  const stale = await service('types', '--check')
  expect([stale.code, stale.err]).toEqual([1, expect.stringContaining('is not what the devices report now')])
  expect(readFileSync(file, 'utf8')).toBe(text)
  writeFileSync(join(folder, 'own.ts'), 'mine')
  const refused = await service('types', '--out', 'own.ts')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('was not written by this command')])
  expect(readFileSync(join(folder, 'own.ts'), 'utf8')).toBe('mine')
  expect(existsSync(join(folder, 'flows'))).toBe(false)
})
