/**
 * Time that passes when it is told to.
 * @module
 */
import type { Cancel } from '@flow-service/connector-sdk'

import type { Clock } from './host.ts'

interface Timer {
  readonly dueMs: number
  readonly run: () => void
}

/** A clock for tests. Like the platform's timers, it fires a delay above 2^31-1 ms at once. */
export class VirtualClock implements Clock {
  #nowMs: number
  /** In the order in which they were set. */
  readonly #timers = new Set<Timer>()

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#nowMs
  }

  setTimer(delayMs: number, run: () => void): Cancel {
    const timer = { dueMs: this.#nowMs + (delayMs > 2 ** 31 - 1 ? 1 : Math.max(0, delayMs)), run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Lets time pass: every timer that comes due runs at its time, and what follows from it before the next. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await settled()
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.run()
      await settled()
    }
    this.#nowMs = endMs
  }

  #next(endMs: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer
    }
    return first
  }
}

/** A turn of the event loop: promises settle, and loops that yielded go on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
