/**
 * How a live node is: its failure marker, its health, and where its execution waits.
 * @module
 */
import { type Health, MAX_MAILBOX, type NodeState } from '@flow-service/protocol'

import type { Failure } from '../failure.ts'
import type { Secrets } from '../secrets.ts'
import type { HomeNews, HomeNode } from './node-home.ts'
import type { NodeMarker } from './node-marker.ts'

type Overflowing = 'mailbox' | 'timers'

interface Report {
  readonly status: Health
  readonly message: string | null
}

/** What a condition needs beside its node. */
export interface ConditionDeps {
  /** What the node tells, as it may be shown. */
  readonly mask: Secrets['mask']
  readonly marker: NodeMarker
}

// what most nodes are is one object for all of them
const well: Report = { status: 'ok', message: null }
const drained = { mailbox: false, timers: false }

/** One object a node. */
export class NodeCondition {
  readonly #news: HomeNews
  readonly #node: HomeNode
  readonly #mask: Secrets['mask']
  readonly #marker: NodeMarker
  #reported: Report = well
  #overflows: Readonly<Record<Overflowing, boolean>> = drained
  /** A message of another flow that takes no values. */
  #undeclared: string | null = null
  /** The worker that the execution waits for. */
  #place: string | null = null

  constructor(news: HomeNews, node: HomeNode, { mask, marker }: ConditionDeps) {
    this.#news = news
    this.#node = node
    this.#mask = mask
    this.#marker = marker
  }

  /** Sets the failure marker; answers the failure as it may be shown. */
  fail(raw: Failure): Failure {
    const failure = this.#mask(raw)
    const before = this.#marker.error
    const isKnown = before?.type === failure.type && before.message === failure.message
    this.#marker.set({ ...failure, ts: this.#news.timestamp() })
    if (!isKnown) this.#news.changed(this.#node)
    this.#news.failed(this.#node.node.id, failure)
    return failure
  }

  /** Clears it. */
  acknowledge(): void {
    if (this.#marker.error === null) return
    this.#marker.clear()
    this.#news.changed(this.#node)
  }

  /** What the node tells of its connections. Another message of the same state is shown, and no event. */
  report(status: Health, raw: string | null): void {
    const before = this.#reported.status
    this.#reported = { status, message: this.#mask(raw) }
    if (before !== status) this.#news.healthChanged(this.#node)
  }

  /** Whether its mailbox, or its timers, have dropped what waits and are not drained since. */
  overflow(of: Overflowing, isOverflowing: boolean): void {
    if (this.#overflows[of] === isOverflowing) return
    this.#overflows = { ...this.#overflows, [of]: isOverflowing }
    this.#news.healthChanged(this.#node)
  }

  /** The message of another flow whose values are dropped, because no published flow declares it; null for none. */
  undeclared(message: string | null): void {
    if (this.#undeclared === message) return
    this.#undeclared = message
    this.#news.healthChanged(this.#node)
  }

  placed(place: { readonly waitingFor: string } | { readonly worker: string }): void {
    const waitingFor = 'waitingFor' in place ? place.waitingFor : null
    if (this.#place === waitingFor) return
    this.#place = waitingFor
    this.#news.changed(this.#node)
  }

  /** The execution is over, wherever it waited. */
  ended(): void {
    this.#place = null
  }

  state(isBusy: boolean): Omit<NodeState, 'flow' | 'node'> {
    const { status, message } = this.#health()
    const { error } = this.#marker
    const waiting = this.#place === null ? null : `waits for a worker: ${this.#place}`
    const busy = isBusy ? (waiting === null ? 'running' : 'queued') : 'idle'
    return {
      status: error === null ? busy : 'failed',
      health: status,
      message: message ?? waiting,
      error,
    }
  }

  #health(): { readonly status: Health; readonly message: string | null } {
    const message = this.#dropping()
    return message === null || this.#reported.status === 'down' ? this.#reported : { status: 'degraded', message }
  }

  /** What the engine drops of the node, in words. */
  #dropping(): string | null {
    const { mailbox, timers } = this.#overflows
    if (mailbox || timers)
      return `more than ${MAX_MAILBOX} ${mailbox ? 'deliveries' : 'timers'} wait; the oldest are dropped`
    if (this.#undeclared === null) return null
    return `no published flow declares "${this.#undeclared}"; values for it are dropped`
  }
}
