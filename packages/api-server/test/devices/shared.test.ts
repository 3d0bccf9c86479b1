/** Devices of two engines on one database. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import type { DeviceDetail, PairingPoll } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { DevicePresence } from '../../src/devices/device-presence.ts'
import { createDeviceStore } from '../../src/devices/device-store.ts'
import { SharedPresence } from '../../src/devices/shared-presence.ts'
import { createEngineStore } from '../../src/engines/store.ts'
import { newId } from '../../src/process/new-id.ts'
import { databaseAt } from '../backend.ts'
import { live, lose } from '../engines/living.ts'
import { quiet, useDatabase } from '../use-database.ts'
import { type DeviceService, deviceService, newPlace, throughPortal } from './device-service.ts'

describe('two engines', () => {
  let folder: string
  let one: DeviceService
  let two: DeviceService
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'devices-'))
    const { databaseUrl } = await databaseAt(folder)
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    const shared = {
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      flows: [],
      artifactsDir: join(folder, 'artifacts'),
      oauthSigningKey: String(key),
    }
    one = await deviceService({ ...shared, dataDir: join(folder, 'one') })
    two = await deviceService({ ...shared, dataDir: join(folder, 'two') })
  })
  afterAll(async () => {
    await one.close()
    await two.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('pair a device together, and refuse it at both once it is unpaired at one [R434, R435, T43]', async () => {
    await one.create('board')
    const { value: request } = await one.start()
    expect((await two.poll(request)).value).toEqual({ status: 'waiting', device: null, panel: null })
    await two.adopt('board', { code: request.code })
    const answers = await Promise.all([one.poll(request), two.poll(request)])
    const credentials = answers.map(({ value }: { value: PairingPoll }) => value.device?.credential ?? '')
    expect(credentials[0]).toBe(credentials[1])
    const [credential = ''] = credentials
    const read = (at: DeviceService) => at.ask<DeviceDetail>({ credential }, 'GET', '/devices/board')
    expect([(await read(one)).status, (await read(two)).status]).toEqual([200, 200])
    await one.ask('ann', 'POST', '/devices/board/unpair')
    expect([(await read(one)).status, (await read(two)).status]).toEqual([401, 401])
  })

  test('close the sockets of a device whichever of them unpairs it [T43]', async () => {
    await one.paired('cut')
    const [row] = await two.engine.database.sql<{ id: string }[]>`select id from device_credential where device = 'cut'`
    const closed = two.socketOf(String(row?.id))
    await one.ask('ann', 'POST', '/devices/cut/unpair')
    expect(await closed).toEqual([1008, expect.any(String)])
  })

  test('know the devices of each other, with their ports [R132]', async () => {
    const credential = await one.paired('known')
    await expect.poll(() => two.engine.knownDevices.find('known')).toMatchObject({ name: 'known', ports: null })
    const body = { name: 'Said', io: [{ name: 'a', direction: 'in' }] }
    await one.ask({ credential }, 'PUT', '/devices/known/report', { body })
    await expect
      .poll(() => two.engine.knownDevices.find('known'))
      .toMatchObject({ name: 'Said', ports: [{ name: 'a' }] })
    await two.ask('ann', 'DELETE', '/devices/known')
    await expect.poll(() => one.engine.knownDevices.find('known')).toBeUndefined()
  })

  test('show a device online that is connected to either [R118]', async () => {
    await one.create('remote')
    const { value: request } = await one.start({}, throughPortal(newPlace()))
    await one.adopt('remote', { code: request.code })
    const credential = (await one.poll(request)).value.device?.credential ?? ''
    expect((await two.get('remote')).online).toBe(false)
    await one.ask({ credential }, 'GET', '/devices/remote')
    await expect.poll(async () => (await two.get('remote')).online).toBe(true)
  })
})

describe('presence', () => {
  let database: Database
  useDatabase((opened) => void (database = opened))

  /** An engine as far as presence goes; `lose` is as if it had been killed. */
  async function engine(clock: VirtualClock) {
    const id = newId()
    await live(database.sql, id)
    const presence = new DevicePresence({ clock, note() {} })
    const shared = new SharedPresence({ database, clock, presence, engine: id, log: quiet })
    await shared.open()
    return {
      presence,
      shared,
      lose: () => lose(database.sql, id),
      forget: () => createEngineStore(database.sql).remove(id),
      return: () => live(database.sql, id),
      [Symbol.asyncDispose]: () => shared.close(),
    }
  }

  test('of a device ends with the engine that it is connected to, and comes back with it', async () => {
    const clock = new VirtualClock(0)
    await createDeviceStore(database.sql).add('lamp', undefined)
    await using one = await engine(clock)
    await using two = await engine(clock)
    const left = one.presence.opened('lamp')
    await expect.poll(() => two.presence.isOnline('lamp')).toBe(true)
    await one.lose()
    await clock.advance(10_000)
    await expect.poll(() => two.presence.isOnline('lamp')).toBe(false)
    await one.forget()
    await one.return()
    one.shared.refresh()
    await expect.poll(() => two.presence.isOnline('lamp')).toBe(true)
    left()
    await expect.poll(() => two.presence.isOnline('lamp')).toBe(false)
  })

  test('of a device that is deleted meanwhile leaves no trace', async () => {
    const clock = new VirtualClock(0)
    await createDeviceStore(database.sql).add('brief', undefined)
    await using one = await engine(clock)
    const left = one.presence.opened('brief')
    await createDeviceStore(database.sql).remove('brief')
    const again = one.presence.opened('never')
    left()
    again()
    await one.shared.close()
    expect(await database.sql`select from device_attachment where device in ('brief', 'never')`).toHaveLength(0)
  })
})
