/**
 * Deliveries that wait for a busy node, first in first out (node.N1, node.N5).
 * @module
 */
import { MAX_MAILBOX } from '@flow-service/protocol'

import type { What } from './bus.ts'
import type { Cause } from './cascade.ts'
import type { HomeNode, Waiting } from './node-home.ts'
import { Ring } from './ring.ts'

/** A mailbox. It costs nothing until its node was busy when something came. */
export class Mailbox {
  readonly #node: HomeNode
  #ring: Ring<number, What, Cause> | null = null

  constructor(node: HomeNode) {
    this.#node = node
  }

  /** Takes a delivery in; true when the oldest one was given up for it. */
  push(ticket: number, what: What, value: unknown, cause: Cause): boolean {
    const ring = (this.#ring ??= new Ring(4))
    ring.push(ticket, what, value, cause)
    if (ring.size <= MAX_MAILBOX) return false
    const { what: oldest, value: lost, cause: why } = ring
    ring.drop()
    this.#node.discard('overflow', oldest, lost, why)
    return true
  }

  get size(): number {
    return this.#ring?.size ?? 0
  }

  /** Takes the oldest delivery out; there has to be one. */
  shift(): Pick<Waiting, 'what' | 'value' | 'cause'> {
    const ring = this.#ring!
    const { what, value, cause } = ring
    ring.drop()
    return { what, value, cause }
  }

  /** Empties it. */
  takeAll(): Waiting[] {
    const taken = this.#ring?.takeAll() ?? []
    return taken.map(({ receiver: ticket, what, value, cause }) => ({ ticket, node: this.#node, what, value, cause }))
  }
}
