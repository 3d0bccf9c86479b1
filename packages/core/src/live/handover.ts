/**
 * What nodes leave to those that take their place (rebuild.R4, rebuild.R5): deliveries that have come since they were
 * held, and those of executions that were cut off.
 * @module
 */
import { accepts } from '@flow-service/protocol'

import { arrivalsIn } from './arrivals.ts'
import { arrivalsAt, type DueTimer, MANY, type What } from './bus.ts'
import type { Cause } from './cascade.ts'
import type { Delivery } from './loop.ts'
import type { Handover, HomeNode } from './node-home.ts'
import type { LiveNode } from './node.ts'
import { Ring } from './ring.ts'

/** Deliveries to nodes of one flow that wait for its rebuild. */
const MAX_WAITING = 10_000

/** A delivery that waits. */
export type Left = Delivery<HomeNode, What>

/** One object a rebuild. */
export class HandoverQueue implements Handover {
  readonly #waiting = new Ring<HomeNode, What, Cause>(4)
  readonly #cut: Left[] = []

  add(node: HomeNode, what: What, value: unknown, cause: Cause): void {
    const ring = this.#waiting
    ring.push(node, what, value, cause)
    if (ring.size <= MAX_WAITING) return
    const oldest = { node: ring.receiver, what: ring.what, value: ring.value, cause: ring.cause }
    ring.drop()
    oldest.node.discard('overflow', oldest.what, oldest.value, oldest.cause)
  }

  addCut(node: HomeNode, what: What, value: unknown, cause: Cause): void {
    this.#cut.push({ node, what, value, cause })
  }

  /** Empties it: first what was cut off, then what came, in its order. */
  takeAll(): Left[] {
    const waiting = this.#waiting.takeAll().map(({ receiver: node, ...rest }) => ({ node, ...rest }))
    return [...this.#cut.splice(0), ...waiting]
  }
}

/**
 * A delivery to a node as one to the node that takes its place. What that one does not take is given up (`stopped`); null
 * when nothing is left, and the cause is let go of.
 */
export function passedOn({ node, what, value, cause }: Left, to: LiveNode | undefined): Omit<Left, 'cause'> | null {
  if (to === undefined || to.definition.type !== node.node.type) return giveUp(node, what, value, cause)
  if (what.is === 'trigger' || what.is === 'timer') return { node: to, what, value }
  const arrivals = arrivalsIn(what, value)
  const isTaken = ([port, given]: (typeof arrivals)[number]): boolean => {
    const input = to.inputs.find((candidate) => candidate.port === port)
    return input !== undefined && accepts(input.dtype, given)
  }
  const gone = arrivals.filter((arrival) => !isTaken(arrival))
  const taken = arrivalsAt(to.inputs, arrivals.filter(isTaken)).toSorted((a, b) => a.input.index - b.input.index)
  const [first] = taken
  if (first === undefined) return giveUp(node, what, value, cause)
  if (gone.length > 0) node.deadLetters('stopped', gone, cause.cascade.id)
  return taken.length === 1
    ? { node: to, what: first.input, value: first.value }
    : { node: to, what: MANY, value: taken }
}

function giveUp(node: HomeNode, what: What, value: unknown, cause: Cause): null {
  if (what.is === 'timer') {
    node.giveUpTimer('stopped', value as DueTimer, cause.cascade.id)
    cause.cascade.abandon()
    cause.leave()
  } else node.discard('stopped', what, value, cause)
  return null
}
