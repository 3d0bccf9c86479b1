/**
 * What happens in the engine: events as they come, the log of those that are kept, dead letters, and the event sockets.
 * @module
 */
import { engineVersion } from '../config.ts'
import { database } from '../db/layer.ts'
import { routes } from '../http/slice-api.ts'
import type { SocketGuests } from '../http/socket-guests.ts'
import { clock, log } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { createDeadLetters, type DeadLetters } from './dead-letters.ts'
import { createEventBus, type EventBus } from './event-bus.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { createEventSockets, type EventSockets, type EventSocketsDeps } from './event-socket.ts'
import { eventsEndpoints, eventsHandlers } from './routes.ts'
import { createTickets, type Tickets } from './tickets.ts'

export const eventLog = noun<EventLog>()('eventLog')
export const bus = noun<EventBus>()('bus')
export const deadLetters = noun<DeadLetters>()('deadLetters')
export const tickets = noun<Tickets>()('tickets')

/** Whose event sockets are open. */
export const userGuests = noun<SocketGuests>()('userGuests')

/** The state of the engine as a socket shows it first. */
export const shownState = noun<Pick<EventSocketsDeps, 'current' | 'frame' | 'isMessage' | 'snapshot'>>()('shownState')

export const eventSockets = noun<EventSockets>()('eventSockets')

export const eventsLayer = inOrder(
  makes(eventLog, { database, log }, createEventLog, (opened) => opened.close()),
  makes(bus, { log }, ({ log }) => createEventBus((error) => log.error({ err: error }, 'a listener of events failed'))),
  makes(deadLetters, { database, log }, createDeadLetters, (opened) => opened.close()),
  makes(tickets, { database }, createTickets),
)

/** Made once there is a state to show. */
export const eventSocketsLayer = makes(eventSockets, { bus, clock, guests: userGuests, log, shownState }, (deps) =>
  createEventSockets({ ...deps, ...deps.shownState, engineVersion }),
)

export const eventsApi = {
  tags: {},
  routes: [routes(eventsEndpoints, { tickets }, eventsHandlers)],
}
