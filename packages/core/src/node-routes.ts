/**
 * HTTP routes of a node (`ctx.routes`), as its host mounts them (wire decision U12).
 * @module
 */
import type { RouteHandler, RouteOptions } from '@flow-service/connector-sdk'
import { type FlowMode, UNROUTED_FLOW_NAME } from '@flow-service/protocol'

import type { ContextOwner } from './context-owner.ts'
import { failureOf } from './failure.ts'
import type { NodeRoutes } from './host.ts'

/** The node that has the routes. */
interface RoutedNode {
  readonly owner: ContextOwner
  readonly flow: string
  readonly mode: FlowMode
  /** Aborted when the node stops. */
  readonly ended: AbortSignal
}

/** The routes of a node. Throws an Error for those that cannot be mounted. */
export function routesOf(
  { owner, flow, mode, ended }: RoutedNode,
  handler: RouteHandler,
  { open = [] }: RouteOptions,
): NodeRoutes {
  if (mode === 'batch') throw new Error('a run answers no requests; mount routes in a live flow')
  if (flow === UNROUTED_FLOW_NAME)
    throw new Error(`a flow named "${flow}" has no addresses for routes; give the flow another name`)
  const unfit = open.find((path) => !path.startsWith('/'))
  if (unfit !== undefined) throw new Error(`"${unfit}" is no path below the node; open "/${unfit}"`)
  return {
    type: owner.node.type,
    flow,
    node: owner.node.id,
    open,
    handler(...exchange) {
      const before = owner.from('webhook')
      try {
        return handler(...exchange)
      } finally {
        owner.from(before)
      }
    },
    ended,
    failed(error) {
      // what the stop cuts off is nobody's failure
      if (!ended.aborted) owner.fail(failureOf(error))
    },
  }
}
