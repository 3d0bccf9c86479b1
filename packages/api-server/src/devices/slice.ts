/**
 * Devices: boards on a table or wall that are paired by a code, and take part in flows by a socket of their own.
 * @module
 */
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { DevicePresence } from './device-presence.ts'
import { DeviceSeats } from './device-seats.ts'
import type { DeviceWiring } from './device-wiring.ts'

/** How flows wire devices; made by the slice of flows. */
export const deviceWiring = noun<DeviceWiring>()('deviceWiring')

const devicePresence = noun<DevicePresence>()('devicePresence')

/** Where nodes meet the devices that they stand for. */
export const deviceSeats = noun<DeviceSeats>()('deviceSeats')

/** Made before the runtime, whose nodes take their seats. */
export const deviceSeatsLayer = inOrder(
  makes(devicePresence, {}, () => new DevicePresence()),
  makes(deviceSeats, { devicePresence }, ({ devicePresence }) => new DeviceSeats((id) => devicePresence.isOnline(id))),
)

/** Tells nodes whether their devices are connected. */
export const followPresence = begins(
  { devicePresence, deviceSeats },
  ({ devicePresence, deviceSeats }) => devicePresence.onChange((device) => deviceSeats.tell(device)),
  (end) => end(),
)
