/**
 * The nodes that have HTTP routes of their own, by the beginning of a path: `/{type}/{flow}/{node}` (wire decision U12).
 * @module
 */
import type { Mount, NodeRoutes } from '@flow-service/core'

import { RouteTable } from './route-table.ts'

/** A path in two: that of a node, and what follows below it. */
export interface RoutedPath {
  /** As sent, without a slash at its end. */
  readonly base: string
  /** As sent, with the query; it begins with a slash. */
  readonly rest: string
}

/** The nodes of the active flows that have routes. */
export class RoutedNodes {
  readonly #table = new RouteTable<NodeRoutes>('node')

  /** Mounts the routes of a node, held. */
  register(routes: NodeRoutes): Mount {
    const { type, flow, node } = routes
    return this.#table.mount(type, { path: `${flow}/${node}`, secret: null }, routes).mount
  }

  /** The node behind the base of a path; undefined for one that is held. */
  find(base: string): NodeRoutes | undefined {
    return this.#table.find(base)
  }

  /** The node behind the base of a path; waits for one that is held. */
  async found(base: string): Promise<NodeRoutes | undefined> {
    return this.find(base) ?? (await this.#table.found(base))
  }
}

/** Takes a URL below `/connectors` apart; null when it is too short to name a node. */
export function routedPath(url: string): RoutedPath | null {
  const base = /^(?:\/[^/?]+){3}(?=[/?]|$)/.exec(url)?.[0]
  if (base === undefined) return null
  const rest = url.slice(base.length)
  return { base, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

/**
 * Whether a path below a node is one of those that take no sign-in. Only what every reader of it takes for the same path is: a
 * spelling with dots or escaped slashes might lead elsewhere.
 */
export function isOpenPath(open: readonly string[], rest: string): boolean {
  const [path = ''] = rest.split('?', 1)
  const isNamed = open.some((each) => (each.endsWith('/') ? path.startsWith(each) : path === each))
  return isNamed && path.slice(1).split('/').every(isPlain)
}

function isPlain(segment: string): boolean {
  try {
    const name = decodeURIComponent(segment)
    return name !== '.' && name !== '..' && !/[/\\]/.test(name)
  } catch {
    return false
  }
}
