/**
 * What is asked of this engine and answered by another one, since that runs the flow. Nothing of it is there on the embedded
 * database.
 * @module
 */
import { lease, links } from '../engines/slice.ts'
import { bus, deadLetters, eventSockets } from '../events/slice.ts'
import { answerPublications } from '../flows/far-publication.ts'
import { flowHomes, published } from '../flows/slice.ts'
import { lastValues, messages } from '../messages/slice.ts'
import { clock, log } from '../process/given.ts'
import { begins, makes, noun } from '../process/layer.ts'
import { ConnectionRelay } from './connection-relay.ts'
import { EndpointRelay } from './endpoint-relay.ts'
import { EventSpread } from './event-spread.ts'
import { HookRelay } from './hook-relay.ts'

/** The ways of a request to the engine that runs its flow. */
export interface Relays {
  readonly endpoints: EndpointRelay
  readonly hooks: HookRelay
  readonly connections: ConnectionRelay
}

export const relays = noun<Relays | null>()('relays')

export const forwardingLayer = makes(
  relays,
  { deadLetters, flowHomes, links, published },
  ({ deadLetters, flowHomes: homes, links, published }): Relays | null => {
    if (homes === null || links === null) return null
    return {
      endpoints: new EndpointRelay({
        homes,
        links,
        flowOf: (message) => published.flowOf(message),
        flowOfLetter: async (id) => (await deadLetters.find(id))?.flow ?? null,
      }),
      hooks: new HookRelay({ homes, links }),
      connections: new ConnectionRelay({ homes, links }),
    }
  },
  (made) => made?.connections.close(),
)

/** Publishes values that came in at other engines. */
export const publishForOthers = begins({ flowHomes, links, messages }, ({ flowHomes, links, messages }) =>
  answerPublications(messages, flowHomes, links),
)

/** Shows events of other engines on the sockets of this one, and tells them of its own. */
export const spreadEvents = begins(
  { bus, clock, eventSockets, lastValues, lease, links, log },
  ({ eventSockets: sockets, links, ...deps }) => {
    if (links === null) return null
    const spread = new EventSpread({ ...deps, links, sockets })
    spread.open()
    return spread
  },
  (opened) => opened?.close(),
)
