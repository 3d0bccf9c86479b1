/**
 * Devices as flows see them: what each has reported, and whether it is connected. Checks of documents ask for one, and the
 * graph of flows for all; neither waits for the database.
 * @module
 */
import type { DevicePresence } from './device-presence.ts'
import type { KnownDevice, KnownDevices } from './known-devices.ts'

/** A device as flows see it. */
export interface DeviceView extends KnownDevice {
  readonly id: string
  readonly online: boolean
}

/** The devices of a database as flows see them. */
export interface DeviceViews {
  find(id: string): DeviceView | undefined
  /** All of them by id. */
  all(): readonly DeviceView[]
}

/** What devices are seen by. */
export interface DeviceViewsDeps {
  readonly knownDevices: Pick<KnownDevices, 'find' | 'ids'>
  readonly devicePresence: Pick<DevicePresence, 'isOnline'>
}

/** Devices as they are when somebody looks. */
export function deviceViewsOf({ knownDevices, devicePresence }: DeviceViewsDeps): DeviceViews {
  const find = (id: string): DeviceView | undefined => {
    const known = knownDevices.find(id)
    return known && { ...known, id, online: devicePresence.isOnline(id) }
  }
  return { find, all: () => knownDevices.ids().flatMap((id) => find(id) ?? []) }
}
