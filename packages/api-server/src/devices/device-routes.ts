/**
 * `/devices`: records, their ports and wiring, and reports (wire decisions G42, G44).
 * @module
 */
import {
  deviceCreateSchema,
  deviceDetailSchema,
  deviceIdSchema,
  deviceReportSchema,
  deviceSaveSchema,
  deviceSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import type { Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { type Call, endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import { ProblemError } from '../http/errors.ts'
import type { DevicePrincipal, UserPrincipal } from '../http/principal.ts'
import type { Devices } from './devices.ts'

/** Largest report, in bytes. */
const MAX_REPORT_BYTES = 16 * 1024

const params = z.object({ id: deviceIdSchema.meta({ description: 'Of the device.' }) })

export const devicesEndpoints = {
  list: endpoint({
    id: 'devices.list',
    method: 'get',
    path: '/devices/',
    summary: 'List devices',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('Devices by id.', z.array(deviceSchema)) },
  }),
  get: endpoint({
    id: 'devices.get',
    method: 'get',
    path: '/devices/{id}',
    summary: 'Read a device',
    description: 'With the ports of its last report, and how published flows wire them. A device reads itself alone.',
    auth: ['user', 'device'],
    scope: 'flows:read',
    params,
    replies: { 200: reply.json('The device.', deviceDetailSchema) },
    problems: ['not_found', 'forbidden'],
  }),
  create: endpoint({
    id: 'devices.create',
    method: 'post',
    path: '/devices/{id}',
    summary: 'Create a device',
    description: 'A board is paired with it afterwards. Without a name it takes the one that its board says.',
    auth: 'user',
    scope: 'devices:write',
    params,
    body: json(deviceCreateSchema, { required: false }),
    replies: { 201: reply.json('The device.', deviceDetailSchema, z.object({ location: z.string() })) },
    problems: ['already_exists', 'validation_failed'],
  }),
  save: endpoint({
    id: 'devices.save',
    method: 'put',
    path: '/devices/{id}',
    summary: 'Save a device',
    description: '`version` is the version that was read. Reports, pairing and presence do not change it.',
    auth: 'user',
    scope: 'devices:write',
    params,
    body: json(deviceSaveSchema),
    replies: { 200: reply.json('The device as it is now.', deviceDetailSchema) },
    problems: ['not_found', 'version_conflict', 'validation_failed'],
  }),
  delete: endpoint({
    id: 'devices.delete',
    method: 'delete',
    path: '/devices/{id}',
    summary: 'Delete a device',
    description:
      'Its credentials count no more, and its socket is closed. Nodes that stand for it stay, without a device.',
    auth: 'user',
    scope: 'devices:write',
    params,
    replies: { 204: reply.empty('The device is gone.') },
    problems: ['not_found'],
  }),
  report: endpoint({
    id: 'devices.report',
    method: 'put',
    path: '/devices/{id}/report',
    summary: 'Report what a device has',
    description:
      'By the device itself, at most 16,384 bytes; replaces the last report. `io` or `ports` lists its ports as `{name, direction, dtype, on_demand, title}`: what cannot be read of it is passed over. `board`, `firmware`, and `name` until a person has chosen one, are taken over.',
    auth: 'device',
    params,
    body: json(deviceReportSchema, { maxBytes: MAX_REPORT_BYTES }),
    replies: { 204: reply.empty('The report is stored.') },
    problems: ['forbidden', 'payload_too_large', 'validation_failed'],
  }),
} as const

/** The words of older firmware. */
export const panelsEndpoints = {
  get: endpoint({
    ...devicesEndpoints.get,
    id: 'panels.get',
    path: '/panels/{id}',
    summary: 'Read a device, for older firmware',
    deprecated: true,
  }),
} as const

/** What the endpoints work on. */
export interface DevicesHandlersDeps {
  readonly devices: Pick<Devices, 'list' | 'get' | 'create' | 'save' | 'remove' | 'report'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** `/devices` over the devices of a database. */
export function devicesHandlers({ devices, eventLog }: DevicesHandlersDeps): Handlers<typeof devicesEndpoints> {
  const audited =
    (action: string, by: UserPrincipal, detail: { readonly device: string }) =>
    (tx: Sql): Promise<void> =>
      eventLog.audit(tx, { action, actor: actorOf(by), detail })
  return {
    list: async () => ({ status: 200, value: await devices.list() }),
    get: reading({ devices }),
    async create({ params: { id }, body: { name }, principal, request }) {
      const value = await devices.create(id, name, audited('device.create', principal, { device: id }))
      return { status: 201, value, headers: { location: `${request.baseUrl}/devices/${id}` } }
    },
    async save({ params: { id }, body: { version, name }, principal }) {
      const audit = audited('device.save', principal, { device: id, ...(name === undefined ? {} : { name }) })
      return { status: 200, value: await devices.save(id, version, name, audit) }
    },
    async delete({ params: { id }, principal }) {
      await devices.remove(id, audited('device.delete', principal, { device: id }))
      return { status: 204 }
    },
    async report({ params: { id }, body, principal }) {
      assertItself(principal, id)
      await devices.report(id, body)
      return { status: 204 }
    },
  }
}

/** `/panels/{id}`, which answers as `/devices/{id}`. */
export const panelsHandlers = (deps: Pick<DevicesHandlersDeps, 'devices'>): Handlers<typeof panelsEndpoints> => ({
  get: reading(deps),
})

/** Reads a device, for users and for itself. */
const reading =
  ({ devices }: Pick<DevicesHandlersDeps, 'devices'>) =>
  async ({ params: { id }, principal }: Pick<Call<typeof devicesEndpoints.get>, 'params' | 'principal'>) => {
    assertItself(principal, id)
    return { status: 200, value: await devices.get(id) } as const
  }

/** Refuses a device that asks for another one, whether or not there is such a one. */
function assertItself(principal: UserPrincipal | DevicePrincipal, id: string): void {
  if (principal.kind === 'user' || principal.id === id) return
  throw new ProblemError(
    'forbidden',
    `this is the credential of device "${principal.id}", which is good for itself alone`,
  )
}
