/**
 * How long something took while the machine worked. Tests bound that, not the time of a clock: a machine that stands still,
 * or gives others its processors, takes from everybody, and says nothing of the engine. What blocks the event loop of the
 * test itself is not counted either.
 * @module
 */

const TICK_MS = 20
/** What is longer between two ticks is taken by others. */
const MOST_MS = 100

/** Counts from its making until it is disposed of. */
export class AwakeTime implements Disposable {
  readonly #timer = setInterval(() => this.#count(), TICK_MS)
  #lastMs = performance.now()
  #ms = 0

  /** Milliseconds since it was made. */
  get ms(): number {
    this.#count()
    return this.#ms
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #count(): void {
    const nowMs = performance.now()
    this.#ms += Math.min(nowMs - this.#lastMs, MOST_MS)
    this.#lastMs = nowMs
  }
}
