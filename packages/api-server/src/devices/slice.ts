/**
 * Devices: boards on a table or wall that are paired by a code, and take part in flows by a socket of their own.
 * @module
 */
import { artifacts, deviceBytes } from '../artifacts/slice.ts'
import { database } from '../db/layer.ts'
import { lease } from '../engines/slice.ts'
import { eventLog, eventSockets } from '../events/slice.ts'
import { portalCheck } from '../hooks/portal.ts'
import { routes } from '../http/slice-api.ts'
import { SocketGuests } from '../http/socket-guests.ts'
import { deviceMessages, farMessages, lastValues, messages, publisher, values } from '../messages/slice.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { DevicePresence } from './device-presence.ts'
import { DevicePublishing } from './device-publishing.ts'
import { deviceBytesOf, deviceMessagesOf } from './device-rights.ts'
import { devicesEndpoints, devicesHandlers, panelsEndpoints, panelsHandlers } from './device-routes.ts'
import { DeviceSeats } from './device-seats.ts'
import { createDeviceStore } from './device-store.ts'
import { type DeviceViews, deviceViewsOf } from './device-views.ts'
import type { DeviceWiring } from './device-wiring.ts'
import { Devices } from './devices.ts'
import { KnownDevices } from './known-devices.ts'
import { DeviceCredentials } from './pairing/device-credentials.ts'
import { type PairingCaller, pairingCallers } from './pairing/pairing-caller.ts'
import { createPairingLimits } from './pairing/pairing-limits.ts'
import {
  panelPairingEndpoints,
  panelPairingHandlers,
  pairingEndpoints,
  pairingHandlers,
} from './pairing/pairing-routes.ts'
import { DevicePairing } from './pairing/pairing.ts'
import { deviceRuntimeEndpoints, deviceRuntimeHandlers } from './runtime-routes.ts'
import { SharedPresence } from './shared-presence.ts'
import { CONNECTED, DeviceSockets } from './sockets/device-sockets.ts'

/** How flows wire devices; made by the slice of flows. */
export const deviceWiring = noun<DeviceWiring>()('deviceWiring')

/** Which devices are connected. */
export const devicePresence = noun<DevicePresence>()('devicePresence')

const sharedPresence = noun<SharedPresence | null>()('sharedPresence')

/** Which devices there are, with their ports, for checks. */
export const knownDevices = noun<KnownDevices>()('knownDevices')

/** Devices as checks and the graph of flows see them. */
export const deviceViews = noun<DeviceViews>()('deviceViews')

export const deviceCredentials = noun<DeviceCredentials>()('deviceCredentials')

/** The devices whose sockets are open. */
export const deviceGuests = noun<SocketGuests>()('deviceGuests')

const devicePublishing = noun<DevicePublishing>()('devicePublishing')

/** The open sockets of devices. */
export const deviceSockets = noun<DeviceSockets>()('deviceSockets')

/** Where nodes meet the devices that they stand for. */
export const deviceSeats = noun<DeviceSeats>()('deviceSeats')

const devices = noun<Devices>()('devices')
const pairing = noun<DevicePairing>()('pairing')
const pairingCaller =
  noun<(request: Parameters<ReturnType<typeof pairingCallers>>[0]) => PairingCaller>()('pairingCaller')

/** Made before the runtime, whose nodes take their seats. */
export const deviceSeatsLayer = inOrder(
  makes(
    devicePresence,
    { clock, database, log },
    ({ clock, database: { sql }, log }) =>
      new DevicePresence({
        clock,
        note(device) {
          createDeviceStore(sql)
            .seen(device)
            .catch((error: unknown) => log.error({ err: error }, 'when a device was heard of could not be noted'))
        },
      }),
    (made) => made.close(),
  ),
  makes(deviceSeats, { devicePresence }, ({ devicePresence }) => new DeviceSeats((id) => devicePresence.isOnline(id))),
  makes(
    knownDevices,
    { database, log },
    async (deps) => {
      const opened = new KnownDevices(deps)
      await opened.open()
      return opened
    },
    (opened) => opened.close(),
  ),
  makes(deviceViews, { devicePresence, knownDevices }, deviceViewsOf),
)

const POLICY_VIOLATION = 1008

/** Records and pairing, once it is known how flows wire devices. */
export const devicesLayer = inOrder(
  makes(
    deviceCredentials,
    { database, devicePresence },
    ({ database, devicePresence: presence }) => new DeviceCredentials({ database, presence }),
  ),
  makes(
    deviceGuests,
    { deviceCredentials, log },
    ({ deviceCredentials, log }) =>
      new SocketGuests({
        versionsOf: (ids) => deviceCredentials.versionsOf(ids),
        ending: { code: POLICY_VIOLATION, reason: 'the device was unpaired, paired anew or deleted' },
        log,
      }),
    (opened) => opened.close(),
  ),
  makes(
    devices,
    { database, deviceCredentials, devicePresence, deviceWiring, knownDevices },
    ({
      database,
      deviceCredentials: credentials,
      devicePresence: presence,
      deviceWiring: wiring,
      knownDevices: known,
    }) => new Devices({ database, credentials, presence, wiring, known }),
  ),
  makes(
    pairing,
    { clock, database, deviceCredentials, eventLog, knownDevices },
    ({ clock, deviceCredentials: credentials, knownDevices, ...deps }) =>
      new DevicePairing({
        ...deps,
        credentials,
        limits: createPairingLimits(() => clock.now()),
        changed: (device) => knownDevices.changed(device),
      }),
  ),
  makes(pairingCaller, { config }, ({ config: { portalToken, trustProxy } }) =>
    pairingCallers({ isPortal: portalCheck(portalToken), trustProxy }),
  ),
)

/** Publications, rights and sockets of devices, once there are values to tell and viewers to ask. */
export const deviceSocketsLayer = inOrder(
  makes(
    sharedPresence,
    { clock, lease, database, devicePresence, log },
    ({ lease: { id }, devicePresence: presence, ...deps }) =>
      id === null ? null : new SharedPresence({ ...deps, engine: id, presence }),
  ),
  makes(
    devicePublishing,
    { deviceSeats, deviceWiring, lastValues, messages, publisher, values },
    ({ deviceSeats: seats, deviceWiring: wiring, publisher: { committed }, ...deps }) =>
      new DevicePublishing({ ...deps, seats, wiring, committed }),
  ),
  makes(deviceMessages, { clock, devicePublishing }, ({ clock, devicePublishing: publishing }) =>
    deviceMessagesOf({ clock, publishing }),
  ),
  makes(deviceBytes, { devicePublishing, deviceWiring, values }, ({ devicePublishing, deviceWiring: wiring, values }) =>
    deviceBytesOf({ publishing: devicePublishing, wiring, values }),
  ),
  makes(
    deviceSockets,
    {
      artifacts,
      clock,
      database,
      deviceGuests,
      devicePresence,
      devicePublishing,
      deviceWiring,
      eventLog,
      eventSockets,
      farMessages,
      lastValues,
      log,
      sharedPresence,
      values,
    },
    ({
      deviceGuests,
      devicePresence,
      devicePublishing,
      deviceWiring,
      eventSockets,
      farMessages,
      sharedPresence,
      ...deps
    }) =>
      new DeviceSockets({
        ...deps,
        far: farMessages,
        stopwatch: () => performance.now(),
        guests: deviceGuests,
        presence: devicePresence,
        publishing: devicePublishing,
        shared: sharedPresence,
        wiring: deviceWiring,
        viewed: () => eventSockets.wantedMedia(),
      }),
  ),
)

/** Tells devices what flows say, and what somebody wants of them. */
export const followDevices = begins(
  { database, deviceSockets, eventSockets },
  async ({ database, deviceSockets, eventSockets }) => {
    const ends = [deviceSockets.follow(), eventSockets.onWantedMedia(() => deviceSockets.reviewDemand())]
    const unlisten = await database.listen(CONNECTED, (notice) => void deviceSockets.heard(notice))
    return async () => {
      for (const end of ends) end()
      await unlisten()
    }
  },
  (end) => end(),
)

/** Tells nodes whether their devices are connected. */
export const followPresence = begins(
  { devicePresence, deviceSeats },
  ({ devicePresence, deviceSeats }) => devicePresence.onChange((device) => deviceSeats.tell(device)),
  (end) => end(),
)

/** Tells the other engines of the database which devices are connected here, and hears of theirs. */
export const sharePresence = begins(
  { lease, sharedPresence },
  async ({ lease, sharedPresence: shared }) => {
    await shared?.open()
    lease.onReturn(async () => shared?.refresh())
    return shared
  },
  (shared) => shared?.close(),
)

/** Keeps who comes to this engine and leaves it in the log of events. */
export const recordPresence = begins(
  { devicePresence, eventLog },
  ({ devicePresence, eventLog }) =>
    devicePresence.onHere((device) => {
      const action = devicePresence.isHere(device) ? 'device.online' : 'device.offline'
      eventLog.report({ kind: 'device', level: 'info', action, detail: { device } })
    }),
  (end) => end(),
)

/** Ends the sockets of devices that are unpaired, at whichever engine. */
export const followCredentials = begins(
  { deviceCredentials, deviceGuests },
  ({ deviceCredentials, deviceGuests }) =>
    deviceCredentials.onRevoked((id) => void deviceGuests.review(id === null ? undefined : [id])),
  (stop) => stop(),
)

const pairs = { pairing, callerOf: pairingCaller }

export const devicesApi = {
  tags: {
    devices: 'Boards that are paired with the service: what they have, and how flows wire it.',
    pairing: 'Boards that ask to be paired, by the code that they show.',
    panels: 'Devices under the name that older firmware knows.',
  },
  routes: [
    routes(devicesEndpoints, { devices, eventLog }, devicesHandlers),
    routes(pairingEndpoints, { ...pairs, devices, eventLog }, pairingHandlers),
    routes(panelsEndpoints, { devices }, panelsHandlers),
    routes(deviceRuntimeEndpoints, {}, deviceRuntimeHandlers),
    routes(panelPairingEndpoints, pairs, panelPairingHandlers),
  ],
}
