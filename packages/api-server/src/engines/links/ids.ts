/**
 * Ids of one side of a link: they count up, and begin again after 2^32. A frame about one that is over already is late; a
 * frame about one that never was is malformed.
 * @module
 */

/** Half of all ids lie before one, the others behind it. */
const HALF = 2 ** 31

/** The ids that one side gives. */
export class Ids {
  readonly #step: number
  #last: number
  #hasGiven = false

  constructor(first: number, step: number) {
    this.#step = step
    this.#last = (first - step) >>> 0
  }

  /** The next one that is not in use. */
  next(used: ReadonlyMap<number, unknown>): number {
    this.#hasGiven = true
    do this.#last = (this.#last + this.#step) >>> 0
    while (used.has(this.#last))
    return this.#last
  }

  /** Notes one that the other side has given; false unless it comes after all before. */
  note(id: number): boolean {
    const distance = (id - this.#last) >>> 0
    if (distance === 0 || distance >= HALF || distance % this.#step !== 0) return false
    this.#last = id
    this.#hasGiven = true
    return true
  }

  /** Whether one was given. */
  isKnown(id: number): boolean {
    const age = (this.#last - id) >>> 0
    return this.#hasGiven && age < HALF && age % this.#step === 0
  }
}
