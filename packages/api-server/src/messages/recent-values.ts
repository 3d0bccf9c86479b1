/**
 * The newest values of one message that wait to be written: at most `MAX_HISTORY`, older ones give way.
 *
 * This is on the way of every value of every live flow. A full ring writes into the objects it has, so that a busy
 * message costs the garbage collector nothing.
 * @module
 */
import type { CascadeId, ValueSource } from '@flow-service/core'
import { MAX_HISTORY } from '@flow-service/protocol'

/** A value that a message had; `us` are microseconds since the Unix epoch, `cascade` is what it came about in, if known. */
export interface PastValue {
  us: number
  value: unknown
  source: ValueSource
  cascade: CascadeId | null
}

/** A ring of values in the order of their times. */
export class RecentValues {
  #ring: PastValue[] = []
  #oldest = 0

  get size(): number {
    return this.#ring.length
  }

  push(us: number, source: ValueSource, value: unknown, cascade: CascadeId | null): void {
    const slot = this.#ring[this.#oldest]
    if (this.#ring.length < MAX_HISTORY || !slot) {
      this.#ring.push({ us, value, source, cascade })
      return
    }
    slot.us = us
    slot.value = value
    slot.source = source
    slot.cascade = cascade
    this.#oldest = (this.#oldest + 1) % MAX_HISTORY
  }

  /** Takes all values out, oldest first. */
  take(): PastValue[] {
    const values = [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)]
    this.#ring = []
    this.#oldest = 0
    return values
  }

  /** Puts values back before those that came meanwhile. */
  putBack(values: readonly PastValue[]): void {
    this.#ring = [...values, ...this.take()].slice(-MAX_HISTORY)
  }
}
