/**
 * Waits before the next attempt to attach. Each is drawn between 0 and a bound that doubles from 1 s to 60 s ("full
 * jitter"), so that the workers of an engine that comes back do not come back in one moment.
 * @module
 */

const FIRST_BOUND_MS = 1000
const LAST_BOUND_MS = 60_000

/** Waits before attempts. */
export class Backoff {
  readonly #random: () => number
  #boundMs = FIRST_BOUND_MS

  /** `random` gives numbers in [0, 1). */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Milliseconds of the next wait. */
  next(): number {
    const waitMs = Math.round(this.#random() * this.#boundMs)
    this.#boundMs = Math.min(this.#boundMs * 2, LAST_BOUND_MS)
    return waitMs
  }

  /** An engine has welcomed the worker: the next wait is short again. */
  reset(): void {
    this.#boundMs = FIRST_BOUND_MS
  }
}
