/**
 * Reports of a live flow to its host: events of its nodes, dead letters and log lines. A node reports whenever its state
 * may have changed, and the host gets an event for each other state: a failed node stays failed while it executes again,
 * waits and ends.
 * @module
 */
import { type EngineEvent, type NodeState, timestampOfMs } from '@flow-service/protocol'

import type { DeadLetter, Host } from '../host.ts'
import type { HomeNews, HomeNode } from './node-home.ts'

type NodeEvent = Extract<EngineEvent, { type: 'node' }>

/** One object a flow. */
export class FlowNews implements HomeNews {
  readonly #flow: string
  readonly #host: Pick<Host, 'clock' | 'deadLetter' | 'event' | 'log'>
  /** The last event of each node. */
  readonly #last = new Map<string, NodeEvent>()

  constructor(flow: string, host: Pick<Host, 'clock' | 'deadLetter' | 'event' | 'log'>) {
    this.#flow = flow
    this.#host = host
  }

  timestamp(): string {
    return timestampOfMs(this.#host.clock.now())
  }

  deadLetter(entry: Omit<DeadLetter, 'flow'>): void {
    this.#host.deadLetter({ flow: this.#flow, ...entry })
  }

  log(node: string, text: string): void {
    this.#host.log({ flow: this.#flow, node, text })
  }

  changed(node: HomeNode): void {
    const event = this.#eventOf(node.state())
    if (event !== null) this.#host.event(event)
  }

  healthChanged(node: HomeNode): void {
    const { health, message } = node.state()
    this.#host.event({ type: 'health', flow: this.#flow, node: node.node.id, status: health, message })
  }

  /** Null when the last event of the node says the same. */
  #eventOf({ flow, node, status, error }: NodeState): NodeEvent | null {
    const last = this.#last.get(node)
    const isSame = last?.error?.type === error?.type && last?.error?.message === error?.message
    if (last?.status === status && isSame) return null
    const failure = error && { type: error.type, message: error.message }
    const event: NodeEvent = { type: 'node', flow, node, run: null, status, cached: false, error: failure }
    this.#last.set(node, event)
    return event
  }
}
