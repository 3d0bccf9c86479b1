/**
 * `/connectors/{type}/{flow}/{node}/...`: the address space of the nodes that answer requests themselves (wire decision U12).
 * It is no part of the described API: what is there is up to the nodes.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { RequestHandler } from 'express'

import type { AnonymousBodies } from '../http/anonymous-bodies.ts'
import { assertUser, type Principal } from '../http/principal.ts'
import { handOver, type SetTimer } from './node-exchange.ts'
import type { IsPortal } from './portal.ts'
import { requestSegments } from './route-table.ts'
import { isOpenPath, type RoutedNodes, routedPath } from './routed-nodes.ts'

/** What the address space of nodes takes. */
export interface ConnectorRoutesDeps {
  readonly nodes: Pick<RoutedNodes, 'find' | 'found'>
  /** Passes a request for a node of a flow on, when another engine runs that; false: it is to be answered here. */
  readonly elsewhere?:
    | ((flow: string, request: IncomingMessage, response: ServerResponse) => Promise<boolean>)
    | undefined
  /** The caller of a request; refuses with `unauthenticated`. */
  readonly authenticate: (request: IncomingMessage) => Promise<Principal>
  /** Who comes through the portal; nobody unless given. */
  readonly isPortal?: IsPortal
  readonly anonymous: AnonymousBodies
  /** The machine's timers unless given. */
  readonly setTimer?: SetTimer
}

/**
 * The handler to mount at `/connectors`, before any body parser and behind the endpoints of that path. What no node of an
 * active flow answers is left to the next handler.
 */
export function connectorRoutes(deps: ConnectorRoutesDeps): RequestHandler {
  const { nodes, elsewhere, authenticate, isPortal = () => false, anonymous, setTimer = timer } = deps
  return async (request, response, next) => {
    const path = routedPath(request.url)
    if (path === null) return next()
    for (let isUser = false; ; isUser = true) {
      // oxlint-disable-next-line no-await-in-loop -- the flow may have gone to another engine meanwhile
      if (elsewhere && !nodes.find(path.base) && (await elsewhere(flowIn(path.base), request, response))) return
      // a rebuild may have come in between: what counts is who stands there now
      // oxlint-disable-next-line no-await-in-loop
      const routes = await nodes.found(path.base)
      if (routes === undefined) return next()
      const exchange = { request, response, routes, path, setTimer }
      if (isUser) return handOver(exchange)
      if (isOpenPath(routes.open, path.rest) && !isPortal(request))
        return handOver({ ...exchange, patience: anonymous.wait })
      // oxlint-disable-next-line no-await-in-loop
      assertUser(await authenticate(request), 'messages:publish')
    }
  }
}

/** The flow in the base of a path: `/type/flow/node`. */
const flowIn = (base: string): string => requestSegments(base)?.[1] ?? ''

const timer: SetTimer = (delayMs, run) => {
  const handle = setTimeout(run, delayMs).unref()
  return () => clearTimeout(handle)
}
