/**
 * The answer of the embedded PostgreSQL, which comes in parts of some kilobytes of its memory. `embedded-worker.ts` has one,
 * and gives each answer away with the buffer behind it: a short one is copied, a long one is not once more.
 * @module
 */

const LEAST = 65_536

/** Gathers one answer after the other. */
export class Received {
  #buffer = new Uint8Array(LEAST)
  #length = 0

  /** Copies a part; its memory is PostgreSQL's. */
  add(part: Uint8Array): void {
    const length = this.#length + part.length
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(2 * length)
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(part, this.#length)
    this.#length = length
  }

  /** All parts since the last time. Nothing else uses the buffer behind it. */
  take(): Uint8Array {
    const all = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    if (all.length <= LEAST) return all.slice()
    this.#buffer = new Uint8Array(LEAST)
    return all
  }
}
