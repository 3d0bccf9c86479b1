/**
 * The event socket's address and its tickets (wire decisions G46, V19).
 * @module
 */
import type { IncomingMessage } from 'node:http'

import { type FrameKind, frameKindSchema, nameSchema, timestampSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import { invalid, invalidPart, ProblemError } from '../http/errors.ts'
import { type HomeOrigins, isFromHome } from '../http/page-origin.ts'
import { assertUser, type DevicePrincipal, type Principal } from '../http/principal.ts'
import { integer } from '../http/query.ts'
import { type Guest, guestOf, type SocketGuests } from '../http/socket-guests.ts'
import type { Upgrade, UpgradeHandler } from '../http/upgrade.ts'
import type { EventSockets } from './event-socket.ts'
import type { WindowOptions } from './event-window.ts'
import type { Tickets } from './tickets.ts'

/** Largest frame that a client may send, in bytes. */
const MAX_CLIENT_FRAME_BYTES = 64 * 1024
/** The page goes on without this engine (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001

const wsTicketSchema = z
  .object({
    ticket: z.string().meta({ description: 'Use it once as `ticket=` in the query of `/flows/ws`.' }),
    expires_at: timestampSchema,
  })
  .meta({ id: 'WsTicket' })

export const eventsEndpoints = {
  wsTicket: endpoint({
    id: 'flows.wsTicket',
    method: 'post',
    path: '/flows/ws-ticket',
    summary: 'Get a ticket for the event socket',
    description: 'For browsers, which cannot send a header with a WebSocket. It works once, within 30 seconds.',
    auth: 'user',
    scope: 'messages:read',
    replies: { 201: reply.json('The ticket.', wsTicketSchema) },
  }),
} as const

export const eventsHandlers = (deps: { tickets: Tickets }): Handlers<typeof eventsEndpoints> => ({
  async wsTicket({ principal }) {
    return { status: 201, value: await deps.tickets.issue(guestOf(principal)) }
  },
})

/** What opens an event socket. */
export interface EventUpgradeDeps {
  readonly sockets: EventSockets
  readonly tickets: Pick<Tickets, 'redeem'>
  /** The caller by the `Authorization` header; refuses with `unauthenticated`. */
  readonly authenticate: (request: IncomingMessage) => Promise<Principal>
  /** Knows whether whoever got a ticket may still come in. */
  readonly guests: Pick<SocketGuests, 'isWelcome'>
  /** Whose pages may use tickets. */
  readonly home: HomeOrigins
  /** Serves a device, which has a socket of its own at the same address. */
  readonly serveDevice: (upgrade: Upgrade, device: DevicePrincipal) => Promise<void>
}

/** Opens `/flows/ws`: with a bearer token, or with a ticket from a page of an allowed origin. */
export const eventUpgrade =
  (deps: EventUpgradeDeps): UpgradeHandler =>
  async (upgrade) => {
    const { request, query } = upgrade
    const ticket = query.get('ticket')
    const caller = ticket === null ? await deps.authenticate(request) : null
    if (caller?.kind === 'device') return deps.serveDevice(upgrade, caller)
    const guest = caller ? admitBearer(caller) : await admitTicket(deps, request, ticket ?? '')
    assertKnown(query)
    const interest = {
      flows: flowsOf(query),
      kinds: kindsOf(query),
      runs: runsOf(query),
      window: windowOf(query),
    }
    const socket = await upgrade.accept({ maxPayloadBytes: MAX_CLIENT_FRAME_BYTES, stopCode: GOING_AWAY })
    deps.sockets.serve({ socket, wire: request.socket }, interest, guest)
  }

const queryKeys: ReadonlySet<string> = new Set(['batch', 'flows', 'kinds', 'runs', 'ticket', 'values'])

/** Refuses keys that the socket does not know, as endpoints do. */
function assertKnown(query: URLSearchParams): void {
  const unknown = [...new Set(query.keys())].filter((key) => !queryKeys.has(key))
  if (unknown.length === 0) return
  throw invalid(
    unknown.map((key) => ({
      path: `query.${key}`,
      code: 'unrecognized_keys',
      message: `"${key}" is not known here`,
    })),
  )
}

const flowsSchema = z.object({ flows: z.array(nameSchema).max(1000) })

/** The flows of `flows=a,b`, which may be given several times; null without it. */
function flowsOf(query: URLSearchParams): ReadonlySet<string> | null {
  if (!query.has('flows')) return null
  const parsed = flowsSchema.safeParse({ flows: listOf(query, 'flows') })
  if (!parsed.success) throw invalidPart(parsed.error, 'query')
  return new Set(parsed.data.flows)
}

const kindsSchema = z.object({ kinds: z.array(frameKindSchema).min(1) })
const usualKinds: ReadonlySet<FrameKind> = new Set(frameKindSchema.options.filter((kind) => kind !== 'log'))

/** The kinds of `kinds=node,log`, which may be given several times; all but what nodes print without it. */
function kindsOf(query: URLSearchParams): ReadonlySet<FrameKind> {
  if (!query.has('kinds')) return usualKinds
  const parsed = kindsSchema.safeParse({ kinds: listOf(query, 'kinds') })
  if (!parsed.success) throw invalidPart(parsed.error, 'query')
  return new Set(parsed.data.kinds)
}

const runsSchema = z.object({ runs: z.array(z.uuid('use the id of a run')).max(1000) })

/** The runs of `runs=a,b`, which may be given several times; null without it. */
function runsOf(query: URLSearchParams): ReadonlySet<string> | null {
  if (!query.has('runs')) return null
  const parsed = runsSchema.safeParse({ runs: listOf(query, 'runs') })
  if (!parsed.success) throw invalidPart(parsed.error, 'query')
  return new Set(parsed.data.runs.map((run) => run.toLowerCase()))
}

/** Of sockets that ask for `values=newest` and say no window. */
const USUAL_WINDOW_MS = 100
const windowSchema = z.object({
  batch: integer({ min: 10, max: 1000 }).optional(),
  values: z.literal('newest', 'use "newest", or leave it out').optional(),
})

/** How `batch` and `values` have events gathered; null where each is told at once. */
function windowOf(query: URLSearchParams): WindowOptions | null {
  // given twice it is neither
  const one = (key: string): string | undefined => (query.has(key) ? query.getAll(key).join(',') : undefined)
  const parsed = windowSchema.safeParse({ batch: one('batch'), values: one('values') })
  if (!parsed.success) throw invalidPart(parsed.error, 'query')
  const { batch, values } = parsed.data
  if (batch === undefined && values === undefined) return null
  return { batchMs: batch ?? USUAL_WINDOW_MS, newest: values === 'newest' }
}

const listOf = (query: URLSearchParams, key: string): string[] =>
  query.getAll(key).flatMap((list) => list.split(',').filter((item) => item !== ''))

function admitBearer(principal: Principal): Guest {
  assertUser(principal, 'messages:read')
  return guestOf(principal)
}

async function admitTicket(deps: EventUpgradeDeps, request: IncomingMessage, ticket: string): Promise<Guest> {
  // before the ticket is taken: a foreign page must not even use it up
  if (!isFromHome(request, deps.home)) {
    throw new ProblemError('forbidden', `pages of ${request.headers.origin} may not open the event socket`)
  }
  const guest = await deps.tickets.redeem(ticket)
  if (!guest || !(await deps.guests.isWelcome(guest))) {
    throw new ProblemError('unauthenticated', 'the ticket is unknown, used or older than 30 seconds: get another one')
  }
  return guest
}
