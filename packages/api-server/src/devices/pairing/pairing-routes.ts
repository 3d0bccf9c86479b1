/**
 * `/devices/pair` and what belongs to it: how a board becomes a device (wire decisions G43, U15).
 * @module
 */
import {
  pairRequestSchema,
  deviceDetailSchema,
  deviceIdSchema,
  pairingPreviewSchema,
  pairingStartedSchema,
  pairingStartSchema,
  pairingPollSchema,
  pendingDeviceSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import type { Sql } from '../../db/database.ts'
import { actorOf, type EventLog } from '../../events/event-log.ts'
import { type Call, endpoint, type Handlers, json, reply, type RequestFacts } from '../../http/endpoint.ts'
import { ProblemError } from '../../http/errors.ts'
import type { UserPrincipal } from '../../http/principal.ts'
import type { Devices } from '../devices.ts'
import type { PairingCaller } from './pairing-caller.ts'
import type { DevicePairing } from './pairing.ts'

/** Largest body of somebody who only asks to be paired, in bytes. */
const MAX_START_BYTES = 8 * 1024

const device = z.object({ id: deviceIdSchema.meta({ description: 'Of the device.' }) })
const onCode = z.object({ code: z.string().max(100).meta({ description: 'What the device shows.' }) })

const startPairing = endpoint({
  id: 'pairing.start',
  method: 'post',
  path: '/devices/pair',
  summary: 'Ask to be paired',
  description:
    'By a device that has no credential. It shows `code` and `check`, and polls with `secret` until somebody adopts it or ten minutes are over. Five times a minute from an address.',
  auth: 'open',
  body: json(pairingStartSchema, { required: false, maxBytes: MAX_START_BYTES }),
  replies: { 201: reply.json('The device waits.', pairingStartedSchema) },
  problems: ['rate_limited', 'validation_failed'],
})

const pollPairing = endpoint({
  id: 'pairing.poll',
  method: 'get',
  path: '/devices/pair/{code}',
  summary: 'Poll a pairing',
  description:
    'With the secret as `Authorization: Bearer <secret>`, or in the query where a device cannot set headers. An adopted device gets its credential, each time that it asks until it has used it, for ten minutes.',
  auth: 'open',
  params: onCode,
  query: z.object({ secret: z.string().max(100).optional().meta({ description: 'In place of the header.' }) }),
  replies: { 200: reply.json('How far the pairing is.', pairingPollSchema) },
  problems: ['not_found', 'unauthenticated', 'rate_limited'],
})

export const pairingEndpoints = {
  startPairing,
  pollPairing,
  pending: endpoint({
    id: 'pairing.pending',
    method: 'get',
    path: '/devices/pending',
    summary: 'List devices that wait',
    description: 'Without their codes, which only who stands before the device can read.',
    auth: 'user',
    scope: 'flows:read',
    replies: { 200: reply.json('What waits to be adopted, the newest first.', z.array(pendingDeviceSchema)) },
  }),
  preview: endpoint({
    id: 'pairing.inspect',
    method: 'get',
    path: '/devices/pair/{code}/device',
    summary: 'Show what waits on a code',
    description: 'Compare `check` with what the device shows: somebody who relays a code has another one.',
    auth: 'user',
    scope: 'flows:read',
    params: onCode,
    replies: { 200: reply.json('What waits.', pairingPreviewSchema) },
    problems: ['not_found', 'rate_limited'],
  }),
  adopt: endpoint({
    id: 'devices.pair',
    method: 'post',
    path: '/devices/{id}/pair',
    summary: 'Adopt what waits',
    description:
      'By its code, or by the id of its request from the network where that was made. What was paired with the device before counts no more.',
    auth: 'user',
    scope: 'devices:write',
    params: device,
    body: json(pairRequestSchema),
    replies: { 200: reply.json('The device as it is now.', deviceDetailSchema) },
    problems: ['not_found', 'forbidden', 'already_paired', 'rate_limited', 'validation_failed'],
  }),
  unpair: endpoint({
    id: 'devices.unpair',
    method: 'post',
    path: '/devices/{id}/unpair',
    summary: 'Unpair a device',
    description: 'Its credentials count no more, one given out through the portal included, and its socket is closed.',
    auth: 'user',
    scope: 'devices:write',
    params: device,
    replies: { 200: reply.json('The device as it is now.', deviceDetailSchema) },
    problems: ['not_found'],
  }),
} as const

/** The words of older firmware. */
export const panelPairingEndpoints = {
  startPairing: endpoint({
    ...startPairing,
    id: 'panels.startPairing',
    path: '/panels/pair',
    summary: 'Ask to be paired, for older firmware',
    deprecated: true,
  }),
  pollPairing: endpoint({
    ...pollPairing,
    id: 'panels.pollPairing',
    path: '/panels/pair/{code}',
    summary: 'Poll a pairing, for older firmware',
    deprecated: true,
  }),
} as const

/** What devices need to be paired. */
interface OpenPairingDeps {
  readonly pairing: Pick<DevicePairing, 'start' | 'poll'>
  readonly callerOf: (request: RequestFacts) => PairingCaller
}

/** What the endpoints work on. */
export interface PairingHandlersDeps extends OpenPairingDeps {
  readonly pairing: Pick<DevicePairing, 'start' | 'poll' | 'pending' | 'preview' | 'adopt' | 'unpair'>
  readonly devices: Pick<Devices, 'get'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** Pairing over the requests of a database. */
export function pairingHandlers(deps: PairingHandlersDeps): Handlers<typeof pairingEndpoints> {
  const { pairing, callerOf, devices, eventLog } = deps
  const audited =
    (action: string, by: UserPrincipal, id: string) =>
    (tx: Sql): Promise<void> =>
      eventLog.audit(tx, { action, actor: actorOf(by), detail: { device: id } })
  return {
    ...ofDevices(deps),
    pending: async ({ request }) => ({ status: 200, value: await pairing.pending(callerOf(request)) }),
    preview: async ({ params: { code }, principal }) => ({
      status: 200,
      value: await pairing.preview(code, principal.id),
    }),
    async adopt({ params: { id }, body, principal, request }) {
      await pairing.adopt(
        { device: id, by: body, user: principal.id },
        callerOf(request),
        audited('device.pair', principal, id),
      )
      return { status: 200, value: await devices.get(id) }
    },
    async unpair({ params: { id }, principal }) {
      await pairing.unpair(id, audited('device.unpair', principal, id))
      return { status: 200, value: await devices.get(id) }
    },
  }
}

/** `/panels/pair`, which answers as `/devices/pair`. */
export const panelPairingHandlers = (deps: OpenPairingDeps): Handlers<typeof panelPairingEndpoints> => ofDevices(deps)

/** What a device asks that has no credential yet. */
const ofDevices = ({ pairing, callerOf }: OpenPairingDeps) => ({
  async startPairing({ body, request }: Pick<Call<typeof startPairing>, 'body' | 'request'>) {
    return { status: 201, value: await pairing.start(body, callerOf(request)) } as const
  },

  async pollPairing({
    params: { code },
    query,
    request,
  }: Pick<Call<typeof pollPairing>, 'params' | 'query' | 'request'>) {
    const secret = query.secret ?? secretOf(request)
    return { status: 200, value: await pairing.poll(code, secret, callerOf(request).address) } as const
  },
})

/** The secret of the `Authorization` header; refuses with `unauthenticated`. */
function secretOf({ headers }: RequestFacts): string {
  const secret = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (secret !== undefined) return secret
  throw new ProblemError('unauthenticated', 'send the secret of the pairing: Authorization: Bearer <secret>')
}
