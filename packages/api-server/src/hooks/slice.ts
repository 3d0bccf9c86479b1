/**
 * Addresses of nodes: webhooks and served sockets, below `/hooks`, and routes of their own, below `/connectors`.
 * @module
 */
import { inOrder, makes, noun } from '../process/layer.ts'
import { createHooks, type Hooks } from './hooks.ts'
import { RoutedNodes } from './routed-nodes.ts'
import { ServedSockets } from './served-sockets.ts'

export const hooks = noun<Hooks>()('hooks')
export const servedSockets = noun<ServedSockets>()('servedSockets')
export const routedNodes = noun<RoutedNodes>()('routedNodes')

export const hooksLayer = inOrder(
  makes(hooks, {}, createHooks),
  makes(servedSockets, {}, () => new ServedSockets()),
  makes(routedNodes, {}, () => new RoutedNodes()),
)
