/** A service with devices, and boards that ask to be paired with it. */
import { EventEmitter } from 'node:events'

import type { DeviceDetail, PairingStarted, PairingPoll, PendingDevice } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

import type { ServiceConfig } from '../../src/config.ts'
import { type Answer, startService } from '../observability/service.ts'

export const portalToken = 'a token that the portal knows'

/** Who asks, as the proxy before the service says. */
type Place = Record<string, string>

let lastPlace = 0
/** A caller in a private network of its own: no limit has counted anything there. */
export function newPlace(): Place {
  lastPlace += 1
  return { 'x-forwarded-for': `10.${lastPlace >> 8}.${lastPlace & 255}.7` }
}
/** Another caller in the same network. */
export const besides = ({ 'x-forwarded-for': address = '' }: Place): Place => ({
  'x-forwarded-for': address.replace(/\d+$/, '8'),
})
/** The same caller through the portal. */
export const throughPortal = (place: Place): Place => ({ ...place, 'x-service-portal': portalToken })

/** A service behind one proxy, whose word for addresses counts. */
export async function deviceService(options: ServiceConfig = {}) {
  const at = await startService({ trustProxy: 1, portalToken, ...options })
  const bearers = { root: at.rootToken, ann: at.annToken, nobody: null }

  /** A request with the credential of a user, of a device, or none. */
  async function ask<T = Record<string, unknown>>(
    by: keyof typeof bearers | { readonly credential: string },
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> {
    const token = typeof by === 'string' ? bearers[by] : by.credential
    const response = await fetch(`${at.origin}/api/v1${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const value = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null
    return { status: response.status, headers: response.headers, value, problem: value, text }
  }

  const start = (said: object = {}, headers: Place = newPlace()) =>
    ask<PairingStarted>('nobody', 'POST', '/devices/pair', { body: said, headers })
  const poll = ({ code, secret }: Pick<PairingStarted, 'code' | 'secret'>, headers: Place = newPlace()) =>
    ask<PairingPoll>({ credential: secret }, 'GET', `/devices/pair/${code}`, { headers })
  const adopt = (id: string, body: object, headers: Place = newPlace()) =>
    ask<DeviceDetail>('ann', 'POST', `/devices/${id}/pair`, { body, headers })
  return {
    ...at,
    ask,
    start,
    poll,
    adopt,
    create: (id: string, body: object = {}) => ask<DeviceDetail>('ann', 'POST', `/devices/${id}`, { body }),
    get: async (id: string) => (await ask<DeviceDetail>('ann', 'GET', `/devices/${id}`)).value,
    pending: async (headers: Place = newPlace()) =>
      (await ask<PendingDevice[]>('ann', 'GET', '/devices/pending', { headers })).value,
    /** Opens a socket of a credential, as far as its guest is watched over; with what it is closed. */
    socketOf(credential: string): Promise<[code: number, reason: string]> {
      const socket = Object.assign(new EventEmitter(), { close(_code: number, _reason: string) {}, terminate() {} })
      const closed = new Promise<[number, string]>((resolve) => {
        socket.close = (code, reason) => {
          resolve([code, reason])
          socket.emit('close')
        }
      })
      at.engine.deviceGuests.admit({ id: credential, version: 0 }, socket as unknown as WebSocket)
      return closed
    },
    /** A new device, paired by its code; the credential that it has then. */
    async paired(id: string, headers: Place = newPlace()): Promise<string> {
      await ask('ann', 'POST', `/devices/${id}`)
      const { value } = await start({}, headers)
      const adopted = await adopt(id, { code: value.code })
      if (adopted.status !== 200) throw new Error(adopted.text)
      return (await poll(value)).value.device?.credential ?? ''
    },
  }
}

/** A service as the tests of devices use it. */
export type DeviceService = Awaited<ReturnType<typeof deviceService>>
