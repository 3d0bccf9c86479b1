/**
 * Pauses between attempts (wire decision U18), from 1 to 30 s. Each is drawn up to a bound that doubles, so that the boards of
 * a house do not come back in one moment.
 * @module
 */

const SHORTEST_MS = 1000
const LONGEST_MS = 30_000

/** The pauses of one effort. */
export class Backoff {
  readonly #random: () => number
  #boundMs = 2 * SHORTEST_MS

  /** `random` gives numbers in [0, 1). */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Milliseconds of the next pause. */
  next(): number {
    const pauseMs = Math.round(SHORTEST_MS + this.#random() * (this.#boundMs - SHORTEST_MS))
    this.#boundMs = Math.min(this.#boundMs * 2, LONGEST_MS)
    return pauseMs
  }

  /** An attempt has succeeded: the next pause is short again. */
  reset(): void {
    this.#boundMs = 2 * SHORTEST_MS
  }
}
