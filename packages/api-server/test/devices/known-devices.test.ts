import { expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { createDeviceStore } from '../../src/devices/device-store.ts'
import { KnownDevices } from '../../src/devices/known-devices.ts'
import { quiet, useDatabase } from '../use-database.ts'

let database: Database
useDatabase((opened) => void (database = opened))

const nobody = { name: null, board: null, firmware: null }

test('a report that says nothing new of a device is told to no other engine, and all else is', async () => {
  const told: string[] = []
  const store = createDeviceStore(database.sql)
  const known = new KnownDevices({
    database: {
      sql: database.sql,
      listen: (...channel) => database.listen(...channel),
      notify: async (_channel, device) => void told.push(device),
    },
    log: quiet,
  })
  await known.open()
  const report = async (said: object) => {
    const before = known.find('a')
    await store.report('a', JSON.stringify(said), nobody)
    await known.changed('a', before)
  }
  await store.add('a', undefined)
  await known.changed('a')
  expect(known.find('a')).toEqual({ name: 'a', ports: null })
  const io = [{ name: 'x', direction: 'in' }]
  await report({ io, uptime: 1 })
  await report({ io, uptime: 2 })
  expect(told).toEqual(['a', 'a'])
  await report({ io: [] })
  await store.remove('a')
  await known.changed('a')
  expect([told.length, known.find('a')]).toEqual([4, undefined])
  await known.close()
})
