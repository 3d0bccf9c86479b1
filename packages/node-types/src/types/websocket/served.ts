/**
 * `websocket` as a server: clients connect to a path of the engine while the flow is active (wire decision G69).
 * @module
 */
import type { NodeContext, NodeInstance, SocketListener, SocketPeer } from '@flow-service/connector-sdk'

import { FrameSender } from '../../frame-sender.ts'
import { LinkHealth } from '../../link-health.ts'
import { textOf } from '../../secret.ts'
import { frameOf, hearing } from './frames.ts'
import { routeOf, type WebsocketSettings } from './settings.ts'

/** Serve the socket until the node stops. Each client has a queue of its own: one that stalls holds nobody up. */
export function startServed(ctx: NodeContext<WebsocketSettings>): NodeInstance {
  const { secret, send_queue_size, timeout } = ctx.settings
  const word = secret === null ? null : textOf(secret)
  if (word === '') throw new Error('the secret of the socket is empty; store a value for it')
  const health = new LinkHealth(ctx)
  const hear = hearing(ctx, health)
  const clients = new Set<FrameSender>()
  /** Those that have dropped messages since their queue was last empty. */
  const overflowing = new Set<FrameSender>()
  const calm = (client: FrameSender): void => {
    if (overflowing.delete(client) && overflowing.size === 0) health.drained()
  }
  const serve = (peer: SocketPeer): SocketListener => {
    const client: FrameSender = new FrameSender({
      limit: send_queue_size,
      seconds: timeout,
      after: (seconds, run) => ctx.after(seconds, run),
      dropped() {
        overflowing.add(client)
        health.dropped(1, `more than ${send_queue_size} messages wait for a client; the oldest are dropped`)
      },
      drained: () => calm(client),
      stalled() {
        ctx.log(`a client took nothing for ${timeout} s; its connection was cut`)
        peer.cut()
      },
    })
    clients.add(client)
    client.attach(peer)
    return {
      heard: hear,
      closed() {
        clients.delete(client)
        client.detach()
        calm(client)
        health.connection('ok', null)
      },
    }
  }
  ctx.socketRoute({ path: routeOf(ctx.settings), secret: word }, serve, (most) =>
    health.connection('degraded', `has ${most} clients, and takes no more until one of them leaves`),
  )
  return {
    onInput(values) {
      if (clients.size === 0) return
      const text = frameOf(ctx.inputs, values)
      // for many it is encoded once
      const data = clients.size === 1 ? text : new TextEncoder().encode(text)
      for (const client of clients) client.send({ data })
    },
  }
}
