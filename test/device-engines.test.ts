/** Devices between two engine processes on one PostgreSQL server: paired at one of them, connected at the other. */
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { AwakeTime } from './components/awake-time.ts'
import { findPostgres } from './components/postgres.ts'
import { DeviceClient, poll, startPairing } from './device-client.ts'
import { publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { useServerDatabases } from './server-databases.ts'

const DEVICE = 'panel'
const hall = {
  mode: 'live',
  nodes: [
    {
      id: 'panel',
      type: 'device',
      settings: { device: DEVICE },
      ports: [
        { direction: 'output', name: 'lux', port: 'lux', dtype: 'float' },
        { direction: 'input', name: 'relay', port: 'relay', dtype: 'bool' },
      ],
    },
  ],
  inputs: [{ name: 'relay', dtype: 'bool' }],
}

/** Sooner than the next look that each engine takes at all of its sockets by itself, every 30 s. */
const BY_NOTICE_MS = 20_000

describe.skipIf(!findPostgres())('devices of two engines on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  /** Two engines, and a device that was paired at the first, and has polled its credential at the second. */
  async function start(name: string) {
    const directories = [new DataDirectory(), new DataDirectory()] as const
    const artifacts = join(directories[0].path, 'shared')
    const env = { ...(await databases.env(name)), SERVICE_ARTIFACTS_DIR: artifacts, SERVICE_TRUST_PROXY: '1' }
    onTestFinished(() => directories.forEach((directory) => directory[Symbol.dispose]()))
    const here = await directories[0].start(env)
    const there = await directories[1].start(env)
    await here.client.http.devices.create({ id: DEVICE })
    const { code, secret } = await startPairing(here)
    await there.client.http.devices.pair({ id: DEVICE, body: { code } })
    const { device } = await poll(here, code, secret)
    return { here, there, credential: device?.credential ?? '', again: () => poll(there, code, secret) }
  }
  const end = async (...engines: readonly EngineProcess[]): Promise<void> => {
    for (const engine of engines) expect(await engine.end('SIGTERM')).toBe(0)
  }

  test('what is asked for at one engine is adopted at the other; the credential counts at both, and its first use at either ends the polls [R433, R434, R627]', async () => {
    const { here, there, credential, again } = await start('paired')
    expect((await again()).device?.credential).toBe(credential)
    const device = await DeviceClient.connect(there, credential)
    await expect(again()).rejects.toThrow('404')
    await expect(here.client.http.devices.get({ id: DEVICE })).resolves.toMatchObject({ paired: true })
    await device.close()
    await (await DeviceClient.connect(here, credential)).close()
    await end(here, there)
  })

  test('a newer socket at another engine takes the place of the older one, which is closed with 4000', async () => {
    const { here, there, credential } = await start('replaced')
    const first = await DeviceClient.connect(here, credential)
    const second = await DeviceClient.connect(there, credential)
    expect(await first.closed).toBe(4000)
    const third = await DeviceClient.connect(here, credential)
    expect(await second.closed).toBe(4000)
    expect(third.socket.readyState).toBe(third.socket.OPEN)
    await third.close()
    await end(here, there)
  })

  test('both engines tell that a device is online, at whichever its socket is open, and that it has left [R118]', async () => {
    const { here, there, credential } = await start('online')
    const told = async (): Promise<boolean[]> => {
      const devices = await Promise.all([here, there].map(({ client }) => client.http.devices.get({ id: DEVICE })))
      return devices.map(({ online }) => online)
    }
    const device = await DeviceClient.connect(there, credential)
    await expect.poll(told).toEqual([true, true])
    const newer = await DeviceClient.connect(here, credential)
    await device.closed
    expect(await told()).toEqual([true, true])
    await newer.close()
    await expect.poll(told).toEqual([false, false])
    await end(here, there)
  })

  test('unpairing at one engine closes the socket at the other with 1008 by a notice, and the credential is refused at both [R435, R436, T43]', async () => {
    const { here, there, credential } = await start('unpaired')
    const device = await DeviceClient.connect(there, credential)
    using awake = new AwakeTime()
    await here.client.http.devices.unpair({ id: DEVICE })
    expect(await device.closed).toBe(1008)
    expect(awake.ms).toBeLessThan(BY_NOTICE_MS)
    for (const engine of [here, there]) await expect(DeviceClient.connect(engine, credential)).rejects.toThrow('401')
    await end(here, there)
  })

  test('a device is heard and told at whichever engine its socket is open', async () => {
    const { here, there, credential } = await start('elsewhere')
    await publishFlow(here.client, 'hall', hall)
    await here.client.http.flows.start({ name: 'hall' })
    const stranger = await DeviceClient.connect(there, credential)
    const wired = (frame: object): boolean => 'bindings' in frame && (frame.bindings as unknown[]).length === 2
    await stranger.find(wired)
    expect(await stranger.publish({ port: 'lux' }, 4)).toMatchObject({ type: 'published', ts: expect.any(String) })
    await here.client.http.messages.publish({ message: 'hall.relay', value: true })
    await stranger.find((frame) => 'value' in frame && frame.value === true)
    expect(await here.client.http.messages.history({ message: 'hall.lux' })).toMatchObject([{ value: 4 }])

    const device = await DeviceClient.connect(here, credential)
    expect(await stranger.closed).toBe(4000)
    expect(device.frames[0]).toMatchObject({ values: [{ message: 'hall.relay', port: 'relay', value: true }] })
    expect(await device.publish({ port: 'lux' }, 6)).toMatchObject({ type: 'published', ts: expect.any(String) })
    expect(await here.client.http.messages.history({ message: 'hall.lux' })).toMatchObject([{ value: 6 }, { value: 4 }])
    await here.client.http.messages.publish({ message: 'hall.relay', value: false })
    expect(await device.find(({ type }) => type === 'value')).toMatchObject({ message: 'hall.relay', value: false })
    await device.close()
    await end(here, there)
  })
})
