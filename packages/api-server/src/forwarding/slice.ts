/**
 * What is asked of this engine and answered by another one, since that runs the flow. Nothing of it is there on the embedded
 * database.
 * @module
 */
import { fence, lease, links } from '../engines/slice.ts'
import { flowNews, published, runtime } from '../flows/slice.ts'
import { clock } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import { ConnectionRelay } from './connection-relay.ts'
import { EndpointRelay } from './endpoint-relay.ts'
import { FlowHomes } from './flow-homes.ts'
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
  { clock, fence, flowNews, lease, links, published, runtime },
  ({ clock, fence, flowNews: news, lease, links, published, runtime }): Relays | null => {
    if (lease.id === null || links === null) return null
    const homes = new FlowHomes({
      clock,
      engine: lease.id,
      news,
      isLive: (flow) => published.get(flow)?.mode === 'live',
      isMine: (flow) => fence.has(flow),
      isRunning: (flow) => runtime.get(flow) !== undefined,
    })
    return {
      endpoints: new EndpointRelay({ homes, links, flowOf: (message) => published.flowOf(message) }),
      hooks: new HookRelay({ homes, links }),
      connections: new ConnectionRelay({ homes, links }),
    }
  },
  (made) => made?.connections.close(),
)
