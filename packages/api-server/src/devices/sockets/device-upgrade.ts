/**
 * The way of a device onto `/flows/ws`, which people and devices share: who presents the credential of a device is served
 * as one.
 * @module
 */
import type { IsPortal } from '../../hooks/portal.ts'
import { invalid } from '../../http/errors.ts'
import type { DevicePrincipal } from '../../http/principal.ts'
import type { Upgrade } from '../../http/upgrade.ts'
import type { DeviceSockets } from './device-sockets.ts'

/** A longer message closes the socket with 1009; shorter ones that are too long for a frame are dropped and told. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** What serves devices. */
export interface DeviceUpgradeDeps {
  readonly sockets: Pick<DeviceSockets, 'serve'>
  readonly isPortal: IsPortal
}

/** Opens the socket of a device. */
export const deviceUpgrade =
  ({ sockets, isPortal }: DeviceUpgradeDeps) =>
  async (upgrade: Upgrade, principal: DevicePrincipal): Promise<void> => {
    const { query, request } = upgrade
    const [key] = query.keys()
    if (key !== undefined) {
      const message = `"${key}" is not known to the socket of a device; leave the query out`
      throw invalid([{ path: `query.${key}`, code: 'unrecognized_keys', message }])
    }
    // a portal relays text and requests, no binary frames
    const uplink = isPortal(request) ? 'http' : 'binary'
    const socket = await upgrade.accept({ maxPayloadBytes: MAX_MESSAGE_BYTES })
    sockets.serve({ socket, wire: request.socket }, principal, uplink)
  }
