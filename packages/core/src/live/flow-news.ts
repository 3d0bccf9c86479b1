/**
 * Reports of a live flow to its host: events of its nodes, dead letters and log lines. A node reports whenever its state
 * may have changed, and the host gets an event at the pace of the node: a failed one stays failed while it executes
 * again, waits and ends.
 * @module
 */
import { type EngineEvent, timestampOfMs } from '@flow-service/protocol'

import type { Failure } from '../failure.ts'
import type { DeadLetter, Host } from '../host.ts'
import type { HomeNews, HomeNode } from './node-home.ts'
import { type NodeNews, NodePace } from './node-pace.ts'

type NewsHost = Pick<Host, 'clock' | 'deadLetter' | 'event' | 'isWatched' | 'log' | 'nodeFailed'>

/** One object a flow. */
export class FlowNews implements HomeNews {
  readonly #flow: string
  readonly #host: NewsHost
  readonly #paces = new Map<string, NodePace>()

  constructor(flow: string, host: NewsHost) {
    this.#flow = flow
    this.#host = host
  }

  timestamp(): string {
    return timestampOfMs(this.#host.clock.now())
  }

  deadLetter(entry: Omit<DeadLetter, 'flow'>): void {
    this.#host.deadLetter({ flow: this.#flow, ...entry })
  }

  failed(node: string, failure: Failure): void {
    this.#host.nodeFailed?.({ flow: this.#flow, node, run: null, ...failure })
  }

  log(node: string, text: string): void {
    this.#host.log({ flow: this.#flow, node, text })
  }

  isWatched(): boolean {
    return this.#host.isWatched()
  }

  paceOf(node: string): NodePace {
    let pace = this.#paces.get(node)
    if (pace === undefined) {
      pace = new NodePace(this.#host, (news) => this.#host.event(nodeEvent(news)))
      this.#paces.set(node, pace)
    }
    return pace
  }

  changed(node: HomeNode): void {
    this.paceOf(node.node.id).changed(node)
  }

  healthChanged(node: HomeNode): void {
    const { health, message } = node.state()
    this.#host.event({ type: 'health', flow: this.#flow, node: node.node.id, status: health, message })
  }

  /** The flow has stopped: what is left to tell of its nodes is told. */
  close(): void {
    for (const pace of this.#paces.values()) pace.close()
  }
}

function nodeEvent({ state: { flow, node, status, error }, executions }: NodeNews): EngineEvent {
  const failure = error && { type: error.type, message: error.message }
  return { type: 'node', flow, node, run: null, status, cached: false, error: failure, executions }
}
