import type { Database } from '../../src/db/database.ts'
import { createDeviceStore } from '../../src/devices/device-store.ts'
/** Devices of a test's engine, without anybody who pairs them. */
import type { KnownDevices } from '../../src/devices/known-devices.ts'

interface Keeping {
  readonly database: Pick<Database, 'sql'>
  readonly knownDevices: Pick<KnownDevices, 'changed'>
}

/** Keeps a device with a report of its ports, in place of what it has reported before; none while `io` is left out. */
export async function keepDevice(
  { database, knownDevices }: Keeping,
  id: string,
  io?: readonly object[],
): Promise<void> {
  const store = createDeviceStore(database.sql)
  await store.add(id, `The ${id}`)
  const said = { name: null, board: null, firmware: null }
  if (io !== undefined) await store.report(id, JSON.stringify({ io }), said)
  await knownDevices.changed(id)
}
