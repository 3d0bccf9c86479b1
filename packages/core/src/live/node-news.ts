/**
 * What observers are told of the nodes of a flow. A failed node stays failed while it executes again, waits and ends:
 * that is no news.
 * @module
 */
import type { EngineEvent, NodeState } from '@flow-service/protocol'

type NodeEvent = Extract<EngineEvent, { type: 'node' }>

/** One for a flow. */
export class NodeNews {
  readonly #told = new Map<string, NodeEvent>()

  /** The event that tells a state; null when it says what was told last of the node. */
  of({ flow, node, status, error }: NodeState): NodeEvent | null {
    const before = this.#told.get(node)
    const isSame = before?.error?.type === error?.type && before?.error?.message === error?.message
    if (before?.status === status && isSame) return null
    const failure = error && { type: error.type, message: error.message }
    const event: NodeEvent = { type: 'node', flow, node, run: null, status, cached: false, error: failure }
    this.#told.set(node, event)
    return event
  }
}
