/**
 * The repeated timers of one node (`ctx.every`, `ctx.cron`), and how the node that takes its place goes on with them
 * (rebuild.R5).
 * @module
 */
import type { Cancel } from '@flow-service/connector-sdk'

import { append } from './graph.ts'
import type { Lease } from './host.ts'
import type { Repetition } from './timers.ts'

/** A tick of a schedule; those that come without the lease are one, once it holds again. */
export function oneWaiting(lease: Lease | undefined, tick: () => void): () => void {
  if (lease === undefined) return tick
  let isWaiting = false
  const goOn = (): void => {
    isWaiting = false
    tick()
  }
  return () => {
    if (isWaiting) return
    if (lease.holds()) return tick()
    isWaiting = true
    void lease.held().then(goOn)
  }
}

/** What may be carried on: a repetition, and what it is. */
interface Schedule {
  readonly key: string
  readonly repetition: Repetition
}

/** One object a node that has repeated timers. */
export class NodeSchedules {
  readonly #made: Schedule[] = []
  /** When those of the node before this one are due, by what they are, as far as they are not taken up. */
  #inherited = new Map<string, number[]>()
  #isHeld = false

  /** Goes on with equal schedules of the node before this one, in their order; before any is made. */
  inherit(earlier: NodeSchedules): void {
    this.#inherited = new Map()
    for (const { key, repetition } of earlier.#made) {
      if (repetition.dueMs !== null) append(this.#inherited, key, repetition.dueMs)
    }
  }

  /** Makes one; `key` tells equal ones, and `start` is given when the first tick is due where it goes on. */
  make(key: string, start: (firstMs: number | undefined) => Repetition): Cancel {
    const made: Schedule = { key, repetition: start(this.#inherited.get(key)?.shift()) }
    this.#made.push(made)
    return () => {
      made.repetition.end()
      if (!this.#isHeld) this.#made.splice(this.#made.indexOf(made), 1)
    }
  }

  /** Ends them, and remembers when they were due. */
  hold(): void {
    this.#isHeld = true
    for (const { repetition } of this.#made) repetition.end()
  }
}
