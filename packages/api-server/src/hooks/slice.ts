/**
 * Addresses of nodes: webhooks and served sockets, below `/hooks`.
 * @module
 */
import { inOrder, makes, noun } from '../process/layer.ts'
import { createHooks, type Hooks } from './hooks.ts'
import { ServedSockets } from './served-sockets.ts'

export const hooks = noun<Hooks>()('hooks')
export const servedSockets = noun<ServedSockets>()('servedSockets')

export const hooksLayer = inOrder(
  makes(hooks, {}, createHooks),
  makes(servedSockets, {}, () => new ServedSockets()),
)
