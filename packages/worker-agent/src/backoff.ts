/**
 * How long a worker waits before it dials again. Each wait is drawn between 0 and a bound ("full jitter"), so that the
 * workers of an engine that comes back do not come back in one moment.
 * @module
 */

const FIRST_MS = 1000
const MOST_MS = 60_000

/** Waits whose bound doubles from 1 s to 60 s. */
export class Backoff {
  readonly #random: () => number
  #boundMs = FIRST_MS

  /** `random` gives numbers in [0, 1). */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Milliseconds of the next wait. */
  next(): number {
    const waitMs = Math.round(this.#random() * this.#boundMs)
    this.#boundMs = Math.min(this.#boundMs * 2, MOST_MS)
    return waitMs
  }

  /** An engine has welcomed the worker: the next wait is short again. */
  reset(): void {
    this.#boundMs = FIRST_MS
  }
}
