/**
 * Publications of nodes while their flow starts. They wait, in order, until every node has started and the work of an
 * earlier life is delivered (flow.F1); the flow publishes them then, or drops them when it ends first.
 * @module
 */
import type { Cause } from './cascade.ts'

interface Early {
  readonly cause: Cause
  readonly publish: () => void
}

/** One object a flow. */
export class EarlyPublications {
  readonly #waiting: Early[] = []

  /** Its cause is entered until it is published or dropped. */
  add(cause: Cause, publish: () => void): void {
    cause.enter(1)
    this.#waiting.push({ cause, publish })
  }

  publish(): void {
    for (const { cause, publish } of this.#waiting.splice(0)) {
      publish()
      cause.leave()
    }
  }

  /** They go nowhere, but durable arrivals wait for the next start. */
  drop(): void {
    for (const { cause } of this.#waiting.splice(0)) {
      if (cause.work !== null) cause.suspend()
      else {
        cause.cascade.abandon()
        cause.leave()
      }
    }
  }
}
